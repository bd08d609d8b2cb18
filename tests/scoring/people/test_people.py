"""People beside the simulated user: traits of made-up calls, and their comparison with known sums."""

from __future__ import annotations

from pathlib import Path

import pytest

from recordings.format import DeviceOpened, Flushed, Role, Side, Verdict
from recordings.reader import Episode
from scoring.people.compare import NothingInCommon, compare
from scoring.people.traits import TRAITS, Traits, traits_of
from scoring.score import read_timeline, view_of
from scoring.statistics.intervals import Interval
from scoring.statistics.undefined import Undefined
from tests.scoring.episodes import CallMaker, tone


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


def judged(**labels: str) -> Verdict:
    facts = [{"fact": fact, "label": label} for fact, label in labels.items()]
    return Verdict(judge="rules", detail={"facts": facts})


def cut_into() -> CallMaker:
    """Three turns of two, three and two words: the second answered at 5.0 s, and cut into at 6.0 s."""
    made = CallMaker().user(0.5, 1.5, "hello there").reply(2.0, tone(1.0, 24000), response="a", item="a")
    made.turn(Side.ENDPOINT, 2.0, 3.0, heard="a", verdicts=(judged(moon="stated", sun="missing"),))
    made.user(2.4, 2.6, "mm-hm", role=Role.BACKCHANNEL)
    made.user(4.0, 4.5, "one two three").reply(5.0, tone(2.0, 24000), response="b", item="b")
    made.turn(Side.ENDPOINT, 5.0, 6.4, heard="b", verdicts=(judged(moon="missing", sun="stated"),))
    made.user(6.0, 7.5, "stop it", role=Role.BARGE_IN).flush(6.4)
    return made.note(Flushed(t=6.4, by="endpoint", at=153600, items=(("b", 33600, 48000),)))


def measured(made: CallMaker, folder: Path) -> Traits:
    episode = Episode.load(made.write(folder))
    return traits_of(view_of(episode, read_timeline(episode), None))


def test_traits_are_those_of_the_timeline(tmp_path: Path) -> None:
    found = measured(cut_into(), tmp_path / "call")
    expected = {
        "turn_s": (1.0, 0.5, 1.5),
        "words": (2.0, 3.0, 2.0),
        "gap_s": (1.0, -0.4),  # from 3.0 to 4.0 s; from 6.4 to 6.0 s
        "cuts_in": (0.0, 0.0, 1.0),
        "overlap": (0.6 / 8.5,),  # 2.4 to 2.6 and 6.0 to 6.4 of 8.5 s
        "backchannels": (0.5,),  # one for two replies
    }
    assert {name: pytest.approx(value, abs=1e-3) for name, value in expected.items()} == found.values
    assert not found.person
    assert (found.facts, found.judge) == ({"moon": "stated", "sun": "stated"}, "rules")


def test_what_a_device_delays_is_no_hesitation_of_the_person(tmp_path: Path) -> None:
    made = cut_into().note(
        DeviceOpened(
            t=0.0,
            device="headset",
            mode="free",
            input_rate=48000,
            output_rate=48000,
            capture_delay_s=0.02,
            playback_delay_s=0.05,
            input_latency_s=0.01,
            output_latency_s=0.04,
        )
    )
    # 0.12 s less than stands on the tracks
    assert measured(made, tmp_path / "call").values["gap_s"] == pytest.approx((0.88, -0.52), abs=1e-3)
