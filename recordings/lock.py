"""One process at a time holds a run: a lock that ends with its process, however that ends."""

from __future__ import annotations

import fcntl
import os
import socket
from pathlib import Path

from recordings.errors import RecordingError

LOCK = "run.lock"
"""Name of the lock's file in a run's folder; it stays there, and says who held the run last."""


class RunHeld(RecordingError):
    """Another process, or another part of this one, holds the run."""


class RunLock:
    """Holds a run for this process; the kernel lets go of it when the process ends, even by `kill -9`.

    Args:
        folder: Of the run.
        named: What is said to be held, if it is; the folder unless it is said.

    Raises:
        RunHeld: See there.
        RecordingError: The lock cannot be made.
    """

    def __init__(self, folder: Path, named: str = "") -> None:
        self._path = folder / LOCK
        try:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise RecordingError(self._path, f"cannot be written ({error.strerror})") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"{os.getpid()} {socket.gethostname()}\n".encode(), 0)
        except BlockingIOError as error:
            holder = os.pread(self._file, 200, 0).decode("utf-8", "replace").strip()
            os.close(self._file)
            raise RunHeld(named or folder, f"is being held by {_named(holder)}", HELD_REMEDY) from error
        except OSError as error:
            os.close(self._file)
            raise RecordingError(self._path, f"cannot be locked ({error.strerror})") from error

    def release(self) -> None:
        """Let go; safe to call twice."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


HELD_REMEDY = "Wait until it ends, or stop it (kill -INT); then resume."


def _named(holder: str) -> str:
    pid, _, host = holder.partition(" ")
    if not pid:
        return "another process"
    return f"process {pid}" if host == socket.gethostname() else f"process {pid} on {host}"
