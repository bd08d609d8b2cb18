"""The files of AudioJudge as label sources; see `scoring.audiojudge`.

The judge that saw sides exchanged was published with an accuracy of .169, since they were not turned back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from scoring.agreement.csvfile import LabelTable
from scoring.agreement.labels import FIRST, SECOND, TIE, LabelError, Labels, LabelSet, unswapped, within
from scoring.agreement.systems import BothOrders, Preference
from scoring.audiojudge import ALONE, COMPARISON, SWAPPED, read_annotations
from scoring.csvfile import Cells, FileUnfit

_LABELS = LabelSet((FIRST, SECOND, TIE))

_PREFERENCES = {"model1": FIRST, "model2": SECOND, "tie": TIE}


@dataclass(frozen=True, slots=True)
class Preferences:
    """What people prefer, comparison by comparison."""

    place: str
    found: tuple[Preference, ...]


def published(table: LabelTable) -> tuple[Labels, Labels] | BothOrders | None:
    """People and judge, or a judge in both orders; None if the table is none of AudioJudge's."""
    if table.has(*ALONE):
        _, people, judge = ALONE
        return table.labels(people, people), table.labels(judge, judge)
    if table.has(*SWAPPED):
        _, people, judge = SWAPPED
        shown = table.labels(judge, "judge, un-swapped").as_swapped()
        return table.labels(people, "human"), unswapped(shown)
    if table.has(*COMPARISON):
        first, second = (_order(table, column) for column in COMPARISON[2:])
        return BothOrders(first, second.as_swapped())
    return None


def read_preferences(path: Path) -> Preferences:
    """People's preferences.

    Raises:
        LabelError: A line is no preference between two different systems.
    """
    found = []
    try:
        for one in read_annotations(path):
            place = f"{path}:{one.line}"
            if one.preference not in _PREFERENCES:
                expected = f"Expected {', '.join(_PREFERENCES)}."
                raise LabelError(place, f"holds the preference {one.preference!r}", expected)
            if one.model1 == one.model2:
                raise LabelError(place, f"compares {one.model1!r} with itself")
            found.append(Preference(one.model1, one.model2, _PREFERENCES[one.preference]))
    except FileUnfit as error:
        raise LabelError(error.place, error.found, error.remedy) from error
    return Preferences(str(path), tuple(found))


def _order(table: LabelTable, column: str) -> Labels:
    """A judge's labels in one order; comparisons on one prompt belong together."""
    found = within(table.labels(column, item=_pair), _LABELS)
    return replace(found, clusters={item: item.rpartition("/")[2] for item in found.items})


def _pair(cells: Cells) -> str:
    return f"{cells['model']}/{cells['instruction_id']}"
