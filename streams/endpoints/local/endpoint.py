"""A model in this process, or a program beside it, as an `Endpoint`: hears turns, and answers them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing

from streams.audio import AudioFormat, Frame, Samples, to_float
from streams.clock import now
from streams.endpoints.errors import ConnectFailed
from streams.endpoints.events import (
    AudioReceived,
    Closed,
    Edge,
    EndpointEvent,
    Flush,
    ItemEnded,
    Notice,
    NoticeLevel,
    Party,
    Ready,
    ResponseEnded,
    ResponseStarted,
    ResponseStatus,
    TextMode,
    TextReceived,
    UserSpeech,
)
from streams.endpoints.local.model import Model, ModelFailed
from streams.endpoints.local.turns import Began, Ended, TurnFinder
from streams.endpoints.protocol import Capabilities, Pace, PlaybackReport, PlaybackState, Played, Tool
from streams.resample import StreamResampler

_CLOSING_S = 2.0
"""So long the model may take to be closed; a thread cannot be stopped."""


class LocalEndpoint:
    """See `Endpoint` for the methods.

    Args:
        model: Answers.
        protocol: `python` or `command`.
        address: How it was named.
        input_rate: Samples per second of what the model hears.
        output_rate: Samples per second of what the endpoint sends.
        turns: Finds the user's turns.
        interrupts: The user's voice stops a reply.
    """

    def __init__(
        self,
        model: Model,
        *,
        protocol: str,
        address: str,
        input_rate: int,
        output_rate: int,
        turns: TurnFinder,
        interrupts: bool = True,
    ) -> None:
        self._model = model
        self._address = address
        self._turns = turns
        self._interrupts = interrupts
        self._capabilities = Capabilities(
            protocol=protocol,
            input=AudioFormat(input_rate),
            output=AudioFormat(output_rate),
            pace=Pace.BURST,
            playback_report=PlaybackReport.ACKNOWLEDGE,
            endpoint_text=True,
            speech_events=True,
            response_bounds=True,
            flush=interrupts,
        )
        self._events: asyncio.Queue[EndpointEvent] = asyncio.Queue()
        self._waiting: asyncio.Queue[Samples] = asyncio.Queue()
        self._worker: asyncio.Task[None] | None = None
        self._reply: asyncio.Task[None] | None = None
        self._count = 0
        self._heard_out = True
        self._closed = False

    @property
    def address(self) -> str:
        """How the endpoint was named."""
        return self._address

    @property
    def capabilities(self) -> Capabilities:
        """Fixed from the beginning."""
        return self._capabilities

    def offer(self, tools: Sequence[Tool]) -> None:
        """Own code has its own tools."""

    async def open(self) -> Ready:
        """Start the model.

        Raises:
            ConnectFailed: It failed.
        """
        try:
            await self._model.start()
        except ModelFailed as error:
            await self._model.close()
            raise ConnectFailed(self._address, f"the endpoint cannot start: {error}") from error
        self._worker = asyncio.create_task(self._work())
        return Ready(at=now(), model=self._address)

    async def events(self) -> AsyncIterator[EndpointEvent]:
        """What it sends, up to the one `Closed`."""
        while True:
            event = await self._events.get()
            yield event
            if isinstance(event, Closed):
                return

    def _emit(self, event: EndpointEvent) -> None:
        if not self._closed:
            self._closed = isinstance(event, Closed)
            self._events.put_nowait(event)

    def _fail(self, error: ModelFailed) -> None:
        code = self._capabilities.protocol
        self._emit(Notice(at=now(), level=NoticeLevel.ERROR, code=code, message=str(error), fatal=True))
        self._emit(Closed(at=now(), by=Party.ENDPOINT, code=1011, reason="the model failed"))

    # --- hearing

    async def send(self, frame: Frame) -> None:
        """One frame of user audio."""
        if self._closed:
            return
        samples = to_float(frame.pcm)
        found = self._turns.push(samples)
        try:
            own = self._model.hear(samples)
        except ModelFailed as error:
            self._fail(error)
            return
        if isinstance(found, Began):
            self._emit(UserSpeech(at=now(), edge=Edge.START))
            self._interrupt()
        if own is True and not isinstance(found, Ended):
            found = self._turns.end()
        if isinstance(found, Ended):
            self._emit(UserSpeech(at=now(), edge=Edge.STOP))
            self._waiting.put_nowait(found.audio)

    def _interrupt(self) -> None:
        if not self._interrupts or self._heard_out:
            return
        self._emit(Flush(at=now(), responses=(self._name,)))
        self._heard_out = True
        if self._reply is not None:
            self._reply.cancel()

    # --- answering

    @property
    def _name(self) -> str:
        return f"reply-{self._count}"

    async def _work(self) -> None:
        while not self._closed:
            audio = await self._waiting.get()
            self._count += 1
            self._heard_out = False
            self._emit(ResponseStarted(at=now(), response=self._name))
            self._reply = asyncio.create_task(self._answer(audio))
            status, reason = ResponseStatus.COMPLETED, ""
            await asyncio.wait([self._reply])
            if self._reply.cancelled():
                status, reason = ResponseStatus.CANCELLED, "the user began to talk"
            elif (error := self._reply.exception()) is not None:
                if not isinstance(error, ModelFailed):
                    raise error
                status, reason = ResponseStatus.FAILED, str(error)
            self._reply = None
            self._emit(ResponseEnded(at=now(), response=self._name, status=status, reason=reason))
            if isinstance(status, ResponseStatus) and status is ResponseStatus.FAILED:
                self._fail(ModelFailed(reason))

    async def _answer(self, audio: Samples) -> None:
        rate, resamplers = self._capabilities.output.rate, dict[int, StreamResampler]()
        sounded = False
        async with aclosing(self._model.reply(audio)) as pieces:
            async for piece in pieces:
                if piece.text:
                    self._emit(
                        TextReceived(
                            at=now(),
                            text=piece.text if not sounded else f" {piece.text}",
                            mode=TextMode.DELTA,
                            item=self._name,
                            response=self._name,
                        )
                    )
                pcm = piece.pcm
                if piece.rate not in (0, rate) and pcm:
                    resampler = resamplers.setdefault(piece.rate, StreamResampler(piece.rate, rate))
                    pcm = resampler.push(pcm)
                sounded |= self._sound(pcm) or bool(piece.text)
        for resampler in resamplers.values():
            self._sound(resampler.flush())
        self._emit(ItemEnded(at=now(), item=self._name, response=self._name))

    def _sound(self, pcm: bytes) -> bool:
        if pcm:
            self._emit(AudioReceived(at=now(), pcm=pcm, item=self._name, response=self._name))
        return bool(pcm)

    # --- commands

    async def played(self, report: Played) -> None:
        """A reply that was heard to its end can't be interrupted."""
        if report.item == self._name and report.state is not PlaybackState.PROGRESS:
            self._heard_out = self._reply is None

    async def cancel(self) -> None:
        """Stop the reply that is being made."""
        if self._reply is not None:
            self._reply.cancel()

    async def begin_turn(self) -> None:
        """Without effect: there is no push to talk."""

    async def end_turn(self) -> None:
        """Without effect."""

    async def tool_result(self, call: str, output: str, *, error: bool = False) -> None:
        """Without effect."""

    async def text(self, text: str) -> None:
        """Without effect."""

    async def dtmf(self, digit: str) -> None:
        """Without effect."""

    async def close(self, reason: str = "") -> None:
        """Hang up; safe to call twice."""
        self._emit(Closed(at=now(), by=Party.US, reason=reason))
        for task in (self._reply, self._worker):
            if task is not None:
                task.cancel()
        if self._worker is not None:
            self._worker = None
            closing = asyncio.create_task(self._model.close())
            await asyncio.wait([closing], timeout=_CLOSING_S)
