"""The episode itself in less space: tracks as FLAC, and no clean track where it is the one on the wire."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from recordings.disk import write_info
from recordings.errors import RecordingError
from recordings.exporting.whole import whole
from recordings.flac import write_flac
from recordings.format import Absent, Outcome
from recordings.reader import TRACK_FILES, Episode, track_path


def pack(episode: Episode, folder: Path) -> None:
    """Copy a finished episode, packed: it reads, scores and checks as before.

    Raw traffic (`raw.jsonl`) is not copied.

    Raises:
        RecordingError: It is not finished, cannot be read, or the folder exists already.
        OSError: The disk does not take it.
    """
    if episode.info.outcome is Outcome.UNFINISHED:
        raise RecordingError(episode.path, "is not finished", "Only finished episodes are packed.")
    with whole(folder) as place:
        place.mkdir()
        _pack(episode, place)


def _pack(episode: Episode, folder: Path) -> None:
    info = episode.info
    absent = list(info.absent)
    if Absent.USER_CLEAN not in absent:
        clean, user = episode.track("user_clean")[0], episode.track("user")[0]
        absent += [Absent.USER_CLEAN] if np.array_equal(clean, user) else []
    for track in TRACK_FILES:
        left_out = (track == "user_clean" and Absent.USER_CLEAN in absent) or (
            track == "received" and Absent.ARRIVALS in absent
        )
        if not left_out:
            pcm, rate = episode.track(track)
            source = track_path(episode.path, track)
            if pcm.size:
                write_flac((folder / source.name).with_suffix(".flac"), pcm, rate)
            else:  # a FLAC file cannot be empty
                shutil.copyfile(source, folder / source.name)
    for path in sorted(episode.path.glob("*.jsonl")):
        if path.name != "raw.jsonl" and path.is_file() and not path.is_symlink():
            shutil.copyfile(path, folder / path.name)
    for path in sorted((episode.path / "scores").glob("*.json")):
        if path.is_file() and not path.is_symlink():
            (folder / "scores").mkdir(exist_ok=True)
            shutil.copyfile(path, folder / "scores" / path.name)
    write_info(folder, info.model_copy(update={"absent": tuple(absent)}))
