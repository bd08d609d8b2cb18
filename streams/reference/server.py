"""The reference endpoint on a port: websockets in, sessions out."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import re
import secrets
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as serve_websockets
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from streams.endpoints.errors import EndpointError
from streams.endpoints.protocol import Message
from streams.language.errors import LanguageError
from streams.reference.config import Config, ConfigError, Mode
from streams.reference.engines import cast, load
from streams.reference.metronome import Planted
from streams.reference.session import LineClosed, hold
from streams.reference.settings import initial
from streams.reference.wire import ServerCodec
from streams.speech.interfaces import SpeechError

PATH = "/v1/realtime"
"""Where sessions are held."""

MAX_SESSIONS = 16
"""Sessions at a time; one more is refused with 503."""

_FIXED = ("file", "asr", "voice", "llm", "vad")
"""What only the operator chooses: these load models, read files, or call other servers."""

_LOOPBACK = re.compile(r"(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?")
_LARGEST_MESSAGE = 16 * 2**20
"""Bytes: a client may append 15 MiB of audio at once."""

_LONGEST_REASON = 100
"""Characters of a reason in a close frame, which holds 123 bytes."""

_log = logging.getLogger(__name__)


class PortUnavailable(EndpointError):
    """The server cannot listen where it should."""


class _SocketLine:
    """A websocket as a `Line`."""

    def __init__(self, socket: ServerConnection) -> None:
        self._socket = socket

    async def receive(self) -> Message:
        try:
            return await self._socket.recv()
        except ConnectionClosed:
            raise LineClosed from None

    async def send(self, message: str) -> None:
        try:
            await self._socket.send(message)
        except ConnectionClosed:
            raise LineClosed from None


class _Doorkeeper:
    """Decides who may open a session, and of what kind."""

    def __init__(self, host: str, base: Config, max_sessions: int) -> None:
        self._host = host
        self._base = base
        self._max_sessions = max_sessions
        self.sessions = 0

    def check(self, connection: ServerConnection, request: Request) -> Response | None:
        """None to let the client in, or the answer that refuses it."""
        status, reason = self._refusal(request)
        return connection.respond(status, f"{reason}\n") if reason else None

    def config(self, request: Request) -> tuple[Config, str]:
        """The session's configuration, and the model that the client asked for. Raises `ConfigError`."""
        pairs = parse_qsl(urlsplit(request.path).query, keep_blank_values=True)
        model = next((value for name, value in pairs if name == "model"), "")
        query = urlencode([pair for pair in pairs if pair[0] != "model"])
        return Config.parse(query, self._base, fixed=_FIXED), model

    def _refusal(self, request: Request) -> tuple[HTTPStatus, str]:
        origin = request.headers.get("Origin")
        if not self._ours(request.headers.get("Host", "")):
            # a page of another host that points its name at this machine must not get in
            return HTTPStatus.FORBIDDEN, "This server answers to its own address only."
        if origin is not None and not _LOOPBACK.fullmatch(urlsplit(origin).netloc):
            return HTTPStatus.FORBIDDEN, "Web pages of other hosts are refused."
        if urlsplit(request.path).path != PATH:
            return HTTPStatus.NOT_FOUND, f"Sessions are held at {PATH}."
        if self.sessions >= self._max_sessions:
            return HTTPStatus.SERVICE_UNAVAILABLE, f"All {self._max_sessions} sessions are taken."
        try:
            self.config(request)
        except ConfigError as error:
            return HTTPStatus.BAD_REQUEST, str(error)
        return HTTPStatus.OK, ""

    def _ours(self, host: str) -> bool:
        # who listens on all addresses has decided to be reached under any name
        everywhere = self._host in ("0.0.0.0", "::", "")  # noqa: S104 - compared, not bound
        return everywhere or bool(_LOOPBACK.fullmatch(host)) or urlsplit(f"//{host}").hostname == self._host


@asynccontextmanager
async def serving(
    host: str = "127.0.0.1",
    port: int = 8765,
    config: Config | None = None,
    *,
    journal: Path | None = None,
    max_sessions: int = MAX_SESSIONS,
) -> AsyncGenerator[str, None]:
    """Serve while the context is open; yields the address, `ws://HOST:PORT/v1/realtime`.

    Args:
        host: Address to listen on.
        port: Port; 0 takes a free one.
        config: What sessions are like unless their query says otherwise.
        journal: File to which a line of JSON is added for each reply that a metronome plants.
        max_sessions: Sessions at a time.

    Raises:
        PortUnavailable: Somebody else listens there, or the address is not ours.
        SpeechError: A model or package is missing.
        LanguageError: The language model's name or key is.
    """
    base = config or Config()
    door = _Doorkeeper(host, base, max_sessions)
    if base.mode is Mode.ASSISTANT:
        await load(base)

    async def session(socket: ServerConnection) -> None:
        assert socket.request is not None  # the handshake is done
        config, model = door.config(socket.request)
        door.sessions += 1
        try:
            players = await cast(config, journal=_writer(journal) if journal else None)
            codec = ServerCodec(f"sess_{secrets.token_hex(8)}", model, initial(config.wait_s))
            await hold(_SocketLine(socket), players, codec)
        except (SpeechError, LanguageError) as error:
            await socket.close(CloseCode.INTERNAL_ERROR, str(error)[:_LONGEST_REASON])
        finally:
            door.sessions -= 1

    try:
        server = await serve_websockets(
            session,
            host,
            port,
            process_request=door.check,
            select_subprotocol=_subprotocol,
            compression=None,
            max_size=_LARGEST_MESSAGE,
            logger=_log,
        )
    except OSError as error:
        raise _unavailable(host, port, error) from error
    async with server:
        bound = next(iter(server.sockets)).getsockname()
        shown = f"[{bound[0]}]" if ":" in bound[0] else bound[0]
        yield f"ws://{shown}:{bound[1]}{PATH}"


async def serve(
    host: str = "127.0.0.1",
    port: int = 8765,
    variant: str = "",
    *,
    on_ready: Callable[[str], None],
    journal: Path | None = None,
) -> None:
    """Serve until cancelled, or until the process is asked to end.

    Args:
        host: Address to listen on.
        port: Port; 0 takes a free one.
        variant: What sessions are like unless their query says otherwise, as a query string.
        on_ready: Called with the address once models are loaded and the port is open.
        journal: See `serving`.

    Raises:
        ConfigError: The variant has a parameter or value that is not known.
        PortUnavailable: See `serving`.
        SpeechError: See `serving`.
        LanguageError: See `serving`.
    """
    config = Config.parse(variant)
    stop = asyncio.Event()
    if sys.platform != "win32":
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with serving(host, port, config, journal=journal) as address:
        on_ready(address)
        await stop.wait()


def _subprotocol(connection: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """The one that OpenAI's browser clients name; clients that name none are as welcome."""
    return next((name for name in offered if name == "realtime"), None)


def _writer(path: Path) -> Callable[[Planted], None]:
    def write(planted: Planted) -> None:
        line = json.dumps(asdict(planted)) + "\n"
        asyncio.get_running_loop().run_in_executor(None, _append, path, line)

    return write


def _append(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(line)


def _unavailable(host: str, port: int, error: OSError) -> PortUnavailable:
    address = f"{host}:{port}"
    if error.errno == errno.EADDRINUSE:
        return PortUnavailable(address, "the port is taken", "Choose another one, or 0 for any free port.")
    remedy = "Check the address: it must be one of this machine."
    return PortUnavailable(address, f"cannot listen there: {error.strerror or error}", remedy)
