"""A person in the user's place: their headset is the microphone, their words are the turns.

The policy decides as ever, but what it wants said is shown to the person instead of spoken. What the person
says is found on the user's track as it goes on, by the same ear that hears the endpoint: each stretch of
speech is an utterance, written when it is over, with the words that a recogniser made of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.call import Call
from agent.mouth import Speaks
from agent.person_mouth import Listener, PersonMouth
from recordings import format as record
from recordings.format import Outcome
from scenarios.schema import Limits, Scenario
from streams.audio import FRAME_MS, Frame
from streams.clock import now, sleep_until
from streams.devices.capture import Fault, Trouble
from streams.devices.headset import Headset
from streams.devices.interfaces import Device
from streams.playback import Spoken
from streams.speech.interfaces import ModelIdentity, Recogniser, Speech, SpeechDetector, SpeechError
from user_sim.ear import EarSettings
from user_sim.hearing import Hearing
from user_sim.person import Mode, policy_for
from user_sim.policy import Advice, Move, Policy, SaidAll, TurnHeard

PAUSE_S = 0.5
"""A person who is silent for so long has ended an utterance; within a turn there may be several."""

LONGEST_TROUBLE_S = 1.0
"""A trouble that goes on is on record each time it has done so much."""

EAR_LAG_FRAMES = 2
"""The headset gets what stands on the endpoint's track two frames later: the ear runs one behind."""


class NoVoice:
    """The voice of a call in which a person speaks."""

    identity = ModelIdentity("person", "person", "")
    fingerprint = "person"

    async def speak(self, text: str) -> Speech:
        """Nobody speaks for a person."""
        raise SpeechError("voice", f"{text!r} cannot be spoken: a person is calling")


class PersonMicrophone:
    """The user's track, as a headset captures it; see `agent.call.UserTrack`."""

    def __init__(self, headset: Headset, origin: float, position: int = 0) -> None:
        self.rate = headset.user_rate
        self.position = position
        self.origin = origin
        self.saying: tuple[str, ...] = ()
        self.frame = b""
        self._headset = headset
        self._said: list[Spoken] = []

    @property
    def speaking(self) -> bool:
        """True while the person says something."""
        return bool(self.saying)

    def say(self, pcm: bytes, utterance: str) -> int:
        """Nobody speaks for a person."""
        raise SpeechError("voice", f"{utterance} cannot be spoken: a person is calling")

    def said(self, spoken: Spoken) -> None:
        """The person has said something to its end."""
        self.saying = ()
        self._said.append(spoken)

    def stop(self) -> list[Spoken]:
        """A person cannot be stopped."""
        return []

    def next_frame(self) -> Frame:
        """What was captured in the 20 ms that have just passed.

        Raises:
            DeviceLost: The device is gone.
        """
        samples = self.rate * FRAME_MS // 1000
        self.position += samples
        self.frame = self._headset.capture(samples, self.origin + self.position / self.rate)
        return Frame(self.frame, self.rate)

    def finished(self) -> list[Spoken]:
        """What was said to its end since the last call."""
        done, self._said = self._said, []
        return done


@dataclass(slots=True)
class Person:
    """One person in one call.

    Attributes:
        device: By what they speak and listen.
        detector: Finds their speech.
        recogniser: Puts it into words; None leaves it unscored.
        mode: What leads them through the call.
        push_to_talk: What is said is not sent now; `talk` changes it.
    """

    device: Device
    detector: SpeechDetector
    recogniser: Recogniser | None = None
    mode: Mode = Mode.FREE
    push_to_talk: bool = False
    headset: Headset = field(init=False)
    _call: Call = field(init=False)
    _microphone: PersonMicrophone = field(init=False)
    _hearing: Hearing = field(init=False)
    _mouth: PersonMouth = field(init=False)
    _idle: asyncio.Task[None] = field(init=False)
    _task: asyncio.Task[None] | None = None
    _troubles: dict[Fault, float] = field(default_factory=dict)
    _live: bool = False
    _joined: bool = False

    def policy(self, scenario: Scenario, seed: int) -> Policy:
        """Who proposes what to say."""
        return policy_for(self.mode, scenario, seed)

    # --- the call

    async def pick_up(self, user_rate: int, endpoint_rate: int) -> None:
        """Open the device, before the endpoint is called.

        Raises:
            DeviceError: It can't be opened, or gives nothing.
        """
        self.headset = Headset(self.device, user_rate, endpoint_rate)
        self.headset.open = not self.push_to_talk
        await self.headset.start()
        self._live = True
        self._idle = asyncio.create_task(self._wait(), name="the person waits for the line")

    async def _wait(self) -> None:
        """Until the call begins, what is captured is nobody's."""
        while not self.headset.gone:
            await sleep_until(now() + FRAME_MS / 1000)
            self.headset.idle()

    async def put_down(self) -> None:
        """Close the device."""
        if self._live:
            self._live = False
            self._idle.cancel()
            await self.headset.stop()

    def join(self, call: Call, language: str) -> PersonMicrophone:
        """Take the user's place in a call; returns what captures the user's track from now on."""
        self._call, self._joined = call, True
        self._idle.cancel()
        call.book.person = True
        self._microphone = PersonMicrophone(self.headset, call.origin, call.microphone.position)
        call.on_heard = self._tick
        self._hearing = Hearing(
            self.detector,
            None,
            self.recogniser,
            rate=self._microphone.rate,
            language=language,
            notify=lambda event: self._mouth.noticed(event),
            settings=EarSettings(silence_s=PAUSE_S),
        )
        return self._microphone

    def mouth(self, call: Call, limits: Limits, listener: Listener) -> Speaks:
        """Shows what is to be said, and takes what is said for it; see `agent.caller.MouthOf`."""
        self._mouth = PersonMouth(call, self._microphone, self.headset, limits, listener, self.mode)
        return self._mouth

    def begin(self, group: asyncio.TaskGroup) -> None:
        """The person speaks from now on."""
        device, delays = self.device, self.headset.delays
        self._call.log(
            record.DeviceOpened(
                t=self._call.t(),
                device=device.name,
                mode=self.mode.value,
                input_rate=device.input_rate,
                output_rate=device.output_rate,
                capture_delay_s=round(delays.capture_s, 6),
                playback_delay_s=round(delays.playback_s + EAR_LAG_FRAMES * FRAME_MS / 1000, 6),
                input_latency_s=round(device.input_latency_s, 6),
                output_latency_s=round(device.output_latency_s, 6),
            )
        )
        self._task = group.create_task(self._hearing.run(), name="the person is heard")

    async def end(self) -> None:
        """The call is over: hear out what was said last."""
        self._hearing.finish()
        if self._task is not None:
            await self._task

    def report(self, t: float) -> None:
        """Put on record what the device was like, at session time `t`."""
        headset, echo = self.headset, self.headset.echo
        self._note((), t)
        captured, played = headset.drifts_ppm
        self._call.log(
            record.DeviceReport(
                t=t,
                input_drift_ppm=round(captured, 2),
                output_drift_ppm=round(played, 2),
                clipped=headset.clipped,
                offset=round(headset.offset, 5),
                echo_delay_s=None if echo is None else round(echo.delay_s, 4),
                echo_gain_db=None if echo is None else round(echo.gain_db, 1),
                echo_correlation=None if echo is None else round(echo.correlation, 3),
            )
        )

    def _tick(self, heard: bytes) -> None:
        """A frame was heard: it is played, and the captured one is listened to, unless it is an echo."""
        microphone, headset = self._microphone, self.headset
        # by the tick's own time, not by when it came: a late tick is no reason to play faster
        echo = headset.play(heard, microphone.origin + microphone.position / microphone.rate)
        pcm = bytes(len(microphone.frame)) if echo else microphone.frame
        start = microphone.position - len(pcm) // 2
        self._mouth.hear(pcm, start)
        self._hearing.feed(pcm, start)
        self._note(headset.troubles(), self._call.t())

    def _note(self, troubles: Sequence[Trouble], t: float) -> None:
        """Put troubles on record; one that goes on from tick to tick when it is over, or a second long."""
        for trouble in troubles:
            self._troubles[trouble.fault] = self._troubles.get(trouble.fault, 0.0) + trouble.seconds
        lasting = {trouble.fault for trouble in troubles}
        for fault, seconds in list(self._troubles.items()):
            if fault not in lasting or abs(seconds) >= LONGEST_TROUBLE_S:
                self._call.log(record.DeviceTrouble(t=t, fault=fault.value, seconds=round(seconds, 6)))
                del self._troubles[fault]

    # --- what the person does besides speaking

    def talk(self, on: bool) -> None:
        """Push to talk, or let go."""
        self.push_to_talk = not on
        if self._live:
            self.headset.open = on

    @property
    def talking(self) -> bool:
        """True while what is said is sent."""
        return not self.push_to_talk

    def skip(self) -> None:
        """Leave out what is proposed, or say no more about it."""
        if self._joined and self._mouth.skip():
            for percept in (Advice(Move.MOVE_ON), SaidAll(), TurnHeard("", understood=False)):
                self._mouth.tell(percept)

    def hang_up(self) -> bool:
        """End the call; False if it has not begun yet."""
        if not self._joined:
            return False
        outcome = Outcome.COMPLETED if self.mode is Mode.FREE else Outcome.USER_STOPPED
        self._call.end(outcome, "the person hung up", by="user")
        return True
