"""Addresses of OpenAI Realtime and its dialects: one scheme each, or `openai` with `dialect=`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from urllib.parse import quote

from streams.audio import AudioFormat, Encoding
from streams.endpoints.naming import Address
from streams.endpoints.openai_realtime import dialect_file
from streams.endpoints.openai_realtime.codec import RealtimeCodec
from streams.endpoints.openai_realtime.dialects import DIALECTS, Dialect, RealtimeOptions
from streams.endpoints.parameters import Builder, key_of, read_format
from streams.endpoints.protocol import Endpoint, TurnMode
from streams.endpoints.strict_yaml import nearest
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


def _realtime(
    default: Dialect, address: Address, environ: Mapping[str, str], raw_log: RawLog | None
) -> Endpoint:
    dialect = _dialect(address, default)
    if address.transport and dialect is DIALECTS.get(dialect.name):
        dialect = dialect.model_copy(
            update={"max_session_s": None}
        )  # the vendor's limit is no other server's
    options = _realtime_options(address, dialect)
    url = _own_url(address, dialect) if address.transport else _vendor_url(address, dialect)
    key_env = address.get("key_env") or dialect.key_env
    key = key_of(address, environ, key_env, needed=not address.transport and bool(dialect.key_env))
    return WebsocketEndpoint(
        RealtimeCodec(dialect, options),
        url,
        address=address.shown,
        headers=dialect.key_headers(key),
        subprotocols=dialect.subprotocols,
        raw_log=raw_log,
        key_env=key_env,
    )


def _dialect(address: Address, default: Dialect) -> Dialect:
    name = address.get("dialect")
    if name is None or name == default.name:
        return default
    if default.name != "openai":
        remedy = f"Leave out dialect={name}, or write openai as the scheme."
        raise address.invalid(f"the scheme {address.scheme!r} has its own dialect", remedy)
    if name.endswith(dialect_file.SUFFIXES):
        return dialect_file.load(Path(name))
    if name not in DIALECTS:
        hint = nearest(name, DIALECTS).capitalize()
        known = f"Known: {', '.join(sorted(DIALECTS))}, or a FILE.yaml."
        raise address.invalid(f"dialect {name!r} is not known", f"{hint} {known}".strip())
    return DIALECTS[name]


def _realtime_options(address: Address, dialect: Dialect) -> RealtimeOptions:
    modes = ", ".join(sorted(dialect.turn_modes))
    turns = address.read("turn_detection", TurnMode, f"one of {modes}") or TurnMode.SERVER_VAD
    if turns not in dialect.turn_modes:
        raise address.invalid(f"dialect {dialect.name} has no turn_detection={turns}", f"It has: {modes}.")
    audio = read_format(address, "rate") if {"rate", "encoding"} & set(address.query) else None
    if audio is not None:
        _check_format(address, dialect, audio)
    return RealtimeOptions(
        model=(address.get("model") or "") if address.transport else address.target,
        voice=address.get("voice"),
        instructions=address.get("instructions"),
        turns=turns,
        transcription=address.get("transcription"),
        language=address.get("language"),
        input=audio,
        output=audio,
    )


def _check_format(address: Address, dialect: Dialect, audio: AudioFormat) -> None:
    """Servers of one's own may take more rates than the vendor's; what has no name cannot be asked for."""
    for output, way in ((False, "input"), (True, "output")):
        encodings = dialect.offered(output=output)
        if audio.encoding not in encodings:
            found = f"dialect {dialect.name} has no {way} of {audio.encoding}"
            raise address.invalid(found, f"It has: {', '.join(sorted(encodings))}.")
        rates = dialect.offered_rates(output=output)
        wrong = audio.encoding is Encoding.PCM16 and rates and audio.rate not in rates
        if wrong and not address.transport:
            found = f"dialect {dialect.name} has no {way} of {audio.rate} Hz"
            raise address.invalid(found, f"It has: {', '.join(map(str, sorted(rates)))}.")


def _own_url(address: Address, dialect: Dialect) -> str:
    url = address.url(without=_OPTIONS, default_path="/v1/realtime")
    for name, value in dialect.query.items():
        if name not in address.query:
            url += f"{'&' if '?' in url else '?'}{quote(name, safe='')}={quote(value, safe='')}"
    return url


def _vendor_url(address: Address, dialect: Dialect) -> str:
    if not dialect.url:
        own = f"{dialect.scheme or 'openai'}+ws://HOST:PORT/v1/realtime"
        raise address.invalid(f"dialect {dialect.name} has no vendor's address", f"Write {own}.")
    if not address.target:
        raise address.invalid("no model", f"Write {address.scheme}://MODEL, as openai://gpt-realtime.")
    resource = address.get("resource") or ""
    if "{resource}" in dialect.url and not resource:
        raise address.invalid(f"dialect {dialect.name} needs a resource", "Add resource=NAME.")
    address.allow_only(_OPTIONS)
    blanks = {"{model}": address.target, "{resource}": resource}
    url = dialect.url
    for blank, value in blanks.items():
        url = url.replace(blank, quote(value, safe=""))
    return url


BUILDERS: Mapping[str, Builder] = {
    f"{each.scheme}{transport}": partial(_realtime, each)
    for each in DIALECTS.values()
    if each.scheme
    for transport in ("", "+ws", "+wss")
}
