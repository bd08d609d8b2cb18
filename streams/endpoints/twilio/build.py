"""Addresses of servers that speak Twilio Media Streams."""

from __future__ import annotations

from collections.abc import Mapping

from streams.endpoints.naming import Address
from streams.endpoints.parameters import Builder
from streams.endpoints.protocol import Endpoint
from streams.endpoints.twilio.codec import TwilioCodec
from streams.endpoints.websocket import RawLog, WebsocketEndpoint


def _twilio(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    """`twilio+ws://HOST:PORT/PATH?NAME=VALUE`: the query becomes the call's custom parameters."""
    parameters = {name: address.get(name) or "" for name in address.query}
    return WebsocketEndpoint(
        TwilioCodec(parameters),
        address.url(without=parameters),
        address=address.shown,
        raw_log=raw_log,
    )


BUILDERS: Mapping[str, Builder] = {"twilio+ws": _twilio, "twilio+wss": _twilio}
