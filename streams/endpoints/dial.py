"""Opens the socket of an endpoint: no redirects, no compression, no proxy for loopback, nothing logged."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import cast

from websockets.asyncio.client import connect
from websockets.typing import Subprotocol
from websockets.uri import parse_uri

from streams.endpoints.arrivals import StampedConnection
from streams.endpoints.failures import is_loopback

_WRITE_LIMIT = 1 << 26
"""Bytes that may wait for a slow network before sending would: minutes of audio."""

_CLOSE_TIMEOUT_S = 3.0

_wire_log = logging.getLogger("streams.endpoints.wire")
_wire_log.setLevel(logging.INFO)  # at DEBUG the library would log the request with its keys


class _Connect(connect):
    """Follows no redirects: the keys in our headers are for the host that was named."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


async def dial(url: str, headers: Mapping[str, str], subprotocols: Sequence[str]) -> StampedConnection:
    """Connect to a `ws://` or `wss://` address.

    Keepalive pings go out, but a pong that is late closes nothing. Proxies of the environment are used,
    except for loopback. The caller sets the time limit.

    Raises:
        OSError, EOFError, ValueError, ImportError, WebSocketException: No connection; see
            `streams.endpoints.failures`.
    """
    loopback = is_loopback(parse_uri(url).host)
    socket = await _Connect(
        url,
        additional_headers=headers,
        subprotocols=[Subprotocol(each) for each in subprotocols] or None,
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
    return cast(StampedConnection, socket)
