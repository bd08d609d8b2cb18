"""What a report shows of sound: blueprints of both sides, and ratings in three dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recordings.reader import Episode
from scoring.blueprint.episodes import TurnBlueprint, stored_blueprints
from scoring.blueprint.picture import picture
from scoring.blueprint.record import Blueprint
from scoring.judge.rated import Rated, ratings
from scoring.judge.sound_rules import value_at
from scoring.report.figures import NOTHING, clock

if TYPE_CHECKING:
    from markupsafe import Markup


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


def sound_of(episode: Episode) -> Sound:
    """The table of an episode; empty if it has neither blueprints nor ratings of today's version.

    Raises:
        RecordingError: A file of scores is no JSON.
    """
    from markupsafe import Markup

    blueprints = stored_blueprints(episode)
    judge, rated_turns = ratings(episode.path)
    turns = {turn.index: turn for turn in blueprints.turns} if blueprints else {}
    sides = {turn.index: turn for turn in episode.turns}
    rows = []
    for index in sorted(turns.keys() | (rated_turns.keys() & sides.keys())):
        made, live = turns.get(index), sides[index]
        # our own drawing of numbers: nothing in it is anybody's text
        drawn = Markup(picture(made.blueprint)) if made else ""  # noqa: S704
        values = _values(made)
        rated = rated_turns.get(index, ())
        rows.append(SoundRow(index, live.side.value, clock(live.start_s), drawn, values, rated))
    return Sound(tuple(rows), judge)


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
