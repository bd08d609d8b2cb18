"""The manners that all our users share: who speaks first, silences, and how a call ends. Pure.

The rules:

- With `opening: user` the user speaks as soon as the line is open; with `opening: endpoint` after the
  greeting, or after a silence if there is none.
- A reply is a turn that was heard to its end while the user listened. A turn that was interrupted is no
  reply: the user waits for the rest.
- The first silence makes the user ask whether anybody is there. The second in a row leaves the question
  unanswered and goes on with the next one. The third, or a second one with nothing left to ask, ends
  the call as impatient.
- After a goodbye the user hangs up at the first turn or silence; after an impatient one at once.
- A live judge's advice to stop is followed after the reply that comes next, or that it came before.
- When the user has cut in with something else, the next reply answers that. If its old question was
  dropped, it goes on with its next turn; if it stayed open, it asks it once more, which is no further try.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum, auto

from scenarios import schema
from scenarios.schema import Scenario
from user_sim.phrases import phrases
from user_sim.policy import (
    Action,
    Advice,
    CallStarted,
    Ending,
    HangUp,
    Line,
    Move,
    Percept,
    Role,
    SaidAll,
    SaidInstead,
    Say,
    Silence,
    TurnHeard,
)

MAX_SILENCES = 3
"""Silences in a row after which the user hangs up."""


class Phase(Enum):
    """What the user is doing."""

    OPENING = auto()  # has not said anything yet
    THINKING = auto()  # looks for words; a turn that comes meanwhile is still a reply
    SPEAKING = auto()  # words are on their way
    LISTENING = auto()
    OVER = auto()


def line(words: schema.Say) -> Line:
    """A scenario's words as a line."""
    return Line(words.text, words.spoken or "", words.style, words.audio or "")


class TurnTaking(ABC):
    """Base of the users: subclasses say what comes next, the manners are here."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.phrases = phrases(scenario.language)
        self.phase = Phase.OPENING
        self._silences = 0
        self._parting: Ending | None = None
        self._stop_advised = False
        self._asked: Say | None = None
        self._instead: SaidInstead | None = None

    # --- what a user decides

    @abstractmethod
    def _first(self, greeting: TurnHeard | None) -> Sequence[Action]:
        """The user's first turn; `greeting` is what was heard before it."""

    @abstractmethod
    def _reply(self, heard: TurnHeard) -> Sequence[Action]:
        """What to do after a reply."""

    @abstractmethod
    def _unanswered(self) -> Sequence[Action]:
        """What to do when a turn stays unanswered; nothing if no turn is left."""

    def _dropped(self, heard: TurnHeard) -> Sequence[Action]:
        """What to do after the reply to what was said instead, with the old question given up."""
        return self._reply(heard)

    def _still_open(self, heard: TurnHeard) -> Sequence[Action]:
        """What to do after the reply to what was said instead, with the old question open."""
        assert self._asked is not None  # something was open when something else was said
        self.phase = Phase.SPEAKING
        return (replace(self._asked, delay_s=0.0, again=True),)

    def _notice(self, percept: Percept) -> Sequence[Action]:
        """React to what the manners leave open: advice, half a reply, words that were composed."""
        return ()

    # --- manners

    def observe(self, percept: Percept) -> Sequence[Action]:
        """Take note of a percept; returns what to do now."""
        if self.phase is Phase.OVER:
            return ()
        match percept:
            case CallStarted():
                return self._first(None) if self.scenario.opening == "user" else ()
            case SaidAll():
                return self._said_all()
            case TurnHeard():
                return self._turn_heard(percept)
            case Silence():
                return self._silence()
            case SaidInstead():
                return self._said_instead(percept)
            case Advice(move=Move.STOP):
                self._stop_advised = True
                return ()
            case _:
                return self._notice(percept)

    def _said_all(self) -> Sequence[Action]:
        if self.phase is not Phase.SPEAKING:
            return ()
        if self._parting is Ending.IMPATIENT:
            return self.hang_up(Ending.IMPATIENT)
        self.phase = Phase.LISTENING
        return ()

    def _said_instead(self, said: SaidInstead) -> Sequence[Action]:
        if self._asked is not None and self._parting is None:
            self.phase, self._instead = Phase.SPEAKING, said
        return ()

    def _turn_heard(self, heard: TurnHeard) -> Sequence[Action]:
        if self.phase is Phase.OPENING:
            return self._first(heard)
        if self.phase not in (Phase.LISTENING, Phase.THINKING):
            return ()
        if self._parting is not None:
            return self.hang_up(self._parting)
        if heard.interrupted:
            return ()
        self._silences = 0
        if self._stop_advised:
            return self.part(Ending.ADVISED)
        instead, self._instead = self._instead, None
        if instead is not None:
            return self._dropped(heard) if instead.dropped else self._still_open(heard)
        return self._reply(heard)

    def _silence(self) -> Sequence[Action]:
        if self.phase is Phase.OPENING:
            return self._first(None)
        if self.phase is not Phase.LISTENING:
            return ()
        if self._parting is not None:
            return self.hang_up(self._parting)
        self._silences += 1
        if self._silences == 1:
            self.phase = Phase.SPEAKING
            expected = self._asked.expected if self._asked is not None else ()
            words = Line(self.phrases.still_there)
            return (Say(words, "still there?", expected=expected, role=Role.REPROMPT),)
        self._instead = None
        next_turn = self._unanswered() if self._silences < MAX_SILENCES else ()
        return next_turn or self.part(Ending.IMPATIENT)

    def say(
        self, words: Line, label: str, *, delay_s: float = 0.0, expected: Sequence[str] = ()
    ) -> Sequence[Action]:
        """Say a line and then listen."""
        self.phase = Phase.SPEAKING
        self._asked = Say(words, label, delay_s, tuple(expected))
        return (self._asked,)

    def part(self, ending: Ending, words: Line | None = None) -> Sequence[Action]:
        """Say goodbye, then hang up."""
        self._parting = ending
        self.phase = Phase.SPEAKING
        return (Say(words or self.goodbye(ending), "goodbye", parting=True),)

    def hang_up(self, ending: Ending) -> Sequence[Action]:
        """End the call now."""
        self.phase = Phase.OVER
        return (HangUp(ending),)

    def goodbye(self, ending: Ending = Ending.DONE) -> Line:
        """The words to part with: the scenario's own, or a set phrase."""
        if ending is Ending.IMPATIENT:
            return Line(self.phrases.no_answer)
        if self.scenario.goodbye is not None:
            return line(self.scenario.goodbye)
        return Line(self.phrases.goodbye)
