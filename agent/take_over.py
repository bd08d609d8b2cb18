"""A person takes the user's side of a call that goes on, and gives it back.

The simulated user is the person's co-pilot meanwhile: what it wants said is shown to them. It goes on as
soon as they give the word back, or their device is gone. Such a call says nothing about an endpoint as the
simulated user calls it: its outcome is `taken_over`, whatever else came of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from agent.call import Call, End, nobody_listens
from agent.caller import Caller, MouthOf
from agent.engines import Engines
from agent.mouth import Mouth
from agent.person import Person
from agent.shared import SharedMouth, SharedTrack
from recordings.format import Noticed, Outcome
from scenarios.schema import Limits
from streams.devices.interfaces import Device, DeviceError, DeviceLost
from user_sim.person import Mode
from user_sim.voice import UserVoice

OpenDevice = Callable[[], Device]
"""Opens a person's microphone and ear. Raises `DeviceError` if there is none such."""


class Seat:
    """The user's seat in one call. On the call's own loop only.

    Args:
        open_device: Opens the person's device.
        engines: They are heard by the same ones as the endpoint.
        language: What they speak.

    Attributes:
        taken: From when to when a person spoke, in seconds of session time.
    """

    def __init__(self, open_device: OpenDevice, engines: Engines, language: str) -> None:
        self._open = open_device
        self._engines = engines
        self._language = language
        self.taken: list[tuple[float, float]] = []
        self._call: Call
        self._limits: Limits
        self._caller: Caller
        self._track: SharedTrack
        self._mouth: SharedMouth
        self._group: asyncio.TaskGroup
        self._leaves = asyncio.Event()
        self._sitting: asyncio.Task[None] | None = None
        self._seated = False

    def mouth(self, voice: UserVoice) -> MouthOf:
        """Makes the mouth of a call in which `voice` speaks, and a person may; no tick has passed yet."""

        def made(call: Call, limits: Limits, caller: Caller) -> SharedMouth:
            self._call, self._limits, self._caller = call, limits, caller
            call.microphone = self._track = SharedTrack(call.microphone, self._lost)
            self._mouth = SharedMouth(Mouth(call, voice, limits, caller.alarms))
            return self._mouth

        return made

    def begin(self, group: asyncio.TaskGroup) -> None:
        """The call begins."""
        self._group = group

    @property
    def busy(self) -> bool:
        """True from when a person comes until they are gone."""
        return self._sitting is not None and not self._sitting.done()

    def take(self) -> bool:
        """A person comes: they speak once their device is known, and what is being said is said.

        Returns False if there is one already.
        """
        if self.busy:
            return False
        self._leaves = asyncio.Event()
        self._sitting = self._group.create_task(self._sit(), name="a person in the user's place")
        return True

    def give_back(self) -> bool:
        """The person goes, now; returns False if there is none."""
        if self._sitting is None or not self.busy:
            return False
        if self._seated:
            self._leaves.set()
        elif not self._leaves.is_set():
            self._sitting.cancel()  # nobody has spoken yet
        return True

    async def over(self, end: End) -> End:
        """The call is over: hear out what the person has said; returns the end of a call with a person."""
        self.give_back()
        if self._sitting is not None:
            await asyncio.wait([self._sitting])
        if not self.taken or end.outcome.void:
            return end
        when = ", ".join(f"from {first:.1f} to {last:.1f} s" for first, last in self.taken)
        reason = f"a person spoke in the user's place {when}; then {end.outcome.value}: {end.reason}"
        return End(Outcome.TAKEN_OVER, reason, end.by)

    def _lost(self, error: DeviceLost) -> None:
        """The person's device is gone: the simulated user goes on."""
        if not self._leaves.is_set():
            self._note("device_lost", str(error), "warning")
            self._leaves.set()

    # --- one person

    async def _sit(self) -> None:
        call, engines = self._call, self._engines
        person: Person | None = None
        try:
            device = await asyncio.to_thread(self._open)  # it may take long, and the call goes on
            person = Person(device, engines.detector, engines.recogniser, Mode.CO_PILOT)
            await person.pick_up(call.microphone.rate, call.speaker.rate)
            await call.said_everything.wait()
            self._seat(person)
            await self._leaves.wait()
            await self._let_go(person)
        except DeviceError as error:
            self._note("not_taken_over", str(error), "warning")
        finally:
            if person is not None:
                await person.put_down()

    def _seat(self, person: Person) -> None:
        call = self._call
        self._track.hand_to(person.join(call, self._language))
        mouth = person.mouth(call, self._limits, self._caller)
        self._mouth.hand_to(mouth)
        self._note("taken_over", f"a person speaks in the user's place, by {person.device.name}")
        person.begin(self._group)
        self._seated = True
        self.taken.append((call.t(), call.t()))

    async def _let_go(self, person: Person) -> None:
        call = self._call
        self._track.hand_to(None)
        call.on_heard = nobody_listens
        self.taken[-1] = (self.taken[-1][0], call.t())
        self._seated = False
        await person.end()
        if call.over.done():
            self._mouth.stop(call.t())
        call.book.person = False
        self._mouth.hand_to(None)
        person.report(call.t())
        self._note("given_back", "the simulated user speaks again")

    def _note(self, code: str, message: str, level: str = "info") -> None:
        self._call.log(Noticed(t=self._call.t(), by="us", level=level, code=code, message=message))
