"""The voice of the user in the call: utterances and keys into the microphone, and on the record."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from agent.alarms import TICKS_PER_S, Alarms
from agent.call import Call
from recordings import format as record
from recordings.format import Outcome, Role
from scenarios.schema import Limits
from streams.audio import FRAME_S, sample_at
from streams.clock import now
from streams.speech import workers
from user_sim import policy as user
from user_sim.behaviours.sounds import key_tones
from user_sim.hearing import Hearing
from user_sim.voice import UserVoice, Utterance


class Speaks(Protocol):
    """Who says what a policy decides on: a voice of ours, or a person who is shown the words.

    Attributes:
        hearing: The user's ear on the endpoint.
    """

    hearing: Hearing

    @property
    def said_until(self) -> int:
        """One past the last audible sample of the latest words that took the turn."""

    async def say(self, action: user.Say, decided_at: float) -> None:
        """Say words that take the turn; returns when they are on their way, or said."""

    async def say_beside(self, action: user.Say) -> None:
        """Say something that takes no turn."""

    def settled(self, causes: Sequence[user.Cause], t: float, utterance: str = "") -> None:
        """Behaviours of the scenario have happened."""

    def stop(self, t: float) -> None:
        """Break off at session time `t`."""

    async def press(self, action: user.PressKeys) -> None:
        """Press keys."""


class Mouth:
    """Speaks for one user in one call.

    Attributes:
        said_until: One past the last audible sample of the latest words that took the turn.
    """

    def __init__(self, call: Call, voice: UserVoice, limits: Limits, alarms: Alarms) -> None:
        self._call = call
        self._voice = voice
        self._limits = limits
        self._alarms = alarms
        self._keys = 0
        self._turn_of: dict[str, int] = {}
        self.said_until = -call.microphone.rate
        self.hearing: Hearing

    async def say(self, action: user.Say, decided_at: float) -> None:
        """Say words that take the turn, `delay_s` after they were decided on."""
        call = self._call
        if call.turns >= self._limits.max_turns:
            reason = f"the user has had the scenario's max_turns of {self._limits.max_turns} turns"
            call.end(Outcome.MAX_TURNS, reason, by="us")
            return
        utterance = await self._voice.prepare(action.line)
        pause = decided_at + action.delay_s - now()
        if pause > 0:
            await asyncio.sleep(pause)
            if action.causes and call.microphone.position / call.microphone.rate < call.t():
                # between two ticks, or before this one has passed: never sooner than asked for
                tick = sample_at(call.t(), TICKS_PER_S) * FRAME_S
                await asyncio.sleep(tick + FRAME_S / 2 - call.t())
        call.log(record.UserThinking(t=call.t(), seconds=max(0.0, round(-pause, 6))))
        call.turns += 1
        start = self._begin(action, utterance)
        rate = call.microphone.rate
        self.said_until = start + utterance.audible_end
        self.hearing.interrupt(start / rate)
        self._alarms.user_speaks(self.said_until / rate)

    async def say_beside(self, action: user.Say) -> None:
        """Say something that takes no turn: it changes nothing but what is heard."""
        utterance = await self._voice.prepare(action.line)
        self._begin(action, utterance)

    def _begin(self, action: user.Say, utterance: Utterance) -> int:
        call, line = self._call, action.line
        name, role = call.next_utterance(), Role(action.role.value)
        if not role.wants_answer:
            call.beside.add(name)
        t = call.t()
        start = call.microphone.say(utterance.pcm, name)
        if start == call.microphone.position:
            t = start / call.microphone.rate
        call.said_everything.clear()
        first, last = start + utterance.audible_start, start + utterance.audible_end
        self._turn_of[name] = call.book.user_speaks(
            line.text, action.label, first, last, role, action.expected
        )
        self.settled(action.causes, t, name)
        call.log(
            record.UtteranceStarted(
                t=t,
                utterance=name,
                text=line.text,
                spoken="" if utterance.spoken == line.text else utterance.spoken,
                label=action.label,
                expected=action.expected,
                role=role,
                behaviour=action.causes[0].behaviour if action.causes else "",
                pauses=tuple((start + begin, start + end) for begin, end in utterance.pauses),
                voice=utterance.voice,
                style=utterance.style,
                gain_db=utterance.gain_db,
                start=start,
                samples=utterance.samples,
                audible_start=first,
                audible_end=last,
            )
        )
        return start

    def settled(self, causes: Sequence[user.Cause], t: float, utterance: str = "") -> None:
        """Behaviours of the scenario have happened."""
        for cause in causes:
            self._call.log(
                record.BehaviourSettled(
                    t=t,
                    behaviour=cause.behaviour,
                    type=cause.type,
                    happened=True,
                    utterance=utterance,
                    trigger=cause.trigger,
                )
            )

    def stop(self, t: float) -> None:
        """Break off at session time `t`, if the user is speaking."""
        call = self._call
        for cut in call.microphone.stop():
            if cut.utterance not in self._turn_of:
                continue  # keys: no words are cut
            call.log(record.UtteranceEnded(t=t, utterance=cut.utterance, samples=cut.samples, cut=True))
            call.book.user_cut(self._turn_of[cut.utterance], cut.start + cut.samples)
        call.said_everything.set()

    async def press(self, action: user.PressKeys) -> None:
        """Press keys: by a message where the protocol has one, else as tones into the microphone."""
        call = self._call
        behaviour = action.causes[0].behaviour if action.causes else ""
        t, digits = call.t(), action.digits
        self.settled(action.causes, t)
        if call.endpoint.capabilities.dtmf:
            call.log(record.KeysPressed(t=t, digits=digits, behaviour=behaviour))
            for digit in digits:
                await call.endpoint.dtmf(digit)
            return
        name = f"k{self._keys}"
        self._keys += 1
        call.keys.add(name)
        tones = await workers.run(key_tones, digits, call.microphone.rate, kind="tts")
        start = call.microphone.say(tones, name)
        call.said_everything.clear()
        call.log(
            record.KeysPressed(
                t=t, digits=digits, behaviour=behaviour, by="tones", start=start, samples=len(tones) // 2
            )
        )
