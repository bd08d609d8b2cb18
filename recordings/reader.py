"""Reads episodes, finished or not."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
from pydantic import BaseModel, TypeAdapter, ValidationError

from recordings.disk import ENDPOINT, EPISODE, EVENTS, RECEIVED, RECEIVED_INDEX, TURNS, USER, USER_CLEAN
from recordings.errors import RecordingError
from recordings.flac import read_flac
from recordings.format import (
    EPISODE_VERSION,
    LONGEST_S,
    Absent,
    EpisodeInfo,
    Event,
    Outcome,
    ReceivedPiece,
    Turn,
)
from recordings.reading import read_bytes, read_lines, read_record
from recordings.strict_json import encode, replace_file
from recordings.wav import map_wav, read_wav
from streams.audio import Pcm

Track = Literal["user", "user_clean", "endpoint", "received"]
"""The audio files of an episode; all but `received` stand on the session's timeline."""

TRACK_FILES: dict[Track, str] = {
    "user": USER,
    "user_clean": USER_CLEAN,
    "endpoint": ENDPOINT,
    "received": RECEIVED,
}
"""Names of the tracks as they are recorded; see `track_path` for packed ones."""

T = TypeVar("T")
Model = TypeVar("Model", bound=BaseModel)
Timed = TypeVar("Timed", Event, ReceivedPiece)

_EVENTS: TypeAdapter[Event] = TypeAdapter(Event)
_TURNS = TypeAdapter(Turn)
_PIECES = TypeAdapter(ReceivedPiece)


def track_path(folder: Path, name: Track) -> Path:
    """The file of a track: the WAV it was recorded as, or else the FLAC it was packed into.

    Where there is neither, the path of the WAV that is missing.
    """
    wav = folder / TRACK_FILES[name]
    flac = wav.with_suffix(".flac")
    return flac if not wav.exists() and flac.exists() else wav


@dataclass(frozen=True)
class Episode:
    """A recorded session. Files are read when they are first asked for, and kept.

    An unfinished episode reads like a finished one, only shorter; files that its process did not live
    to make are empty. So is what a finished one says is absent, but for the user's clean track, for which
    the track on the wire stands.

    Attributes:
        path: Its folder.
        info: `episode.json`.
        mapped: Tracks are looked at where they lie instead of being read: an hour takes no memory. For
            recordings that nobody makes shorter meanwhile.
    """

    path: Path
    info: EpisodeInfo
    mapped: bool = False

    @classmethod
    def load(cls, path: Path, *, mapped: bool = False) -> Episode:
        """Open an episode's folder.

        Raises:
            RecordingError: No episode is there, or it is of a newer version, or not valid. The
                properties raise it too, for their files.
        """
        info = read_record(path / EPISODE, EpisodeInfo, EPISODE_VERSION, "the folder of an episode")
        return cls(path, info, mapped)

    @property
    def scenario(self) -> dict[str, Any]:
        """The scenario as it was run."""
        return self.info.scenario

    @property
    def events(self) -> list[Event]:
        """What happened, in the order of time."""
        return self._events[0]

    @cached_property
    def turns(self) -> list[Turn]:
        """Turns in the order of the call; of a turn that was written again, the last."""
        return sorted({turn.index: turn for turn in self._turns[0]}.values(), key=lambda turn: turn.index)

    @property
    def received(self) -> list[ReceivedPiece]:
        """The index of received.wav: every delivery of audio."""
        return self._pieces[0]

    @property
    def torn(self) -> int:
        """Last lines that were cut off in the middle, 0 to 3 (one for each of the jsonl files)."""
        return self._events[1] + self._turns[1] + self._pieces[1]

    @property
    def duration_s(self) -> float:
        """Length of the user's track in seconds, also of an unfinished episode."""
        samples, rate = self.track("user")
        return samples.size / rate

    def track(self, name: Track) -> tuple[Pcm, int]:
        """Samples (int16, read-only) and their rate."""
        if name not in self._read:
            self._read[name] = self._load_track(name)
        return self._read[name]

    @cached_property
    def _read(self) -> dict[Track, tuple[Pcm, int]]:
        return {}

    def _load_track(self, name: Track) -> tuple[Pcm, int]:
        if name == "user_clean" and Absent.USER_CLEAN in self.info.absent:
            return self.track("user")
        path = track_path(self.path, name)
        if self._never_made(path):
            rate = self.info.user_rate if name in ("user", "user_clean") else self.info.endpoint_rate
            return np.zeros(0, np.int16), rate
        if path.suffix == ".flac":
            return read_flac(path)
        return map_wav(path) if self.mapped else read_wav(path)

    @cached_property
    def _events(self) -> tuple[list[Event], int]:
        return self._timed(EVENTS, *self._load_lines(EVENTS, _EVENTS))

    @cached_property
    def _turns(self) -> tuple[list[Turn], int]:
        return self._load_lines(TURNS, _TURNS)

    @cached_property
    def _pieces(self) -> tuple[list[ReceivedPiece], int]:
        return self._timed(RECEIVED_INDEX, *self._load_lines(RECEIVED_INDEX, _PIECES))

    def _load_lines(self, name: str, adapter: TypeAdapter[T]) -> tuple[list[T], int]:
        path = self.path / name
        return ([], 0) if self._never_made(path) else read_lines(path, adapter)

    def _timed(self, name: str, records: list[Timed], torn: int) -> tuple[list[Timed], int]:
        """Records whose times are such: no arithmetic on them overflows."""
        for number, record in enumerate(records, start=1):
            if not abs(record.t) <= LONGEST_S:  # NaN is not either
                raise RecordingError(
                    f"{self.path / name}:{number}", f"is not valid (t: {record.t} is no time)"
                )
        return records, torn

    def _never_made(self, path: Path) -> bool:
        if path.name in (RECEIVED, RECEIVED_INDEX) and Absent.ARRIVALS in self.info.absent:
            return True
        # a WAV without its header's 44 bytes is one whose process died while making it
        if self.info.outcome is not Outcome.UNFINISHED:
            return False
        return not path.exists() or (path.suffix == ".wav" and path.stat().st_size < 44)


def find_episodes(path: Path) -> list[Path]:
    """Folders of episodes: the folder itself, or those anywhere below it, in the order of their names.

    Raises:
        RecordingError: There is no such folder, or no episode in it.
    """
    if not path.is_dir():
        raise RecordingError(path, "is no folder", "Name an episode, a run, or a folder that holds some.")
    found = [Path(folder) for folder in episode_folders(str(path))]
    if not found:
        raise RecordingError(path, "holds no episode", f"An episode is a folder with a file {EPISODE}.")
    return found


def episode_folders(folder: str) -> list[str]:
    """The same as plain strings, of which a run may hold ten thousand; without any it is empty."""
    # in the order of paths, name by name: nothing sorts before what stands for the end of a name
    return sorted(_episodes_below(folder), key=lambda found: found.replace(os.sep, "\0"))


def _episodes_below(folder: str) -> Iterator[str]:
    """Folders of episodes, found without looking into them."""
    if os.path.isfile(os.path.join(folder, EPISODE)):
        yield folder
        return
    inner: list[str] = []
    with suppress(PermissionError), os.scandir(folder) as entries:
        inner = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    for below in inner:
        yield from _episodes_below(below)


def write_scores(folder: Path, name: str, scores: BaseModel | dict[str, Any], *, sync: bool = True) -> Path:
    """Write `scores/<name>.json` into an episode's folder in one step; returns its path.

    With `sync` it outlives a power cut, at the price of waiting for the disk.

    Raises:
        RecordingError: A number is NaN or infinite, or the disk does not take the file.
    """
    path = folder / "scores" / f"{name}.json"
    try:
        path.parent.mkdir(exist_ok=True)
        replace_file(path, encode(scores, indent=2) + b"\n", sync=sync)
    except OSError as error:
        raise RecordingError(path, f"cannot be written ({error.strerror})") from error
    except ValueError as error:
        raise RecordingError(path, f"cannot be written: {error}") from error
    return path


def read_scores(folder: Path, name: str) -> Any:
    """What `write_scores` wrote, as plain data.

    Raises:
        RecordingError: There is none, or it is no JSON.
    """
    path = folder / "scores" / f"{name}.json"
    try:
        return json.loads(read_bytes(path, "scores; `viva score` writes them"))
    except ValueError as error:
        raise RecordingError(path, f"is no JSON ({error})") from error


def read_made(folder: Path, name: str, model: type[Model]) -> Model | None:
    """What was made of an episode and written by `write_scores`; None if there is none of today's form.

    Raises:
        RecordingError: The file is no JSON.
    """
    if not (folder / "scores" / f"{name}.json").is_file():
        return None
    try:
        return model.model_validate(read_scores(folder, name))
    except ValidationError:
        return None  # of another version: it can be made anew
