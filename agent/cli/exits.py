"""Exit codes, and the one way out of a command.

    0    done
    1    a gate was not passed
    2    bad usage or input: the command line, viva.toml, a scenario, an address, a key that is not set,
         a folder that is taken. Nothing was called; mend it and try again
    3    it was asked for rightly and could not be done: an endpoint that could not be reached
         (`connect_failed`), a machine that was too slow, a full disk, a missing model, a fault of ours.
         What could be recorded is kept, and such an episode never counts against an endpoint
    130  interrupted by Ctrl+C; the calls that were under way are complete, with outcome `cancelled`

How an endpoint behaved changes no exit code: a call it left or broke off is a result like any other. Only
`viva endpoint probe` asks about nothing else: 1 says that it could not be reached, or that no reply was
heard.
"""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from recordings.errors import RecordingError

PASS = 0
GATE_FAILED = 1
BAD_INPUT = 2
OUR_FAILURE = 3
INTERRUPTED = 130

_DISK_TROUBLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def leave(code: int) -> None:
    """End the command with an exit code."""
    if code != PASS:
        raise typer.Exit(code)


def for_disk(error: RecordingError | OSError) -> int:
    """3 for a disk that fails or is full; 2 for a path that was named wrongly."""
    cause = error if isinstance(error, OSError) else error.__cause__
    return OUR_FAILURE if isinstance(cause, OSError) and cause.errno in _DISK_TROUBLE else BAD_INPUT
