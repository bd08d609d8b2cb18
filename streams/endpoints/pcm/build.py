"""Addresses of plain PCM over a websocket."""

from __future__ import annotations

from collections.abc import Mapping

from streams.endpoints.naming import Address
from streams.endpoints.parameters import Builder, key_of, read_format, seconds_of
from streams.endpoints.pcm.codec import PcmCodec
from streams.endpoints.protocol import Endpoint
from streams.endpoints.websocket import RawLog, WebsocketEndpoint

_OPTIONS = frozenset({"rate", "out_rate", "encoding", "reply_gap", "key_env"})


def _pcm(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    if "rate" not in address.query and address.get("encoding") in (None, "pcm16"):
        raise address.invalid("no rate", "Add the rate of the audio, as ?rate=16000: plain PCM tells none.")
    heard = read_format(address, "rate")
    spoken = read_format(address, "out_rate", heard.rate)
    gap = address.read("reply_gap", seconds_of, "seconds")
    key_env = address.get("key_env") or ""
    key = key_of(address, environ, key_env, needed=False)
    return WebsocketEndpoint(
        PcmCodec(heard, spoken) if gap is None else PcmCodec(heard, spoken, reply_gap_s=gap),
        address.url(without=_OPTIONS),
        address=address.shown,
        headers={"Authorization": f"Bearer {key}"} if key else {},
        raw_log=raw_log,
        key_env=key_env,
    )


BUILDERS: Mapping[str, Builder] = {"pcm+ws": _pcm, "pcm+wss": _pcm}
