"""The digest of a run's episodes, kept in the folder they lie in: ten thousand need not be measured again.

A kept row is taken only if the files it was made from are as they were (`stamp_of`), and if every metric
has the version it had. The file is a cache: without it, or if it is torn, they are scored again.
"""

from __future__ import annotations

import dataclasses
import io
import json
import os
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from recordings.disk import EPISODE
from recordings.format import Outcome
from recordings.strict_json import encode, replace_file
from scoring.digest.columns import Column, Digest, Row
from scoring.metric import Values
from scoring.score import METRICS

FILE = "digest.npz"
"""Its name, beside the folders of the episodes."""

VERSION = 1
"""Raised whenever the file or what a row says changes."""

_ARRAYS = ("metric", "episode", "values", "parts", "censored", "gone_metric", "gone")


def stamp_of(folder: str) -> tuple[int, ...]:
    """What changes when an episode or a file of its scores is written anew: times and size, in nanoseconds.

    Raises:
        OSError: There is no such episode.
    """
    info = os.stat(os.path.join(folder, EPISODE))
    try:
        scores = os.stat(os.path.join(folder, "scores")).st_mtime_ns
    except FileNotFoundError:
        scores = 0
    return info.st_mtime_ns, info.st_size, scores


def save(folder: Path, digest: Digest) -> None:
    """Keep a digest; a folder that cannot be written keeps none."""
    meta = {
        "version": VERSION,
        "metrics": _metrics(),
        "causes": {name: column.causes for name, column in digest.columns.items()},
        "rows": [_to_json(row) for row in digest.rows],
    }
    columns = list(digest.columns.values())
    arrays: dict[str, Any] = {
        "metric": np.repeat(np.arange(len(columns), dtype=np.int16), [len(c.episode) for c in columns]),
        "episode": np.concatenate([column.episode for column in columns]).astype(np.int32),
        "values": np.concatenate([column.values.values for column in columns]),
        "parts": np.concatenate([column.values.parts for column in columns]).astype(np.int32),
        "censored": np.concatenate([column.values.censored for column in columns]),
        "gone_metric": np.repeat(
            np.arange(len(columns), dtype=np.int16), [len(c.missing) for c in columns]
        ),
        "gone": np.concatenate([column.missing for column in columns]).astype(np.int32),
    }
    file = io.BytesIO()
    np.savez(file, meta=np.frombuffer(encode(meta), np.uint8), **arrays)
    with suppress(OSError):
        replace_file(folder / FILE, file.getvalue(), sync=False)


def load(folder: Path) -> Digest | None:
    """The digest that is kept in a folder; None if there is none that today's metrics can use."""
    path = folder / FILE
    return load_file(path) if path.is_file() else None


def load_file(path: Path) -> Digest | None:
    """A digest by its file, without the episodes it is of; None if today's metrics cannot use it."""
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            meta = json.loads(file["meta"].tobytes())
            if meta["version"] != VERSION or meta["metrics"] != _metrics():
                return None
            arrays = {name: file[name] for name in _ARRAYS}
        return _digest(meta, arrays)
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None  # torn, or somebody else's: it is only a cache


def _digest(meta: dict[str, Any], arrays: dict[str, Any]) -> Digest:
    rows = tuple(_row(row) for row in meta["rows"])
    columns = {}
    for number, metric in enumerate(METRICS):
        here = slice(*np.searchsorted(arrays["metric"], [number, number + 1]))
        gone = slice(*np.searchsorted(arrays["gone_metric"], [number, number + 1]))
        columns[metric.name] = Column(
            arrays["episode"][here].astype(np.int64),
            Values(
                arrays["values"][here], arrays["parts"][here].astype(np.int64), arrays["censored"][here]
            ),
            arrays["gone"][gone].astype(np.int64),
            tuple(meta["causes"][metric.name]),
        )
    return Digest(rows, columns)


def _metrics() -> list[list[Any]]:
    """What decides on the values: names and versions, in the order of the columns."""
    return [[metric.name, metric.version, metric.statistic.value] for metric in METRICS]


def _to_json(row: Row) -> list[Any]:
    return [getattr(row, name) for name in _FIELDS]


def _row(values: list[Any]) -> Row:
    named = dict(zip(_FIELDS, values, strict=True))
    named |= {
        "outcome": Outcome(named["outcome"]),
        "failed": tuple(named["failed"]),
        "stamp": tuple(named["stamp"]),
    }
    return Row(**named)


_FIELDS = tuple(field.name for field in dataclasses.fields(Row))
