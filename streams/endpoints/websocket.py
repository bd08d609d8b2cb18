"""The socket shell around a `Codec`: connects, stamps, queues, sends, closes. No protocol knowledge.

A task of its own receives: it stamps each message before anything else and queues the events, so a
consumer that is slow changes no arrival time. Sending never waits for the network either, and does
nothing once the connection is gone: the `Closed` event tells.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Literal, cast

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.protocol import State
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from streams.audio import Frame
from streams.clock import now
from streams.endpoints.arrivals import StampedConnection
from streams.endpoints.errors import ConnectFailed, EndpointError, HandshakeTimeout
from streams.endpoints.events import Closed, EndpointEvent, Notice, NoticeLevel, Party, Ready
from streams.endpoints.failures import Failures, is_loopback
from streams.endpoints.protocol import Capabilities, Codec, Message, Played
from streams.endpoints.secrets import find_secrets, redact, redact_url

Direction = Literal["received", "sent"]
RawLog = Callable[[float, Direction, Message], None]
"""Called with the loop's time, the direction and the message, before parsing or sending. Received
messages come in the order of the events' `raw` numbers; secrets in them are masked."""

_WRITE_LIMIT = 1 << 26
"""Bytes that may wait for a slow network before `send` would: minutes of audio."""

_CLOSE_TIMEOUT_S = 3.0
_LONGEST_REASON = 123
"""Bytes of a reason in a close frame (RFC 6455, section 5.5)."""

_wire_log = logging.getLogger("streams.endpoints.wire")
_wire_log.setLevel(logging.INFO)  # at DEBUG the library would log the request with its keys


class _Connect(connect):
    """Follows no redirects: the keys in our headers are for the host that was named."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


class WebsocketEndpoint:
    """An endpoint behind a websocket; see `Endpoint` for the methods.

    `Ready` is what `open` returns and is not repeated by `events`. An event's `raw` is the ordinal
    number of the received message. Keepalive pings go out, but a pong that is late closes nothing.
    Proxies of the environment are used, except for loopback.

    Args:
        codec: The protocol's logic.
        url: `ws://` or `wss://` address.
        address: How the user named the endpoint.
        headers: Sent with the handshake.
        subprotocols: Offered in the handshake.
        handshake_timeout_s: Longest time from `open` to `Ready`.
        raw_log: Sees every message.
        key_env: Environment variable that holds the key, for the remedy in errors.
    """

    def __init__(
        self,
        codec: Codec,
        url: str,
        *,
        address: str,
        headers: Mapping[str, str] | None = None,
        subprotocols: Sequence[str] = (),
        handshake_timeout_s: float = 15.0,
        raw_log: RawLog | None = None,
        key_env: str = "",
    ) -> None:
        self._codec = codec
        self.url = url
        """Where the socket goes; may hold a key."""
        self.headers: Mapping[str, str] = dict(headers or {})
        """Sent with the handshake; may hold a key."""
        self._address = redact_url(address)
        self._subprotocols = [Subprotocol(each) for each in subprotocols]
        self._timeout_s = handshake_timeout_s
        self._raw_log = raw_log
        self._secrets = find_secrets(url, self.headers, subprotocols)
        self._failures = Failures(self._address, redact_url(url), key_env, self._secrets)
        self._socket: ClientConnection | None = None
        self._receiver: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Ready] | None = None
        self._events: asyncio.Queue[EndpointEvent] = asyncio.Queue()
        self._received = 0
        self._hung_up: str | None = None

    def __repr__(self) -> str:
        return f"<WebsocketEndpoint {self._address}>"

    @property
    def address(self) -> str:
        """How the endpoint was named, keys masked."""
        return self._address

    @property
    def capabilities(self) -> Capabilities:
        """The codec's; settled after `open`."""
        return self._codec.capabilities

    async def open(self) -> Ready:
        """Connect, send the codec's opening, wait until the session is ready.

        Raises:
            ConnectFailed: No connection, or the endpoint answered the set-up with an error.
            AuthenticationFailed: The key was refused.
            HandshakeTimeout: Connected, but not ready in time.
            EndpointClosed: The connection ended before the session was ready.
        """
        self._ready = asyncio.get_running_loop().create_future()
        opened = False
        try:
            ready = await self._open_in_time(self._ready)
            opened = True
            return ready
        finally:
            if not opened:
                self._abort()

    async def _open_in_time(self, ready: asyncio.Future[Ready]) -> Ready:
        try:
            async with asyncio.timeout(self._timeout_s):
                failure = await self._connect()
                if failure is not None:
                    raise failure
                await self._transmit(self._codec.opening())
                return await ready
        except TimeoutError:
            pass
        limit = f"{self._timeout_s:g} s"
        if self._socket is None:
            raise ConnectFailed(self._address, f"no connection within {limit}", "Check host and network.")
        raise HandshakeTimeout(
            self._address,
            f"connected, but the session was not ready within {limit}",
            "Check that the address speaks this protocol, and that its model is loaded.",
        )

    async def _connect(self) -> EndpointError | None:
        """Open the socket; what went wrong is returned, so that no cause with a key is chained to it."""
        try:
            loopback = is_loopback(parse_uri(self.url).host)
            socket = self._socket = await _Connect(
                self.url,
                additional_headers=self.headers,
                subprotocols=self._subprotocols or None,
                compression=None,
                proxy=None if loopback else True,
                open_timeout=None,
                ping_timeout=None,
                close_timeout=_CLOSE_TIMEOUT_S,
                max_size=None,
                write_limit=_WRITE_LIMIT,
                logger=_wire_log,
                create_connection=StampedConnection,
            )
        except (OSError, EOFError, ValueError, ImportError, WebSocketException) as exc:
            if isinstance(exc, TimeoutError):
                raise
            return self._failures.of_connecting(exc)
        self._receiver = asyncio.create_task(self._receive(cast(StampedConnection, socket)))
        return None

    async def _receive(self, socket: StampedConnection) -> None:
        if self.capabilities.ready_on_connect:
            self._deliver(Ready(at=now()))
        try:
            while True:
                message = await socket.recv()
                self._take(message, at=socket.arrivals.popleft())
                await self._transmit(self._codec.replies())
        except ConnectionClosed:
            pass
        finally:
            self._deliver(self._closed(socket))

    def _take(self, message: Message, *, at: float) -> None:
        message = self._clean(message)
        if self._raw_log is not None:
            self._raw_log(at, "received", message)
        raw, self._received = self._received, self._received + 1
        for event in self._codec.receive(message, at=at, raw=raw):
            self._deliver(event)

    def _deliver(self, event: EndpointEvent) -> None:
        ready = self._ready
        if ready is not None and not ready.done():
            if isinstance(event, Ready):
                ready.set_result(event)
                return
            if isinstance(event, Closed):
                ready.set_exception(self._failures.of_closing(event))
            elif isinstance(event, Notice) and event.level is NoticeLevel.ERROR:
                ready.set_exception(self._failures.of_setup(event))
        self._events.put_nowait(event)

    def _closed(self, socket: ClientConnection) -> Closed:
        if self._hung_up is not None:
            return Closed(at=now(), by=Party.US, code=socket.close_code, reason=self._hung_up)
        reason = redact(socket.close_reason or "", self._secrets)
        return Closed(at=now(), by=Party.ENDPOINT, code=socket.close_code, reason=reason)

    async def events(self) -> AsyncIterator[EndpointEvent]:
        """What arrived since `open` was called, up to the one `Closed`."""
        while True:
            event = await self._events.get()
            if isinstance(event, Closed) and self._receiver is not None and not self._receiver.cancelled():
                await self._receiver  # it is done; a fault of our own surfaces here
            yield event
            if isinstance(event, Closed):
                return

    def _clean(self, message: Message) -> Message:
        # endpoints echo keys in error messages; they must not get into logs or recordings
        if isinstance(message, str) and self._secrets:
            return redact(message, self._secrets)
        return message

    async def _transmit(self, messages: Iterable[Message]) -> None:
        socket = self._socket
        for message in messages:
            if socket is None or socket.state is not State.OPEN:
                return
            if self._raw_log is not None:
                self._raw_log(now(), "sent", self._clean(message))
            try:
                await socket.send(message)
            except ConnectionClosed:
                return

    async def send(self, frame: Frame) -> None:
        """One frame of user audio."""
        await self._transmit(self._codec.audio(frame))

    async def begin_turn(self) -> None:
        """Manual turn mode: the user starts to talk."""
        await self._transmit(self._codec.begin_turn())

    async def end_turn(self) -> None:
        """Manual turn mode: the user has finished."""
        await self._transmit(self._codec.end_turn())

    async def played(self, report: Played) -> None:
        """What was heard."""
        await self._transmit(self._codec.played(report))

    async def cancel(self) -> None:
        """Ask the endpoint to stop its reply."""
        await self._transmit(self._codec.cancel())

    async def tool_result(self, call: str, output: str, *, error: bool = False) -> None:
        """Answer a tool call."""
        await self._transmit(self._codec.tool_result(call, output, error=error))

    async def text(self, text: str) -> None:
        """Say something as text."""
        await self._transmit(self._codec.text(text))

    async def dtmf(self, digit: str) -> None:
        """Press a telephone key."""
        await self._transmit(self._codec.dtmf(digit))

    async def close(self, reason: str = "") -> None:
        """The protocol's goodbye, then the closing handshake."""
        if self._socket is None or self._receiver is None:
            return
        if self._hung_up is None and self._socket.state is State.OPEN:
            await self._transmit(self._codec.closing(reason))
            self._hung_up = reason
        short = reason.encode()[:_LONGEST_REASON].decode(errors="ignore")
        await self._socket.close(reason=short)
        await asyncio.wait([self._receiver])

    def _abort(self) -> None:
        """Drop a connection whose set-up failed."""
        self._hung_up = "" if self._hung_up is None else self._hung_up
        if self._receiver is not None:
            self._receiver.cancel()
        if self._socket is not None:
            self._socket.transport.abort()
