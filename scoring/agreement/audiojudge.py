"""The files of AudioJudge (arXiv 2507.12705, github.com/Woodygan/AudioJudge), as label sources.

- `item,human,judge`: people, and a judge that rated each reply alone
- `item,human_unswapped,judge_prediction_in_swapped_order`: people, and a judge that saw sides exchanged
- `instruction_id,model,pos1_prediction,pos2_prediction`: a judge of `model` against a baseline, both orders
- `{"model1", "model2", "preference"}` on each line: people; the preference is "model1", "model2" or "tie"

The second was published with an accuracy of .169, since its judge's sides were not turned back.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from scoring.agreement.csvfile import Cells, CsvFile
from scoring.agreement.labels import FIRST, SECOND, TIE, LabelError, Labels, LabelSet, unswapped, within
from scoring.agreement.systems import BothOrders, Preference

_LABELS = LabelSet((FIRST, SECOND, TIE))

_PREFERENCES = {"model1": FIRST, "model2": SECOND, "tie": TIE}


@dataclass(frozen=True, slots=True)
class Preferences:
    """What people prefer, comparison by comparison."""

    place: str
    found: tuple[Preference, ...]


def read_table(table: CsvFile) -> tuple[Labels, Labels] | BothOrders | None:
    """People and judge, or a judge in both orders; None if the table is none of AudioJudge's."""
    if table.has("item", "human", "judge"):
        return table.labels("human", "human"), table.labels("judge", "judge")
    people, judge = "human_unswapped", "judge_prediction_in_swapped_order"
    if table.has("item", people, judge):
        swapped = table.labels(judge, "judge, un-swapped").as_swapped()
        return table.labels(people, "human"), unswapped(swapped)
    if table.has("instruction_id", "model", "pos1_prediction", "pos2_prediction"):
        first = within(table.labels("pos1_prediction", item=_pair), _LABELS)
        second = within(table.labels("pos2_prediction", item=_pair), _LABELS)
        return BothOrders(first, second.as_swapped())
    return None


def is_preference(value: object) -> bool:
    """Whether a line of a JSONL file looks like a person's preference."""
    return isinstance(value, dict) and {"model1", "model2", "preference"} <= value.keys()


def read_preferences(path: Path) -> Preferences:
    """People's preferences.

    Raises:
        LabelError: A line is no preference between two different systems.
    """
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            value = json.loads(line)
        except ValueError as error:
            raise LabelError(place, f"is no JSON ({error})") from error
        if not is_preference(value) or str(value["preference"]) not in _PREFERENCES:
            expected = "Expected model1, model2, and preference: model1, model2 or tie."
            raise LabelError(place, "is no preference between two systems", expected)
        if value["model1"] == value["model2"]:
            raise LabelError(place, f"compares {value['model1']!r} with itself")
        found.append(
            Preference(str(value["model1"]), str(value["model2"]), _PREFERENCES[value["preference"]])
        )
    return Preferences(str(path), tuple(found))


def _pair(cells: Cells) -> str:
    return f"{cells['model']}/{cells['instruction_id']}"
