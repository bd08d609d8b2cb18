"""Scenarios taken out of a file of many: what stays is the same to the byte."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from scenarios.growing.documents import ids, without

HEAD = "# Written by a model.\n"


def document(id: str) -> str:
    title = f'"--- {id}"  # mended'
    return f"# about {id}\nid: {id}\ntitle: {title}\nturns:\n  - text: |\n      --- not a mark\n"


def file(*names: str) -> str:
    return HEAD + "---\n".join(map(document, names))


NAMES = ("a-1", "b-2", "c-3")


@given(st.sets(st.sampled_from((*NAMES, "d-4"))))
def test_a_file_without_some_is_the_file_of_the_others(gone: set[str]) -> None:
    stay = [name for name in NAMES if name not in gone]
    assert without(file(*NAMES), gone) == file(*stay)
    assert ids(without(file(*NAMES), gone)) == set(stay)


def test_marks_with_more_on_their_line_part_scenarios_too() -> None:
    text = "id: a\n--- # the second\nid: b\n---\tid: c\n"
    assert ids("id: a\n--- # the second\nid: b\n") == {"a", "b"}
    assert without("id: a\n--- # the second\nid: b\n", {"b"}) == "id: a\n"
    assert [one["id"] for one in yaml.safe_load_all(without("id: a\n--- {id: b}\n", {"a"}))] == ["b"]
    assert text.count("---") == 2


@pytest.mark.parametrize("text", ["", "# nothing\n", "id: [\n---\nid: b\n", "- a\n- b\n"])
def test_what_is_no_scenario_stays(text: str) -> None:
    assert without(text, {"x"}) == text
