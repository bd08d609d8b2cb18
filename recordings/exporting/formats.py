"""The formats by name, and where their files go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from recordings.errors import RecordingError
from recordings.exporting import labels, rows, tiers
from recordings.exporting.cues import cues_of
from recordings.exporting.pack import pack
from recordings.exporting.sound import FORMATS, write_stereo
from recordings.exporting.whole import whole
from recordings.importing.found import slug
from recordings.reader import Episode

ENDINGS: dict[str, str] = {
    **{name: ending for name, (ending, _, _) in FORMATS.items()},
    "audacity": ".txt",
    "textgrid": ".TextGrid",
    "rttm": ".rttm",
    "elan": ".eaf",
    "webvtt": ".vtt",
    "jsonl": ".jsonl",
    "parquet": ".parquet",
    "hf": "",
    "episode": "",
}
"""What the files of each format end in; "" are folders."""

TABLES: dict[str, Callable[[Sequence[Episode], Path], int]] = {
    "jsonl": rows.write_jsonl,
    "parquet": rows.write_parquet,
    "hf": rows.write_audio_folder,
}
"""Formats that hold many episodes in one file or folder."""


def export_one(episode: Episode, to: str, path: Path) -> None:
    """Write one episode in a format that is no table.

    Raises:
        RecordingError: The episode cannot be read or has nothing to write, or the file exists already.
        OSError: The disk does not take it.
    """
    if to in FORMATS:
        write_stereo(episode, path, to)
    elif to == "episode":
        pack(episode, path)
    else:
        _write_new(path, _content(episode, to, path))


def _content(episode: Episode, to: str, path: Path) -> bytes:
    cues = cues_of(episode.turns)
    if to == "elan":
        return tiers.elan(cues, f"{path.stem}.wav", episode.info.started_at_utc)
    if to == "textgrid":
        return tiers.textgrid(cues, episode.duration_s).encode()
    if to == "audacity":
        return labels.audacity(cues).encode()
    if to == "rttm":
        return labels.rttm(cues, slug(path.stem).replace(" ", "_")).encode()
    return labels.webvtt(cues).encode()


def targets(episodes: Sequence[Episode], to: str, out: Path) -> list[Path]:
    """Where each episode goes: `out` itself for a single one that is named like its format, else into it.

    Raises:
        RecordingError: The folder is a file.
    """
    ending = ENDINGS[to]
    single = len(episodes) == 1 and (out.suffix.casefold() == ending.casefold() if ending else True)
    if single and not (ending and out.is_dir()):
        return [out]
    if out.exists() and not out.is_dir():
        raise RecordingError(out, "is a file", f"{len(episodes)} episodes need a folder.")
    names: dict[str, int] = {}
    found = []
    for episode in episodes:
        name = slug(episode.path.resolve().name)
        names[name] = names.get(name, 0) + 1
        number = "" if names[name] == 1 else f"-{names[name]}"
        found.append(out / f"{name}{number}{ending}")
    return found


def _write_new(path: Path, content: bytes) -> None:
    with whole(path) as place:
        place.write_bytes(content)
