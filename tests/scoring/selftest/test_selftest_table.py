"""Precision, recall and errors of the dose, from findings that are known."""

from __future__ import annotations

from typing import Any

import pytest

from scoring.selftest.detectors import DETECTORS, IMPLIES, findings
from scoring.selftest.readings import Readings
from scoring.selftest.table import Examined, Row, tabulate
from scoring.selftest.terminal import markdown


def calls(planted: str, dose: float, *found: dict[str, float]) -> list[Examined]:
    return [Examined(f"{planted or 'control'}-{n}", planted, dose, f) for n, f in enumerate(found)]


def row(result: tuple[Row, ...], name: str) -> Row:
    return next(row for row in result if row.defect == name)


def test_precision_and_recall_are_counted_over_all_calls() -> None:
    result = tabulate(
        calls("late", 0.3, {"late": 0.301}, {"late": 0.298, "noise": 20.0}, {})
        + calls("noise", 20, {"noise": 19.0}, {"noise": 20.5})
        + calls("", 0, {}, {})
    )
    late, noise = row(result.rows, "late"), row(result.rows, "noise")
    assert (late.recall, late.precision) == (2 / 3, 1.0)
    assert (noise.recall, noise.precision) == (1.0, 2 / 3)
    assert (result.recall, result.precision) == (4 / 5, 4 / 5)
    assert result.to_json()["control"] == {"episodes": 2, "false_alarms": 0}
    assert result.to_json()["defects"]["late"]["dose_error_ms"] == {"mean": -0.5, "worst": -2.0}
    assert result.to_json()["defects"]["late"]["missed"] == ["late-2"]
    assert set(result.to_json()["defects"]) == {"late", "noise"}


def test_a_declared_consequence_is_neither_right_nor_wrong() -> None:
    consequence = next(iter(IMPLIES["stops_mid_word"]))
    result = tabulate(calls("stops_mid_word", 0.5, {"stops_mid_word": 1.0, consequence: 0.5}))
    assert row(result.rows, consequence).precision is None
    assert row(result.rows, "stops_mid_word").precision == 1.0


def test_every_missed_bar_is_named() -> None:
    good = calls("late", 0.3, *[{"late": 0.3}] * 20)
    assert tabulate(good + calls("", 0, {})).shortfalls == []
    alarm = tabulate(good + calls("", 0, {"echo": -40.0}))  # precision is 20 of 21
    assert alarm.shortfalls == ["control-0: false alarm (echo)"]
    off = tabulate(calls("late", 0.3, {"late": 0.3061})).shortfalls
    assert off == ["late: dose is 6.1 ms off, more than 5 ms"]
    void = tabulate([Examined("late-0", "late", 0.3, {}, "behind_real_time")])
    assert void.shortfalls == ["late-0: the call is void (behind_real_time)"]
    assert void.recall is None


def test_nothing_is_found_in_a_call_like_the_clean_one() -> None:
    clean = Readings(
        latency_s=1.0,
        to_stop_s=0.8,
        hole_s=0.25,
        dropped=0.0,
        wrong_facts=0.0,
        wrong_numbers=0.0,
        clipped=0.0,
        repeated=0.0,
        broken_off=0.0,
    )
    assert findings(clean) == {}


@pytest.mark.parametrize(
    ("readings", "found"),
    [
        (Readings(latency_s=1.3), {"late": pytest.approx(0.3)}),
        (Readings(to_stop_s=1.5, cut_s=1.52), {"yields_late": 1.52}),
        (Readings(to_stop_s=3.0, went_on=True), {"never_yields": 1.0}),
        (Readings(to_stop_s=1.5, went_on=True), {}),
        (Readings(hole_s=0.9), {"dead_air": 0.9}),
        (Readings(noise_db=20.0), {"noise": 20.0}),
        (Readings(speed=0.8), {"falls_behind": 0.8}),
        (Readings(answered=3), {"goes_silent": 3}),
    ],
)
def test_a_reading_beyond_its_threshold_is_a_finding(readings: Readings, found: dict[str, float]) -> None:
    assert findings(readings) == found


def test_the_table_has_a_line_for_each_planted_defect_and_one_for_all() -> None:
    text = markdown(tabulate(calls("late", 0.3, {"late": 0.3012}) + calls("", 0, {})))
    lines = text.splitlines()
    assert lines[2] == f"| late | 1 | 1.000 | 1.000 | +1.2, +1.2 ms | {DETECTORS['late'].says} |"
    assert lines[3].startswith("| all | 1 | 1.000 | 1.000 |")
    assert lines[-1] == "0 false alarms in 1 clean calls."


def test_a_defect_that_is_missed_too_often_falls_short() -> None:
    # 8 of 10 are below .85 for the defect and below .95 for all
    missed = tabulate(calls("late", 0.3, *[{"late": 0.3}] * 8, {}, {}))
    assert missed.shortfalls == ["overall recall 0.800 is below 0.95", "late: recall 0.800 is below 0.85"]
    # 10 of 12 findings are right
    wrong = tabulate(
        calls("late", 0.3, *[{"late": 0.3}] * 10) + calls("echo", -40, *[{"echo": -40.0, "late": 0.3}] * 2)
    )
    assert wrong.shortfalls == [
        "overall precision 0.857 is below 0.95",
        "late: precision 0.833 is below 0.85",
    ]


# just below, and just above, the threshold that each rule declares
@pytest.mark.parametrize(
    ("name", "below", "above"),
    [
        ("late", {"latency_s": 1.14}, {"latency_s": 1.16}),
        ("yields_late", {"to_stop_s": 1.14}, {"to_stop_s": 1.16}),
        ("never_yields", {"to_stop_s": 1.9, "went_on": True}, {"to_stop_s": 2.1, "went_on": True}),
        ("dead_air", {"hole_s": 0.57}, {"hole_s": 0.58}),
        ("drops_words", {"dropped": 0.059}, {"dropped": 0.061}),
        ("swaps_fact", {"wrong_facts": 0.0}, {"wrong_facts": 0.2}),
        ("swaps_number", {"wrong_numbers": 0.0}, {"wrong_numbers": 0.2}),
        ("clips", {"clipped": 0.0049}, {"clipped": 0.0051}),
        ("noise", {"noise_db": 30.1}, {"noise_db": 29.9}),
        ("repeats", {"repeated": 0.5}, {"repeated": 1.0}),
        ("stops_mid_word", {"broken_off": 0.5}, {"broken_off": 0.6}),
        ("falls_behind", {"speed": 0.93}, {"speed": 0.92}),
        ("yields_to_backchannel", {}, {"mm_hm_stop_s": 0.3}),
        ("cuts_in", {}, {"cut_in_s": 0.3}),
        ("talks_over", {}, {"talk_over_s": 1.0}),
        ("echo", {}, {"echo_db": -40.0}),
        ("answers_previous", {}, {"behind": 1.0}),
        ("leaks", {}, {"leaked_in": 1}),
        ("goes_silent", {}, {"answered": 2}),
    ],
)
def test_each_rule_fires_beyond_its_threshold_alone(
    name: str, below: dict[str, Any], above: dict[str, Any]
) -> None:
    assert findings(Readings(**below)) == {}
    assert set(findings(Readings(**above))) == {name}


def test_every_rule_has_its_case() -> None:
    marks = test_each_rule_fires_beyond_its_threshold_alone.pytestmark
    assert {case[0] for case in marks[0].args[1]} == set(DETECTORS)
