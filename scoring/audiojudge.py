"""The files of AudioJudge (arXiv 2507.12705, github.com/Woodygan/AudioJudge): what stands in them.

`scoring.agreement` makes label sources of them, `scoring.arena` battles.

- `item,human,judge`: people, and a judge that rated each reply alone
- `item,human_unswapped,judge_prediction_in_swapped_order`: people, and a judge that saw sides exchanged
- `instruction_id,model,pos1_prediction,pos2_prediction`: a judge of `model` against a baseline, both orders
- `{"data_ID", "model1", "model2", "preference"}` on each line: people; "model1", "model2" or "tie"
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring.csvfile import FileUnfit

ALONE = ("item", "human", "judge")
"""Columns of people and a judge."""

SWAPPED = ("item", "human_unswapped", "judge_prediction_in_swapped_order")
"""Columns of people and a judge that saw sides exchanged."""

COMPARISON = ("instruction_id", "model", "pos1_prediction", "pos2_prediction")
"""Columns of a judge's comparisons with a baseline, which is not named."""

ANNOTATION = ("model1", "model2", "preference")
"""Keys of a person's preference; beside them "data_ID" numbers the prompt."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """A person's preference, as it stands there.

    Attributes:
        line: Of the file, from 1.
        prompt: Its number; "" if it has none.
        more: What else stands in the line.
    """

    line: int
    prompt: str
    model1: str
    model2: str
    preference: str
    more: Mapping[str, Any]


def is_annotation(value: object) -> bool:
    """Whether a line of a JSONL file looks like a person's preference."""
    return isinstance(value, dict) and {"model1", "model2"} <= value.keys()


def read_annotations(path: Path) -> Iterator[Annotation]:
    """People's preferences, line by line; blank lines are left out.

    Raises:
        FileUnfit: It cannot be read, or a line is no JSON object with these keys.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FileUnfit(path, 0, f"cannot be read ({error})") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield _annotation(path, number, line)


def _annotation(path: Path, number: int, line: str) -> Annotation:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise FileUnfit(path, number, f"is no JSON ({error})") from error
    if not isinstance(row, dict) or not set(ANNOTATION) <= row.keys():
        expected = f"Expected an object with {', '.join(ANNOTATION)}."
        raise FileUnfit(path, number, "is no annotation of AudioJudge", expected)
    model1, model2, preference = (str(row.pop(key)) for key in ANNOTATION)
    return Annotation(number, str(row.pop("data_ID", "")), model1, model2, preference, row)
