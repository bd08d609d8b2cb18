"""People beside the simulated user: traits of made-up calls, and their comparison with known sums."""

from __future__ import annotations

import pytest

from scoring.people.compare import NothingInCommon, compare
from scoring.people.traits import TRAITS, Traits
from scoring.statistics.intervals import Interval
from scoring.statistics.undefined import Undefined


def call(
    episode: str,
    person: bool,
    gaps: tuple[float, ...],
    facts: dict[str, str] | None = None,
    scenario: str = "tides",
    endpoint: str = "fake://",
) -> Traits:
    values: dict[str, tuple[float, ...]] = dict.fromkeys(TRAITS, ())
    values["gap_s"] = gaps
    return Traits(episode, scenario, endpoint, person, values, facts or {}, "rules" if facts else "")


def test_means_and_their_difference_are_those_of_all_values_of_a_side() -> None:
    report = compare(
        [
            call("a", True, (0.2, 0.4)),
            call("b", True, (0.6,)),
            call("c", False, (1.0, 1.0)),
            call("d", False, (1.0,)),
        ]
    )
    gap = next(trait for trait in report.traits if trait.name == "gap_s")
    assert gap.people.mean == pytest.approx(0.4) and (gap.people.n, gap.people.calls) == (3, 2)
    assert gap.simulated.mean == 1.0 and gap.simulated.n == 3
    assert gap.difference == pytest.approx(-0.6)
    # whole calls are drawn: people's mean lies between that of call a (0.3) and that of call b (0.6)
    assert isinstance(gap.interval, Interval)
    assert -0.7 - 1e-9 <= gap.interval.low <= -0.6 <= gap.interval.high <= -0.4 + 1e-9


def test_a_trait_that_one_side_does_not_have_is_unscored_with_its_cause() -> None:
    report = compare([call("a", True, ()), call("b", False, (1.0,))])
    gap = next(trait for trait in report.traits if trait.name == "gap_s")
    assert gap.difference is None and gap.interval == Undefined("one_side_has_no_values")
    assert gap.people.n == 0 and gap.people.interval == Undefined("no_values")


def test_verdicts_agree_where_a_fact_came_to_the_same_label() -> None:
    report = compare(
        [
            call("a", True, (), {"moon": "stated", "sun": "missing"}),
            call("b", False, (), {"moon": "stated", "sun": "stated"}),
            call("c", False, (), {"moon": "contradicted"}),
            call("d", False, (), {"moon": "stated"}, endpoint="other://"),  # another endpoint: no pair
        ]
    )
    # a-b: moon yes, sun no; a-c: moon no
    assert report.verdicts.share == pytest.approx(1 / 3) and report.verdicts.n == 3


def test_calls_of_scenarios_that_only_one_side_called_with_are_left_out_and_counted() -> None:
    report = compare(
        [call("a", True, (1.0,)), call("b", False, (1.0,)), call("c", False, (9.0,), scenario="x")]
    )
    assert report.scenarios == ("tides",) and report.left_out == 1
    assert report.to_json()["traits"]["gap_s"]["simulated"]["mean"] == 1.0


def test_without_a_common_scenario_it_says_what_to_call_with() -> None:
    with pytest.raises(NothingInCommon, match="people have called with tides, the simulated user with x"):
        compare([call("a", True, ()), call("b", False, (), scenario="x")])
