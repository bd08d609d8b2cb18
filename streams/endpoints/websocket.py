"""The socket shell around a `Codec`: connects, stamps, queues, sends, closes. No protocol knowledge.

A task of its own receives: it stamps each message before anything else and queues the events, so a
consumer that is slow changes no arrival time. Sending never waits for the network either, and does
nothing once the connection is gone: the `Closed` event tells. Where the codec knows how a session goes on
over another connection (`Codec.resume`), the shell moves there: docs/decisions/resumption.md.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.protocol import State

from streams.clock import now
from streams.endpoints.arrivals import StampedConnection
from streams.endpoints.commands import CodecCommands
from streams.endpoints.dial import dial
from streams.endpoints.errors import ConnectFailed, EndpointError, HandshakeTimeout
from streams.endpoints.events import Closed, EndpointEvent, Notice, NoticeLevel, Party, Ready, Resumed
from streams.endpoints.failures import Failures
from streams.endpoints.protocol import Capabilities, Codec, Message
from streams.endpoints.secrets import find_secrets, redact, redact_url
from streams.endpoints.tap import Direction, RawLog, Tap

__all__ = ["RESUME_TIMEOUT_S", "Direction", "RawLog", "WebsocketEndpoint"]

RESUME_TIMEOUT_S = 10.0
"""Longest time from leaving a connection to a session that goes on over the next."""

_GOODBYE_TIMEOUT_S = 3.0
"""Longest time that the endpoint's answer to a goodbye is waited for."""

_LONGEST_REASON = 123
"""Bytes of a reason in a close frame (RFC 6455, section 5.5)."""


class WebsocketEndpoint(CodecCommands):
    """An endpoint behind a websocket; see `Endpoint` for the methods.

    `Ready` is what `open` returns and is not repeated by `events`. An event's `raw` is the ordinal
    number of the received message.

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
        self._address = redact_url(address)
        self._timeout_s = handshake_timeout_s
        self._key_env = key_env
        self._tap = Tap((), raw_log)
        self._aim(url, headers or {}, subprotocols)
        self._socket: StampedConnection | None = None
        self._receiver: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Ready] | None = None
        self._events: asyncio.Queue[EndpointEvent] = asyncio.Queue()
        self._hung_up: str | None = None
        self._parted = asyncio.Event()
        self._held: deque[Message] | None = None
        """On the way from one connection to the next: what waits to be sent."""

    def _aim(
        self, url: str, headers: Mapping[str, str], subprotocols: Sequence[str], secrets: Sequence[str] = ()
    ) -> None:
        """Where the socket will go; `secrets` are strings beside those in it that must not be shown."""
        self.url = url
        """Where the socket goes; may hold a key."""
        self.headers: Mapping[str, str] = dict(headers)
        """Sent with the handshake; may hold a key."""
        self._subprotocols = tuple(subprotocols)
        found = {*find_secrets(url, self.headers, subprotocols), *secrets}
        self._secrets = tuple(sorted(found, key=len, reverse=True))
        self._tap = Tap(self._secrets, self._tap.log)
        self._failures = Failures(self._address, redact_url(url), self._key_env, self._secrets)

    def __repr__(self) -> str:
        return f"<WebsocketEndpoint {self._address}>"

    @property
    def address(self) -> str:
        """How the endpoint was named, keys masked."""
        return self._address

    @property
    def codec(self) -> Codec:
        """The protocol's logic."""
        return self._codec

    @property
    def capabilities(self) -> Capabilities:
        """The codec's; settled after `open`."""
        return self._codec.capabilities

    def log_raw(self, log: RawLog) -> None:
        """Let a log see every message from now on, in the place of the one that was given."""
        self._tap.log = log

    async def ping(self) -> float | None:
        """Seconds until the endpoint answers a websocket ping; None if the connection ends before."""
        if self._socket is None:
            return None
        began = now()
        try:
            await (await self._socket.ping())
        except ConnectionClosed:
            return None
        return now() - began

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
                assert self._socket is not None
                self._receiver = asyncio.create_task(self._receive(self._socket))
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
            self._socket = await dial(self.url, self.headers, self._subprotocols)
        except (OSError, EOFError, ValueError, ImportError, WebSocketException) as exc:
            if isinstance(exc, TimeoutError):
                raise
            return self._failures.of_connecting(exc)
        return None

    async def _receive(self, socket: StampedConnection) -> None:
        if self.capabilities.ready_on_connect:
            self._deliver(Ready(at=now()))
        try:
            while (opening := await self._listen(socket)) is not None:
                following = await self._move(socket, opening)
                if following is None:
                    break
                socket = following
        finally:
            self._deliver(self._closed(socket))

    async def _listen(self, socket: StampedConnection) -> Sequence[Message] | None:
        """Take what arrives until the session is over (None), or goes on over another connection."""
        try:
            while True:
                await self._take_next(socket)
                if self._hung_up is not None:
                    if self._codec.parted:
                        self._parted.set()
                elif (opening := self._codec.resume()) is not None:
                    return opening
        except ConnectionClosed:
            opened = self._ready is not None and self._ready.done() and self._hung_up is None
            return self._codec.resume(code=socket.close_code or 1006) if opened else None

    async def _move(
        self, socket: StampedConnection, opening: Sequence[Message]
    ) -> StampedConnection | None:
        """Leave a connection, and take the session up again over another; None if that fails."""
        self._held, left = deque(), now()
        lost = "" if socket.state is State.OPEN else f" ended (code {socket.close_code})"
        found = f"the connection{lost or ' is about to end'}; the session goes on over another"
        self._deliver(Notice(at=left, level=NoticeLevel.WARNING, code="connection_left", message=found))
        following: StampedConnection | None = None
        try:
            async with asyncio.timeout(RESUME_TIMEOUT_S):
                await socket.close()  # first: a session is not taken up while its old connection stands
                failure = await self._connect()
                if failure is None:
                    following = self._socket
                    assert following is not None
                    await self._transmit(opening)
                    while not await self._take_next(following):
                        pass
                    self._deliver(Resumed(at=now(), gap_s=now() - left, held=len(self._held)))
                    while self._held:  # what is said meanwhile queues behind
                        await self._transmit([self._held.popleft()])
                    return following
                found = failure.found
        except TimeoutError:
            found = f"not within {RESUME_TIMEOUT_S:g} s"
        except ConnectionClosed as exc:
            found = f"closed with code {exc.rcvd.code}: {exc.rcvd.reason}" if exc.rcvd else "closed"
        finally:
            self._held = None
        if following is not None:
            following.transport.abort()
        message = redact(f"the session could not be taken up again: {found}", self._secrets)
        self._deliver(Notice(at=now(), level=NoticeLevel.ERROR, code="resumption_failed", message=message))
        return None

    async def _take_next(self, socket: StampedConnection) -> bool:
        """Wait for the next message and take it; True if it says that the session is ready."""
        message = await socket.recv()
        ready = self._take(message, at=socket.arrivals.popleft())
        await self._transmit(self._codec.replies())
        return ready

    def _take(self, message: Message, *, at: float) -> bool:
        message, raw = self._tap.received(message, at)
        events = self._codec.receive(message, at=at, raw=raw)
        for event in events:
            self._deliver(event)
        return any(isinstance(event, Ready) for event in events)

    def _deliver(self, event: EndpointEvent) -> None:
        ready = self._ready
        if ready is not None and not ready.done():
            if isinstance(event, Ready):
                ready.set_result(event)
                return
            if isinstance(event, Closed):
                ready.set_exception(self._failures.of_closing(event))
            elif isinstance(event, Notice) and (event.fatal or event.level is NoticeLevel.ERROR):
                ready.set_exception(self._failures.of_setup(event))
        elif isinstance(event, Ready):
            return  # of a session that goes on over another connection; `Resumed` tells
        if isinstance(event, Notice):  # its words may come from a payload that was compressed
            event = dataclasses.replace(event, message=redact(event.message, self._secrets))
        self._events.put_nowait(event)

    def _closed(self, socket: StampedConnection) -> Closed:
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

    async def _say(self, messages: Iterable[Message]) -> None:
        """Send now, or over the next connection while one is on its way."""
        if self._held is None:
            await self._transmit(messages)
        else:
            self._held.extend(messages)

    async def _transmit(self, messages: Iterable[Message]) -> None:
        socket = self._socket
        for message in messages:
            if socket is None or socket.state is not State.OPEN:
                return
            self._tap.sent(message)
            try:
                if not socket.send_at_once(message):
                    await socket.send(message)
            except ConnectionClosed:
                return

    async def close(self, reason: str = "") -> None:
        """The protocol's goodbye, then the closing handshake."""
        if self._socket is None or self._receiver is None:
            return
        if self._held is not None:  # on its way to another connection
            self._hung_up = reason
            self._receiver.cancel()
            await asyncio.wait([self._receiver])
        elif self._hung_up is None and self._socket.state is State.OPEN:
            await self._transmit(self._codec.closing(reason))
            self._hung_up = reason
            await self._await_parting(self._receiver)
        short = reason.encode()[:_LONGEST_REASON].decode(errors="ignore")
        await self._socket.close(reason=short)
        await asyncio.wait([self._receiver])

    async def _await_parting(self, receiver: asyncio.Task[None]) -> None:
        """Give the endpoint time to answer the goodbye, where the protocol has an answer."""
        if self._codec.parted:
            return
        parted = asyncio.ensure_future(self._parted.wait())
        await asyncio.wait(
            [parted, receiver], timeout=_GOODBYE_TIMEOUT_S, return_when=asyncio.FIRST_COMPLETED
        )
        parted.cancel()

    def _abort(self) -> None:
        """Drop a connection whose set-up failed."""
        self._hung_up = "" if self._hung_up is None else self._hung_up
        if self._receiver is not None:
            self._receiver.cancel()
        if self._socket is not None:
            self._socket.transport.abort()
