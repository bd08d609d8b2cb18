"""A declared endpoint behind its socket: the requests before the call, then the websocket they lead to."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote_plus, urlsplit

from streams.endpoints.declarative.codec import DeclaredCodec
from streams.endpoints.declarative.model import Connect, Description
from streams.endpoints.declarative.prepare import prepared
from streams.endpoints.declarative.templates import Lookup, Template
from streams.endpoints.errors import ConnectFailed
from streams.endpoints.events import Ready
from streams.endpoints.tap import RawLog
from streams.endpoints.websocket import WebsocketEndpoint

_SHORTEST_SECRET = 6
"""Shorter values are not masked: they would hit innocent words."""


class DeclaredEndpoint(WebsocketEndpoint):
    """An endpoint that a file describes; see `Endpoint` for the methods.

    Args:
        description: What the file says.
        values: What placeholders stand for: `call_id`, and `$NAME` for variables of the environment.
        address: How the user named the endpoint.
        raw_log: Sees every message.
    """

    def __init__(
        self,
        description: Description,
        values: Mapping[str, object],
        *,
        address: str,
        raw_log: RawLog | None = None,
    ) -> None:
        codec = DeclaredCodec(description, values)
        self._values = codec.values
        self._says = description
        names = [name.removeprefix("$") for name in values if name.startswith("$")]
        super().__init__(
            codec,
            "",
            address=address,
            handshake_timeout_s=description.connect.timeout_s,
            raw_log=raw_log,
            key_env=names[0] if names else "",
        )
        if not description.prepare:
            self._find_target()

    async def open(self) -> Ready:
        """Make the requests before the call, then connect; see `WebsocketEndpoint.open`.

        Raises:
            ConnectFailed: A request was not answered as it should be, or no connection.
            AuthenticationFailed: A key was refused.
            HandshakeTimeout: Connected, but not ready in time.
            EndpointClosed: The connection ended before the session was ready.
        """
        values = self._values
        for step in self._says.prepare:
            if step.when_set and not values.get(f"${step.when_set}"):
                values.update({name: each.text(values.get) for name, each in step.otherwise.items()})
            else:
                values.update(await prepared(step, values.get, self.address, self._hidden()))
        self._find_target()
        return await super().open()

    def _find_target(self) -> None:
        url, headers, subprotocols = target(self._says.connect, self._values.get)
        if urlsplit(url).scheme not in ("ws", "wss"):
            found = "the request before the call gave no address of a websocket"
            raise ConnectFailed(self.address, found, "Check `prepare.take` and `connect.url`.")
        self._aim(url, headers, subprotocols, self._hidden())

    def _hidden(self) -> list[str]:
        """Keys of the environment, and what was taken from answers: tokens, addresses with tokens."""
        values = [value for name, value in self._values.items() if name != "call_id"]
        hidden = [_behind_host(value) for value in values if isinstance(value, str)]
        return [each for each in hidden if len(each) >= _SHORTEST_SECRET]


def _behind_host(value: str) -> str:
    """What is secret of a value: of an address all that stands behind its host, which errors must name."""
    try:
        host = urlsplit(value).netloc.rpartition("@")[2]
    except ValueError:  # it is no address
        return value
    return value.partition(host)[2] if host else value


def target(connect: Connect, lookup: Lookup) -> tuple[str, dict[str, str], tuple[str, ...]]:
    """URL, headers and subprotocols of the websocket; what has no value is left out."""
    url = connect.url.text(lookup) or ""
    pairs = [f"{quote_plus(name)}={quote_plus(text)}" for name, text in _texts(connect.query, lookup)]
    if pairs:
        url += ("&" if "?" in url else "?") + "&".join(pairs)
    headers = dict(_texts(connect.headers, lookup))
    offered = tuple(text for each in connect.subprotocols if (text := each.text(lookup)) is not None)
    return url, headers, offered


def _texts(entries: Mapping[str, Template], lookup: Lookup) -> list[tuple[str, str]]:
    return [(name, text) for name, each in entries.items() if (text := each.text(lookup)) is not None]
