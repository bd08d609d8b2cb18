"""The moments at which a behaviour is set off: during one reply, and in one silence. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scenarios.behaviours import (
    Aside,
    Backchannel,
    BargeIn,
    Behaviour,
    ChangeOfMind,
    Cough,
    Dtmf,
    HangUp,
    Reprompt,
    TalkOver,
)
from scenarios.facts.matching import find, tokens
from user_sim.behaviours.occasions import Occasions
from user_sim.policy import Since, WakeMe

REPLY: tuple[type[Behaviour], ...] = (BargeIn, Backchannel, TalkOver, Aside, Cough, Dtmf, HangUp)
"""Kinds that a reply can set off."""

BETWEEN: tuple[type[Behaviour], ...] = (Aside, Cough, Dtmf)
"""Kinds that any silence of the user can set off."""

WAITING: tuple[type[Behaviour], ...] = (*BETWEEN, ChangeOfMind, Reprompt)
"""Kinds that the silence before a reply can set off."""

_EXACT = 1e-6


def awaits_reply(behaviour: Behaviour) -> bool:
    """Whether a moment of the reply sets it off, or something heard in it."""
    if isinstance(behaviour, Backchannel | BargeIn):
        return True
    return getattr(behaviour, "after_s", None) is not None or getattr(behaviour, "random", None) is not None


@dataclass(frozen=True, slots=True)
class Fired:
    """A behaviour is set off.

    Attributes:
        trigger: By what, in words.
    """

    behaviour: Behaviour
    trigger: str


@dataclass(frozen=True, slots=True)
class _Waiting:
    at: float
    behaviour: Behaviour
    trigger: str = ""  # of one that was set off and only waits to be heard; else the time is the trigger


class DuringReply:
    """What one reply of the endpoint sets off."""

    def __init__(self, occasions: Occasions) -> None:
        self._occasions = occasions
        self._turn = 0
        self._waiting: list[_Waiting] = []
        self._listening: list[BargeIn] = []
        self._backchannels: list[Backchannel] = []
        self._latest = -math.inf  # second of the reply at which a backchannel was said

    def begin(self, turn: int) -> Sequence[WakeMe]:
        """The reply to a turn begins, or goes on after the user had taken it for finished."""
        self.over("")
        self._turn, self._latest = turn, -math.inf
        for behaviour in self._occasions.due(REPLY, turn):
            if not awaits_reply(behaviour):
                continue
            self._occasions.missed(behaviour, "call_ended")
            if isinstance(behaviour, Backchannel):
                self._occasions.missed(behaviour, "no_pause")
                self._backchannels.append(behaviour)
                if behaviour.every_s is not None:
                    self._waiting.append(_Waiting(behaviour.every_s, behaviour))
            elif isinstance(behaviour, BargeIn) and (behaviour.keyword or behaviour.verdict):
                self._listening.append(behaviour)
            else:
                self._waiting.append(_Waiting(self._moment(behaviour), behaviour))
        return [WakeMe(Since.REPLY, waiting.at) for waiting in self._waiting]

    def _moment(self, behaviour: Behaviour) -> float:
        span: tuple[float, float] | None = getattr(behaviour, "random", None)
        if span is None:
            after: float = getattr(behaviour, "after_s")  # noqa: B009 (of a union whose others have none)
            return after
        seeded = self._occasions.seeded(behaviour, self._turn)
        seeded.random()  # the first number was for the chance
        return seeded.uniform(*span)

    def goes_on(self, seconds: float) -> tuple[list[Fired], list[WakeMe]]:
        """So much of the reply has been heard, and it is audible now."""
        due = [waiting for waiting in self._waiting if waiting.at <= seconds + _EXACT]
        self._waiting = [waiting for waiting in self._waiting if waiting not in due]
        fired: list[Fired] = []
        wakes: list[WakeMe] = []
        for waiting in sorted(due, key=lambda one: one.at):
            trigger = waiting.trigger or f"{seconds:.2f} s of reply heard"
            if isinstance(waiting.behaviour, Backchannel):
                fired += self._backchannel(waiting.behaviour, seconds, trigger)
                again = _Waiting(waiting.at + (waiting.behaviour.every_s or math.inf), waiting.behaviour)
                self._waiting.append(again)
                wakes.append(WakeMe(Since.REPLY, again.at))
            else:
                fired.append(Fired(waiting.behaviour, trigger))
        return fired, wakes

    def went_on(self, seconds: float) -> list[Fired]:
        """The reply goes on after a pause within it."""
        fired: list[Fired] = []
        for behaviour in self._backchannels:
            if behaviour.at_pauses:
                fired += self._backchannel(behaviour, seconds, "the reply went on after a pause")
        return fired

    def _backchannel(self, behaviour: Backchannel, seconds: float, trigger: str) -> list[Fired]:
        if seconds - self._latest < behaviour.gap_s or self._occasions.exhausted(behaviour):
            return []
        self._latest = seconds
        return [Fired(behaviour, trigger)]

    def words(self, text: str) -> list[WakeMe]:
        """What was heard of the reply so far, while it goes on."""
        if not self._listening:
            return []
        heard = tokens(text)
        found = [b for b in self._listening if b.keyword and find(b.keyword, heard) is not None]
        return [self._set_off(barge, f"{barge.keyword!r} heard") for barge in found]

    def judged(self, label: str, judge: str) -> list[WakeMe]:
        """A live judge's verdict on what was heard so far."""
        by = f" of {judge}" if judge else ""
        found = [b for b in self._listening if b.verdict and b.verdict.casefold() == label.casefold()]
        return [self._set_off(barge, f"verdict{by}: {label}") for barge in found]

    def _set_off(self, barge: BargeIn, trigger: str) -> WakeMe:
        """It happens as soon as the reply is audible."""
        self._listening.remove(barge)
        self._waiting.append(_Waiting(0.0, barge, trigger))
        return WakeMe(Since.REPLY, 0.0)

    def over(self, text: str) -> None:
        """The reply is over; `text` is the whole of it as heard."""
        heard = tokens(text) if self._listening else []
        for barge in self._listening:
            late = barge.keyword and find(barge.keyword, heard) is not None
            missing = "verdict_not_given" if barge.verdict else "keyword_not_heard"
            self._occasions.missed(barge, "heard_too_late" if late else missing)
        for waiting in self._waiting:
            if not isinstance(waiting.behaviour, Backchannel):
                why = "heard_too_late" if waiting.trigger else "reply_too_short"
                self._occasions.missed(waiting.behaviour, why)
        self._clear()

    def cut(self) -> None:
        """The user has taken the turn: what this reply was to set off is not to happen any more."""
        for behaviour in [*self._listening, *(waiting.behaviour for waiting in self._waiting)]:
            if not isinstance(behaviour, Backchannel):
                self._occasions.missed(behaviour, "reply_was_cut")
        self._clear()

    def _clear(self) -> None:
        self._waiting.clear()
        self._listening.clear()
        self._backchannels.clear()


class InSilence:
    """What a silence of the user sets off: before a reply, or before its own next words."""

    def __init__(self, occasions: Occasions) -> None:
        self._occasions = occasions
        self._waiting: list[_Waiting] = []

    def begin(self, kinds: tuple[type[Behaviour], ...], turn: int) -> Sequence[WakeMe]:
        """Nobody speaks now."""
        self._waiting.clear()
        for behaviour in self._occasions.due(kinds, turn):
            if (at := _silence(behaviour)) is not None:
                self._occasions.missed(behaviour, "call_ended")
                self._waiting.append(_Waiting(at, behaviour))
        return [WakeMe(Since.QUIET, waiting.at) for waiting in self._waiting]

    def so_far(self, seconds: float) -> list[Fired]:
        """So long nobody has spoken."""
        due = [waiting for waiting in self._waiting if waiting.at <= seconds + _EXACT]
        self._waiting = [waiting for waiting in self._waiting if waiting not in due]
        return [Fired(waiting.behaviour, f"{seconds:.2f} s of silence") for waiting in due]

    def broken(self) -> None:
        """The endpoint speaks."""
        for waiting in self._waiting:
            self._occasions.missed(waiting.behaviour, "reply_came")
        self._waiting.clear()


def _silence(behaviour: Behaviour) -> float | None:
    key = "after_s" if isinstance(behaviour, ChangeOfMind | Reprompt) else "quiet_s"
    seconds: float | None = getattr(behaviour, key)
    return seconds
