"""Processes that end with the one that started them, in whatever way it ends.

    subprocess.Popen(attached("agent.cli.main", "serve"), stdin=lifeline())

The parent holds one end of a pipe that nobody writes to, the child reads the other as its standard input.
When the parent ends, even if it is killed, the system closes its end, and the child ends itself. Workers of
a run and processes of a pool have such a pipe without this.
"""

from __future__ import annotations

import functools
import os
import runpy
import signal
import sys
import threading

ENDS_IN_S = 5.0
"""What the child does at SIGTERM, such as closing sessions, must be done by then."""


@functools.cache
def lifeline() -> int:
    """The standard input of children that end with this process; one for all of them."""
    read, _ = os.pipe()  # no child inherits the other end: it closes with this process
    return read


def attached(module: str, *arguments: str) -> list[str]:
    """Command that runs a module of Python and ends it with the process that holds its `lifeline`."""
    return [sys.executable, "-m", "agent.attached", module, *arguments]


def end_with_parent() -> None:
    """In a child: end once standard input does."""

    def wait() -> None:
        while os.read(0, 4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)
        threading.Event().wait(ENDS_IN_S)
        os._exit(1)

    threading.Thread(target=wait, name="ends with its parent", daemon=True).start()


if __name__ == "__main__":
    end_with_parent()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
