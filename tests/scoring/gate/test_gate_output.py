"""A gate as JUnit XML, GitHub annotations and Markdown."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from scoring.gate.annotations import MOST, annotate
from scoring.gate.checks import Check, GateResult, Kind, Status
from scoring.gate.junit import junit, write_junit
from scoring.gate.markdown import markdown, write_markdown

A, B = "fake://?a=1&b=2", "fake://b"

RESULT = GateResult(
    "recordings/run",
    (
        Check(Kind.EXPECTATION, "one", A, Status.PASSED, "", 12.5),
        Check(Kind.EXPECTATION, "two", A, Status.FAILED, "fact a: missing; turn 2: no reply", 3.25),
        Check(Kind.EXPECTATION, "three", B, Status.SKIPPED, "void: connect failed"),
        Check(Kind.THRESHOLD, "response_latency", A, Status.FAILED, "1500 ms, asked for: at most 900 ms"),
        Check(Kind.THRESHOLD, "void_share", B, Status.UNDECIDED, "1 of 1 calls void"),
        Check(Kind.REGRESSION, "passed", A, Status.PASSED, "90 % before, 91 % now"),
    ),
)


def test_junit_has_a_suite_for_each_kind_and_endpoint_and_counts_that_agree(tmp_path: Path) -> None:
    write_junit(RESULT, tmp_path / "gate.xml")
    root = ElementTree.parse(tmp_path / "gate.xml").getroot()
    counts = ("tests", "failures", "errors", "skipped")
    assert [root.get(name) for name in counts] == ["6", "2", "1", "1"]
    assert root.get("time") == "15.750"
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == [
        f"expectation: {A}", f"expectation: {B}", f"threshold: {A}", f"threshold: {B}", f"regression: {A}",
    ]  # fmt: skip
    calls = suites[f"expectation: {A}"]
    assert [calls.get(name) for name in counts] == ["2", "1", "0", "0"]
    passed, failed = calls
    assert (passed.get("name"), passed.get("time"), list(passed)) == ("one", "12.500", [])
    (failure,) = failed
    assert (failure.tag, failure.get("message")) == ("failure", "fact a: missing; turn 2: no reply")
    assert suites[f"threshold: {B}"][0][0].tag == "error"
    assert suites[f"regression: {A}"][0][0].text == "90 % before, 91 % now"


@given(st.text(st.characters(exclude_categories=[]), max_size=30))
def test_text_of_others_never_breaks_the_xml(text: str) -> None:
    result = GateResult(text, (Check(Kind.EXPECTATION, text, text, Status.FAILED, text),))
    root = ElementTree.fromstring(junit(result))
    assert root.get("tests") == "1"


def test_annotations_are_one_line_each_with_what_failed_most_tellingly_first() -> None:
    assert list(annotate(RESULT)) == [
        "::error title=viva gate%3A threshold response_latency::threshold response_latency "
        f"({A}): 1500 ms, asked for: at most 900 ms",
        f"::error title=viva gate%3A threshold void_share::threshold void_share ({B}): 1 of 1 calls void",
        "::error title=viva gate%3A expectation two::expectation two "
        f"({A}): fact a: missing; turn 2: no reply",
    ]


def test_more_failures_than_are_shown_are_counted() -> None:
    failed = tuple(Check(Kind.EXPECTATION, f"e{n}", A, Status.FAILED, "no") for n in range(15))
    lines = list(annotate(GateResult("run", failed)))
    assert len(lines) == MOST
    assert lines[-1] == "::error title=viva gate::6 more failed"


def test_what_an_endpoint_says_cannot_write_a_command_of_its_own() -> None:
    evil = "100 %\n::set-output name=token::stolen\r::add-mask::x"
    (line,) = annotate(GateResult("run", (Check(Kind.EXPECTATION, "e", A, Status.FAILED, evil),)))
    assert "\n" not in line and "\r" not in line
    assert line.startswith("::error ") and "100 %25 ::set-output" in line


def test_the_summary_says_what_failed_and_keeps_the_rest_folded_away(tmp_path: Path) -> None:
    text = markdown(RESULT)
    assert text.startswith("## viva gate failed\n")
    assert "expectations: 1 passed, 1 failed, 1 skipped; thresholds: 1 failed, 1 undecided" in text
    assert "| expectation two | fake://?a=1&b=2 | failed | fact a: missing; turn 2: no reply |" in text
    assert text.index("<details>") < text.index("regression passed") < text.index("</details>")
    (tmp_path / "summary.md").write_text("before\n")
    write_markdown(RESULT, tmp_path / "summary.md")
    assert (tmp_path / "summary.md").read_text() == f"before\n{text}"


@given(st.text(st.characters(exclude_categories=[]), max_size=30))
def test_text_of_others_stays_in_its_cell(text: str) -> None:
    (row,) = (
        line
        for line in markdown(
            GateResult("run", (Check(Kind.EXPECTATION, "e", A, Status.FAILED, f"x{text}y"),))
        ).splitlines()
        if line.startswith("| expectation e |")
    )
    assert row.replace("\\|", "").count("|") == 5
    assert "<" not in row.replace("\\<", "")
