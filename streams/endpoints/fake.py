"""An endpoint in process, with a script: for tests, demonstrations, and trying out scenarios.

    endpoint = FakeEndpoint([FakeReply(pcm=tone(1.5), text="Good morning.", delay_s=0.7)])

It hears the user, finds the end of each turn by silence, and plays the next reply of its script. All of
its times are computed from sample positions, so the same session gives the same times in simulated and
in real time: stream time 0 is 20 ms before the first frame was sent, since a frame holds what was said
just before. `delay_s` runs from the user's last audible sample to the reply's first audible sample.

Faults are options too: an empty script never answers; for the others see `FakeReply` and `FakeEndpoint`.
"""

from __future__ import annotations

import asyncio
import dataclasses
import math
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence

import numpy as np

from streams.audio import FRAME_S, AudioFormat, Frame, to_pcm
from streams.clock import now
from streams.endpoints.errors import EndpointError
from streams.endpoints.events import (
    AudioReceived,
    Closed,
    Edge,
    EndpointEvent,
    Flush,
    ItemEnded,
    Party,
    Ready,
    ResponseEnded,
    ResponseStarted,
    ResponseStatus,
    TextMode,
    TextReceived,
    UserItemPlaced,
    UserSpeech,
    UserTextReceived,
)
from streams.endpoints.fake_script import Delivery, FakeReply, Playing, tone
from streams.endpoints.protocol import Capabilities, PlaybackReport, Played, Tool, TurnMode

__all__ = ["Delivery", "FakeEndpoint", "FakeReply", "tone"]


class FakeEndpoint:
    """A scripted endpoint without a socket; see `Endpoint` for the methods.

    Args:
        replies: The script; without replies left it stays silent.
        rate: Of the audio it hears.
        out_rate: Of its replies; as `rate` if not given.
        silence_s: Silence that ends the user's turn.
        threshold: A sample is audible if its magnitude is greater.
        turns: `MANUAL` answers at `end_turn` instead of after silence.
        interruptible: The user's speech cuts a reply that was not heard to its end. A reply of which
            nothing was sent goes back to the script.
        reaction_s: From the user's first audible sample to that cut.
        address: Its name.
        refuses: Raised by `open`.
    """

    def __init__(
        self,
        replies: Iterable[FakeReply] = (),
        *,
        rate: int = 24000,
        out_rate: int | None = None,
        silence_s: float = 0.5,
        threshold: int = 500,
        turns: TurnMode = TurnMode.SERVER_VAD,
        interruptible: bool = True,
        reaction_s: float = 0.0,
        address: str = "fake://",
        refuses: EndpointError | None = None,
    ) -> None:
        script = list(replies)
        self._script = deque(each for each in script if each.at_s is None)
        self._unasked = [each for each in script if each.at_s is not None]
        self._in, self._out = rate, out_rate or rate
        self._silence = round(silence_s * rate)
        self._threshold = threshold
        self._manual = turns is TurnMode.MANUAL
        self._interruptible = interruptible
        self._reaction_s = reaction_s
        self._address = address
        self._refuses = refuses
        self._events: asyncio.Queue[EndpointEvent] = asyncio.Queue()
        self._origin: float | None = None
        self._position = self._last = self._turns = self._count = 0
        self._speaking = self._closed = False
        self._playing: list[Playing] = []
        self._previous: str | None = None
        self.reports: list[Played] = []
        """Everything that `played` was told."""
        self.commands: list[tuple[str, ...]] = []
        """Every other command with its arguments, as `("text", "hello")`."""

    @property
    def address(self) -> str:
        """Its name."""
        return self._address

    @property
    def capabilities(self) -> Capabilities:
        """Everything that a fake can show."""
        return Capabilities(
            protocol="fake",
            input=AudioFormat(self._in),
            output=AudioFormat(self._out),
            turn_modes=frozenset({TurnMode.SERVER_VAD, TurnMode.MANUAL}),
            playback_report=PlaybackReport.TRUNCATE,
            endpoint_text=True,
            user_text=True,
            speech_events=not self._manual,
            response_bounds=True,
            flush=True,
            tools=True,
            tool_setup=True,
            dtmf=True,
            text_input=True,
        )

    def offer(self, tools: Sequence[Tool]) -> None:
        """Recorded."""
        self.commands += [("offer", tool.name) for tool in tools]

    async def open(self) -> Ready:
        """Ready at once, or `refuses`."""
        if self._refuses is not None:
            raise self._refuses
        return Ready(at=now(), session="fake")

    async def events(self) -> AsyncIterator[EndpointEvent]:
        """What it sends, up to the one `Closed`."""
        while True:
            event = await self._events.get()
            yield event
            if isinstance(event, Closed):
                return

    def emit(self, *events: EndpointEvent) -> None:
        """Send events now, stamped anew; nothing goes out after `Closed`."""
        for event in events:
            if not self._closed:
                self._closed = isinstance(event, Closed)
                self._events.put_nowait(dataclasses.replace(event, at=now()))

    def hang_up(self, code: int = 1011, reason: str = "the fake hangs up") -> None:
        """End the connection from the endpoint's side."""
        self._close(Closed(at=0, by=Party.ENDPOINT, code=code, reason=reason))

    def _close(self, closed: Closed) -> None:
        for each in self._playing:
            each.stop()
        self.emit(closed)

    async def send(self, frame: Frame) -> None:
        """Hear a frame of any length."""
        if self._closed:
            return
        if self._origin is None:
            self._origin = now() - FRAME_S
            for reply in self._unasked:
                self._schedule(reply, self._origin + (reply.at_s or 0.0))
        start, self._position = self._position, self._position + frame.samples
        if not frame.silent and (loud := self._audible(frame.pcm)).size:
            if not self._speaking:
                self._user_starts(start + int(loud[0]))
            self._last = start + int(loud[-1]) + 1
        if self._speaking and not self._manual and self._position - self._last >= self._silence:
            self._user_stops()

    def _audible(self, pcm: bytes) -> np.typing.NDArray[np.intp]:
        return np.flatnonzero(np.abs(to_pcm(pcm).astype(np.int32)) > self._threshold)

    def _time(self, sample: int) -> float:
        assert self._origin is not None  # nothing is heard before the first frame
        return self._origin + sample / self._in

    def _user_starts(self, sample: int) -> None:
        self._speaking = True
        self._turns += 1
        if self._manual:
            return
        at_ms = sample * 1000 / self._in
        self.emit(UserSpeech(at=0, edge=Edge.START, server_ms=at_ms, item=f"user-{self._turns}"))
        if self._interruptible:
            start = self._time(sample)
            unheard = [each for each in self._playing if each.end > start]
            asyncio.get_running_loop().call_at(start + self._reaction_s, self._interrupt, unheard)

    def _user_stops(self) -> None:
        self._speaking = False
        item = f"user-{self._turns}"
        if not self._manual:
            at_ms = self._last * 1000 / self._in
            self.emit(UserSpeech(at=0, edge=Edge.STOP, server_ms=at_ms, item=item))
        self.emit(UserItemPlaced(at=0, item=item, previous=self._previous))
        self._previous = item
        if self._script:
            reply = self._script.popleft()
            if reply.user_text:
                self.emit(UserTextReceived(at=0, text=reply.user_text, mode=TextMode.FINAL, item=item))
            self._schedule(reply, self._time(self._last) + reply.delay_s)

    def _schedule(self, reply: FakeReply, first_audible: float) -> None:
        self._count += 1
        audio = reply.audio(self._out)
        loud = self._audible(audio)
        begin = max(first_audible - (loud[0] / self._out if loud.size else 0.0), now())
        playing = Playing(
            reply=reply,
            response=reply.response or f"resp-{self._count}",
            item=reply.item or f"reply-{self._count}",
            begin=begin,
            end=math.inf if reply.endless else begin + len(audio) / 2 / self._out,
            chunks=reply.chunks(self._out),
        )
        self._playing.append(playing)
        playing.at(begin, self._begin)
        if reply.hang_up_s is not None:
            playing.at(begin + reply.hang_up_s, lambda _: self.hang_up())

    def _begin(self, playing: Playing) -> None:
        playing.begun = True
        self._previous = playing.item
        self.emit(ResponseStarted(at=0, response=playing.response), *playing.reply.before)
        if playing.reply.text:
            text, item, response = playing.reply.text, playing.item, playing.response
            self.emit(TextReceived(at=0, text=text, mode=TextMode.FINAL, item=item, response=response))
        self._step(playing)

    def _step(self, playing: Playing) -> None:
        """Send the next chunk; the step after it is when its successor is due."""
        if self._send_chunk(playing):
            playing.at(playing.begin + playing.reply.delivery.pace * playing.sent / self._out, self._step)
            return
        self.emit(ItemEnded(at=0, item=playing.item, response=playing.response))
        self._end(playing, ResponseStatus.COMPLETED, "")
        self.emit(*playing.reply.after)

    def _send_chunk(self, playing: Playing) -> bool:
        chunk = next(playing.chunks, b"")
        if chunk:
            playing.sent += len(chunk) // 2
            self.emit(AudioReceived(at=0, pcm=chunk, item=playing.item, response=playing.response))
        return bool(chunk)

    def _end(self, playing: Playing, status: ResponseStatus, reason: str) -> None:
        playing.ended = True
        self.emit(ResponseEnded(at=0, response=playing.response, status=status, reason=reason))

    def _interrupt(self, unheard: list[Playing]) -> None:
        for each in unheard:
            if each not in self._playing:
                continue  # cancelled meanwhile
            if each.begun:
                self.emit(Flush(at=0, responses=(each.response,)))
            elif each.reply.at_s is None:
                self._script.appendleft(each.reply)
            self._cut(each, "turn_detected")

    def _cut(self, playing: Playing, reason: str) -> None:
        playing.stop()
        self._playing.remove(playing)
        if playing.begun and not playing.ended:
            for _ in range(playing.reply.late_chunks):
                self._send_chunk(playing)
            self._end(playing, ResponseStatus.CANCELLED, reason)

    async def begin_turn(self) -> None:
        """Recorded."""
        self.commands.append(("begin_turn",))

    async def end_turn(self) -> None:
        """Answers, if turns are manual."""
        self.commands.append(("end_turn",))
        if self._manual and self._speaking:
            self._user_stops()

    async def played(self, report: Played) -> None:
        """Recorded in `reports`."""
        self.reports.append(report)

    async def cancel(self) -> None:
        """Stops what it is sending or was about to send."""
        self.commands.append(("cancel",))
        for playing in [each for each in self._playing if not each.ended]:
            self._cut(playing, "client_cancelled")

    async def tool_result(self, call: str, output: str, *, error: bool = False) -> None:
        """Recorded."""
        self.commands.append(("tool_result", call, output, *(["error"] if error else [])))

    async def text(self, text: str) -> None:
        """Recorded."""
        self.commands.append(("text", text))

    async def dtmf(self, digit: str) -> None:
        """Recorded."""
        self.commands.append(("dtmf", digit))

    async def close(self, reason: str = "") -> None:
        """Our side hangs up."""
        if not self._closed:
            self.commands.append(("close", reason))
        self._close(Closed(at=0, by=Party.US, code=1000, reason=reason))
