from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from scenarios.behaviours import Behaviour
from scenarios.schema import Scenario, Turn
from user_sim import policy
from user_sim.behaviours.behaving import Behaving
from user_sim.personas import make_policy
from user_sim.policy import (
    Action,
    CallOver,
    CallStarted,
    DidNotHappen,
    EndpointBegan,
    HeardSoFar,
    Judged,
    Percept,
    QuietSoFar,
    ReplyGoesOn,
    Role,
    SaidAll,
    SaidInstead,
    Say,
    Silence,
    Since,
    SpokenSoFar,
    TurnHeard,
    Unresponsive,
    WakeMe,
    WentOn,
)
from user_sim.scripted import ScriptedPolicy

READER: TypeAdapter[Behaviour] = TypeAdapter(Behaviour)
CUT: dict[str, Any] = {"id": "cut", "kind": "barge_in", "say": {"text": "Stop!"}}
HUM: dict[str, Any] = {"id": "hum", "kind": "backchannel", "phrases": ["yes"], "gap_s": 1.0}


def scripted(turns: int = 3) -> Scenario:
    return Scenario(id="s", title="S", turns=tuple(Turn(text=f"Question {n}?") for n in range(turns)))


def messy(*behaviours: dict[str, Any], seed: int = 0, turns: int = 3) -> Behaving:
    read = [READER.validate_python(behaviour) for behaviour in behaviours]
    return Behaving(ScriptedPolicy(scripted(turns)), read, seed, "en")


def acts(user: policy.Policy, *percepts: Percept) -> list[list[Action]]:
    return [list(user.observe(percept)) for percept in percepts]


def words(actions: Sequence[Action]) -> list[tuple[Role, str]]:
    return [(action.role, action.line.aloud) for action in actions if isinstance(action, Say)]


def test_without_behaviours_the_policy_is_the_scenarios_own() -> None:
    assert type(make_policy(scripted(), 0)) is ScriptedPolicy
    own = Unresponsive()
    assert make_policy(scripted(), 0, own) is own


def test_the_policy_inside_hears_of_a_barge_in_and_of_nothing_that_is_said_beside_the_turn() -> None:
    class Asking(Unresponsive):
        def observe(self, percept: Percept) -> Sequence[Action]:
            super().observe(percept)
            return (Say(policy.Line("Question?")),) if isinstance(percept, CallStarted) else ()

    inner = Asking()
    read = [READER.validate_python(one) for one in (CUT | {"after_s": 2.0}, HUM)]
    user = Behaving(inner, read, 0, "en")
    acts(user, CallStarted(), SaidAll(), EndpointBegan(), WentOn(1.0), SpokenSoFar("x"), Judged("good"))
    acts(user, ReplyGoesOn(2.0), SaidAll(), HeardSoFar("x", over=True))
    assert inner.seen == [
        CallStarted(),
        SaidAll(),
        EndpointBegan(),
        SaidInstead("Stop!", dropped=True),
        SaidAll(),
        HeardSoFar("x", over=True),
    ]


def test_a_moment_of_the_reply_is_asked_for_when_it_begins_and_used_once() -> None:
    user = messy(CUT | {"after_s": 2.0, "turn": 1})
    acts(user, CallStarted(), SaidAll())
    assert acts(user, EndpointBegan()) == [[WakeMe(Since.REPLY, 2.0)]]
    (cut,) = acts(user, ReplyGoesOn(2.013))
    assert words(cut) == [(Role.BARGE_IN, "Stop!")]
    assert isinstance(cut[0], Say) and cut[0].causes[0].trigger == "2.01 s of reply heard"
    # the answer to it, and then the reply to the next turn: nothing is due any more
    assert acts(user, SaidAll(), TurnHeard("old", interrupted=True), EndpointBegan()) == [[], [], []]
    assert words(acts(user, TurnHeard("new"))[0]) == [(Role.TURN, "Question 1?")]
    assert acts(user, SaidAll(), EndpointBegan()) == [[], []]


def test_a_reply_that_the_ear_splits_can_still_be_cut_in_its_second_part() -> None:
    inner = Unresponsive()  # says nothing between the parts, as a user that still thinks
    user = Behaving(inner, [READER.validate_python(CUT | {"after_s": 2.0})], 0, "en")
    user._turn = 1
    acts(user, EndpointBegan(), TurnHeard("first part"))
    assert acts(user, EndpointBegan()) == [[WakeMe(Since.REPLY, 2.0)]]


def test_a_reply_that_begins_in_the_clips_last_silence_counts() -> None:
    user = messy(CUT | {"after_s": 2.0})
    acts(user, CallStarted(), EndpointBegan())
    assert acts(user, SaidAll()) == [[WakeMe(Since.REPLY, 2.0)]]


def test_beside_goes_before_what_takes_the_turn_and_the_turn_is_taken_once() -> None:
    user = messy(
        CUT | {"after_s": 2.0},
        CUT | {"id": "other", "random": [1.9, 1.95]},
        HUM | {"every_s": 2.0},
        {"id": "cough", "kind": "cough", "after_s": 2.0},
    )
    acts(user, CallStarted(), SaidAll(), EndpointBegan())
    (together,) = acts(user, ReplyGoesOn(2.0))
    assert [role for role, _ in words(together)] == [Role.BACKCHANNEL, Role.TIC, Role.BARGE_IN]
    (rest,) = acts(user, CallOver())
    assert rest == [DidNotHappen("cut", "barge_in", "reply_was_cut")]


def test_backchannels_keep_their_distance_in_each_reply() -> None:
    user = messy(HUM)
    acts(user, CallStarted(), SaidAll(), EndpointBegan())
    said = acts(user, WentOn(0.5), WentOn(1.2), WentOn(1.5), WentOn(2.5))
    assert [len(words(actions)) for actions in said] == [1, 0, 1, 1]
    acts(user, TurnHeard("x"), SaidAll(), EndpointBegan())
    assert [len(words(actions)) for actions in acts(user, WentOn(0.2))] == [1]


def test_a_greeting_and_the_reply_to_a_goodbye_set_nothing_off() -> None:
    scenario = scripted(1).model_copy(update={"goodbye": Turn(text="Bye.")})
    read = [READER.validate_python(one) for one in (HUM, CUT | {"after_s": 1.0})]
    user = Behaving(ScriptedPolicy(scenario), read, 0, "en")
    assert acts(user, EndpointBegan()) == [[]]
    said = acts(user, TurnHeard("Hello"), SaidAll(), TurnHeard("Reply"), SaidAll())
    assert [words(actions) for actions in said] == [
        [(Role.TURN, "Question 0?")],
        [],
        [(Role.TURN, "Bye.")],
        [],
    ]
    assert acts(user, EndpointBegan(), WentOn(2.0)) == [[], []]


def test_silences_wait_for_their_moment_and_end_with_the_reply() -> None:
    user = messy(
        {"id": "c", "kind": "change_of_mind", "turn": 1, "after_s": 0.4, "say": {"text": "No wait"}},
        {"id": "r", "kind": "reprompt", "after_s": 3.0, "at_most": 1},
    )
    acts(user, CallStarted())
    assert acts(user, SaidAll()) == [[WakeMe(Since.QUIET, 0.4), WakeMe(Since.QUIET, 3.0)]]
    assert words(acts(user, QuietSoFar(0.42))[0]) == [(Role.CORRECTION, "No wait")]
    assert acts(user, SaidAll()) == [[WakeMe(Since.QUIET, 3.0)]]
    assert words(acts(user, QuietSoFar(3.0))[0]) == [(Role.REPROMPT, "Sorry, are you still there?")]
    assert acts(user, SaidAll()) == [[]]  # once was all


def test_lines_ahead_are_those_that_will_be_said() -> None:
    user = messy(
        {"id": "h", "kind": "hesitation", "turn": 1, "after_word": 1, "pause_s": 1.0, "filler": "um"},
        CUT | {"after_s": 2.0, "turn": 1},
        {"id": "late", "kind": "cough", "after_s": 2.0, "turn": 3},
    )
    first, cut, *_ = user.lines_ahead()
    assert cut.aloud == "Stop!" and "(cough)" not in [line.text for line in user.lines_ahead()]
    (said,) = acts(user, CallStarted())
    assert isinstance(said[0], Say) and said[0].line == first


MOMENTS = [
    EndpointBegan(),
    SaidAll(),
    TurnHeard("the price"),
    HeardSoFar("price"),
    SpokenSoFar("price"),
    Silence(8),
]
TIMES = st.floats(0.1, 9).map(lambda s: ReplyGoesOn(round(s, 2))) | st.floats(0.1, 5).map(QuietSoFar)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from(MOMENTS) | TIMES | st.floats(0, 9).map(WentOn), max_size=30), st.integers(0, 5)
)
def test_whatever_is_heard_each_behaviour_happens_as_often_as_it_may_or_says_why_not(
    percepts: list[Percept], seed: int
) -> None:
    kinds = [
        CUT | {"keyword": "price", "at_most": 1, "old_question": "open"},
        CUT | {"id": "cut2", "random": [1.0, 4.0], "chance": 0.5},
        HUM | {"every_s": 2.0, "at_most": 3},
        {"id": "cough", "kind": "cough", "turn": 2, "quiet_s": 1.0},
        {"id": "hang", "kind": "hang_up", "turn": 3, "after_s": 5.0},
    ]
    user, again = messy(*kinds, seed=seed), messy(*kinds, seed=seed)
    percepts = [CallStarted(), *percepts, CallOver()]
    actions = [action for observed in acts(user, *percepts) for action in observed]
    assert actions == [action for observed in acts(again, *percepts) for action in observed]
    happened = [cause.behaviour for action in actions for cause in getattr(action, "causes", ())]
    missed = [action.behaviour for action in actions if isinstance(action, DidNotHappen)]
    assert sorted({*happened, *missed}) == ["cough", "cut", "cut2", "hang", "hum"]
    assert not set(happened) & set(missed)
    assert happened.count("cut") <= 1 and happened.count("hum") <= 3


@pytest.mark.parametrize("role", list(Role))
def test_roles_are_those_of_the_record(role: Role) -> None:
    from recordings import format as record

    assert record.Role(role.value).wants_answer is role.takes_turn
    assert len(record.Role) == len(Role)
