"""The rules judge of content, manner and voice quality, on blueprints with chosen values."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from scoring.blueprint.record import Blueprint, Cause
from scoring.judge.dimensions import Dimension, Item, Rating, Verdict
from scoring.judge.fusion import WORST
from scoring.judge.material import without
from scoring.judge.rules import RulesJudge
from scoring.judge.sound_rules import DELIVERY, QUALITY
from scoring.judge.trace_rules import TraceRules
from scoring.judge.withholding import Withholding
from tests.scoring.judge.spoken import compared, item, labels, pair, reply, sounding
from tests.scoring.judging import SAID

RULES = TraceRules(RulesJudge())
WRONG = "A protein finds the target."


def rated(asked: Item) -> Verdict:
    return asyncio.run(RULES.rate(asked))


def label(dimension: Dimension, blueprint: Blueprint, **changes: Any) -> str | None:
    found = rated(item(reply(blueprint), **changes)).labels[dimension]
    return found.label or f"unscored: {found.cause}"


def test_a_clean_lively_right_reply_is_good_in_everything() -> None:
    verdict = rated(item())
    assert labels(verdict) == dict.fromkeys(("content", "paralinguistics", "voice_quality"), "good")
    assert verdict.cost.calls == 0 and verdict.cost.usd == 0
    measures = {f["measure"]: f for f in verdict.evidence["measures"]["voice_quality"]}
    assert measures["signal.snr_db"]["value"] == 40 and measures["signal.snr_db"]["rating"] == "good"


@pytest.mark.parametrize(
    ("words", "expected"), [(SAID, "good"), (WRONG, "bad"), ("Good question.", "bad"), ("", "unscored")]
)
def test_content_is_what_the_judge_of_facts_says(words: str, expected: str) -> None:
    found = rated(item(reply(words=words))).labels[Dimension.CONTENT]
    assert (found.label or "unscored") == expected
    assert found.cause == ("nothing_heard" if expected == "unscored" else "")


def test_content_without_facts_is_not_asked_for() -> None:
    assert rated(item(facts=False)).labels[Dimension.CONTENT].cause == "no_facts_expected"


def test_demands_that_no_facts_stand_for_are_not_read_and_no_reply_is_good_without() -> None:
    asked = item(facts=False)
    asked = replace(asked, task=replace(asked.task, wanted=("comforts in a sentence",)))
    found = rated(asked)
    assert found.labels[Dimension.CONTENT].cause == "demands_not_read"
    assert WORST.rate(found.labels).cause == "content:demands_not_read"


@pytest.mark.parametrize(
    ("blueprint", "expected"),
    [
        (sounding(overall=2.6), "acceptable"),
        (sounding(overall=2.0), "bad"),
        (sounding(overall=2.6, background=2.8), "bad"),  # white noise 15 dB below the voice
        (sounding(signal={"clipped_share": 0.002}), "acceptable"),
        (sounding(signal={"clipped_share": 0.02}), "bad"),
        (sounding(signal={"snr_db": 20.0}), "acceptable"),
        (sounding(signal={"dropouts": 3}), "bad"),
    ],
)
def test_voice_quality_is_the_worst_of_its_measures(blueprint: Blueprint, expected: str) -> None:
    assert label(Dimension.VOICE_QUALITY, blueprint) == expected
    assert label(Dimension.PARALINGUISTICS, blueprint) == "good"


@pytest.mark.parametrize(
    ("blueprint", "expected"),
    [
        (sounding(pitch={"range_semitones": 0.6}), "bad"),  # monotone
        (sounding(pitch={"range_semitones": 3.0}), "acceptable"),
        (sounding(pace={"articulation_wpm": 350.0}), "bad"),
        (sounding(pace={"articulation_wpm": 90.0}), "acceptable"),
        (sounding(pace={"pause_longest_s": 2.0}), "acceptable"),
    ],
)
def test_melody_and_pace_have_absolute_bands(blueprint: Blueprint, expected: str) -> None:
    assert label(Dimension.PARALINGUISTICS, blueprint) == expected
    assert label(Dimension.VOICE_QUALITY, blueprint) == "good"


def test_the_bounds_of_a_band_belong_to_it() -> None:
    melody = DELIVERY["pitch.range_semitones"]
    assert [melody.rate(v) for v in (4.0, 3.999, 2.0, 1.999)] == [
        Rating.GOOD,
        Rating.ACCEPTABLE,
        Rating.ACCEPTABLE,
        Rating.BAD,
    ]
    assert QUALITY["signal.dropouts"].rate(2) is Rating.ACCEPTABLE


SAD: dict[str, Any] = {
    "pitch": {"mean_hz": 137.0, "range_semitones": 4.0},  # -1.6 semitones, an octave less melody
    "pace": {"articulation_wpm": 140.0},
    "loudness": {"integrated_lufs": -28.0},
}


def test_a_manner_is_measured_against_the_same_speakers_neutral_voice() -> None:
    asked = item(reply(sounding(**SAD), SAID, sounding()), manner="sad")
    assert rated(asked).labels[Dimension.PARALINGUISTICS].label == "good"
    cheerful = item(reply(sounding(**SAD), SAID, sounding()), manner="cheerful")
    assert rated(cheerful).labels[Dimension.PARALINGUISTICS].label == "bad"
    unmoved = item(reply(sounding(), SAID, sounding()), manner="sad")
    assert rated(unmoved).labels[Dimension.PARALINGUISTICS].label == "bad"


def test_a_voice_without_any_melody_has_less_of_it_and_not_as_much() -> None:
    flat = SAD | {"pitch": {"mean_hz": 137.0, "range_semitones": 0.0}}
    found = rated(item(reply(sounding(**flat), SAID, sounding()), manner="sad"))
    manner = found.evidence["measures"]["paralinguistics"][-1]
    assert (manner["measure"], manner["value"]) == ("manner", 1.0)
    # and who has none where nothing is asked has more of it where it has some: log2(9 / 0.05)
    usual = sounding(pitch={"range_semitones": 0.0})
    lively = sounding(pitch={"mean_hz": 180.0, "range_semitones": 9.0}, loudness={"integrated_lufs": -19.0})
    asked = item(reply(lively, SAID, usual), manner="cheerful")
    measures = rated(asked).evidence["measures"]["paralinguistics"]
    assert "wider melody by +0.58, at least +0.29: +7.49" in measures[-1]["expected"]


def test_half_of_the_changes_that_a_manner_asks_for_is_acceptable() -> None:
    half = SAD | {"loudness": {"integrated_lufs": -23.0}, "pace": {"articulation_wpm": 160.0}}
    found = rated(item(reply(sounding(**half), SAID, sounding()), manner="sad"))
    assert found.labels[Dimension.PARALINGUISTICS].label == "acceptable"
    manner = found.evidence["measures"]["paralinguistics"][-1]
    assert (manner["measure"], manner["value"]) == (
        "manner",
        0.5,
    )  # not pace and loudness


def test_a_manner_without_a_neutral_voice_is_unscored_and_a_whisper_shows_by_itself() -> None:
    assert label(Dimension.PARALINGUISTICS, sounding(**SAD), manner="sad") == "unscored: no_neutral"
    breath = sounding(pitch={"voiced_share": 0.05, "range_semitones": 0.0})
    assert label(Dimension.PARALINGUISTICS, breath, manner="whispering") == "good"
    assert label(Dimension.PARALINGUISTICS, sounding(), manner="whispering") == "bad"
    assert label(Dimension.PARALINGUISTICS, sounding(), manner="regal") == "unscored: manner_unknown"


def test_a_comparison_follows_from_both_ratings_and_not_from_the_order() -> None:
    monotone = reply(sounding(pitch={"range_semitones": 0.6}))
    noisy = reply(sounding(overall=2.6, background=2.8))
    wrong = reply(words=WRONG)
    table = (
        (reply(), monotone, ("both_good", "1", "both_good")),
        (reply(), noisy, ("both_good", "both_good", "1")),
        (reply(), wrong, ("1", "both_good", "both_good")),
        (noisy, monotone, ("both_good", "1", "2")),
        (wrong, wrong, ("both_bad", "both_good", "both_good")),
    )
    other = {"1": "2", "2": "1"}
    for one, two, expected in table:
        assert tuple(labels(compared(RULES, pair(one, two))).values()) == expected
        turned = tuple(other.get(name, name) for name in expected)
        assert tuple(labels(compared(RULES, pair(two, one))).values()) == turned


def test_of_two_acceptable_voices_the_one_that_is_clearly_better_wins() -> None:
    near, far = reply(sounding(overall=3.2)), reply(sounding(overall=3.0))
    assert labels(compared(RULES, pair(reply(), near)))["voice_quality"] == "both_good"
    assert labels(compared(RULES, pair(reply(), far)))["voice_quality"] == "1"


def test_what_was_not_measured_is_unscored_with_its_cause() -> None:
    made = sounding()
    causes = {**made.unscored, "quality": Cause.SILENT}
    unmeasured = made.model_copy(update={"quality": None, "unscored": causes})
    assert label(Dimension.VOICE_QUALITY, unmeasured) == "unscored: silent"
    assert label(Dimension.VOICE_QUALITY, without(made, {"quality", "signal"})) == "unscored: withheld"


def test_a_family_that_is_withheld_decides_nothing() -> None:
    judge = Withholding(RULES, frozenset({"quality"}))
    found = asyncio.run(judge.rate(item(reply(sounding(overall=1.5)))))
    assert labels(found) == dict.fromkeys(("content", "paralinguistics", "voice_quality"), "good")
    assert judge.name == "trace-rules without quality"
