"""Writes an episode while the session goes on, without ever making the session wait."""

from __future__ import annotations

import asyncio
import atexit
import math
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVarTuple

from recordings.disk import FILES, Batch, EpisodeFiles, write_info
from recordings.errors import RecordingError
from recordings.format import EpisodeInfo, Event, Fault, Outcome, ReceivedPiece, Turn
from recordings.scribe import SCRIBE
from streams.audio import FRAME_S

Ts = TypeVarTuple("Ts")

BATCH_S = 0.1
"""How much audio comes together before the disk is asked to take it."""

SIMULATED_BATCH_S = 10.0
"""The same in simulated time, where ten seconds of a session pass in a few milliseconds."""

_REMEDY = "Free some space or choose another folder; the episode is readable up to here."


class EpisodeWriter:
    """One episode, written as it happens. All methods belong to the event loop.

    The methods that take audio and events only append to lists: a thread that all writers share does the
    rest, about every 100 ms of session. What a killed process loses is what has come together since:
    at most 200 ms on the wall clock. Frames of `user`, `user_clean` and `endpoint` come once per tick,
    from sample 0 on.

    The folder is made at once, with an `episode.json` whose outcome is `unfinished`. A writer ends with
    `finish` or `abandon`; if it gets neither, what it was given is on the disk when the interpreter exits.

    Args:
        folder: Of the episode.
        info: What is known of it so far.
        clean: The user's voice reaches the wire as it is: `user_clean` is `user`, and is not given.

    Raises:
        RecordingError: The folder holds an episode already, or cannot be written.
    """

    def __init__(self, folder: Path, info: EpisodeInfo, *, clean: bool = False) -> None:
        self._batch_s = SIMULATED_BATCH_S if info.clock == "simulated" else BATCH_S
        self.folder = folder
        self._info = info
        self._clean = clean
        self._batch = Batch()
        self._pending: deque[Batch] = deque()
        self._asked = False
        self._batch_bytes = 2 * math.ceil(self._batch_s * info.user_rate)
        self._user_bytes = 0
        self._handed_bytes = 0
        self._handed_t = -math.inf
        self._failure: RecordingError | None = None
        self._final: EpisodeInfo | None = None
        self._files: EpisodeFiles | None = None
        self._over = threading.Event()
        _claim(folder, info)
        SCRIBE.enter()
        SCRIBE.put(partial(self._try, self._open))
        atexit.register(self._at_exit)

    @property
    def failure(self) -> RecordingError | None:
        """The first thing that went wrong on the disk; after it nothing more is written."""
        return self._failure

    def user(self, pcm: bytes) -> None:
        """The next audio that went on the wire, at the user's rate."""
        self._batch.user.append(pcm)
        self._user_bytes += len(pcm)
        if self._user_bytes - self._handed_bytes >= self._batch_bytes:
            self._hand_over(self._user_bytes / (2 * self._info.user_rate))

    def user_clean(self, pcm: bytes) -> None:
        """The same before conditions, if there are any."""
        self._batch.user_clean.append(pcm)

    def endpoint(self, pcm: bytes) -> None:
        """The next audio that the ear heard, at the endpoint's rate."""
        self._batch.endpoint.append(pcm)

    def received(self, piece: ReceivedPiece, pcm: bytes) -> None:
        """A delivery of audio, heard or not."""
        self._batch.received.append(pcm)
        self._batch.pieces.append(piece)
        self._hand_over_if_due(piece.t)

    def event(self, event: Event) -> None:
        """Something that happened. Events may come up to 80 ms out of order (`disk.HOLD_S`)."""
        self._batch.events.append(event)
        self._hand_over_if_due(event.t)

    def turn(self, turn: Turn) -> None:
        """A turn that is over. Given again with the same index, it replaces the first."""
        self._batch.turns.append(turn)

    async def finish(self, info: EpisodeInfo) -> EpisodeInfo:
        """Write everything that is left, then `episode.json`.

        Tracks are padded with silence to one length, a whole number of 20 ms frames, which becomes
        `duration_s`.

        Returns:
            What is in `episode.json` now.

        Raises:
            RecordingError: The disk did not take all of it. If it still takes an `episode.json`, that
                says `harness_failed`, whatever `info` said; else the episode stays `unfinished`.
        """
        self._hand_over()
        await asyncio.get_running_loop().run_in_executor(None, self._finish, info)
        if self._failure is not None:
            raise self._failure
        assert self._final is not None  # one or the other is set
        return self._final

    def abandon(self) -> None:
        """Write what was given so far and leave the episode `unfinished`; does not wait for it."""
        self._hand_over()
        SCRIBE.put(self._abandon)

    def _hand_over_if_due(self, t: float) -> None:
        # while no frames flow, as before sample 0, the events' own times keep the writes coming
        if t - self._handed_t >= self._batch_s + FRAME_S:
            self._hand_over(t)

    def _hand_over(self, t: float = math.inf) -> None:
        self._handed_t = t
        self._handed_bytes = self._user_bytes
        batch, self._batch = self._batch, Batch()
        if self._failure is not None:
            return
        self._pending.append(batch)
        if not self._asked:  # a disk that is behind writes all that has come together since at once
            self._asked = True
            SCRIBE.put(partial(self._try, self._write))

    def _at_exit(self) -> None:
        self.abandon()
        self._over.wait()

    # --- in other threads: that of all writers, and at the end one of the loop's ---------------------

    def _open(self) -> None:
        self._files = EpisodeFiles(self.folder, self._info, clean=self._clean)

    def _write(self) -> None:
        assert self._files is not None  # else there is a failure, and nothing is tried
        self._asked = False  # first: what is handed over from here on asks again
        batch = Batch()
        while self._pending:
            batch.extend(self._pending.popleft())
        if not self._over.is_set():
            self._files.write(batch)

    def _finish(self, info: EpisodeInfo) -> None:
        """In a thread of its own: it waits for the disk, and other sessions need not."""
        SCRIBE.wait()
        files = self._files

        def finish() -> None:
            assert files is not None
            self._final = files.finish(info)

        self._try(finish)
        if self._failure is not None:
            self._own_up(self._failure, info)
        self._end()

    def _abandon(self) -> None:
        if self._files is not None:
            self._try(self._files.abandon)
        self._end()

    def _end(self) -> None:
        if not self._over.is_set():
            self._over.set()
            atexit.unregister(self._at_exit)
            SCRIBE.leave()

    def _try(self, work: Callable[[*Ts], None], *args: *Ts) -> None:
        """Do something with the files, unless something has gone wrong before: what still comes is lost."""
        if self._failure is not None:
            return
        try:
            work(*args)
        except (OSError, ValueError, TypeError) as error:
            self._failure = _failure(self.folder, error)
            self._failure.__cause__ = error
            if self._files is not None:
                with suppress(OSError):
                    self._files.close()

    def _own_up(self, failure: RecordingError, info: EpisodeInfo) -> None:
        us = {"outcome": Outcome.HARNESS_FAILED, "fault": Fault.US, "reason": str(failure)}
        with suppress(OSError):  # a disk that does not even take this keeps saying `unfinished`
            write_info(self.folder, info.model_copy(update=us))


def _claim(folder: Path, info: EpisodeInfo) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = [name for name in FILES if (folder / name).exists()]
        if held:
            raise RecordingError(
                folder,
                f"holds an episode already ({', '.join(held)})",
                "Choose another folder: an episode is never overwritten.",
            )
        unfinished = info.model_copy(update={"outcome": Outcome.UNFINISHED, "fault": Fault.US})
        write_info(folder, unfinished, sync=False, indent=None)
    except OSError as error:
        raise _failure(folder, error) from error


def _failure(folder: Path, error: Exception) -> RecordingError:
    if isinstance(error, OSError):
        where = Path(error.filename) if error.filename else folder
        return RecordingError(where, f"cannot be written ({error.strerror})", _REMEDY)
    return RecordingError(
        folder, f"cannot be written ({error})", "Please report this as a bug of vivavoce."
    )
