"""Behaviours that can never happen, or that contradict each other: told when the scenario is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from scenarios.basics import Say
from scenarios.behaviours import (
    Aside,
    Backchannel,
    BargeIn,
    Behaviour,
    ChangeOfMind,
    Cough,
    Dtmf,
    Filler,
    HangUp,
    Hesitation,
    Reprompt,
    Restart,
    TalkOver,
)
from scenarios.document import Document
from scenarios.facts.matching import tokens
from scenarios.problems import Place, Problem
from scenarios.schema import PolicyKind, Scenario

DURING_REPLY = (BargeIn, Backchannel, TalkOver, Aside, Cough, Dtmf)


def errors(document: Document, scenario: Scenario) -> Iterator[Problem]:
    """What makes behaviours unusable, each at its place and with what to do about it."""
    for i, behaviour in enumerate(scenario.behaviours):
        one = _One(document, scenario, behaviour, ("behaviours", i))
        yield from one.turn()
        yield from one.moment()
        yield from one.words()
        yield from one.keyword()
    for (i, first), (j, second) in combinations(enumerate(scenario.behaviours), 2):
        places: tuple[Place, Place] = (("behaviours", i), ("behaviours", j))
        yield from _clash(document, places, first, second)
        yield from _after_the_end(document, places[1], first, second)
        yield from _after_the_end(document, places[0], second, first)


@dataclass(frozen=True)
class _One:
    """One behaviour by itself."""

    document: Document
    scenario: Scenario
    behaviour: Behaviour
    place: Place

    def turn(self) -> Iterator[Problem]:
        """Its turn must exist."""
        turn, last = self.behaviour.turn, _turns(self.scenario)
        if turn is not None and turn > last:
            expected = f"a turn from 1 to {last}: the call has no more"
            yield self._problem("turn", f"turn {turn}", expected, "leave `turn` out to mean every turn")

    def moment(self) -> Iterator[Problem]:
        """Its moment must come before the call, or the user's patience, is over."""
        b, scenario = self.behaviour, self.scenario
        longest = scenario.limits.max_duration_s
        patience = min(scenario.persona.patience_s, scenario.limits.reply_timeout_s)
        if isinstance(b, BargeIn | TalkOver | Aside | Cough | Dtmf | HangUp):
            yield from self._below("after_s", b.after_s, longest, "limits.max_duration_s")
        if isinstance(b, BargeIn | TalkOver | Aside | Cough | Dtmf) and b.random is not None:
            yield from self._below("random", b.random[1], longest, "limits.max_duration_s")
        if isinstance(b, Backchannel):
            yield from self._below("every_s", b.every_s, longest, "limits.max_duration_s")
        why = "persona.patience_s and limits.reply_timeout_s, after which the user has gone on"
        if isinstance(b, ChangeOfMind | Reprompt):
            yield from self._below("after_s", b.after_s, patience, why)
        if isinstance(b, Aside | Cough | Dtmf):
            yield from self._below("quiet_s", b.quiet_s, patience, why)

    def _below(self, key: str, value: float | None, limit: float, what: str) -> Iterator[Problem]:
        if value is not None and value >= limit:
            yield self._problem(key, f"{value:g} s", f"less than the {limit:g} s of {what}")

    def words(self) -> Iterator[Problem]:
        """The words that it is about must be in the turn."""
        b = self.behaviour
        if isinstance(b, Hesitation):
            key, needed = "after_word", b.after_word + 1
        elif isinstance(b, Filler):
            key, needed = "before_word", b.before_word
        elif isinstance(b, Restart):
            key, needed = "words", b.words
        else:
            return
        spoken = _known_words(self.scenario, b.turn)
        if not spoken:
            return
        if all(say.audio for say in spoken):
            hint = "give the turn as text, or record it as it should be"
            yield self._problem(key, "a turn that is a recording", "a turn whose words are spoken", hint)
            return
        longest = max(len(say.aloud.split()) for say in spoken if not say.audio)
        if needed > longest:
            most = longest - 1 if isinstance(b, Hesitation) else longest
            turns = "no turn has" if b.turn is None else f"turn {b.turn} has no"
            expected = f"at most {most}: {turns} more than {longest} words" if most else "a longer turn"
            yield self._problem(key, f"{key}: {getattr(b, key)}", expected)

    def keyword(self) -> Iterator[Problem]:
        """A keyword must hold a word, or it is never heard."""
        b = self.behaviour
        if isinstance(b, BargeIn) and b.keyword is not None and not tokens(b.keyword):
            yield self._problem("keyword", repr(b.keyword), "a word that can be heard")

    def _problem(self, key: str, found: str, expected: str, hint: str = "") -> Problem:
        return self.document.problem((*self.place, key), found, expected, hint)


def _turns(scenario: Scenario) -> int:
    """How many turns the user can have at most."""
    most = {
        PolicyKind.SCRIPTED: len(scenario.turns),
        PolicyKind.ADAPTIVE: sum(aspect.tries for aspect in scenario.aspects),
        PolicyKind.LLM: scenario.limits.max_turns,
    }
    return min(most[scenario.policy], scenario.limits.max_turns)


def _known_words(scenario: Scenario, turn: int | None) -> list[Say]:
    """What the user says in a turn, or in any, where that is known before the call; else nothing."""
    if scenario.policy is PolicyKind.SCRIPTED:
        turns: list[Say] = list(scenario.turns)
        return turns if turn is None else turns[turn - 1 : turn]
    if scenario.policy is PolicyKind.ADAPTIVE and turn == 1:
        return [scenario.aspects[0].question]
    return []


def _together(first: Behaviour, second: Behaviour) -> bool:
    """Whether both are for one turn at least."""
    return first.turn is None or second.turn is None or first.turn == second.turn


def _clash(
    document: Document, places: tuple[Place, Place], first: Behaviour, second: Behaviour
) -> Iterator[Problem]:
    """Two that want the same moment."""
    if not _together(first, second):
        return
    hint = f"the other is {first.id!r}, in line {document.problem(places[0], '', '').line}"
    for key in _same_moment(first, second):
        found = f"{second.kind} at the same {key} as another on the same reply"
        if isinstance(first, Hesitation | Reprompt | ChangeOfMind):
            found = f"{second.kind} at the same {key} as another in the same turn"
        yield document.problem((*places[1], key), found, "moments that differ, or turns that differ", hint)


def _same_moment(first: Behaviour, second: Behaviour) -> list[str]:
    match first, second:
        case BargeIn() | HangUp(), BargeIn() | HangUp():
            keys: tuple[str, ...] = ("after_s", "keyword", "verdict", "random")
        case (Reprompt(), Reprompt()) | (ChangeOfMind(), ChangeOfMind()):
            keys = ("after_s",)
        case Hesitation(), Hesitation():
            keys = ("after_word",)
        case _:
            return []
    pairs = [(key, getattr(first, key, None), getattr(second, key, None)) for key in keys]
    return [key for key, one, other in pairs if one is not None and _plain(one) == _plain(other)]


def _plain(value: object) -> object:
    return value.casefold() if isinstance(value, str) else value


def _after_the_end(
    document: Document, place: Place, hang_up: Behaviour, other: Behaviour
) -> Iterator[Problem]:
    """What would come after the user has hung up for certain."""
    if not isinstance(hang_up, HangUp) or hang_up.chance < 1:
        return
    last = hang_up.turn or 1
    if other.turn is None or isinstance(other, HangUp):
        return
    line = "the user hangs up at turn"
    if other.turn > last:
        found = f"turn {other.turn}, but {line} {last} ({hang_up.id!r})"
        yield document.problem((*place, "turn"), found, f"a turn up to {last}, or a later hang_up")
    elif other.turn == last and isinstance(other, DURING_REPLY) and hang_up.after_s is None:
        found = f"a reply to turn {last}, but {line} {last} before it ({hang_up.id!r})"
        yield document.problem((*place, "turn"), found, "a hang_up with after_s, or one at a later turn")
    elif other.turn == last and hang_up.after_s is not None and not isinstance(other, Backchannel):
        after = getattr(other, "after_s", None) if isinstance(other, DURING_REPLY) else None
        if after is not None and after > hang_up.after_s:
            found = f"{after:g} s, but the user hangs up after {hang_up.after_s:g} s ({hang_up.id!r})"
            yield document.problem((*place, "after_s"), found, f"less than {hang_up.after_s:g} s")
