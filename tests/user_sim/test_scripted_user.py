from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scenarios.schema import Fact, Persona, Say, Scenario, Turn
from user_sim import policy
from user_sim.personas import make_policy
from user_sim.policy import (
    Action,
    Advice,
    CallStarted,
    Ending,
    EndpointBegan,
    HangUp,
    HeardSoFar,
    Line,
    Move,
    Percept,
    Role,
    SaidAll,
    Silence,
    TurnHeard,
)
from user_sim.scripted import ScriptedPolicy

STILL_THERE = policy.Say(Line("Sorry, are you still there?"), "still there?", role=Role.REPROMPT)
ONE_STILL = replace(STILL_THERE, expected=("first",))
"""What is expected of the answer is still what the question before it wants."""
NO_ANSWER = policy.Say(Line("I can't hear you, so I will hang up now. Goodbye."), "goodbye", parting=True)
ONE = policy.Say(Line("One?", "wun?", "calm"), "turn 1", 0.0, ("first",))
TWO = policy.Say(Line("Two?", audio="two.wav"), "turn 2", 1.5)
BYE = policy.Say(Line("Bye."), "goodbye", parting=True)
REPLY = TurnHeard("Yes.")


def scenario(**changes: object) -> Scenario:
    fact = Fact(id="first", text="It is one.", keywords=(("one",),))
    turns = (
        Turn(text="One?", spoken="wun?", style="calm", facts=(fact,)),
        Turn(text="Two?", audio="two.wav", pause_s=1.5),
    )
    whole = Scenario(id="s", title="S", persona=Persona(), turns=turns, goodbye=Say(text="Bye."))
    return whole.model_copy(update=changes)


def acts(policy: ScriptedPolicy, *percepts: Percept) -> list[Sequence[Action]]:
    return [list(policy.observe(percept)) for percept in percepts]


def test_turns_follow_the_replies_and_the_goodbye_follows_the_last() -> None:
    user = ScriptedPolicy(scenario())
    percepts: list[Percept] = [
        CallStarted(),
        SaidAll(),
        EndpointBegan(),
        HeardSoFar("Y"),
        REPLY,
        SaidAll(),
        REPLY,
        SaidAll(),
    ]
    assert acts(user, *percepts) == [[ONE], [], [], [], [TWO], [], [BYE], []]
    assert acts(user, TurnHeard("Goodbye!")) == [[HangUp(Ending.DONE)]]
    assert acts(user, REPLY, Silence(8.0)) == [[], []]


def test_a_silence_after_the_goodbye_ends_the_call_too() -> None:
    user = ScriptedPolicy(scenario())
    acts(user, CallStarted(), SaidAll(), REPLY, SaidAll(), REPLY, SaidAll())
    assert acts(user, Silence(8.0)) == [[HangUp(Ending.DONE)]]


def test_without_a_goodbye_the_user_hangs_up_after_the_last_reply() -> None:
    user = ScriptedPolicy(scenario(goodbye=None))
    assert acts(user, CallStarted(), SaidAll(), REPLY, SaidAll(), REPLY)[-1] == [HangUp(Ending.DONE)]


def test_the_endpoint_opens_with_a_greeting() -> None:
    user = ScriptedPolicy(scenario(opening="endpoint"))
    assert acts(user, CallStarted(), EndpointBegan(), TurnHeard("Hello!")) == [[], [], [ONE]]


def test_an_endpoint_that_does_not_greet_is_spoken_to_after_a_silence() -> None:
    user = ScriptedPolicy(scenario(opening="endpoint"))
    assert acts(user, CallStarted(), Silence(8.0)) == [[], [ONE]]


def test_a_reply_that_was_not_understood_is_a_reply() -> None:
    user = ScriptedPolicy(scenario())
    assert acts(user, CallStarted(), SaidAll(), TurnHeard("", understood=False))[-1] == [TWO]


def test_a_turn_that_is_heard_while_the_user_speaks_is_no_reply() -> None:
    user = ScriptedPolicy(scenario())
    assert acts(user, CallStarted(), REPLY, SaidAll(), REPLY) == [[ONE], [], [], [TWO]]


def test_an_interrupted_turn_is_no_reply() -> None:
    user = ScriptedPolicy(scenario())
    interrupted = TurnHeard("Ye", interrupted=True)
    assert acts(user, CallStarted(), SaidAll(), interrupted, REPLY) == [[ONE], [], [], [TWO]]


def test_silences_first_ask_then_go_on_then_hang_up() -> None:
    user = ScriptedPolicy(scenario())
    silence = Silence(8.0)
    percepts: list[Percept] = [
        CallStarted(),
        SaidAll(),
        silence,
        SaidAll(),
        silence,
        SaidAll(),
        silence,
        SaidAll(),
    ]
    expected = [[ONE], [], [ONE_STILL], [], [TWO], [], [NO_ANSWER], [HangUp(Ending.IMPATIENT)]]
    assert acts(user, *percepts) == expected


def test_with_no_turn_left_the_second_silence_ends_the_call() -> None:
    user = ScriptedPolicy(scenario())
    acts(user, CallStarted(), SaidAll(), REPLY, SaidAll())
    rest = acts(user, Silence(8.0), SaidAll(), Silence(8.0), SaidAll())
    assert rest == [[STILL_THERE], [], [NO_ANSWER], [HangUp(Ending.IMPATIENT)]]


def test_a_reply_forgives_the_silence_before_it() -> None:
    user = ScriptedPolicy(scenario())
    acts(user, CallStarted(), SaidAll(), Silence(8.0), SaidAll())
    assert acts(user, REPLY, SaidAll(), Silence(8.0)) == [[TWO], [], [STILL_THERE]]


def test_a_judge_can_stop_the_call_but_not_change_the_script() -> None:
    user = ScriptedPolicy(scenario())
    percepts: list[Percept] = [
        CallStarted(),
        SaidAll(),
        Advice(Move.PRESS, "one"),
        REPLY,
        SaidAll(),
        Advice(Move.STOP),
    ]
    assert acts(user, *percepts)[-3:] == [[TWO], [], []]
    assert acts(user, REPLY, SaidAll(), REPLY) == [[BYE], [], [HangUp(Ending.ADVISED)]]


def test_the_next_line_is_known_ahead() -> None:
    user = make_policy(scenario(), seed=0)
    assert isinstance(user, ScriptedPolicy)
    assert user.lines_ahead() == [ONE.line, STILL_THERE.line]
    acts(user, CallStarted())
    assert user.lines_ahead() == [TWO.line, STILL_THERE.line]
    acts(user, SaidAll(), REPLY)
    assert user.lines_ahead() == [BYE.line, STILL_THERE.line]
    acts(user, SaidAll(), REPLY)
    assert list(user.lines_ahead()) == []


def test_set_phrases_are_in_the_scenarios_language() -> None:
    user = ScriptedPolicy(scenario(language="de-AT"))
    assert user.lines_ahead()[-1].text == "Entschuldigung, sind Sie noch da?"
    assert ScriptedPolicy(scenario(language="sw")).lines_ahead()[-1] == STILL_THERE.line
