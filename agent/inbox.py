"""What arrives from the endpoint: audio to the speaker, words to the book, everything to the record."""

from __future__ import annotations

import asyncio
import contextlib
import math

from agent.call import Call, End
from agent.tools import ToolBench
from recordings import format as record
from recordings.format import Outcome
from streams.endpoints import events as wire
from streams.endpoints.errors import RateLimited
from streams.endpoints.events import NoticeLevel, Party
from user_sim.ear import TurnEnd
from user_sim.hearing import Hearing

ENDING_MARGIN_S = 0.3
"""We hang up this long before an announced end, so that the recording ends by our hand."""

LIMIT_MARGIN_S = 5.0
"""We hang up this long before the endpoint's own limit: its clock has run since the connection was made."""

LONGEST_PARTING_S = 1.0
"""An endpoint that we have hung up on says `Closed` before this, after all that it sent before."""

_NORMAL_CLOSURES = frozenset({None, 1000, 1001, 1005})


class Inbox:
    """Takes the endpoint's events as they arrive."""

    def __init__(self, call: Call, hearing: Hearing, tools: ToolBench) -> None:
        self._call = call
        self._hearing = hearing
        self._tools = tools
        self._received = 0
        self._fatal: wire.Notice | None = None
        self._limit: str | None = None
        self.must_end_at: float | None = None
        """Session time at which the endpoint said it will end the call, less a margin."""
        limit = call.endpoint.capabilities.max_session_s
        self.limit_at = math.inf if limit is None else max(limit - LIMIT_MARGIN_S, limit / 2)
        """Session time before which the endpoint's own limit of sessions is not reached."""

    async def run(self) -> None:
        """Take events until the endpoint has closed.

        Raises:
            RateLimited: The endpoint refuses to answer: the call would go on in silence.
        """
        async for event in self._call.endpoint.events():
            await self._take(event)

    async def settle(self, t: float) -> None:
        """Take from the answer to our goodbye what the session has cost; the rest is nobody's any more.

        Args:
            t: End of the session, at which it is recorded.
        """
        if not self._call.connected:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_PARTING_S):
                async for event in self._call.endpoint.events():
                    if isinstance(event, wire.Usage):
                        self._usage(t, event)

    async def _take(self, event: wire.EndpointEvent) -> None:
        t = self._call.t(event.at)
        match event:
            case wire.AudioReceived():
                self._audio(t, event)
            case wire.Flush():
                if await self._call.cut(t, event.responses):
                    self._hearing.interrupt(t, TurnEnd.CUT)
            case wire.ItemEnded():
                self._call.speaker.end_item(event.item)
            case wire.ResponseEnded():
                self._call.speaker.end_response(event.response)
                self._log_response_end(t, event)
            case wire.Ending():
                self._ending(t, event)
            case wire.Resumed():
                self._resumed(t, event)
            case wire.Closed():
                self._closed(t, event)
            case wire.Mark(name=name):
                self._call.speaker.mark(name)
                await self._call.reach_marks()
            case wire.Notice():
                self._notice(t, event)
            case wire.TextReceived() | wire.UserTextReceived() | wire.UserItemPlaced() | wire.UserSpeech():
                self._words(t, event)
            case _:
                self._other(t, event)

    def _audio(self, t: float, event: wire.AudioReceived) -> None:
        call = self._call
        placed = call.speaker.play(event.pcm, at=t, item=event.item, response=event.response)
        call.book.piece(event.item, placed.start)
        piece = record.ReceivedPiece(
            t=t,
            item=event.item,
            response=event.response,
            offset=self._received,
            samples=placed.samples,
            start=placed.start,
            raw=event.raw,
        )
        self._received += placed.samples
        call.recorder.received(piece, event.pcm)

    def _words(
        self,
        t: float,
        event: wire.TextReceived | wire.UserTextReceived | wire.UserItemPlaced | wire.UserSpeech,
    ) -> None:
        call = self._call
        match event:
            case wire.TextReceived(text=text, mode=mode, item=item, response=response):
                call.book.endpoint_text(item, text, mode)
                call.log(record.EndpointText(t=t, text=text, mode=mode, item=item, response=response))
            case wire.UserTextReceived(text=text, mode=mode, item=item, failed=failed):
                call.book.user_text(item, text, mode, failed=failed)
                call.log(record.EndpointUserText(t=t, text=text, mode=mode, item=item, failed=failed))
            case wire.UserItemPlaced(item=item, previous=previous):
                call.book.user_item(item)
                call.log(record.EndpointUserItem(t=t, item=item, previous=previous))
            case wire.UserSpeech(edge=edge, server_ms=server_ms, item=item):
                if item:
                    call.book.user_item(item, begins=edge is wire.Edge.START)
                call.log(record.EndpointUserSpeech(t=t, edge=edge.value, server_ms=server_ms, item=item))

    def _log_response_end(self, t: float, event: wire.ResponseEnded) -> None:
        self._call.log(
            record.ResponseFinished(t=t, response=event.response, status=event.status, reason=event.reason)
        )

    def _other(self, t: float, event: wire.EndpointEvent) -> None:
        call = self._call
        match event:
            case wire.ResponseStarted(response=response):
                call.log(record.ResponseBegan(t=t, response=response))
            case wire.ToolCalled(call=tool, name=name, arguments=arguments, cancelled=cancelled):
                call.log(
                    record.ToolCall(t=t, call=tool, name=name, arguments=arguments, cancelled=cancelled)
                )
                self._tools.called(event)
            case wire.Usage():
                self._usage(t, event)
            case wire.Unknown(type=kind):
                call.log(record.UnknownMessage(t=t, type=kind))
            case _:
                pass  # Ready is taken by open(); nothing else is left

    def _notice(self, t: float, event: wire.Notice) -> None:
        if event.fatal:
            self._fatal = event
        level, code, message = event.level, event.code, event.message
        self._call.log(record.Noticed(t=t, level=level, code=code, message=message, reset_s=event.reset_s))
        if event.fatal and level is NoticeLevel.RATE_LIMIT:
            address = self._call.endpoint.address
            limited = RateLimited(address, f"{code}: {message}", "Wait, or raise the limit.")
            limited.retry_after_s = event.reset_s
            raise limited

    def _usage(self, t: float, event: wire.Usage) -> None:
        self._call.log(
            record.UsageReported(
                t=t,
                unit=event.unit,
                values=event.values,
                cumulative=event.cumulative,
                response=event.response,
                model=event.model,
            )
        )

    def _ending(self, t: float, event: wire.Ending) -> None:
        self._limit = event.reason or "the endpoint announced the end of the session"
        self._call.log(
            record.EndAnnounced(
                t=t, time_left_s=event.time_left_s, reason=event.reason, resumable=event.resumable
            )
        )
        left = max(0.0, (event.time_left_s or 0.0) - ENDING_MARGIN_S)
        if event.time_left_s is not None and not event.resumable:
            self.must_end_at = t + left

    def _resumed(self, t: float, event: wire.Resumed) -> None:
        """The connection that was to end has been left; nothing ends the session any more."""
        self._limit = self.must_end_at = None
        self._call.log(record.SessionResumed(t=t, gap_s=event.gap_s, held=event.held))

    @property
    def limit_reason(self) -> str:
        """Why the endpoint ends the session."""
        return self._limit or ""

    def _closed(self, t: float, event: wire.Closed) -> None:
        call = self._call
        call.connected = False
        if event.by is Party.US:
            return
        detail = f"close code {event.code}" if event.code is not None else "no close code"
        if event.reason:
            detail += f", {event.reason!r}"
        if self._limit is not None:
            outcome, reason = Outcome.SESSION_LIMIT, f"{self._limit} ({detail})"
        elif self._fatal is not None:
            reason = f"{self._fatal.code}: {self._fatal.message} ({detail})"
            outcome = Outcome.ENDPOINT_ERROR
        elif event.code in _NORMAL_CLOSURES:
            outcome = Outcome.ENDPOINT_HUNG_UP
            reason = f"the endpoint closed the connection ({detail})"
        else:
            outcome, reason = Outcome.ENDPOINT_ERROR, f"the connection broke ({detail})"
        call.closing = End(outcome, reason, "endpoint")
        call.log(record.Noticed(t=t, level="info", code="closed", message=reason))
