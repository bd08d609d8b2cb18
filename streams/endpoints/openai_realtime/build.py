"""Addresses of OpenAI Realtime and its dialects."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from streams.endpoints.naming import Address
from streams.endpoints.openai_realtime.codec import RealtimeCodec
from streams.endpoints.openai_realtime.dialects import DIALECTS, Dialect, RealtimeOptions
from streams.endpoints.parameters import Builder, key_of, read_format
from streams.endpoints.protocol import Endpoint, TurnMode
from streams.endpoints.websocket import RawLog, WebsocketEndpoint

_OPTIONS = frozenset(
    {
        "dialect",
        "resource",
        "key_env",
        "voice",
        "instructions",
        "turn_detection",
        "transcription",
        "language",
        "rate",
        "encoding",
    }
)


def _realtime(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    dialect = _dialect(address)
    options = _realtime_options(address, dialect)
    if address.transport:
        url = address.url(without=_OPTIONS, default_path="/v1/realtime")
    else:
        url = _vendor_url(address, dialect)
    key_env = address.get("key_env") or dialect.key_env
    key = key_of(address, environ, key_env, needed=not address.transport)
    return WebsocketEndpoint(
        RealtimeCodec(dialect, options),
        url,
        address=address.shown,
        headers=dialect.key_headers(key),
        raw_log=raw_log,
        key_env=key_env,
    )


def _dialect(address: Address) -> Dialect:
    name = address.get("dialect") or "openai"
    if name not in DIALECTS:
        raise address.invalid(f"dialect {name!r} is not known", f"Known: {', '.join(sorted(DIALECTS))}.")
    return DIALECTS[name]


def _realtime_options(address: Address, dialect: Dialect) -> RealtimeOptions:
    modes = ", ".join(sorted(dialect.turn_modes))
    turns = address.read("turn_detection", TurnMode, f"one of {modes}") or TurnMode.SERVER_VAD
    if turns not in dialect.turn_modes:
        raise address.invalid(f"dialect {dialect.name} has no turn_detection={turns}", f"It has: {modes}.")
    audio = read_format(address, "rate") if {"rate", "encoding"} & set(address.query) else None
    return RealtimeOptions(
        voice=address.get("voice"),
        instructions=address.get("instructions"),
        turns=turns,
        transcription=address.get("transcription"),
        language=address.get("language"),
        input=audio,
        output=audio,
    )


def _vendor_url(address: Address, dialect: Dialect) -> str:
    if not dialect.url:
        raise address.invalid(
            f"dialect {dialect.name} has no vendor's address", "Write openai+ws://HOST:PORT/v1/realtime."
        )
    if not address.target:
        raise address.invalid("no model", "Write openai://MODEL, as openai://gpt-realtime.")
    resource = address.get("resource") or ""
    if "{resource}" in dialect.url and not resource:
        raise address.invalid(f"dialect {dialect.name} needs a resource", "Add resource=NAME.")
    address.allow_only(_OPTIONS)
    return dialect.url.format(model=quote(address.target, safe=""), resource=quote(resource, safe=""))


BUILDERS: Mapping[str, Builder] = {"openai": _realtime, "openai+ws": _realtime, "openai+wss": _realtime}
