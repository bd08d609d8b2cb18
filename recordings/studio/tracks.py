"""A track of an episode, read a stretch at a time: an hour of it takes no memory."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recordings.disk import EPISODE
from recordings.errors import RecordingError
from recordings.format import EPISODE_VERSION, Absent, EpisodeInfo
from recordings.reader import Track, track_path
from recordings.reading import read_record
from recordings.wav import WavLayout, wav_layout
from streams.audio import Pcm

TRACKS: tuple[Track, ...] = ("user", "user_clean", "endpoint", "received")
"""Every track there may be."""


@dataclass(frozen=True, slots=True)
class TrackFile:
    """A mono PCM16 track where it lies; it may still be growing.

    Attributes:
        samples: Length when it was opened.
        stamp: Changes when the file is written: inode, size in bytes, time of the last write in ns.
        layout: Of a WAV file; None of FLAC.
    """

    path: Path
    rate: int
    samples: int
    stamp: tuple[int, int, int]
    layout: WavLayout | None

    def read(self, start: int, end: int) -> Pcm:
        """Samples [start, end), as far as they are there.

        Raises:
            RecordingError: The file is gone, or cannot be read.
        """
        start = max(start, 0)
        count = min(end, self.samples) - start
        if count <= 0:
            return np.zeros(0, np.int16)
        try:
            return self._wav(start, count) if self.layout else self._flac(start, count)
        except OSError as error:
            raise RecordingError(self.path, f"cannot be read ({error.strerror})") from error

    def _wav(self, start: int, count: int) -> Pcm:
        assert self.layout is not None
        with self.path.open("rb", buffering=0) as file:
            file.seek(self.layout.start + 2 * start)
            data = file.read(2 * count)
        return np.frombuffer(data[: len(data) // 2 * 2], "<i2")

    def _flac(self, start: int, count: int) -> Pcm:
        import soundfile

        try:
            with self.path.open("rb") as raw, soundfile.SoundFile(raw) as file:
                file.seek(start)
                return np.asarray(file.read(count, dtype="int16"), np.int16)
        except soundfile.LibsndfileError as error:
            raise RecordingError(self.path, f"is no whole FLAC file ({error.error_string})") from error


def open_track(folder: Path, name: Track) -> TrackFile:
    """A track of an episode as it is now; one that a call has not begun to write yet is empty.

    Raises:
        RecordingError: It is not there, or is not mono PCM16.
    """
    path = track_path(folder, name)
    if path.suffix == ".flac":
        return _flac_track(path)
    try:
        found = path.stat()
    except FileNotFoundError:
        found = None
    if found is None or found.st_size < 44:
        return _missing(folder, name, path, there=found is not None)
    layout = wav_layout(path)
    return TrackFile(path, layout.rate, layout.samples, _stamp(found), layout)


def _missing(folder: Path, name: Track, path: Path, *, there: bool) -> TrackFile:
    info = read_record(folder / EPISODE, EpisodeInfo, EPISODE_VERSION, "the folder of an episode")
    if name == "user_clean" and Absent.USER_CLEAN in info.absent:
        return open_track(folder, "user")
    unmade = info.outcome.value == "unfinished" or (name == "received" and Absent.ARRIVALS in info.absent)
    if not unmade:
        found = "ends before its samples begin" if there else "there is no such file"
        raise RecordingError(path, found)
    rate = info.user_rate if name in ("user", "user_clean") else info.endpoint_rate
    return TrackFile(path, rate, 0, (0, 0, 0), WavLayout(rate, 44, 0))


def _flac_track(path: Path) -> TrackFile:
    import soundfile

    try:
        with path.open("rb") as raw, soundfile.SoundFile(raw) as file:
            if (file.format, file.subtype, file.channels) != ("FLAC", "PCM_16", 1):
                raise RecordingError(
                    path, f"holds {file.subtype} in {file.channels} channels, expected mono"
                )
            rate, samples = int(file.samplerate), int(file.frames)
    except OSError as error:
        raise RecordingError(path, f"cannot be read ({error.strerror})") from error
    except soundfile.LibsndfileError as error:
        raise RecordingError(path, f"is no whole FLAC file ({error.error_string})") from error
    return TrackFile(path, rate, samples, _stamp(path.stat()), None)


def _stamp(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_ino, found.st_size, found.st_mtime_ns
