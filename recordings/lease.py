"""One machine at a time holds a run at a URL: a lease there, which its holder renews as long as it lives.

    run.lease/1     who held the run first; run.lease/2, who held it next; ...

Whoever has made the file with the highest number holds the run. A file is made only where there is none
(S3 and Azure `If-None-Match`, GCS `ifGenerationMatch`), so of several who want the next number one gets it.
Only its owner writes it again, and none is ever removed, so no number is given twice. The owner counts up
in it every few seconds. Another takes the next number once the last owner has let go, or has not counted
while it was watched for a minute: clocks of two machines are never compared. An owner that finds a higher
number (it slept, or its network was away) has lost the run, and puts nothing there any more.
"""

from __future__ import annotations

import os
import re
import socket
import threading
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from recordings.errors import RecordingError
from recordings.lock import HELD_REMEDY, RunHeld, RunLock
from recordings.remote import Remote
from recordings.strict_json import encode, replace_file

LEASE = "run.lease"
"""Folder of the leases, below the URL of a run."""

BEAT_S = 10.0
"""A holder counts so often."""

LOOK_S = 5.0
LOOKS = 12
"""One that does not count within so many looks, so far apart, has died."""

PAUSE_S = 3.0
"""Where no file can be made only if there is none: how long one waits before one looks whose it is."""

_OURS = "lease.json"
"""In the folder of this machine: the lease that one of its processes had last."""


class Holder(BaseModel):
    """What a lease says.

    Attributes:
        owner: Tells the process from all others there are.
        beat: Counts up while the owner lives.
        ended: The owner has let go.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    number: int = Field(ge=1)
    owner: str
    pid: int
    host: str = Field(pattern="^[A-Za-z0-9_.-]+$", max_length=255)
    beat: int = 0
    ended: bool = False

    @property
    def named(self) -> str:
        """As it is told."""
        return f"process {self.pid} on {self.host}" if self.owner else "another process"

    def is_of(self, other: Holder | None) -> bool:
        """Whether this is the same lease, whatever has been counted since."""
        return other is not None and (self.number, self.owner) == (other.number, other.owner)


class Lease:
    """The right of this process to hold a run at a URL; other threads count while it is held.

    Args:
        url: Of the run.
        home: Folder of this machine for this run alone, in which a lock tells its processes apart.
        told: Told why `take` takes its time.

    Attributes:
        number: Of the lease; 0 until it is taken.
        others: Somebody else has held the run since this machine did: what is at the URL counts.
        lost: That somebody took the run over, and who; "" as long as it is not known.
    """

    def __init__(self, url: str, home: Path, told: Callable[[str], None] = lambda _: None) -> None:
        self.url = url
        self.number = 0
        self.others = False
        self.lost = ""
        self._home = home
        self._told = told
        self._lock: RunLock | None = None
        self._over = threading.Event()

    def take(self) -> None:
        """Take the run; waits while it is not clear whether its holder lives.

        Raises:
            RunHeld: Somebody holds it.
            RecordingError: The URL is not reached.
        """
        try:
            self._home.mkdir(parents=True, exist_ok=True)
            self._take()
        except OSError as error:
            raise RecordingError(self._home, f"cannot be written ({error.strerror})") from error

    def _take(self) -> None:
        self._lock = RunLock(self._home, self.url)
        last = latest(Remote(self.url))
        ours = _remembered(self._home / _OURS)
        same = last is not None and last.is_of(ours)
        # the last holder was of this machine, where the lock says that it is gone
        if last is not None and not last.ended and not same:
            last = self._watch(last)
        self.others = last is not None and ours is not None and not same
        self._holder = _new(1 if last is None else last.number + 1)
        self._create()
        replace_file(self._home / _OURS, encode(self._holder))
        self.number = self._holder.number
        self._beats = threading.Thread(target=self._count, name="lease", daemon=True)
        self._beats.start()

    def release(self) -> None:
        """Let go; safe to call twice, and where nothing was taken."""
        if self.number and not self._over.is_set():
            self._over.set()
            self._beats.join(BEAT_S)  # a service may keep it waiting for longer
            if not self.lost:
                with suppress(RecordingError):  # then others look for a minute
                    self._write(ended=True)
        if self._lock is not None:
            self._lock.release()

    def check(self, remote: Remote) -> None:
        """Whether the run is still ours.

        Args:
            remote: The URL of the run.

        Raises:
            RunHeld: It was taken over; `lost` says so from now on.
            RecordingError: The URL is not reached.
        """
        try:
            check(remote, self.number)
        except RunHeld as error:
            self.lost = f"{self.url} {error.found}"
            raise

    def _watch(self, last: Holder) -> Holder:
        """Look whether a holder lives; returns the last there was, once it is gone.

        Raises:
            RunHeld: It lives, or another was faster.
        """
        self._told(
            f"{self.url} is held by {last.named}: looking for {LOOKS * LOOK_S:g} s whether it lives ..."
        )
        remote = Remote(self.url)
        for _ in range(LOOKS):
            self._over.wait(LOOK_S)
            seen = latest(remote) or last
            if seen.ended:
                return seen
            if seen != last:
                raise _held(self.url, seen if seen.owner else last)
        return last

    def _create(self) -> None:
        """Make the lease of our number.

        Raises:
            RunHeld: Another was faster.
        """
        remote, name = Remote(self.url), _file(self._holder.number)
        created = remote.create(name, encode(self._holder))
        # a service that knows no conditions puts it a second time
        if created and (not remote.exclusive or remote.create(name, encode(self._holder))):
            self._over.wait(PAUSE_S)
        found = _read(remote, self._holder.number)
        if found is None or found.owner != self._holder.owner:
            raise _held(self.url, found or _unreadable(self._holder.number))

    def _count(self) -> None:
        while not self._over.wait(BEAT_S) and not self.lost:
            with suppress(RecordingError):  # it is lost, which is said; or the next beat may get there
                self._beat()

    def _beat(self) -> None:
        self.check(Remote(self.url, ()))
        self._write(ended=False)

    def _write(self, *, ended: bool) -> None:
        change = {"beat": self._holder.beat + 1, "ended": ended}
        self._holder = self._holder.model_copy(update=change)
        Remote(self.url, ()).write(_file(self.number), encode(self._holder))


def latest(remote: Remote) -> Holder | None:
    """Who holds a run, or held it last; None if nobody ever did.

    Raises:
        RecordingError: The URL is not reached.
    """
    number = _highest(remote)
    return None if number == 0 else _read(remote, number) or _unreadable(number)


def check(remote: Remote, number: int) -> None:
    """Whether the lease with a number is the last: the run is still that of its owner.

    Raises:
        RunHeld: It was taken over.
        RecordingError: The URL is not reached.
    """
    if _highest(remote) > number:
        last = latest(remote)
        by = "another machine" if last is None else last.named
        found = f"was taken over by {by}, since nothing was heard of this machine for a minute"
        raise RunHeld(remote.url, found, "What was recorded here stays here.")


def _highest(remote: Remote) -> int:
    numbers = [name.rpartition("/")[2] for name in remote.sizes(LEASE)]
    return max((int(number) for number in numbers if number.isdecimal()), default=0)


def _file(number: int) -> str:
    return f"{LEASE}/{number}"


def _read(remote: Remote, number: int) -> Holder | None:
    """A lease; None if it cannot be read, as one in a shared folder that is just being written."""
    data = remote.read(_file(number))
    return None if data is None else _holder(data, number)


def _holder(data: bytes, number: int) -> Holder | None:
    with suppress(ValidationError):
        found = Holder.model_validate_json(data)
        return found if found.number == number else None
    return None


def _remembered(file: Path) -> Holder | None:
    with suppress(OSError, ValidationError):
        return Holder.model_validate_json(file.read_bytes())
    return None


def _new(number: int) -> Holder:
    host = re.sub("[^A-Za-z0-9_.-]", "-", socket.gethostname())[:255] or "unknown"
    return Holder(number=number, owner=uuid.uuid4().hex, pid=os.getpid(), host=host)


def _unreadable(number: int) -> Holder:
    return Holder(number=number, owner="", pid=0, host="unknown")


def _held(url: str, holder: Holder) -> RunHeld:
    return RunHeld(url, f"is being held by {holder.named}", HELD_REMEDY)
