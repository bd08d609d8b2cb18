"""Who may ask the studio, and what a page of it may do.

A page of somebody else, open in the same browser, can send requests to this machine. So every request must
be meant for the studio by name (a foreign name that resolves to this machine is DNS rebinding), must not
come from another origin, and, if it writes, must carry what a foreign page cannot send unasked.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recordings.studio.answers import Refused, problem_of

POLICY = "; ".join(
    (
        "default-src 'self'",
        "img-src 'self' data: blob:",
        "media-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""The content security policy: the page loads nothing, and sends nothing, but from and to the studio."""

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}

LARGEST_BODY = 1_000_000
"""Bytes of a request that writes."""

_READING = frozenset({"GET", "HEAD"})
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(r"(?P<name>\[[0-9a-fA-F:.]+\]|[^:\[\]]+)(?::(?P<port>\d{1,5}))?")


@dataclass(frozen=True, slots=True)
class Names:
    """By which names the studio may be called.

    Attributes:
        hosts: Besides those of the loopback interface.
        any_address: Any address in numbers will do: it listens to all, and a rebinding page has a name.
    """

    hosts: frozenset[str] = field(default_factory=frozenset)
    any_address: bool = False

    @classmethod
    def of(cls, host: str, more: Iterable[str] = ()) -> Names:
        """The names of a studio that listens at `host`."""
        try:
            everywhere = ipaddress.ip_address(host).is_unspecified
        except ValueError:
            everywhere = False
        return cls(frozenset({host.lower(), *(name.lower() for name in more)}), everywhere)

    def include(self, header: str) -> bool:
        """Whether a Host header names the studio."""
        found = _HOST.fullmatch(header)
        if found is None:
            return False
        name = found["name"].strip("[]").lower()
        if name in _LOOPBACK or name in self.hosts:
            return True
        return self.any_address and _is_address(name)


class Guard:
    """Lets through what may pass; around all routes and websockets of an app."""

    def __init__(self, app: ASGIApp, names: Names) -> None:
        self._app = app
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            self._check(scope)
        except Refused as refusal:
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008, "reason": refusal.code})
            else:
                await problem_of(refusal)(scope, receive, _with_headers(send))
            return
        await self._app(scope, receive, _with_headers(send) if scope["type"] == "http" else send)

    def _check(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._names.include(hosts[0]):
            text = "The studio is not called by this name; open it at the address that it printed."
            raise Refused(421, "wrong_host", text)
        for origin in headers.getlist("origin"):
            if origin.partition("://")[2].lower() != hosts[0].lower():
                raise Refused(403, "foreign_origin", "Another site asks; only the studio's own page may.")
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not _visits(scope, headers):
            raise Refused(403, "foreign_origin", "Another site asks; only the studio's own page may.")
        if scope["type"] == "http" and scope["method"] not in _READING:
            _check_writing(headers)


def _check_writing(headers: Headers) -> None:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "not_json", "What is written comes as application/json.")
    if headers.get("x-viva") != "1":
        raise Refused(
            403, "not_the_page", "The header X-Viva: 1 is missing; only the studio's page writes."
        )
    length = headers.get("content-length", "")
    if not length.isdecimal():
        raise Refused(411, "no_length", "The header Content-Length is missing.")
    if int(length) > LARGEST_BODY:
        raise Refused(413, "too_large", f"More than {LARGEST_BODY} bytes.")


def _visits(scope: Scope, headers: Headers) -> bool:
    """Whether somebody followed a link to the page: they may, and whoever linked to it sees nothing."""
    return (
        scope["type"] == "http"
        and scope["path"] == "/"
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
    )


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
        await send(message)

    return sending
