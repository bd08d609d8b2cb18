"""Ratings that judges of content, manner and voice quality left beside an episode, as they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recordings.reader import read_scores
from scoring.judge.dimensions import Dimension, Rating
from scoring.judge.rate import FILE

LABELS = tuple(rating.value for rating in Rating)
"""The labels there are."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A rating of one dimension.

    Attributes:
        label: Or "unscored: CAUSE".
    """

    label: str
    reason: str = ""


def ratings(folder: Path) -> tuple[str, dict[int, tuple[Rated, ...]]]:
    """Who rated the turns of an episode, and how, by turn; nothing of a file that is something else.

    Raises:
        RecordingError: The file is no JSON.
    """
    if not (folder / "scores" / f"{FILE}.json").is_file():
        return "", {}
    scores: Any = read_scores(folder, FILE)
    turns = scores.get("turns") if isinstance(scores, dict) else None
    found = {}
    for entry in turns if isinstance(turns, list) else ():
        dimensions = entry.get("dimensions") if isinstance(entry, dict) else None
        if isinstance(dimensions, dict) and isinstance(entry.get("turn"), int):
            found[entry["turn"]] = tuple(_rated(dimensions.get(d.value)) for d in Dimension)
    return (str(scores.get("judge", "")), found) if found else ("", {})


def _rated(found: Any) -> Rated:
    if not isinstance(found, dict):
        return Rated("unscored: not_judged")
    label = found.get("label")
    return Rated(
        label if label in LABELS else f"unscored: {found.get('unscored') or 'label_unknown'}",
        str(found.get("reason") or ""),
    )
