"""Addresses of OpenAI Live."""

from __future__ import annotations

from collections.abc import Mapping

from streams.audio import Encoding
from streams.endpoints.naming import Address
from streams.endpoints.openai_live.codec import LiveCodec, LiveOptions
from streams.endpoints.parameters import Builder, key_of, read_format
from streams.endpoints.protocol import Endpoint
from streams.endpoints.websocket import RawLog, WebsocketEndpoint

_URL = "wss://api.openai.com/v1/live/sessions"
_PATH = "/v1/live/sessions"
_OPTIONS = frozenset({"voice", "instructions", "rate", "encoding", "key_env"})
_RATES = {Encoding.PCM16: (16000, 24000), Encoding.MULAW: (8000,), Encoding.ALAW: (8000,)}


def _live(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    """`openai-live://MODEL`, `openai-live+ws://HOST:PORT/PATH?model=MODEL`."""
    own = bool(address.transport)
    model = (address.get("model") if own else address.target) or ""
    if not model:
        remedy = "Add model=NAME." if own else "Write openai-live://MODEL, as openai-live://gpt-live-1."
        raise address.invalid("no model", remedy)
    if not own:
        address.allow_only(_OPTIONS)
    audio = read_format(address, "rate")
    if audio.rate not in _RATES[audio.encoding]:
        known = " or ".join(map(str, _RATES[audio.encoding]))
        raise address.invalid(f"rate {audio.rate}", f"OpenAI Live has {known}.")
    key_env = address.get("key_env") or "OPENAI_API_KEY"
    key = key_of(address, environ, key_env, needed=not own)
    options = LiveOptions(
        model=model, voice=address.get("voice"), instructions=address.get("instructions"), audio=audio
    )
    return WebsocketEndpoint(
        LiveCodec(options),
        address.url(without=_OPTIONS | {"model"}, default_path=_PATH) if own else _URL,
        address=address.shown,
        headers={"Authorization": f"Bearer {key}"} if key else {},
        raw_log=raw_log,
        key_env=key_env,
    )


BUILDERS: Mapping[str, Builder] = {
    "openai-live": _live,
    "openai-live+ws": _live,
    "openai-live+wss": _live,
}
