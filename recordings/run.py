"""The manifest of a run: which episodes were planned, and how far each has come."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

from recordings.errors import RecordingError
from recordings.format import RUN_VERSION, Outcome, Planned, RunInfo
from recordings.reading import read_record
from recordings.strict_json import encode, replace_file

RUN = "run.json"
"""Name of the manifest in a run's folder."""


class Run:
    """A run that goes on: keeps `run.json` true, one step at a time.

    Attributes:
        info: The manifest as it is on the disk, or about to be.
    """

    def __init__(self, folder: Path, info: RunInfo) -> None:
        self.folder = folder
        self.info = info
        self._writing = asyncio.Lock()

    @classmethod
    def create(cls, folder: Path, info: RunInfo) -> Run:
        """Start a run in a folder of its own; blocks for one small write.

        Raises:
            RecordingError: The folder holds a run already, or cannot be written.
        """
        if (folder / RUN).exists():
            raise RecordingError(
                folder, f"holds a run already ({RUN})", "Choose another folder: a run is never overwritten."
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            replace_file(folder / RUN, _json(info))
        except OSError as error:
            raise RecordingError(
                folder, f"cannot be written ({error.strerror})", "Choose another folder for the run."
            ) from error
        return cls(folder, info)

    @classmethod
    def resume(cls, folder: Path) -> Run:
        """Take up a run that was broken off; what was `running` then is `planned` again.

        Raises:
            RecordingError: See `load_run`.
        """
        info = load_run(folder)
        episodes = tuple(
            planned.model_copy(update={"state": "planned"}) if planned.state == "running" else planned
            for planned in info.episodes
        )
        return cls(folder, info.model_copy(update={"episodes": episodes}))

    async def mark(
        self, id: str, state: Literal["planned", "running", "done"], outcome: Outcome | None = None
    ) -> None:
        """Note how far an episode has come; the disk's work is done in a thread.

        Raises:
            RecordingError: No such episode was planned, or the disk did not take it.
        """
        if all(planned.id != id for planned in self.info.episodes):
            raise RecordingError(self.folder / RUN, f"plans no episode {id!r}")
        change = {"state": state, "outcome": outcome}
        episodes = tuple(
            planned.model_copy(update=change) if planned.id == id else planned
            for planned in self.info.episodes
        )
        self.info = self.info.model_copy(update={"episodes": episodes})
        async with self._writing:
            await asyncio.get_running_loop().run_in_executor(None, self._write)

    @property
    def left(self) -> list[Planned]:
        """Episodes that are not done."""
        return [planned for planned in self.info.episodes if planned.state != "done"]

    def _write(self) -> None:
        try:
            replace_file(self.folder / RUN, _json(self.info))
        except OSError as error:
            raise RecordingError(self.folder / RUN, f"cannot be written ({error.strerror})") from error


def load_run(folder: Path) -> RunInfo:
    """Read the manifest of a run.

    Raises:
        RecordingError: There is none, it is of a newer version, or it is not valid.
    """
    return read_record(folder / RUN, RunInfo, RUN_VERSION, "the folder of a run")


def _json(info: RunInfo) -> bytes:
    return encode(info, indent=2) + b"\n"
