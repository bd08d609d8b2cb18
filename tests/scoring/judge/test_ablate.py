"""What a change does to labels: effects with intervals that draw prompts, and the probes of pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scoring.agreement.labels import OVERALL, Labels
from scoring.judge.ablate import Asked, Outcome, Setup, effects, probes
from scoring.judge.dimensions import Dimension, Labelled
from scoring.judge.fusion import fusion_named
from scoring.judge.rules import RulesJudge
from scoring.judge.trace_rules import TraceRules
from scoring.statistics.intervals import Interval, wilson
from scoring.statistics.paired import Difference
from tests.scoring.judge.spoken import item, pair

PROMPTS, EACH = 10, 4


def asked() -> list[Asked]:
    """Ten prompts of four pairs."""
    made = []
    for prompt in range(PROMPTS):
        for number in range(EACH):
            one = pair()
            named = type(one)(f"{prompt}/{number}", one.task, one.first, one.second)
            made.append(Asked(named, str(prompt)))
    return made


def outcome(overall: dict[str, str | None], **more: str) -> Outcome:
    labels = {
        name: {d.value: Labelled(more.get(d.value, "both_good")) for d in Dimension}
        | {OVERALL: Labelled(label, "" if label else "no_json")}
        for name, label in overall.items()
    }
    return Outcome("x", labels, {name: name.partition("/")[0] for name in overall})


def names() -> list[str]:
    return [one.item.id for one in asked()]


def test_changes_on_one_prompt_are_one_change() -> None:
    base = outcome(dict.fromkeys(names(), "both_good"))
    changed = outcome({name: "1" if int(name[0]) < 3 else "both_good" for name in names()})
    effect = effects(asked(), base, changed)[OVERALL]
    assert (effect.n, effect.changed) == (40, 12)
    expected = wilson(3, PROMPTS)  # three prompts of ten, not twelve pairs of forty
    assert isinstance(effect.changed_interval, Interval) and isinstance(expected, Interval)
    assert effect.changed_interval.low == pytest.approx(expected.low)
    assert effect.changed_interval.high == pytest.approx(expected.high)
    assert isinstance(effect.difference, Difference)
    assert effect.difference.value == pytest.approx(
        0.3 * 0.5
    )  # a tie is worth a half, a win of the first 1


def test_the_difference_is_of_one_systems_points_whichever_side_it_was_on() -> None:
    # the same system wins every pair, on the one side and on the other, and ties each after the change
    sides = [replace(one, turned=bool(place % 2)) for place, one in enumerate(asked())]
    base = outcome({one.item.id: "2" if one.turned else "1" for one in sides})
    effect = effects(sides, base, outcome(dict.fromkeys(names(), "both_bad")))[OVERALL]
    assert isinstance(effect.difference, Difference)
    assert effect.difference.value == -0.5  # by sides it would be nothing: half of them won 1, half 0
    assert isinstance(effect.difference.interval, Interval)
    assert (effect.difference.interval.low, effect.difference.interval.high) == (-0.5, -0.5)


def test_what_was_not_labelled_is_counted_on_the_side_that_lacks_it() -> None:
    base = outcome({"0/0": "1", "0/1": None, "1/0": "2"})
    changed = outcome({"0/0": None, "0/1": "1", "1/0": "2"})
    effect = effects(asked()[:1] + asked()[1:2] + asked()[4:5], base, changed)[OVERALL]
    assert (effect.n, effect.changed, effect.newly_scored) == (1, 0, 1)
    assert effect.unscored == {"no_json": 1}


def test_a_truth_is_told_with_prompts_drawn_together() -> None:
    base = outcome(dict.fromkeys(names(), "2"))
    changed = outcome({name: "1" if int(name[0]) % 2 else "2" for name in names()})
    truth = Labels("truth", dict.fromkeys(names(), "1"))
    found = effects(asked(), base, changed, truth)[OVERALL].truth
    assert found is not None
    difference = found.dropped.difference
    assert isinstance(difference, Difference) and isinstance(difference.interval, Interval)
    assert difference.value == -0.5  # the base is right on none, the change on half of the prompts
    # ten prompts: 2 * 1.96 * sqrt(.25 / 10) = .62; forty pairs would give .31
    assert difference.interval.high - difference.interval.low == pytest.approx(0.62, abs=0.1)


def test_the_probes_are_of_pairs_and_of_the_fusion_that_was_used() -> None:
    setup = Setup("base", TraceRules(RulesJudge()), fusion_named("content-first"))
    found = probes(asked(), setup, outcome(dict.fromkeys(names(), "1"), voice_quality="1"))
    assert found is not None
    assert (found.n, found.fusion, found.judge) == (40, "content-first@1", "trace-rules")
    assert (found.content_tie.voice_quality.count, found.flips.voice_quality.count) == (40, 40)
    single: list[Any] = [Asked(item(), "call")]
    assert probes(single, setup, outcome({"call/1": "1"})) is None
    assert probes([], setup, outcome({})) is None
