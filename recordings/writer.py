"""Writes an episode while the session goes on, without ever making the session wait."""

from __future__ import annotations

import asyncio
import atexit
import math
import queue
import threading
from contextlib import suppress
from pathlib import Path

from recordings.disk import FILES, Batch, EpisodeFiles, write_info
from recordings.errors import RecordingError
from recordings.format import EpisodeInfo, Event, Fault, Outcome, ReceivedPiece, Turn
from streams.audio import FRAME_S

BATCH_S = 0.1
"""How much audio comes together before the disk is asked to take it."""

SIMULATED_BATCH_S = 10.0
"""The same in simulated time, where ten seconds of a session pass in a few milliseconds."""

_REMEDY = "Free some space or choose another folder; the episode is readable up to here."


class EpisodeWriter:
    """One episode, written as it happens. All methods belong to the event loop.

    The methods that take audio and events only append to lists: a thread of the writer's own does the
    rest, about every 100 ms of session. What a killed process loses is what has come together since:
    at most 200 ms on the wall clock. Frames of `user`, `user_clean` and `endpoint` come once per tick,
    from sample 0 on.

    The folder is made at once, with an `episode.json` whose outcome is `unfinished`. A writer ends with
    `finish` or `abandon`; if it gets neither, what it was given is on the disk when the interpreter exits.

    Raises:
        RecordingError: The folder holds an episode already, or cannot be written.
    """

    def __init__(self, folder: Path, info: EpisodeInfo) -> None:
        self._batch_s = SIMULATED_BATCH_S if info.clock == "simulated" else BATCH_S
        self.folder = folder
        self._info = info
        self._batch = Batch()
        self._batch_bytes = 2 * math.ceil(self._batch_s * info.user_rate)
        self._user_bytes = 0
        self._handed_bytes = 0
        self._handed_t = -math.inf
        self._failure: RecordingError | None = None
        self._final: EpisodeInfo | None = None
        self._queue: queue.SimpleQueue[Batch | EpisodeInfo | None] = queue.SimpleQueue()
        _claim(folder, info)
        self._thread = threading.Thread(target=self._work, name=f"write {info.id}", daemon=True)
        self._thread.start()
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
        """The same before conditions."""
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
        self._queue.put(info)
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)
        if self._failure is not None:
            raise self._failure
        assert self._final is not None  # the thread sets one or the other
        return self._final

    def abandon(self) -> None:
        """Write what was given so far and leave the episode `unfinished`; does not wait for it."""
        self._hand_over()
        self._queue.put(None)

    def _hand_over_if_due(self, t: float) -> None:
        # while no frames flow, as before sample 0, the events' own times keep the writes coming
        if t - self._handed_t >= self._batch_s + FRAME_S:
            self._hand_over(t)

    def _hand_over(self, t: float = math.inf) -> None:
        self._handed_t = t
        self._handed_bytes = self._user_bytes
        batch, self._batch = self._batch, Batch()
        self._queue.put(batch)

    def _at_exit(self) -> None:
        self.abandon()
        self._thread.join()

    # --- the thread -----------------------------------------------------------------------------

    def _work(self) -> None:
        files: EpisodeFiles | None = None
        job: Batch | EpisodeInfo | None = Batch()
        try:
            files = EpisodeFiles(self.folder, self._info)
            while isinstance(job := self._queue.get(), Batch):
                files.write(job)
            if job is None:
                files.abandon()
            else:
                self._final = files.finish(job)
        except (OSError, ValueError) as error:
            self._failure = _failure(self.folder, error)
            self._failure.__cause__ = error
            if files is not None:
                with suppress(OSError):
                    files.close()
            while isinstance(job, Batch):  # what still comes is lost
                job = self._queue.get()
            if job is not None:
                self._own_up(self._failure, job)
        finally:
            atexit.unregister(self._at_exit)

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
        write_info(
            folder, info.model_copy(update={"outcome": Outcome.UNFINISHED, "fault": Fault.US}), sync=False
        )
    except OSError as error:
        raise _failure(folder, error) from error


def _failure(folder: Path, error: OSError | ValueError) -> RecordingError:
    if isinstance(error, OSError):
        where = Path(error.filename) if error.filename else folder
        return RecordingError(where, f"cannot be written ({error.strerror})", _REMEDY)
    return RecordingError(
        folder, f"cannot be written ({error})", "Please report this as a bug of vivavoce."
    )
