"""What makes a conversation messy: behaviours of the user that a scenario asks for.

Each has an `id`, by which the episode tells whether it happened. `turn: n` ties it to the n-th turn of the
user, or to the reply to it; without it, it is for every turn. `chance` is drawn anew for each turn, from
the scenario's seed alone, so that every endpoint is called by the same user.

All times are seconds. `after_s` of what happens during a reply counts from the first audible sample of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from scenarios.basics import Fact, Say, Slug, Strict, Text

Seconds = Annotated[float, Field(gt=0, le=600)]
"""A length of time; zero is none."""

Span = tuple[Seconds, Seconds]
"""From and to, in seconds."""


class OldQuestion(StrEnum):
    """What becomes of the question that was open when the user asked something else."""

    DROPPED = "dropped"  # after the answer to the new question the user goes on with its next turn
    OPEN = "open"  # after the answer to the new question the user asks the old one again


class _Behaviour(Strict):
    """What all behaviours share.

    Attributes:
        turn: The user's turn, from 1, which it is part of or whose reply it is about; None is every turn.
        chance: That it happens at such a turn.
        at_most: How often in the call; None is no limit.
    """

    id: Slug
    turn: int | None = Field(default=None, ge=1)
    chance: float = Field(default=1.0, gt=0, le=1)
    at_most: int | None = Field(default=None, ge=1)


class _Timed(_Behaviour):
    """Something at one moment: so long into the reply, or at a random time of it.

    Attributes:
        after_s: Seconds of the reply heard.
        random: The same, drawn between two numbers.
    """

    after_s: Seconds | None = None
    random: Span | None = None

    @model_validator(mode="after")
    def _one_trigger(self) -> _Timed:
        given = [name for name in self.triggers() if getattr(self, name) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "no trigger"
            raise ValueError(f"a behaviour with {found} needs exactly one of {', '.join(self.triggers())}")
        if self.random is not None and self.random[0] >= self.random[1]:
            low, high = self.random
            raise ValueError(f"random: [{low:g}, {high:g}] needs a smaller number before a larger one")
        return self

    @classmethod
    def triggers(cls) -> tuple[str, ...]:
        """Keys of which exactly one must be given."""
        return ("after_s", "random")


class _Momentary(_Timed):
    """Something during the reply, or in the silence before it.

    Attributes:
        quiet_s: Seconds in which nobody has spoken, after the user's words or before its next ones.
    """

    quiet_s: Seconds | None = None

    @classmethod
    def triggers(cls) -> tuple[str, ...]:
        """Keys of which exactly one must be given."""
        return ("after_s", "random", "quiet_s")


class BargeIn(_Timed):
    """The user cuts into the reply and asks something else.

    Attributes:
        keyword: Words that are heard in the reply while it goes on.
        verdict: Label that a live judge gives to what was heard of the reply so far ("wrong").
        say: What the user says.
        old_question: What becomes of the question whose reply was cut.
        facts: What the answer to the new words should state.
    """

    kind: Literal["barge_in"]
    keyword: Text | None = None
    verdict: Text | None = None
    say: Say
    old_question: OldQuestion = OldQuestion.DROPPED
    facts: tuple[Fact, ...] = ()

    @classmethod
    def triggers(cls) -> tuple[str, ...]:
        """Keys of which exactly one must be given."""
        return ("after_s", "keyword", "verdict", "random")


class Backchannel(_Behaviour):
    """The user shows that it listens: "mm-hm".

    Attributes:
        phrases: What it says, one after the other; None takes those of the language.
        at_pauses: When the endpoint goes on after a pause within its reply.
        every_s: Also each time that so much of the reply has been heard.
        gap_s: Seconds that are at least between two of them.
    """

    kind: Literal["backchannel"]
    phrases: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    at_pauses: bool = True
    every_s: Seconds | None = None
    gap_s: float = Field(default=2.0, ge=0, le=600)

    @model_validator(mode="after")
    def _has_an_occasion(self) -> Backchannel:
        if not self.at_pauses and self.every_s is None:
            raise ValueError("a backchannel with at_pauses: false needs every_s")
        return self


class Hesitation(_Behaviour):
    """The user pauses in the middle of its turn and has not finished.

    Attributes:
        after_word: The pause follows this word of the turn, in its spoken form; from 1.
        pause_s: Exactly so long nothing is heard.
        filler: Said before the pause ("um").
    """

    kind: Literal["hesitation"]
    after_word: int = Field(ge=1)
    pause_s: float = Field(gt=0, le=30)
    filler: Text | None = None


class Filler(_Behaviour):
    """The user says "um" before a word, without a pause.

    Attributes:
        before_word: The word of the turn, in its spoken form; from 1.
        phrases: One of them is drawn; None takes those of the language.
    """

    kind: Literal["filler"]
    before_word: int = Field(default=1, ge=1)
    phrases: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None


class Restart(_Behaviour):
    """The user begins its turn, breaks off and begins again: "What is, what is CRISPR?".

    Attributes:
        words: How many words it says before it begins again.
    """

    kind: Literal["restart"]
    words: int = Field(default=2, ge=1)


class Silence(_Behaviour):
    """The user stays silent before its turn."""

    kind: Literal["silence"]
    seconds: float = Field(gt=0, le=120)


class ChangeOfMind(_Behaviour):
    """The user has finished its turn and, before the reply, asks something else: "No wait, ...".

    Attributes:
        after_s: Seconds from the last audible sample of the turn.
        say: What the user says.
        old_question: What becomes of the turn before.
        facts: What the answer to the new words should state.
    """

    kind: Literal["change_of_mind"]
    after_s: Seconds
    say: Say
    old_question: OldQuestion = OldQuestion.DROPPED
    facts: tuple[Fact, ...] = ()


class Reprompt(_Behaviour):
    """The user asks whether anybody is there when no reply comes, instead of the set phrase.

    Attributes:
        at_most: How often in the call; then the user does as it would without this behaviour.
        after_s: Seconds of silence.
        say: What the user says; None is the language's own question.
    """

    kind: Literal["reprompt"]
    at_most: int | None = Field(default=2, ge=1)
    after_s: Seconds
    say: Say | None = None


class TalkOver(_Timed):
    """The user talks at the same time as the endpoint, to its own end, and wants no answer."""

    kind: Literal["talk_over"]
    say: Say


class Aside(_Momentary):
    """The user says something to somebody else in the room."""

    kind: Literal["aside"]
    say: Say


class CoughSound(StrEnum):
    """A sound that is made here, without a recording."""

    COUGH = "cough"
    THROAT = "throat"  # a throat is cleared


class Cough(_Momentary):
    """The user coughs.

    Attributes:
        audio: A recording to play instead, relative to the scenario's file.
    """

    kind: Literal["cough"]
    sound: CoughSound = CoughSound.COUGH
    audio: str | None = None


class Dtmf(_Momentary):
    """The user presses telephone keys."""

    kind: Literal["dtmf"]
    digits: Annotated[str, StringConstraints(pattern=r"^[0-9*#A-D]+$", max_length=40)]


class HangUp(_Behaviour):
    """The user hangs up.

    Attributes:
        after_s: Seconds of the reply heard; None is right after the words of the turn.
    """

    kind: Literal["hang_up"]
    after_s: Seconds | None = None


Behaviour = Annotated[
    BargeIn
    | Backchannel
    | Hesitation
    | Filler
    | Restart
    | Silence
    | ChangeOfMind
    | Reprompt
    | TalkOver
    | Aside
    | Cough
    | Dtmf
    | HangUp,
    Field(discriminator="kind"),
]
"""One behaviour of the user."""


def needs_words(behaviours: Sequence[Behaviour]) -> bool:
    """Whether the words of a reply are wanted while it goes on."""
    return any(isinstance(b, BargeIn) and (b.keyword or b.verdict) for b in behaviours)


def waits_for_verdict(behaviours: Sequence[Behaviour]) -> bool:
    """Whether a verdict on a reply is wanted while it goes on."""
    return any(isinstance(b, BargeIn) and b.verdict for b in behaviours)
