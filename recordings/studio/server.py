"""The studio on a socket, until somebody stops it."""

from __future__ import annotations

import asyncio
import errno
import http.client
import json
import socket
from dataclasses import dataclass
from logging import LogRecord

from starlette.types import ASGIApp

PORT = 8790
"""Where the studio listens unless it is told otherwise."""

_MORE_PORTS = 20
_ASK_S = 1.0


class PortTaken(Exception):
    """Somebody listens there already.

    Attributes:
        studio: It is another studio.
        free: A port that is free, or 0.
    """

    def __init__(self, host: str, port: int, studio: bool, free: int) -> None:
        self.host = host
        self.port = port
        self.studio = studio
        self.free = free
        super().__init__(host, port, studio, free)

    def __str__(self) -> str:
        who = f"another studio: open {address(self.host, self.port)}" if self.studio else "another program"
        remedy = f", or take a free port: --port {self.free}" if self.free else ""
        return f"port {self.port} is taken by {who}{remedy}"


class NoSuchHost(Exception):
    """The studio cannot listen at an address."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A socket that listens, and its address.

    Attributes:
        instead: Why it is not the port that was asked for, or None.
    """

    socket: socket.socket
    url: str
    instead: PortTaken | None = None


def bind(host: str, port: int | None) -> Bound:
    """Take a port: the one that is named, 0 for any, or else the first from 8790 on that is free.

    Raises:
        PortTaken: The port that was named is not free.
        NoSuchHost: There is no such address on this machine.
    """
    wanted = PORT if port is None else port
    found = _try(host, wanted)
    if found is not None:
        return Bound(found, address(host, found.getsockname()[1]))
    free = next((sock for sock in (_try(host, wanted + n) for n in range(1, _MORE_PORTS)) if sock), None)
    number = free.getsockname()[1] if free else 0
    taken = PortTaken(host, wanted, _is_studio(host, wanted), number)
    if port is not None or free is None:
        if free:
            free.close()
        raise taken
    return Bound(free, address(host, number), taken)


async def serve(app: ASGIApp, bound: Bound) -> None:
    """Answer until a signal comes (Ctrl+C); requests under way have a second to end."""
    import logging

    import uvicorn

    class Server(uvicorn.Server):
        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            logging.getLogger("uvicorn.error").addFilter(_is_news)
            await super().shutdown(sockets)

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        server_header=False,
        ws="websockets-sansio",
        timeout_graceful_shutdown=1,
    )
    await Server(config).serve(sockets=[bound.socket])


def _is_news(record: LogRecord) -> bool:
    """Whether a line about the end is worth telling: that a sound half sent is cut off is none."""
    cut = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
    return not cut and not str(record.msg).startswith("Cancel %s running task")


def address(host: str, port: int) -> str:
    """Where a browser finds it."""
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{name}:{port}/"


def _try(host: str, port: int) -> socket.socket | None:
    """A socket that listens, or None if the port is taken."""
    if port > 65535:
        return None
    try:
        (family, kind, protocol, _, where), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        sock = socket.socket(family, kind, protocol)
    except OSError as error:
        raise NoSuchHost(f"{host} is no address of this machine ({error.strerror})") from error
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind(where)
        sock.listen(128)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            return None
        raise NoSuchHost(f"cannot listen at {host}, port {port} ({error.strerror})") from error
    sock.setblocking(False)
    return sock


def _is_studio(host: str, port: int) -> bool:
    connection = http.client.HTTPConnection(host, port, timeout=_ASK_S)
    try:
        connection.request("GET", "/api/about")
        return "vivavoce" in json.loads(connection.getresponse().read(10_000))
    except (OSError, http.client.HTTPException, ValueError, TypeError):
        return False
    finally:
        connection.close()
