"""Addresses of servers that speak Twilio Media Streams, or what a cousin of Twilio's speaks."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Mapping

from streams.audio import AudioFormat, Encoding
from streams.endpoints.naming import Address
from streams.endpoints.parameters import Builder
from streams.endpoints.protocol import Endpoint
from streams.endpoints.secrets import find_secrets
from streams.endpoints.twilio.codec import TwilioCodec, default_format
from streams.endpoints.twilio.dialects import DIALECTS, Dialect
from streams.endpoints.twilio.messages import CallIds
from streams.endpoints.websocket import RawLog, WebsocketEndpoint


class TelephoneEndpoint(WebsocketEndpoint):
    """A server that a telephone company calls; what looks like a key among the parameters is not shown."""

    def __init__(self, codec: TwilioCodec, url: str, address: Address, raw_log: RawLog | None) -> None:
        super().__init__(codec, url, address=address.shown, raw_log=raw_log)
        self._aim(url, {}, (), find_secrets(address.url(without=()), {}, ()))


def _build(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    """`twilio+ws://HOST:PORT/PATH?NAME=VALUE`: the query becomes the call's custom parameters.

    Where a provider has several formats, `rate` and `encoding` choose one.
    """
    dialect = DIALECTS[address.protocol]
    wire = _wire(address, dialect)
    ours = {"rate", "encoding"} if _has_choice(dialect) else set()
    parameters = {name: address.get(name) or "" for name in address.query if name not in ours}
    codec = TwilioCodec(_fresh_ids(dialect), parameters, dialect, wire)
    return TelephoneEndpoint(codec, _url(address, dialect, wire, ours), address, raw_log)


def _wire(address: Address, dialect: Dialect) -> AudioFormat:
    usual = default_format(dialect)
    if not _has_choice(dialect):
        return usual
    known = ", ".join(dialect.formats)
    encoding = address.read("encoding", Encoding, f"one of {known}") or usual.encoding
    if encoding not in dialect.formats:
        raise address.invalid(f"{dialect.name} has no {encoding}", f"Expected one of {known}.")
    rates = dialect.formats[encoding][1]
    rate = address.read("rate", int, "samples per second")
    if rate is not None and rate not in rates:
        remedy = f"Expected one of {', '.join(map(str, rates))}."
        raise address.invalid(f"{dialect.name} has no {encoding} at {rate}/s", remedy)
    return AudioFormat(rate or rates[0], encoding)


def _has_choice(dialect: Dialect) -> bool:
    return sum(len(rates) for _, rates in dialect.formats.values()) > 1


def _fresh_ids(dialect: Dialect) -> CallIds:
    """Names for a call as the provider makes them: servers keep what they know of a call under its name."""
    names = [prefix + secrets.token_hex(16) if prefix else str(uuid.uuid4()) for prefix in dialect.ids]
    return CallIds(*names)


def _url(address: Address, dialect: Dialect, wire: AudioFormat, ours: set[str]) -> str:
    if not dialect.rate_in_query:
        return address.url(without=address.query)
    url = address.url(without=ours)
    if wire == default_format(dialect):
        return url
    return f"{url}{'&' if '?' in url else '?'}{dialect.rate_in_query}={wire.rate}"


BUILDERS: Mapping[str, Builder] = {
    f"{name}+{secure}": _build for name in DIALECTS for secure in ("ws", "wss")
}
"""Every provider's scheme, over `ws` and `wss`."""
