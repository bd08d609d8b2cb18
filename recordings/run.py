"""The manifest of a run: which episodes were planned, and how far each has come.

    run.json    the plan, written before the first call; and how the episodes stood when it was put together
    run.jsonl   what has happened since (`recordings.journal`)
    run.lock    who holds the run (`recordings.lock`)

The folders of the episodes have the last word: `Run.resume` looks into those that are not known to be done,
so that whatever a crash took from the journal, no call is held twice and none is lost.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

from recordings.disk import EPISODE
from recordings.errors import RecordingError
from recordings.format import (
    EPISODE_VERSION,
    RUN_VERSION,
    Attempt,
    EpisodeInfo,
    Marked,
    Outcome,
    Planned,
    RunInfo,
)
from recordings.journal import JOURNAL, Journal, read_journal
from recordings.lock import RunLock
from recordings.reading import read_record
from recordings.strict_json import encode, replace_file

RUN = "run.json"
"""Name of the manifest in a run's folder."""

OLDEST = 1
"""The oldest version of run.json that can be read."""


class Run:
    """A run that this process holds: keeps its manifest true, one step at a time.

    Made by `create` and `resume`; ends with `close`.
    """

    def __init__(self, folder: Path, info: RunInfo, lock: RunLock) -> None:
        self.folder = folder
        self._info = info
        self._episodes = {planned.id: planned for planned in info.episodes}
        self._lock = lock
        self._journal = Journal(folder)
        self._writing = asyncio.Lock()

    @property
    def info(self) -> RunInfo:
        """The manifest as it stands now."""
        return self._info.model_copy(update={"episodes": tuple(self._episodes.values())})

    @classmethod
    def create(cls, folder: Path, info: RunInfo) -> Run:
        """Start a run in a folder of its own; blocks for one write.

        Raises:
            RecordingError: The folder holds a run already, or cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(folder, error) from error
        if (folder / RUN).exists():
            raise _taken(folder)
        lock = RunLock(folder)
        try:
            if (folder / RUN).exists():  # another process was faster
                raise _taken(folder)
            (folder / JOURNAL).unlink(missing_ok=True)
            replace_file(folder / RUN, _json(info))
            return cls(folder, info, lock)
        except OSError as error:
            lock.release()
            raise _unwritable(folder, error) from error
        except RecordingError:
            lock.release()
            raise

    @classmethod
    def resume(cls, folder: Path) -> Run:
        """Take up a run that was broken off. Calls that were under way are over, and planned again.

        Raises:
            RecordingError: Another process holds it; see also `load_run`.
        """
        load_run(folder)  # before a lock is left in a folder that holds no run
        lock = RunLock(folder)
        try:
            info = load_run(folder)
            last = _last_attempts(folder)
            episodes = tuple(_looked_up(folder, each, last.get(each.id, 0)) for each in info.episodes)
            run = cls(folder, info.model_copy(update={"episodes": episodes}), lock)
            run._put_together()
        except RecordingError:
            lock.release()
            raise
        return run

    @property
    def left(self) -> list[Planned]:
        """Episodes that are still to be held."""
        return [planned for planned in self._episodes.values() if planned.left]

    def planned(self, id: str) -> Planned:
        """How an episode stands.

        Raises:
            RecordingError: No such episode was planned.
        """
        if id not in self._episodes:
            raise RecordingError(self.folder / RUN, f"plans no episode {id!r}")
        return self._episodes[id]

    async def begin(self, id: str) -> str:
        """Note that a call begins; returns the name of the folder it goes to.

        Raises:
            RecordingError: No such episode was planned, or the disk did not take the note.
        """
        attempts = self.planned(id).attempts
        folder = attempt_folder(id, len(attempts) + 1)
        await self._mark(id, "running", None, (*attempts, Attempt(folder=folder)))
        return folder

    async def end(self, id: str, outcome: Outcome, reason: str = "", duration_s: float = 0.0) -> None:
        """Note how the call that began last for an episode has ended.

        Raises:
            RecordingError: No such episode was planned, or the disk did not take the note.
        """
        *before, last = self.planned(id).attempts
        change = {"outcome": outcome, "reason": reason if outcome.void else "", "duration_s": duration_s}
        await self._mark(id, "done", outcome, (*before, last.model_copy(update=change)))

    def close(self) -> None:
        """Put the manifest together, and let go of the run; blocks for one write.

        Raises:
            RecordingError: The disk did not take it; nothing is lost, since the journal stays.
        """
        try:
            self._put_together()
        finally:
            self._journal.close()
            self._lock.release()

    async def _mark(
        self,
        id: str,
        state: Literal["planned", "running", "done"],
        outcome: Outcome | None,
        attempts: tuple[Attempt, ...],
    ) -> None:
        marked = Marked(id=id, state=state, outcome=outcome, attempts=attempts)
        self._episodes[id] = _marked(self._episodes[id], marked)
        async with self._writing:
            await asyncio.get_running_loop().run_in_executor(None, self._journal.append, marked)

    def _put_together(self) -> None:
        self._info = self.info.model_copy(update={"schema_version": RUN_VERSION})
        try:
            replace_file(self.folder / RUN, _json(self._info))
        except OSError as error:
            found = f"cannot be written ({error.strerror})"
            remedy = f"Nothing is lost. Once it can be: viva run --resume {self.folder}"
            raise RecordingError(self.folder / RUN, found, remedy) from error
        self._journal.clear()


def load_run(folder: Path) -> RunInfo:
    """Read the manifest of a run as it stands, also while the run goes on.

    Raises:
        RecordingError: There is none, it is of a newer version, or it is not valid.
    """
    info = read_record(folder / RUN, RunInfo, RUN_VERSION, "the folder of a run", OLDEST)
    journal = read_journal(folder)
    if not journal:
        return info
    episodes = (
        _marked(planned, journal[planned.id]) if planned.id in journal else planned
        for planned in info.episodes
    )
    return info.model_copy(update={"episodes": tuple(episodes)})


def merge_into(folder: Path, other: Path, *, other_counts: bool = False) -> None:
    """Put together what two copies of a run's folder say of how it stands; the caller holds its lock.

    Of each episode the state counts that has come further, so to do this again changes nothing; or that of
    the other copy in any case, if it is what counts.

    Raises:
        RecordingError: They are two runs; or see `load_run`.
    """
    ours, theirs = load_run(folder), load_run(other)
    known = {planned.id: planned for planned in theirs.episodes}
    if (ours.id, ours.started_at_utc) != (theirs.id, theirs.started_at_utc) or known.keys() != {
        planned.id for planned in ours.episodes
    }:
        found = f"holds a run that was begun at {ours.started_at_utc}, not {theirs.started_at_utc}"
        raise RecordingError(folder, found, "Move the folder away, and try again.")
    episodes = tuple(
        known[planned.id] if other_counts else max(planned, known[planned.id], key=_how_far)
        for planned in ours.episodes
    )
    try:
        replace_file(folder / RUN, _json(ours.model_copy(update={"episodes": episodes})))
        (folder / JOURNAL).unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from error


def _how_far(planned: Planned) -> tuple[int, bool]:
    return len(planned.attempts), planned.state == "done"


def attempt_folder(id: str, number: int) -> str:
    """The folder of the n-th call for an episode, from 1; no id of an episode has a plus sign."""
    return id if number == 1 else f"{id}+{number}"


def _marked(planned: Planned, marked: Marked) -> Planned:
    change = {"state": marked.state, "outcome": marked.outcome, "attempts": marked.attempts}
    return planned.model_copy(update=change)


def _last_attempts(folder: Path) -> dict[str, int]:
    """Number of the last call for each episode that has left a recording, by id."""
    last: dict[str, int] = {}
    for file in folder.glob(f"*/{EPISODE}"):
        id, _, number = file.parent.name.partition("+")
        last[id] = max(last.get(id, 0), int(number) if number.isdecimal() else 1)
    return last


def _looked_up(folder: Path, planned: Planned, last: int) -> Planned:
    """An episode as its folders show it: what the journal did not live to say is in them."""
    if not planned.left:
        return planned
    attempts: list[Attempt] = []
    while (attempt := _attempt(folder, planned, len(attempts) + 1, last)) is not None:
        attempts.append(attempt)
    outcome = attempts[-1].outcome if attempts else None
    done = outcome is not None and outcome not in (Outcome.UNFINISHED, Outcome.CANCELLED)
    change = {
        "state": "done" if done else "planned",
        "outcome": outcome if done else None,
        "attempts": tuple(attempts),
    }
    return planned.model_copy(update=change)


def _attempt(folder: Path, planned: Planned, number: int, last: int) -> Attempt | None:
    """The n-th call for an episode, by its folder or by the journal; None if there was none."""
    name = attempt_folder(planned.id, number)
    path = folder / name / EPISODE
    if not path.exists():
        told = planned.attempts[number - 1 : number]
        if told and told[0].outcome is not None:
            return told[0]
        gone = Attempt(folder=name, outcome=Outcome.UNFINISHED, reason="nothing is left of it")
        return gone if number < last else None
    try:
        info = read_record(path, EpisodeInfo, EPISODE_VERSION, "the folder of an episode")
    except RecordingError as error:  # a power cut may leave an empty file
        return Attempt(folder=name, outcome=Outcome.UNFINISHED, reason=str(error))
    reason = info.reason if info.outcome.void else ""
    return Attempt(folder=name, outcome=info.outcome, reason=reason, duration_s=info.duration_s)


def _taken(folder: Path) -> RecordingError:
    remedy = f"Choose another folder, or go on with it: viva run --resume {folder}"
    return RecordingError(folder, f"holds a run already ({RUN})", remedy)


def _unwritable(folder: Path, error: OSError) -> RecordingError:
    return RecordingError(
        folder, f"cannot be written ({error.strerror})", "Choose another folder for the run."
    )


def _json(info: RunInfo) -> bytes:
    return encode(info, indent=2) + b"\n"
