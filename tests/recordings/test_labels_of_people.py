from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from recordings.labels import PersonLabel, read_person_labels, turn_item
from tests.recordings.calls import episode_info


def test_a_turn_has_one_name_for_people_and_judges() -> None:
    assert turn_item(episode_info(run="monday"), 3) == "monday/e1/3"
    assert turn_item(episode_info(), 0) == "e1/0"


@pytest.mark.parametrize("fields", [{}, {"label": "x", "unscored": "y"}, {"label": ""}])
def test_a_person_gives_a_label_or_says_why_not(fields: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        PersonLabel(item="p", **fields)


def test_the_last_label_of_a_person_counts_and_a_torn_line_does_not(tmp_path: Path) -> None:
    lines = [
        PersonLabel(item="p", label="x", annotator="ann", dimension="content"),
        PersonLabel(item="p", label="y", annotator="ann", dimension="voice"),
        PersonLabel(item="p", label="x", annotator="bob", dimension="content"),
        PersonLabel(item="p", unscored="inaudible", annotator="ann", dimension="content", note="hm"),
    ]
    path = tmp_path / "labels.jsonl"
    text = "".join(line.model_dump_json() + "\n" for line in lines)
    path.write_text(text + '{"item": "q", "la', encoding="utf-8")
    assert read_person_labels(path) == [lines[3], lines[1], lines[2]]
