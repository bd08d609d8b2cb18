"""The reference endpoint without a socket: the client's codec and the server's, joined by two queues.

It works in simulated time, and what it says went over the same messages as with a socket.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from urllib.parse import urlsplit

from streams.audio import Frame
from streams.clock import now
from streams.endpoints.errors import AddressInvalid, ConnectFailed, EndpointClosed
from streams.endpoints.events import Closed, EndpointEvent, Party, Ready
from streams.endpoints.openai_realtime.codec import RealtimeCodec
from streams.endpoints.openai_realtime.dialects import DIALECTS, RealtimeOptions
from streams.endpoints.protocol import Capabilities, Message, Pace, Played, Tool, TurnMode
from streams.language.errors import LanguageError
from streams.reference.config import Config, ConfigError
from streams.reference.delivery import DeliveryPace
from streams.reference.engines import Engines, cast
from streams.reference.metronome import Planted
from streams.reference.session import LineClosed, hold
from streams.reference.settings import initial
from streams.reference.wire import ServerCodec
from streams.speech.interfaces import SpeechError

_PACES = {
    DeliveryPace.BURST: Pace.BURST,
    DeliveryPace.REALTIME: Pace.REALTIME,
    DeliveryPace.RAGGED: Pace.UNKNOWN,
}


class _QueueLine:
    """Two queues as a `Line`; None from the client is its goodbye."""

    def __init__(self) -> None:
        self.to_server: asyncio.Queue[Message | None] = asyncio.Queue()
        self.to_client: asyncio.Queue[str | None] = asyncio.Queue()

    async def receive(self) -> Message:
        message = await self.to_server.get()
        if message is None:
            raise LineClosed
        return message

    async def send(self, message: str) -> None:
        self.to_client.put_nowait(message)


class ReferenceEndpoint:
    """Our own endpoint, in process; see `Endpoint` for the methods.

    Args:
        config: How it behaves.
        options: What the client asks for: formats, turn mode, transcripts.
        address: How it was named.
        engines: Models to use instead of those that the configuration names.
        journal: Takes what a metronome plants.
    """

    def __init__(
        self,
        config: Config | None = None,
        *,
        options: RealtimeOptions | None = None,
        address: str = "reference://",
        engines: Engines | None = None,
        journal: Callable[[Planted], None] | None = None,
    ) -> None:
        self._config = config or Config()
        dialect = DIALECTS["openai"].model_copy(
            update={
                "name": "reference",
                "pace": _PACES[self._config.pace],
                "turn_modes": frozenset({TurnMode.SERVER_VAD, TurnMode.MANUAL}),
                "max_session_s": None,
            }
        )
        self._codec = RealtimeCodec(dialect, options)
        self._address = address
        self._engines = engines
        self._journal = journal
        self._line = _QueueLine()
        self._session: asyncio.Task[None] | None = None
        self._received = 0
        self._early: list[EndpointEvent] = []
        self._closed_by = Party.ENDPOINT
        self._reason = ""

    @property
    def address(self) -> str:
        """How the endpoint was named."""
        return self._address

    @property
    def capabilities(self) -> Capabilities:
        """The codec's; settled after `open`."""
        return self._codec.capabilities

    async def open(self) -> Ready:
        """Load the models, set up the session.

        Raises:
            ConnectFailed: A model is missing, or the session was refused.
            EndpointClosed: The session ended before it was ready.
        """
        try:
            players = await cast(self._config, self._engines, self._journal)
        except (SpeechError, LanguageError) as error:
            raise ConnectFailed(self._address, f"the endpoint cannot start: {error}") from error
        server = ServerCodec("sess_reference", "reference", initial(self._config.wait_s))
        self._session = asyncio.create_task(hold(self._line, players, server))
        self._session.add_done_callback(lambda _: self._line.to_client.put_nowait(None))
        self._transmit(self._codec.opening())
        while True:
            for event in await self._arrived():
                if isinstance(event, Ready):
                    return event
                self._early.append(event)
                if isinstance(event, Closed):
                    raise EndpointClosed(self._address, "the session ended before it was ready")

    async def events(self) -> AsyncIterator[EndpointEvent]:
        """What arrived, in order, up to the one `Closed`."""
        early, self._early = self._early, []
        for event in early:
            yield event
        while True:
            for event in await self._arrived():
                yield event
                if isinstance(event, Closed):
                    return

    async def _arrived(self) -> list[EndpointEvent]:
        message = await self._line.to_client.get()
        at = now()
        if message is None:
            assert self._session is not None  # only its end puts None
            await self._session  # a fault of our own surfaces here
            return [Closed(at=at, by=self._closed_by, reason=self._reason)]
        raw, self._received = self._received, self._received + 1
        events = list(self._codec.receive(message, at=at, raw=raw))
        self._transmit(self._codec.replies())
        return events

    def _transmit(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self._line.to_server.put_nowait(message)

    def offer(self, tools: Sequence[Tool]) -> None:
        """What it may call."""
        self._codec.offer(tools)

    async def send(self, frame: Frame) -> None:
        """One frame of user audio."""
        self._transmit(self._codec.audio(frame))

    async def begin_turn(self) -> None:
        """Manual turn mode: the user starts to talk."""
        self._transmit(self._codec.begin_turn())

    async def end_turn(self) -> None:
        """Manual turn mode: the user has finished."""
        self._transmit(self._codec.end_turn())

    async def played(self, report: Played) -> None:
        """What was heard; becomes a truncation."""
        self._transmit(self._codec.played(report))

    async def cancel(self) -> None:
        """Ask the endpoint to stop its reply."""
        self._transmit(self._codec.cancel())

    async def tool_result(self, call: str, output: str, *, error: bool = False) -> None:
        """The output of a tool, and a request to go on."""
        self._transmit(self._codec.tool_result(call, output, error=error))

    async def text(self, text: str) -> None:
        """Say something as text."""
        self._transmit(self._codec.text(text))

    async def dtmf(self, digit: str) -> None:
        """The protocol has no telephone keys."""
        self._transmit(self._codec.dtmf(digit))

    async def close(self, reason: str = "") -> None:
        """Hang up; safe to call twice."""
        if self._session is None or self._session.done():
            return
        self._closed_by, self._reason = Party.US, reason
        self._line.to_server.put_nowait(None)
        await asyncio.wait([self._session])


def reference_endpoint(
    address: str,
    *,
    options: RealtimeOptions | None = None,
    engines: Engines | None = None,
    journal: Callable[[Planted], None] | None = None,
) -> ReferenceEndpoint:
    """The endpoint that `reference://?mode=...&pace=...` names; see `Config` for the parameters.

    Raises:
        AddressInvalid: It is no such address, or has a parameter that is not known.
    """
    parts = urlsplit(address)
    if parts.scheme != "reference" or parts.netloc or parts.path.strip("/"):
        raise AddressInvalid(
            address, "this is no address of the reference endpoint", "Expected reference://?..."
        )
    try:
        # not `parts.query`: a language model's name stands behind a #
        config = Config.parse(address.partition("?")[2])
    except ConfigError as error:
        raise AddressInvalid(address, f"{error.parameter}: {error.found}", error.remedy) from error
    return ReferenceEndpoint(config, options=options, address=address, engines=engines, journal=journal)
