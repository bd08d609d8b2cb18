"""The metrics of `scores/science.json`: each measure of the stages, for every question of an episode."""

from __future__ import annotations

from collections.abc import Callable

from scoring.metric import FunctionMetric, Measured, Measurement, Statistic, Unscored
from scoring.science.answers import answers
from scoring.science.marks import MEASURES, Mark, Measure, stage_marks
from scoring.view import EpisodeView

VERSIONS = {
    **dict.fromkeys(("knowledge_choice", "knowledge_coverage"), 2),  # what is denied is not chosen
    **dict.fromkeys(("knowledge_accuracy", "knowledge_open"), 3),  # 3.5 is not 3; a sign and "%" count
    **dict.fromkeys((f"perception_{name}" for name in ("loose", "strict", "beyond")), 2),  # so they do here
}
"""Of measures that were changed."""


def _measuring(measured: Measure) -> Callable[[EpisodeView], list[Measurement]]:
    def measure(view: EpisodeView) -> list[Measurement]:
        given = (
            (index, stage_marks(one, measured.stage).get(measured.name)) for index, one in answers(view)
        )
        return [_measured(mark, index) for index, mark in given if mark is not None]

    return measure


def _measured(mark: Mark, where: int) -> Measurement:
    if mark.cause:
        return Unscored(mark.cause, where)
    part, whole = round(mark.part), round(mark.whole)
    evidence = {} if mark.chance is None else {"chance": mark.chance}
    return Measured(part / whole if whole else float(part), where, evidence, (part, whole))


def _metric(measure: Measure) -> FunctionMetric:
    statistic = Statistic.RATE if measure.higher else Statistic.RATIO
    description = f"{measure.description[0].upper()}{measure.description[1:]}."
    return FunctionMetric(
        f"science_{measure.name}",
        "ratio",
        statistic,
        description,
        _measuring(measure),
        VERSIONS.get(measure.name, 1),
    )


SCIENCE = tuple(_metric(measure) for measure in MEASURES.values())
"""Without questions that have a key, or keywords, a call has no values of these."""
