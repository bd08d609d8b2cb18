"""The media path: once per 20 ms one frame out, one frame heard. Nothing slow happens here."""

from __future__ import annotations

from agent.alarms import Alarms
from agent.call import Call
from agent.inbox import Inbox
from agent.observers import Levels
from agent.pacing import Pacer
from agent.quiet import QuietWatch
from recordings.format import Outcome, TickLate, UtteranceEnded
from scenarios.schema import Limits
from streams.audio import FRAME_MS, FRAME_S, Frame, peak, to_pcm
from streams.endpoints.protocol import PlaybackState
from user_sim.hearing import Hearing

NOTED_LATENESS_S = 0.005
"""Ticks later than this are in the record one by one."""


METER_TICKS = 5
"""Meters move every 100 ms."""


class BehindRealTime(RuntimeError):
    """A tick was so late that the call is no longer what the scenario says: the episode is void."""

    def __init__(self, late_s: float, limit_s: float) -> None:
        self.late_s = late_s
        super().__init__(
            f"a 20 ms tick came {late_s * 1000:.0f} ms late (limit {limit_s * 1000:.0f} ms): this machine"
            " is too busy. Close other programs, run fewer sessions at once, or use smaller models"
        )


class MediaPath:
    """Moves audio in both directions on the session's clock."""

    def __init__(
        self,
        call: Call,
        inbox: Inbox,
        hearing: Hearing,
        quiet: QuietWatch,
        alarms: Alarms,
        limits: Limits,
        max_lateness_s: float,
    ) -> None:
        self._call = call
        self._inbox = inbox
        self._hearing = hearing
        self._quiet = quiet
        self._alarms = alarms
        self._limits = limits
        self._max_lateness_s = max_lateness_s
        self._heard = b""
        self._endpoint_frame = call.speaker.rate * FRAME_MS // 1000
        self.pacer = Pacer(call.origin)

    async def run(self) -> None:
        """Tick until the session is over.

        Raises:
            BehindRealTime: A tick missed its deadline by more than the limit.
            RecordingError: The disk no longer takes the recording.
        """
        call = self._call
        with self.pacer:
            while not call.over.done():
                await self._tick(await self.pacer.tick())
        if call.line is not None:
            await self._send(call.line.rest())

    async def _tick(self, late: float) -> None:
        frame = self._call.microphone.next_frame()
        # speech may catch up after a stall; silence may not, or the endpoint would count a longer pause
        skipped = late > FRAME_S and frame.silent
        if late > NOTED_LATENESS_S:
            self._note_lateness(late, skipped)
        await self._speak(frame, skipped)
        await self._listen(frame)
        self._watch()

    async def _speak(self, frame: Frame, skipped: bool) -> None:
        call = self._call
        wire = frame.pcm
        frames: tuple[Frame, ...] = () if skipped else (frame,)
        if call.line is not None:
            wire, frames = call.line.carry(frame, self._heard, skipped=skipped)
            call.recorder.user_clean(frame.pcm)
        call.recorder.user(wire)
        self.pacer.skipped += skipped
        await self._send(frames)
        for spoken in call.microphone.finished():
            if spoken.utterance not in call.keys:
                call.log(UtteranceEnded(t=call.t(), utterance=spoken.utterance, samples=spoken.samples))
            if spoken.utterance not in call.beside | call.keys:
                self._quiet.said_all()
            if not call.microphone.speaking:
                call.said_everything.set()

    async def _send(self, frames: tuple[Frame, ...]) -> None:
        for frame in frames:
            if self._call.connected:
                await self._call.endpoint.send(frame)

    async def _listen(self, frame: Frame) -> None:
        # the ear runs one frame behind: an arrival stamped before this tick is placed where it belongs
        call = self._call
        start = call.speaker.position
        heard = call.speaker.heard(max(start, (self.pacer.ticks - 1) * self._endpoint_frame))
        self._heard = heard
        if heard:
            call.recorder.endpoint(heard)
            self._hearing.feed(heard, start)
        call.on_heard(heard)
        self._alarms.hear(heard)
        if self.pacer.ticks % METER_TICKS == 0:
            user = 0 if frame.silent else peak(to_pcm(frame.pcm))
            late = self.pacer.last(METER_TICKS)
            call.audience.levels(Levels(user, peak(to_pcm(heard)), call_time(self.pacer), late))
        await call.reach_marks()
        for playback in call.speaker.completed():
            await call.report(playback, PlaybackState.COMPLETED)

    def _watch(self) -> None:
        call, t = self._call, call_time(self.pacer)
        if call.recorder.failure is not None:
            raise call.recorder.failure
        self._quiet.tick(t)
        self._alarms.tick(self.pacer.ticks)
        if call.closing is not None and not call.speaker.pending and not self._hearing.busy:
            call.end(call.closing.outcome, call.closing.reason, by="endpoint")
        elif self._inbox.must_end_at is not None and t >= self._inbox.must_end_at:
            call.end(Outcome.SESSION_LIMIT, self._inbox.limit_reason, by="endpoint")
        elif t >= self._inbox.limit_at:
            limit = call.endpoint.capabilities.max_session_s
            call.end(Outcome.SESSION_LIMIT, f"the endpoint ends sessions after {limit:g} s", by="endpoint")
        elif t >= self._limits.max_duration_s:
            reason = f"the call reached the scenario's max_duration_s of {self._limits.max_duration_s:g} s"
            call.end(Outcome.MAX_DURATION, reason, by="us")

    def _note_lateness(self, late: float, skipped: bool) -> None:
        call = self._call
        call.log(TickLate(t=call.t(), lateness_ms=round(late * 1000, 3), skipped=skipped))
        if late > self._max_lateness_s:
            raise BehindRealTime(late, self._max_lateness_s)


def call_time(pacer: Pacer) -> float:
    """Session time of the tick that has just passed: exact, whatever its lateness."""
    return pacer.ticks * FRAME_S
