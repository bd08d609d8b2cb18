"""What a person says, as utterances and turns; and what they are shown to say."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agent.alarms import Alarms
from agent.call import Call
from recordings import format as record
from recordings.format import Outcome, Role
from scenarios.schema import Limits
from streams.devices.echo import SUSPECTED
from streams.devices.headset import Headset
from streams.playback import Spoken
from user_sim import policy as user
from user_sim.hearing import HeardTurn, Hearing, HearingEvent, SpeechEdge
from user_sim.person import LONGEST_BACKCHANNEL_S, Mode, edges, role_of, was_said
from user_sim.policy import Percept, SaidInstead
from user_sim.tape import Tape

SURE_S = 0.3
"""So much of an utterance is heard before it is taken for the person's: it may be an echo."""

KEPT_S = 60.0
"""So much of the track is kept for the edges of an utterance."""

OWN_WORDS = "own words"
"""What an utterance is for that nobody proposed."""


class Listener(Protocol):
    """The caller, as far as its mouth needs it."""

    alarms: Alarms

    def tell(self, percept: Percept) -> None:
        """Something for the policy to notice."""


class PersonTrack(Protocol):
    """The user's track of a person."""

    rate: int
    position: int
    saying: tuple[str, ...]

    def said(self, spoken: Spoken) -> None:
        """An utterance is over."""


@dataclass(slots=True)
class _Speech:
    """Speech that is going on."""

    start: int
    over_s: float | None  # how long the endpoint had been speaking when it began
    turn: int = -1  # in the book; -1 until it is surely the person's
    name: str = ""  # likewise
    interrupts: bool = False


class PersonMouth:
    """Takes the place of `agent.mouth.Mouth`: `say` shows the words, and returns when something was said.

    Args:
        call: The call.
        track: Where the person is captured.
        headset: Knows what of it is echo.
        limits: Where the call ends at the latest.
        listener: Is told what the person does.
        mode: Whether the words themselves count.
    """

    def __init__(
        self,
        call: Call,
        track: PersonTrack,
        headset: Headset,
        limits: Limits,
        listener: Listener,
        mode: Mode,
    ) -> None:
        self._call = call
        self._track = track
        self._headset = headset
        self._limits = limits
        self._listener = listener
        self._mode = mode
        self._tape = Tape(track.position)
        self._speech: _Speech | None = None
        self._proposed: user.Say | None = None
        self._done = asyncio.Event()
        self._last = user.Say(user.Line(""), OWN_WORDS)
        self._last_end_s = -math.inf
        self.said_until = -track.rate
        self.hearing: Hearing

    def tell(self, percept: Percept) -> None:
        """Something for the policy to notice."""
        self._listener.tell(percept)

    # --- what a policy wants said

    async def say(self, action: user.Say, decided_at: float) -> None:
        """Show words that take the turn, and wait until the person has said something, or skipped them."""
        call = self._call
        if call.turns >= self._limits.max_turns:
            reason = f"the user has had the scenario's max_turns of {self._limits.max_turns} turns"
            call.end(Outcome.MAX_TURNS, reason, by="us")
            return
        self._proposed = action
        self._done.clear()
        call.log(
            record.LineProposed(
                t=call.t(),
                text=action.line.text,
                label=action.label,
                expected=action.expected,
                spoken=self._mode is Mode.CO_PILOT,
            )
        )
        await self._done.wait()

    def skip(self) -> bool:
        """Leave out what is proposed; returns whether anything is."""
        skipped, self._proposed = self._proposed is not None, None
        self._done.set()
        return skipped

    async def say_beside(self, action: user.Say) -> None:
        """What takes no turn is not proposed: a person does that of their own accord."""

    async def press(self, action: user.PressKeys) -> None:
        """Keys are for machines."""

    def settled(self, causes: Sequence[user.Cause], t: float, utterance: str = "") -> None:
        """A person has no behaviours of the scenario."""

    def stop(self, t: float) -> None:
        """The call is over at `t`: what was said to its end and is not on record yet is written."""
        for spoken in self._call.microphone.finished():
            self._call.log(record.UtteranceEnded(t=t, utterance=spoken.utterance, samples=spoken.samples))

    # --- what the person says

    def hear(self, pcm: bytes, position: int) -> None:
        """The next frame of the user's track, silence where it is an echo."""
        self._tape.append(pcm)
        self._tape.forget(position - round(KEPT_S * self._track.rate))
        speech = self._speech
        if speech is None:
            return
        seconds = (self._track.position - speech.start) / self._track.rate
        if speech.turn < 0 and seconds >= SURE_S and self._is_theirs(speech, self._track.position):
            self._open(speech)
        if speech.turn >= 0 and seconds > LONGEST_BACKCHANNEL_S:
            self._interrupt(speech)

    def noticed(self, event: HearingEvent) -> None:
        """The ear on the user's track has noticed something."""
        match event:
            case SpeechEdge(at=at) if event.began and self._speech is None:
                reply_from = self._listener.alarms.reply_from
                over = None if reply_from is None else at / self._track.rate - reply_from
                self._speech = _Speech(at, over if over is None or over >= 0 else None)
            case HeardTurn():
                self._over(event)
            case _:
                pass

    def _is_theirs(self, speech: _Speech, until: int) -> bool:
        """Whether speech is more than what the microphone hears of the endpoint."""
        rate = self._track.rate
        ago = (self._track.position - until) / rate
        return self._headset.explained((until - speech.start) / rate, ago) < SUSPECTED

    def _open(self, speech: _Speech) -> None:
        call, rate = self._call, self._track.rate
        speech.name = call.next_utterance()
        speech.turn = call.book.user_began(speech.start)
        self._track.saying = (speech.name,)
        call.said_everything.clear()
        self._listener.alarms.user_speaks(math.inf)
        if speech.over_s is None:
            self._interrupt(speech)
        self.said_until = max(self.said_until, speech.start + rate // 10)

    def _interrupt(self, speech: _Speech) -> None:
        """What is said takes the turn: that of the endpoint ends where its speech stops."""
        if not speech.interrupts:
            speech.interrupts = True
            self.hearing.interrupt(speech.start / self._track.rate)

    def _over(self, heard: HeardTurn) -> None:
        speech, self._speech = self._speech, None
        if speech is None:
            speech = _Speech(heard.start, None)
        if speech.turn < 0:
            if not self._is_theirs(speech, heard.end):
                return
            self._open(speech)
        rate, base = self._track.rate, self._tape.start
        kept = self._tape.cut(base, self._tape.end)
        first, last = edges(kept, rate, heard.start - base, heard.end - base)
        start, end = max(first + base, 0), min(last + base, self._track.position)
        role = Role(role_of(heard.text, (end - start) / rate, speech.over_s).value)
        if role.wants_answer:
            self._interrupt(speech)
        self._write(speech, heard, (start, end), role)

    def _write(self, speech: _Speech, heard: HeardTurn, span: tuple[int, int], role: Role) -> None:
        call, (start, end), name = self._call, span, speech.name
        action, text = self._meant(heard.text, role)
        said = heard.text if heard.understood else None
        intended = text if heard.understood else None
        call.book.user_spoke(
            speech.turn, span, (intended, said), action.label, role, action.expected, heard.cause
        )
        if role.wants_answer:
            self.said_until = end
            self._last, self._last_end_s = action, end / self._track.rate
        else:
            call.beside.add(name)
        call.log(
            record.UtteranceStarted(
                t=call.t(),
                utterance=name,
                text=text,
                spoken="" if heard.text == text else heard.text,
                label=action.label,
                expected=action.expected,
                role=role,
                voice="person",
                start=start,
                samples=end - start,
                audible_start=start,
                audible_end=end,
            )
        )
        call.said_everything.set()
        self._listener.alarms.user_speaks(end / self._track.rate)
        self._track.said(Spoken(name, start, end - start))
        if role.wants_answer:
            call.turns += 1
            self._proposed = None
            self._done.set()

    def _meant(self, text: str, role: Role) -> tuple[user.Say, str]:
        """What an utterance was for, and its words: those proposed, if they were said word for word."""
        own = user.Say(user.Line(text), OWN_WORDS)
        if not role.wants_answer:
            return own, text
        proposed = self._proposed
        if proposed is not None:
            part, whole = was_said(proposed.line.text, text)
            if self._mode is Mode.GUIDED or part:
                return proposed, proposed.line.text if whole else text
        elif not self._answered() or self._mode is Mode.GUIDED:
            return self._last, text  # the same turn goes on, or the same step
        if self._mode is Mode.CO_PILOT:
            self.tell(SaidInstead(text, dropped=False))
        return own, text

    def _answered(self) -> bool:
        """Whether the endpoint was heard since the person's last words."""
        answered = self._call.book.last_endpoint_start_s()
        return answered is not None and answered > self._last_end_s
