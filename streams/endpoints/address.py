"""From an address to an endpoint: the table of schemes and what each builds."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from urllib.parse import quote

from streams.audio import AudioFormat, AudioFormatError, Encoding
from streams.endpoints.errors import AuthenticationFailed
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.endpoints.naming import Address
from streams.endpoints.openai_realtime.codec import RealtimeCodec
from streams.endpoints.openai_realtime.dialects import DIALECTS, Dialect, RealtimeOptions
from streams.endpoints.pcm.codec import PcmCodec
from streams.endpoints.protocol import Endpoint, TurnMode
from streams.endpoints.twilio.codec import TwilioCodec
from streams.endpoints.websocket import RawLog, WebsocketEndpoint

__all__ = ["BUILDERS", "Address", "Builder", "connect"]

Builder = Callable[[Address, Mapping[str, str], RawLog | None], Endpoint]
"""Makes an endpoint that is not opened yet from an address, the environment, and a log of raw messages."""

_REALTIME_OPTIONS = frozenset(
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
_PCM_OPTIONS = frozenset({"rate", "out_rate", "encoding", "reply_gap", "key_env"})
_FAKE_OPTIONS = frozenset({"replies", "delay", "seconds", "text", "rate"})


def connect(
    address: str,
    environ: Mapping[str, str],
    *,
    raw_log: RawLog | None = None,
    builders: Mapping[str, Builder] | None = None,
) -> Endpoint:
    """The endpoint of that name, not opened yet.

    Args:
        address: See `Address`.
        environ: Where keys are looked up.
        raw_log: Sees every message on the wire, where there is a wire.
        builders: Schemes and their builders; `BUILDERS` if not given. Extend it by
            `{**BUILDERS, "scheme": builder}`.

    Raises:
        AddressInvalid: No such scheme, or a parameter that is missing, unknown or wrong.
        AuthenticationFailed: The key's environment variable is not set.
    """
    table = BUILDERS if builders is None else builders
    parsed = Address.parse(address)
    builder = table.get(parsed.scheme)
    if builder is None:
        near = difflib.get_close_matches(parsed.scheme, table, n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        known = ", ".join(sorted(table))
        raise parsed.invalid(f"scheme {parsed.scheme!r} is not known", f"{hint}Known schemes: {known}.")
    return builder(parsed, environ, raw_log)


def _realtime(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    dialect = _dialect(address)
    options = _realtime_options(address, dialect)
    if address.transport:
        url = address.url(without=_REALTIME_OPTIONS, default_path="/v1/realtime")
    else:
        url = _vendor_url(address, dialect)
    key_env = address.get("key_env") or dialect.key_env
    key = _key(address, environ, key_env, needed=not address.transport)
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
    audio = _format(address, "rate") if {"rate", "encoding"} & set(address.query) else None
    return RealtimeOptions(
        voice=address.get("voice"),
        instructions=address.get("instructions"),
        turns=turns,
        transcription=address.get("transcription"),
        language=address.get("language"),
        input=audio,
        output=audio,
    )


def _format(address: Address, rate_name: str, default_rate: int = 24000) -> AudioFormat:
    encoding = address.read("encoding", Encoding, f"one of {', '.join(Encoding)}") or Encoding.PCM16
    rate = address.read(rate_name, int, "samples per second")
    if rate is None:
        rate = default_rate if encoding is Encoding.PCM16 else 8000
    try:
        return AudioFormat(rate, encoding)
    except AudioFormatError as exc:
        raise address.invalid(str(exc), "Name a usual rate, as 8000, 16000 or 24000.") from None


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds < math.inf:
        raise ValueError(text)
    return seconds


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
    address.allow_only(_REALTIME_OPTIONS)
    return dialect.url.format(model=quote(address.target, safe=""), resource=quote(resource, safe=""))


def _key(address: Address, environ: Mapping[str, str], name: str, *, needed: bool) -> str:
    """The key of that environment variable, or "" where none is wanted.

    A key goes to the vendor's own address, or where the address names it by `key_env`: a key that just
    is set is nobody else's business. It never goes over an open network.
    """
    if not needed and address.get("key_env") is None:
        return ""
    key = environ.get(name, "")
    if not key:
        remedy = f"Set the environment variable {name} to your key."
        raise AuthenticationFailed(address.shown, f"no key: {name} is not set", remedy)
    if not address.safe_for_keys:
        raise address.invalid(f"the key in {name} would cross the network unencrypted", "Use wss.")
    return key


def _pcm(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    if "rate" not in address.query and address.get("encoding") in (None, "pcm16"):
        raise address.invalid("no rate", "Add the rate of the audio, as ?rate=16000: plain PCM tells none.")
    heard = _format(address, "rate")
    spoken = _format(address, "out_rate", heard.rate)
    gap = address.read("reply_gap", _seconds, "seconds")
    key_env = address.get("key_env") or ""
    key = _key(address, environ, key_env, needed=False)
    return WebsocketEndpoint(
        PcmCodec(heard, spoken) if gap is None else PcmCodec(heard, spoken, reply_gap_s=gap),
        address.url(without=_PCM_OPTIONS),
        address=address.shown,
        headers={"Authorization": f"Bearer {key}"} if key else {},
        raw_log=raw_log,
        key_env=key_env,
    )


def _twilio(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    """`twilio+ws://HOST:PORT/PATH?NAME=VALUE`: the query becomes the call's custom parameters."""
    parameters = {name: address.get(name) or "" for name in address.query}
    return WebsocketEndpoint(
        TwilioCodec(parameters),
        address.url(without=parameters),
        address=address.shown,
        raw_log=raw_log,
    )


def _fake(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    """`fake://?replies=3&delay=0.6&seconds=1.5&text=hello&rate=24000`: tones after each turn."""
    address.allow_only(_FAKE_OPTIONS)
    rate = _format(address, "rate").rate
    count = address.read("replies", int, "a number of replies")
    delay = address.read("delay", _seconds, "seconds")
    seconds = address.read("seconds", _seconds, "seconds")
    reply = FakeReply(
        pcm=tone(1.0 if seconds is None else seconds, rate=rate),
        text=address.get("text") or "",
        delay_s=0.6 if delay is None else delay,
    )
    return FakeEndpoint([reply] * (100 if count is None else count), rate=rate, address=address.shown)


BUILDERS: Mapping[str, Builder] = {
    "openai": _realtime,
    "openai+ws": _realtime,
    "openai+wss": _realtime,
    "pcm+ws": _pcm,
    "pcm+wss": _pcm,
    "twilio+ws": _twilio,
    "twilio+wss": _twilio,
    "fake": _fake,
}
"""The schemes that need nothing beyond this folder."""
