"""Which stages rise and fall together, by every error rate and within every feature. Pure.

Recognition and generation have several error rates, each with a coupling of its own: over all questions
word, term and abbreviation errors; within a feature those that belong to it. What S3-Bench quotes "for
abbreviations" is taken for the coupling by abbreviation errors over the questions that hold one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from scenarios.schema import Feature
from scoring.science.coupling import Came, Coupling, Pooled, coupling, mantel_haenszel
from scoring.science.marks import MAIN, MEASURES, Stage
from scoring.science.stages import Row, Scored, StageTable
from scoring.statistics.undefined import Undefined

ALL = "all"
"""The part that is all questions."""

WORDS = "wer"

PARTS: Mapping[str, tuple[str, ...]] = {
    ALL: (WORDS, "eer", "aer_strict", "aer_loose"),
    Feature.TERMINOLOGY: (WORDS, "eer"),
    Feature.ABBREVIATION: (WORDS, "aer_strict", "aer_loose"),
    Feature.SPECIAL_EXPRESSION: (WORDS,),
}
"""The error rates that stand for recognition and generation, by part of the questions."""

_ERRING = (Stage.RECOGNITION, Stage.GENERATION)


@dataclass(frozen=True, slots=True)
class Coupled:
    """How two stages go together: over systems, and over the items of all systems.

    Attributes:
        part: `ALL`, or the feature that the questions have.
        measures: Of the first stage and of the second.
        items: A question came through recognition or generation by terms or abbreviations if none was lost;
            by words see `marks.passes`.
    """

    part: str
    first: Stage
    second: Stage
    measures: tuple[str, str]
    systems: Coupling
    items: Pooled | Undefined

    @property
    def error(self) -> str:
        """Title of the error rate that it goes by; "" between perception and knowledge."""
        erring = (MEASURES[name] for name in self.measures if MEASURES[name].stage in _ERRING)
        return next((measure.title for measure in erring), "")

    @property
    def main(self) -> bool:
        """Whether it is of all questions, by the measures that stand for their stages."""
        return self.part == ALL and self.measures == (MAIN[self.first], MAIN[self.second])


def couple(tables: Sequence[StageTable], questions: Sequence[Sequence[Scored]]) -> Iterator[Coupled]:
    """Every pair of stages; nothing with fewer than two systems.

    Error rates and features of which fewer than two systems have a value are left out, save the main ones.

    Args:
        tables: Of the systems.
        questions: Of the same systems, in the same order.
    """
    if len(tables) < 2:
        return
    for part, errors in PARTS.items():
        rows = [table.whole if part == ALL else table.by_feature.get(part, {}) for table in tables]
        asked = [[q for q in some if part in (ALL, *q.answered.features)] for some in questions]
        for first, second in combinations(Stage, 2):
            erring = first in _ERRING or second in _ERRING
            for error in errors if erring else (WORDS,):
                found = _coupled(part, (first, second), error, rows, asked)
                if found.main or found.systems.n > 1:
                    yield found


def _coupled(
    part: str,
    stages: tuple[Stage, Stage],
    error: str,
    rows: Sequence[Row],
    questions: Sequence[Sequence[Scored]],
) -> Coupled:
    first, second = (f"{stage}_{error}" if stage in _ERRING else MAIN[stage] for stage in stages)
    both = [(oriented(row, first), oriented(row, second)) for row in rows]
    known = [(a, b) for a, b in both if a is not None and b is not None]
    return Coupled(
        part,
        *stages,
        (first, second),
        coupling([a for a, _ in known], [b for _, b in known]),
        mantel_haenszel([_together(some, first, second) for some in questions]),
    )


def oriented(row: Row, measure: str) -> float | None:
    """A measure, turned so that higher is better."""
    found = row.get(measure)
    if found is None or found.value is None:
        return None
    return found.value if MEASURES[measure].higher else 1 - found.value


def _together(questions: Sequence[Scored], first: str, second: str) -> list[Came]:
    """Questions of one system that are scored by both measures, and whether they came through each."""
    pairs = ((one.answered.id, _came(one, first), _came(one, second)) for one in questions)
    return [Came(name, a, b) for name, a, b in pairs if a is not None and b is not None]


def _came(one: Scored, measure: str) -> bool | None:
    """Whether a question came through by a measure; None if it is unscored."""
    stage = MEASURES[measure].stage
    if measure == MAIN[stage]:
        return one.passes.get(stage)
    mark = one.marks.get(measure)
    return None if mark is None or mark.cause or not mark.whole else not mark.part
