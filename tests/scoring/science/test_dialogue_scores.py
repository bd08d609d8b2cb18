"""S3-Dialogue's three scores, on dialogues whose values can be worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.schema import Expertise
from scoring.science.dialogue import AspectUnit, Dialogue, score_dialogues
from scoring.statistics.intervals import Interval

BEGINNER, UNDERGRADUATE, GRADUATE, EXPERT = Expertise

FACTS = ("a", "b")


def unit(*replies: tuple[str | None, str | None]) -> AspectUnit:
    return AspectUnit("x", FACTS, tuple(dict(zip(FACTS, labels, strict=True)) for labels in replies))


RIGHT = unit(("stated", "stated"))
SLOW = unit(("stated", "missing"), ("missing", "stated"))
VAGUE = unit(("stated", "missing"), ("missing", "missing"), ("missing", "missing"))
CORRECTED = unit(("contradicted", "stated"), ("stated", "missing"))
WRONG = unit(("contradicted", "stated"))
OPEN = unit((None, "stated"))


@pytest.mark.parametrize(
    ("found", "loose", "strict", "satisfied"),
    [
        (RIGHT, True, True, True),
        (SLOW, True, True, True),
        (VAGUE, True, False, False),
        (CORRECTED, True, False, True),  # in the end all is right, but something was wrong
        (WRONG, False, False, False),
        (OPEN, None, None, None),
        (unit(), False, False, False),  # never asked about
    ],
)
def test_an_aspect_is_factual_loosely_or_strictly(
    found: AspectUnit, loose: bool | None, strict: bool | None, satisfied: bool | None
) -> None:
    assert (found.loose, found.strict, found.satisfied) == (loose, strict, satisfied)


def test_always_right_always_vague_and_wrong_then_right_by_hand() -> None:
    right = Dialogue("right", BEGINNER, (RIGHT,) * 5, guess=BEGINNER)  # 5 turns
    vague = Dialogue("vague", EXPERT, (VAGUE,) * 5, guess=BEGINNER)  # 15 turns, never done
    mended = Dialogue("mended", GRADUATE, (CORRECTED,) * 5, guess=UNDERGRADUATE)  # 10 turns
    scores = score_dialogues([right, vague, mended])
    assert (scores.loose.hits, scores.loose.n) == (15, 15)
    assert (scores.strict.hits, scores.strict.n) == (5, 15)
    assert scores.turns.value == 10  # (5 + 15 + 10) / 3
    assert (scores.within.hits, scores.never.hits) == (1, 1)
    assert scores.adaptation.value == pytest.approx(1 / 3)
    assert scores.distance.value == pytest.approx(4 / 3)  # 0, 3 and 1 tiers
    assert scores.distance_wrong.value == 2
    assert scores.confusion[EXPERT, BEGINNER] == 1


def test_means_over_dialogues_have_an_interval_that_draws_scenarios() -> None:
    def held(number: int, unit: AspectUnit, guess: Expertise | None) -> Dialogue:
        return Dialogue(f"d{number}", EXPERT, (unit,) * 5, guess=guess, scenario=f"s{number // 4}")

    # forty dialogues on ten scenarios: half take 5 turns each, half 15, and the four on one are alike
    units = [RIGHT if number // 4 % 2 else VAGUE for number in range(40)]
    scores = score_dialogues([held(n, u, EXPERT if u is RIGHT else BEGINNER) for n, u in enumerate(units)])
    assert (scores.turns.value, scores.turns.n) == (10, 40)
    # of ten scenarios k take 15 turns, binomial: 95 % of the means lie from 5 + 10 * 2/10 to 5 + 10 * 8/10
    assert scores.turns.interval == Interval(7, 13, 0.95)
    # over wrong guesses all are three tiers off, whichever are drawn; over all half of them are
    assert (scores.distance_wrong.value, scores.distance_wrong.n) == (3, 20)
    assert scores.distance_wrong.interval == Interval(3, 3, 0.95)
    assert (scores.distance.value, scores.distance.n) == (1.5, 40)
    distance = scores.distance.interval
    assert distance is not None and (distance.low, distance.high) == pytest.approx((0.6, 2.4))
    # what belongs to one scenario says nothing of others
    assert score_dialogues([held(0, RIGHT, None), held(1, VAGUE, None)]).turns.interval is None


def test_what_no_judge_could_tell_is_counted_both_ways() -> None:
    scores = score_dialogues([Dialogue("x", EXPERT, (RIGHT, OPEN), guess_cause="timeout")])
    assert (scores.strict.value, scores.strict.as_wrong) == (1.0, 0.5)
    assert scores.strict.unscored == {"judge_failed": 1}
    assert (scores.adaptation.value, scores.adaptation.as_wrong) == (None, 0.0)
    assert scores.adaptation.unscored == {"timeout": 1}


def test_a_dialogue_that_no_judge_could_follow_is_not_one_that_was_never_completed() -> None:
    late = unit(*[(None, "stated")] * 9)  # nine turns are more than eight, whatever was said in them
    half = Dialogue("half", EXPERT, (OPEN, VAGUE))  # one aspect stayed open, whatever became of the other
    scores = score_dialogues(
        [
            Dialogue("a", EXPERT, (RIGHT, OPEN)),
            Dialogue("b", EXPERT, (late,)),
            half,
            Dialogue("d", EXPERT, (RIGHT,)),
        ]
    )
    assert (scores.within.hits, scores.within.n, scores.within.unscored) == (1, 3, {"judge_failed": 1})
    assert (scores.within.value, scores.within.as_wrong) == (1 / 3, 1 / 4)
    assert (scores.never.hits, scores.never.n, scores.never.unscored) == (1, 2, {"judge_failed": 2})
    # what is wrong here is to be never completed: the two that are open count as such
    assert (scores.never.value, scores.never.as_wrong) == (1 / 2, 3 / 4)


def test_dialogues_on_one_scenario_are_drawn_together() -> None:
    def held(repeats: int) -> list[Dialogue]:
        return [
            Dialogue(
                f"{s}-{r}",
                EXPERT,
                (RIGHT if s % 2 else WRONG,),
                EXPERT if s % 3 else BEGINNER,
                scenario=str(s),
            )
            for s in range(12)
            for r in range(repeats)
        ]

    once, often = score_dialogues(held(1)), score_dialogues(held(10))
    for name in ("loose", "strict", "adaptation", "within", "never"):
        alone, repeated = getattr(once, name), getattr(often, name)
        assert repeated.n == 10 * alone.n
        # the same again is no more evidence about the scenarios
        assert repeated.interval.low == pytest.approx(alone.interval.low), name
        assert repeated.interval.high == pytest.approx(alone.interval.high), name


def test_the_published_distance_is_that_of_the_disagreements() -> None:
    # 400 guesses, 324 right, 69 one tier off and 7 two tiers: 83 tiers over 76 disagreements
    dialogues = [Dialogue(f"r{i}", BEGINNER, (), guess=BEGINNER) for i in range(324)]
    dialogues += [Dialogue(f"a{i}", BEGINNER, (), guess=UNDERGRADUATE) for i in range(69)]
    dialogues += [Dialogue(f"b{i}", BEGINNER, (), guess=GRADUATE) for i in range(7)]
    scores = score_dialogues(dialogues)
    assert scores.distance_wrong.value == pytest.approx(83 / 76)  # 1.092
    assert scores.distance.value == pytest.approx(0.2075)


def test_the_published_shares_are_over_aspect_units() -> None:
    # 213 dialogues of five aspects: 1010 loose and 543 strict of 1065 are the printed 94.84 and 50.99
    units = [RIGHT] * 543 + [VAGUE] * 467 + [WRONG] * 55
    dialogues = [Dialogue(f"d{i}", EXPERT, tuple(units[5 * i : 5 * i + 5])) for i in range(213)]
    scores = score_dialogues(dialogues)
    assert scores.loose.value is not None and round(100 * scores.loose.value, 2) == 94.84
    assert scores.strict.value is not None and round(100 * scores.strict.value, 2) == 50.99


def test_no_dialogues_give_no_numbers() -> None:
    scores = score_dialogues([])
    assert (scores.turns.value, scores.loose.value, scores.distance.value) == (None, None, None)


LABEL = st.sampled_from(["stated", "contradicted", "missing", None])


@given(st.lists(st.lists(st.tuples(LABEL, LABEL), max_size=3), max_size=6))
def test_strict_never_exceeds_loose(aspects: list[list[tuple[str | None, str | None]]]) -> None:
    units = [unit(*replies) for replies in aspects]
    assert not any(found.strict and not found.loose for found in units)
    turned = score_dialogues([Dialogue("x", EXPERT, tuple(reversed(units)))])
    assert turned.strict.hits == score_dialogues([Dialogue("x", EXPERT, tuple(units))]).strict.hits
