"""A user who is told from outside what to say."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from user_sim.directed import LABEL, Directed
from user_sim.policy import (
    Action,
    Line,
    Percept,
    SaidInstead,
    Say,
    SayNext,
    Silence,
    TurnHeard,
    Unresponsive,
)


def words(actions: Sequence[Action]) -> list[str]:
    return [action.line.text for action in actions if isinstance(action, Say)]


@pytest.fixture
def inner() -> Unresponsive:
    return Unresponsive()


def test_words_are_said_first_and_the_reaction_follows_the_answer(
    inner: Unresponsive,
) -> None:
    user = Directed(inner)
    assert user.observe(SayNext("Owls?")) == ()
    assert user.lines_ahead() == [Line("Owls?")]
    assert words(user.observe(TurnHeard("to the policy's own question"))) == ["Owls?"]
    assert inner.seen == []
    user.observe(TurnHeard("about owls"))
    assert inner.seen == [TurnHeard("to the policy's own question")]
    user.observe(TurnHeard("more"))
    assert inner.seen[-1] == TurnHeard("more")


def test_several_are_said_one_after_the_other(inner: Unresponsive) -> None:
    user = Directed(inner)
    for text in ("one", "two"):
        user.observe(SayNext(text))
    assert words(user.observe(TurnHeard("a"))) == ["one"]
    assert words(user.observe(TurnHeard("b"))) == ["two"]
    user.observe(TurnHeard("c"))
    assert inner.seen == [TurnHeard("a")]


def test_in_a_silence_they_are_said_at_once_and_the_question_stays_open(inner: Unresponsive) -> None:
    user = Directed(inner)
    user.observe(SayNext("Hello?"))
    (said,) = user.observe(Silence(3.0))
    assert isinstance(said, Say) and said.label == LABEL
    assert inner.seen == [SaidInstead("Hello?", dropped=False)]
    user.observe(TurnHeard("yes"))
    assert inner.seen[-1] == TurnHeard("yes")


def test_in_a_silence_after_such_words_the_next_are_said_and_the_reply_is_still_due(
    inner: Unresponsive,
) -> None:
    user = Directed(inner)
    user.observe(SayNext("one"))
    user.observe(TurnHeard("to the policy's own question"))
    user.observe(SayNext("two"))
    assert words(user.observe(Silence(3.0))) == ["two"]
    assert inner.seen == []  # its question is answered: it is not to ask again
    user.observe(TurnHeard("about two"))
    assert inner.seen == [TurnHeard("to the policy's own question")]


@pytest.mark.parametrize("percept", [TurnHeard("cut", interrupted=True), SaidInstead("x", dropped=True)])
def test_everything_else_is_the_policys(inner: Unresponsive, percept: Percept) -> None:
    user = Directed(inner)
    user.observe(SayNext("later"))
    user.observe(percept)
    assert inner.seen == [percept]
