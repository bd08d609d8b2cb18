"""The situations of `situations.py` on every adapter of `adapters.py`, and their table in the documents."""

from __future__ import annotations

import pytest

from tests.streams.conformance.adapters import VENDORS, line_to
from tests.streams.conformance.situations import SITUATIONS, Situation
from tests.streams.conformance.table import PAGE, between_markers, table

CASES = [(name, each) for name in VENDORS for each in SITUATIONS]


@pytest.mark.parametrize(("name", "case"), CASES, ids=[f"{name}, {each.title}" for name, each in CASES])
def test_an_adapter_comes_to_the_same_timeline(name: str, case: Situation) -> None:
    line = line_to(name)
    absent = case.needs - line.vendor.concepts
    if absent:
        pytest.skip(f"{name} has no {', '.join(sorted(absent))}")
    case.play(line)


def test_the_table_of_the_documentation_is_of_these_adapters() -> None:
    assert between_markers(PAGE.read_text(encoding="utf-8")) == table(), (
        "run: python -m tests.streams.conformance.table"
    )
