from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.schema import Aspect, Fact, Persona, PolicyKind, Scenario, Trait
from scenarios.schema import Say as Words
from user_sim.adaptive import AdaptivePolicy, AspectSummary
from user_sim.personas import make_policy
from user_sim.policy import (
    Action,
    Advice,
    CallStarted,
    Ending,
    HangUp,
    Move,
    Percept,
    SaidAll,
    Say,
    Silence,
    TurnHeard,
)

GUIDE = Fact(
    id="guide",
    text="A guide RNA leads it.",
    point="what leads it",
    keywords=(("guide RNA",),),
    wrong=("protein leads",),
)
CUT = Fact(id="cut", text="It cuts DNA.", keywords=(("cuts",),))
YEAR = Fact(id="year", text="It began in 2012.", keywords=(("2012",),), wrong=("1912",))

RIGHT = {"mechanism": "A guide RNA leads it, and it cuts.", "milestone": "It was in twenty twelve."}
WRONG = {"mechanism": "A protein leads it.", "milestone": "It was in 1912."}

Answerer = Callable[[str, int], str]
"""Aspect and number of the try to a reply."""


def scenario(trait: Trait = Trait.CURIOUS) -> Scenario:
    mechanism = Aspect(
        id="mechanism",
        question=Words(text="How does it work?"),
        facts=(GUIDE, CUT),
        follow_ups=(Words(text="What happens at the end?"),),
    )
    milestone = Aspect(id="milestone", question=Words(text="When did it begin?"), facts=(YEAR,), tries=2)
    return Scenario(
        id="s",
        title="S",
        persona=Persona(trait=trait),
        policy=PolicyKind.ADAPTIVE,
        aspects=(mechanism, milestone),
    )


def converse(user: AdaptivePolicy, answer: Answerer) -> list[str]:
    """Talk until the user hangs up; returns the labels of what it said."""
    labels: list[str] = []
    actions = user.observe(CallStarted())
    while True:
        for action in actions:
            if isinstance(action, HangUp):
                assert action.ending is Ending.DONE
                return labels
            assert isinstance(action, Say)
            labels.append(action.label)
        user.observe(SaidAll())
        if labels[-1] == "goodbye":
            actions = user.observe(TurnHeard("Goodbye."))
        else:
            _, aspect, _, number = labels[-1].replace(",", "").split()
            actions = user.observe(TurnHeard(answer(aspect, int(number))))


def test_one_turn_per_aspect_is_enough_for_an_endpoint_that_is_always_right() -> None:
    user = AdaptivePolicy(scenario(), seed=0)
    labels = converse(user, lambda aspect, _: RIGHT[aspect])
    assert labels == ["aspect mechanism, try 1", "aspect milestone, try 1", "goodbye"]
    assert user.summary == (
        AspectSummary("mechanism", 1, True, (), ()),
        AspectSummary("milestone", 1, True, (), ()),
    )


def test_an_endpoint_that_is_always_vague_uses_up_every_try() -> None:
    user = AdaptivePolicy(scenario(), seed=0)
    labels = converse(user, lambda *_: "It depends on many things.")
    # 3 tries for the mechanism, 2 for the milestone
    assert labels == [
        "aspect mechanism, try 1",
        "aspect mechanism, try 2",
        "aspect mechanism, try 3",
        "aspect milestone, try 1",
        "aspect milestone, try 2",
        "goodbye",
    ]
    assert user.summary == (
        AspectSummary("mechanism", 3, False, ("guide", "cut"), ()),
        AspectSummary("milestone", 2, False, ("year",), ()),
    )


def test_an_endpoint_that_is_wrong_and_then_right_takes_two_turns_per_aspect() -> None:
    user = AdaptivePolicy(scenario(), seed=0)
    labels = converse(user, lambda aspect, number: WRONG[aspect] if number == 1 else RIGHT[aspect])
    assert labels[:-1] == [f"aspect {a}, try {n}" for a in ("mechanism", "milestone") for n in (1, 2)]
    assert all(summary.satisfied for summary in user.summary)


def test_facts_count_over_all_replies_of_an_aspect() -> None:
    user = AdaptivePolicy(scenario(), seed=0)
    parts = {1: "A guide RNA leads it.", 2: "In the end it cuts."}
    labels = converse(user, lambda aspect, n: parts[n] if aspect == "mechanism" else RIGHT[aspect])
    assert labels == [
        "aspect mechanism, try 1",
        "aspect mechanism, try 2",
        "aspect milestone, try 1",
        "goodbye",
    ]


def said(actions: Sequence[Action]) -> str:
    (action,) = actions
    assert isinstance(action, Say)
    return action.line.text


def reply(user: AdaptivePolicy, *percepts: Percept) -> str:
    user.observe(SaidAll())
    *before, last = percepts
    for percept in before:
        assert list(user.observe(percept)) == []
    return said(user.observe(last))


def test_what_is_wrong_is_followed_up_before_what_is_missing() -> None:
    user = AdaptivePolicy(scenario(), seed=0)
    (question,) = user.observe(CallStarted())
    assert isinstance(question, Say) and question.expected == ("guide", "cut")
    doubt = reply(user, TurnHeard(WRONG["mechanism"]))
    assert "what leads it" in doubt and doubt in [
        wording.format(point="what leads it") for wording in user.phrases.doubtful
    ]
    # now only the cut is missing: first the scenario's own follow-up
    assert reply(user, TurnHeard("Sorry, a guide RNA leads it.")) == "What happens at the end?"


def test_generic_follow_ups_name_the_missing_point_and_vary() -> None:
    user = AdaptivePolicy(scenario(), seed=0)
    user.observe(CallStarted())
    assert reply(user, TurnHeard("Hm.")) == "What happens at the end?"
    assert "what leads it" in reply(user, TurnHeard("Hm."))
    assert reply(user, TurnHeard("Hm.")) == "All right, let's leave it at that. When did it begin?"
    first = reply(user, TurnHeard("Hm."))
    assert "year" in first
    assert reply(user, TurnHeard("Hm.")).startswith("Thank you")


@pytest.mark.parametrize("trait", Trait)
def test_every_trait_has_two_wordings_of_its_own(trait: Trait) -> None:
    wordings = {said(_after_one_vague_reply(AdaptivePolicy(scenario(trait), seed))) for seed in range(20)}
    others = {
        said(_after_one_vague_reply(AdaptivePolicy(scenario(other), seed)))
        for other in Trait
        if other is not trait
        for seed in range(20)
    }
    assert len(wordings) == 2 and not wordings & others


def _after_one_vague_reply(user: AdaptivePolicy) -> Sequence[Action]:
    user.observe(CallStarted())
    for _ in range(2):  # the scenario's own follow-up comes first
        user.observe(SaidAll())
        actions = user.observe(TurnHeard("Hm."))
    return actions


def test_a_reply_that_was_not_understood_is_asked_for_again_and_counts_as_a_try() -> None:
    user = AdaptivePolicy(scenario(), seed=0)
    user.observe(CallStarted())
    unclear = TurnHeard("", understood=False)
    assert reply(user, unclear) in user.phrases.repeat
    assert reply(user, unclear) in user.phrases.repeat
    assert reply(user, unclear).endswith("When did it begin?")
    assert user.summary[0].tries == 3


def test_a_silence_asks_whether_anybody_is_there_and_then_goes_on() -> None:
    user = AdaptivePolicy(scenario(), seed=0)
    user.observe(CallStarted())
    assert reply(user, Silence(8.0)) == "Sorry, are you still there?"
    assert reply(user, Silence(16.0)).endswith("When did it begin?")
    assert reply(user, Silence(24.0)) == user.phrases.no_answer
    assert list(user.observe(SaidAll())) == [HangUp(Ending.IMPATIENT)]


def test_a_judge_presses_on_a_point_that_the_facts_do_not_know() -> None:
    user = AdaptivePolicy(scenario(), seed=0)
    user.observe(CallStarted())
    press = Advice(Move.PRESS, "off-target cuts")
    assert "off-target cuts" in reply(user, press, TurnHeard(RIGHT["mechanism"]))
    assert reply(user, TurnHeard("They are rare.")) == "When did it begin?"


def test_a_judge_moves_on_or_stops() -> None:
    user = AdaptivePolicy(scenario(), seed=0)
    user.observe(CallStarted())
    assert reply(user, Advice(Move.MOVE_ON), TurnHeard("Hm.")) == "When did it begin?"
    assert reply(user, Advice(Move.STOP), TurnHeard("Hm.")).startswith("Thank you")
    user.observe(SaidAll())
    assert list(user.observe(TurnHeard("Bye."))) == [HangUp(Ending.ADVISED)]


def test_advice_that_comes_late_counts_at_the_next_reply_of_the_same_aspect() -> None:
    user = AdaptivePolicy(scenario(), seed=0)
    user.observe(CallStarted())
    reply(user, TurnHeard("Hm."))
    assert list(user.observe(Advice(Move.MOVE_ON))) == []
    assert reply(user, TurnHeard("Hm.")) == "When did it begin?"
    # the next advice is about the mechanism, which is over: it is dropped
    assert list(user.observe(Advice(Move.MOVE_ON))) == []
    assert "year" in reply(user, TurnHeard("Hm."))


def test_a_press_never_exceeds_the_tries() -> None:
    user = AdaptivePolicy(scenario(), seed=0)
    user.observe(CallStarted())
    press = Advice(Move.PRESS, "Xanadu")
    assert "Xanadu" in reply(user, press, TurnHeard("Hm."))
    assert "Xanadu" in reply(user, press, TurnHeard("Hm."))
    assert reply(user, press, TurnHeard("Hm.")).endswith("When did it begin?")


def test_the_first_question_and_the_likely_next_lines_are_known_ahead() -> None:
    user = AdaptivePolicy(scenario(), seed=0)
    assert [line.text for line in user.lines_ahead()] == ["How does it work?"]
    user.observe(CallStarted())
    ahead = [line.text for line in user.lines_ahead()]
    assert ahead == ["When did it begin?", "What happens at the end?", "Sorry, are you still there?"]
    assert reply(user, TurnHeard("Hm.")) in ahead


PERCEPTS = st.one_of(
    st.sampled_from([SaidAll(), Silence(8.0), *(Advice(move, "x") for move in Move)]),
    st.builds(
        TurnHeard,
        st.sampled_from(["", "Hm.", *RIGHT.values(), *WRONG.values()]),
        understood=st.booleans(),
        interrupted=st.booleans(),
    ),
)


@given(st.lists(PERCEPTS, max_size=40), st.integers(0, 3))
def test_there_are_never_more_questions_than_tries_and_every_call_ends(
    percepts: list[Percept], seed: int
) -> None:
    user = make_policy(scenario(), seed)
    ending: list[Percept] = [TurnHeard("Hm."), SaidAll()]
    actions: list[Action] = []
    # whatever happened, an endpoint that then always answers brings the call to its end
    for percept in [CallStarted(), *percepts, *ending * 10]:
        actions += user.observe(percept)
    assert isinstance(actions[-1], HangUp)
    assert sum(isinstance(action, HangUp) for action in actions) == 1
    questions = [a.label for a in actions if isinstance(a, Say) and a.label.startswith("aspect")]
    assert len(questions) == len(set(questions)) <= 3 + 2


@given(st.integers(0, 5))
def test_the_same_seed_makes_the_same_user(seed: int) -> None:
    first = said(_after_one_vague_reply(AdaptivePolicy(scenario(), seed)))
    assert said(_after_one_vague_reply(AdaptivePolicy(scenario(), seed))) == first
