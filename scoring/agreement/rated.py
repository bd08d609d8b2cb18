"""Ratings that judges of three dimensions left beside episodes, as label sources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from recordings.labels import turn_item
from recordings.reader import Episode, read_scores
from scoring.agreement.labels import OVERALL, LabelError, Labels
from scoring.judge.dimensions import Dimension
from scoring.judge.rate import FILE


def rated_sources(folders: Iterable[Path]) -> list[Labels]:
    """Labels by judge and dimension, "trace-rules/content"; "overall" is by the fusion of the episode.

    Raises:
        LabelError: A judge rated one turn twice: in two copies of an episode.
        RecordingError: An episode, or its ratings, cannot be read.
    """
    labels: dict[str, dict[str, str]] = defaultdict(dict)
    unscored: dict[str, dict[str, str]] = defaultdict(dict)
    for folder in folders:
        for name, item, label, cause in _ratings(folder):
            if item in labels[name] or item in unscored[name]:
                raise LabelError(str(folder), f"holds two ratings of {item} by {name!r}", "Name one run.")
            if label is not None:
                labels[name][item] = label
            else:
                unscored[name][item] = cause
    return [
        Labels(
            name,
            labels[name],
            unscored[name],
            clusters={item: item.rpartition("/")[0] for item in (*labels[name], *unscored[name])},
        )
        for name in sorted(labels)
    ]


def _ratings(folder: Path) -> Iterator[tuple[str, str, str | None, str]]:
    """Source, item, and its label or the cause why there is none; nothing of a file of another kind."""
    if not (folder / "scores" / f"{FILE}.json").is_file():
        return
    scores = read_scores(folder, FILE)
    if not isinstance(scores, dict) or not isinstance(scores.get("turns"), list):
        return
    info = Episode.load(folder).info
    for turn in scores["turns"]:
        if not isinstance(turn, dict) or not isinstance(turn.get("turn"), int):
            continue
        found: dict[str, Any] = turn.get("dimensions") or {}
        for dimension in (*(d.value for d in Dimension), OVERALL):
            told = turn.get(OVERALL) if dimension == OVERALL else found.get(dimension)
            if isinstance(told, dict):
                label = told.get("label")
                cause = str(told.get("unscored") or "no_label")
                name = f"{scores.get('judge') or 'judge'}/{dimension}"
                yield name, turn_item(info, turn["turn"]), label if isinstance(label, str) else None, cause
