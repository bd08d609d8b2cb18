"""One row a turn, for tables and data sets."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from recordings.errors import RecordingError
from recordings.exporting.cues import words_of
from recordings.exporting.whole import whole
from recordings.flac import write_flac
from recordings.format import Side, Turn
from recordings.importing.found import slug
from recordings.reader import Episode

COLUMNS = (
    "run",
    "episode",
    "scenario",
    "endpoint",
    "outcome",
    "turn",
    "side",
    "role",
    "start_s",
    "end_s",
    "text",
    "intended",
    "said",
    "heard",
    "interrupted",
    "label",
    "verdicts",
)
"""Columns of a row, in order."""


def rows_of(episode: Episode) -> Iterator[dict[str, Any]]:
    """The turns of an episode; `text` is the best that is known of its words, `verdicts` is JSON."""
    info = episode.info
    for turn in episode.turns:
        verdicts = [
            {"judge": v.judge, "label": v.label, "unscored": v.unscored, "reason": v.reason}
            for v in turn.verdicts
        ]
        yield {
            "run": info.run,
            "episode": info.id,
            "scenario": str(info.scenario.get("id", "")),
            "endpoint": info.endpoint.address,
            "outcome": info.outcome.value,
            "turn": turn.index,
            "side": turn.side.value,
            "role": turn.role.value,
            "start_s": turn.start_s,
            "end_s": turn.end_s,
            "text": words_of(turn),
            "intended": turn.intended,
            "said": turn.said,
            "heard": turn.heard,
            "interrupted": turn.interrupted,
            "label": turn.label,
            "verdicts": json.dumps(verdicts, ensure_ascii=False),
        }


def write_jsonl(episodes: Iterable[Episode], path: Path) -> int:
    """One JSON object a turn; returns how many.

    Raises:
        RecordingError: An episode cannot be read, or there is such a file already.
        OSError: The disk does not take it.
    """
    from recordings.strict_json import encode

    count = 0
    with whole(path) as place, place.open("xb") as file:
        for episode in episodes:
            for row in rows_of(episode):
                file.write(encode(row) + b"\n")
                count += 1
    return count


def write_parquet(episodes: Iterable[Episode], path: Path) -> int:
    """The same as a Parquet table; an episode at a time is in memory.

    Raises:
        RecordingError: pyarrow is not installed; see also `write_jsonl`.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise RecordingError(path, "needs pyarrow", "pip install 'vivavoce[exchange]'") from None

    kinds = {"turn": pyarrow.int32(), "interrupted": pyarrow.bool_()}
    kinds |= dict.fromkeys(("start_s", "end_s"), pyarrow.float64())
    schema = pyarrow.schema([(name, kinds.get(name, pyarrow.string())) for name in COLUMNS])
    count = 0
    with whole(path) as place, parquet.ParquetWriter(place, schema, compression="zstd") as writer:
        for episode in episodes:
            rows = list(rows_of(episode))
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


def write_audio_folder(episodes: Sequence[Episode], folder: Path) -> int:
    """A folder for `datasets.load_dataset("audiofolder", data_dir=FOLDER)`: a clip a turn, `metadata.csv`.

    Clips are what the side said, from the track on the wire: mono FLAC at the track's rate.

    Raises:
        RecordingError: An episode cannot be read, or the folder exists already.
        OSError: The disk does not take it.
    """
    with whole(folder) as place:
        return _write_clips(episodes, place)


def _write_clips(episodes: Sequence[Episode], folder: Path) -> int:
    (folder / "audio").mkdir(parents=True)
    count = 0
    with (folder / "metadata.csv").open("x", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, ("file_name", *COLUMNS))
        table.writeheader()
        for number, episode in enumerate(episodes):
            for row, turn in zip(rows_of(episode), episode.turns, strict=True):
                name = f"audio/{number:05d}-{slug(episode.path.name)}-{turn.index:03d}-{turn.side}.flac"
                if _write_clip(episode, turn, folder / name):
                    table.writerow({"file_name": name, **row})
                    count += 1
    return count


def _write_clip(episode: Episode, turn: Turn, path: Path) -> bool:
    pcm, rate = episode.track("user" if turn.side is Side.USER else "endpoint")
    clip = pcm[turn.start : turn.end]
    if not clip.size:
        return False
    write_flac(path, clip, rate)
    return True
