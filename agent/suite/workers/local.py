"""A worker on this machine: a process of its own."""

from __future__ import annotations

from multiprocessing import get_context

from agent.suite.workers.messages import Message, Setup
from agent.suite.workers.pipe import Lost, Pipe, Receive
from agent.suite.workers.process import main

ENDS_IN_S = 20.0
"""Calls that are broken off are written down within this time; then the process is killed."""


class ProcessWorker:
    """A `WorkerHandle`; see there.

    Args:
        setup: What it makes its workplace of.
        number: For its name.
        receive: Called with each of its messages, in some thread.
        lost: Called there once it is gone.
    """

    def __init__(self, setup: Setup, number: int, receive: Receive, lost: Lost) -> None:
        context = get_context("spawn")  # no half of this process's threads
        ours, theirs = context.Pipe()
        self._process = context.Process(
            target=main, args=(theirs, setup), name=f"worker {number}", daemon=True
        )
        self._process.start()
        theirs.close()
        self._pipe = Pipe(ours, receive, lost)

    @property
    def pid(self) -> int:
        """Id of the process."""
        return self._process.pid or 0

    def send(self, message: Message) -> None:
        """Tell it something; returns at once."""
        self._pipe.send(message)

    def how_it_died(self) -> str:
        """A sentence; blocks for a moment at most."""
        self._process.join(timeout=1)
        code = self._process.exitcode
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        return f"{self._process.name} (process {self.pid}) died, {how}"

    def close(self) -> None:
        """Let it go, and wait until it has ended."""
        self._pipe.close()
        self._process.join(timeout=ENDS_IN_S)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()
