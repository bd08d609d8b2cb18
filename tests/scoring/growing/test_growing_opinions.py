"""Answers of people about grown scenarios, from the studio's files and from the queue."""

from __future__ import annotations

from pathlib import Path

from recordings.label_files import LabelFolder
from recordings.labels import PersonLabel
from scenarios.growing.review import Answers, Review
from scoring.growing.opinions import NO, YES, key, notes, opinions, refused
from scoring.labelling.protocol import Answer


def line(id: str, reviewer: str = "", level: bool | None = None) -> Review:
    return Review(
        scenario=id,
        domain="social",
        task="advice",
        level=1,
        text="What now?",
        content=["says what"],
        answers=Answers(level=level),
        reviewer=reviewer,
    )


def add(folder: LabelFolder, person: str, item: str, label: str | None, **more: str) -> None:
    unscored = None if label else "skipped"
    folder.add(
        PersonLabel(
            item=item, label=label, unscored=unscored, annotator=person, **{"dimension": "level", **more}
        )
    )


def test_what_stands_in_the_queue_and_in_the_files_of_people_is_one(tmp_path: Path) -> None:
    folder = LabelFolder(tmp_path)
    add(folder, "ann", "a", NO)
    add(folder, "ann", "a", YES, note="after all")  # a correction
    add(folder, "kim", "a", NO)
    add(folder, "ann", "gone", NO)
    add(folder, "ann", "b", "good", dimension="content")  # of another work
    found = opinions([line("a", "kim", True), line("b", level=False), line("c", "kim", True)], folder)
    assert found == {
        "ann": {key("a", "level"): Answer(YES)},
        "kim": {key("a", "level"): Answer(NO), key("c", "level"): Answer(YES)},  # the studio's counts
        "by hand": {key("b", "level"): Answer(NO)},
    }
    assert notes(folder) == {"a": ["ann: after all"]}


def test_who_refuses_a_scenario_and_in_what_is_told(tmp_path: Path) -> None:
    folder = LabelFolder(tmp_path)
    lines = [line("a", "kim", True), line("b", "kim", False), line("c")]
    for item, label in (("a", NO), ("b", NO), ("c", None)):
        add(folder, "ann", item, label)
    assert refused(lines, opinions(lines, folder)) == {
        "a": "level: ann no, kim yes",
        "b": "level: ann no, kim no",
    }
