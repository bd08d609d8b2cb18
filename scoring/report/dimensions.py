"""What a report shows of sound: blueprints of both sides, and ratings in three dimensions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recordings.reader import Episode, read_scores
from scoring.blueprint.episodes import TurnBlueprint, stored_blueprints
from scoring.blueprint.picture import picture
from scoring.blueprint.record import Blueprint
from scoring.judge.dimensions import Dimension, Rating
from scoring.judge.rate import FILE
from scoring.judge.sound_rules import value_at
from scoring.report.figures import NOTHING, clock

if TYPE_CHECKING:
    from markupsafe import Markup

LABELS = tuple(rating.value for rating in Rating)
"""The labels that have a colour of their own."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A rating of one dimension.

    Attributes:
        label: Or "unscored: CAUSE".
    """

    label: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SoundRow:
    """A turn in the table of sound.

    Attributes:
        values: Quality, pitch, melody, loudness and pace as text; a dash where there is none.
    """

    turn: int
    side: str
    at: str
    picture: Markup | str
    values: Sequence[str]
    ratings: tuple[Rated, ...]


@dataclass(frozen=True, slots=True)
class Sound:
    """The sound of an episode.

    Attributes:
        judge: Who rated, or "".
    """

    rows: tuple[SoundRow, ...]
    judge: str = ""


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a judge gave which label in a dimension."""

    judge: str
    dimension: str
    labels: Counter[str]


def sound_of(episode: Episode) -> Sound:
    """The table of an episode; empty if it has neither blueprints nor ratings of today's version.

    Raises:
        RecordingError: A file of scores is no JSON.
    """
    from markupsafe import Markup

    blueprints = stored_blueprints(episode)
    judge, ratings = _ratings(episode.path)
    turns = {turn.index: turn for turn in blueprints.turns} if blueprints else {}
    sides = {turn.index: turn for turn in episode.turns}
    rows = []
    for index in sorted(turns.keys() | (ratings.keys() & sides.keys())):
        made, live = turns.get(index), sides[index]
        # our own drawing of numbers: nothing in it is anybody's text
        drawn = Markup(picture(made.blueprint)) if made else ""  # noqa: S704
        values = _values(made)
        rated = ratings.get(index, ())
        rows.append(SoundRow(index, live.side.value, clock(live.start_s), drawn, values, rated))
    return Sound(tuple(rows), judge)


def tallies(folders: Iterable[Path]) -> list[Tally]:
    """How often each label was given over some episodes, by judge and dimension.

    Raises:
        RecordingError: A file of scores is no JSON.
    """
    found: dict[tuple[str, str], Counter[str]] = {}
    for folder in folders:
        judge, ratings = _ratings(folder)
        for rated in ratings.values():
            for dimension, one in zip(Dimension, rated, strict=True):
                found.setdefault((judge, dimension.value), Counter())[one.label] += 1
    return [Tally(judge, dimension, labels) for (judge, dimension), labels in found.items()]


def _ratings(folder: Path) -> tuple[str, dict[int, tuple[Rated, ...]]]:
    """Who rated the turns of an episode, and how; nothing of a file that is something else."""
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


def _values(made: TurnBlueprint | None) -> Sequence[str]:
    """Quality, pitch, melody, loudness, pace."""
    if made is None:
        return [NOTHING] * len(_COLUMNS)
    return [_number(made.blueprint, *column) for column in _COLUMNS]


def _number(blueprint: Blueprint, place: str, digits: int, unit: str) -> str:
    value, _ = value_at(blueprint, place)
    return NOTHING if value is None else f"{value:.{digits}f} {unit}".strip()


_COLUMNS = (
    ("quality.plain.overall", 1, ""),
    ("pitch.mean_hz", 0, "Hz"),
    ("pitch.range_semitones", 1, "st"),
    ("loudness.integrated_lufs", 0, "LUFS"),
    ("pace.articulation_wpm", 0, "wpm"),
)
