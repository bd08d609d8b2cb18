"""Addresses of Gemini Live."""

from __future__ import annotations

from collections.abc import Mapping

from streams.endpoints.gemini.codec import GeminiCodec
from streams.endpoints.gemini.setup import GeminiOptions
from streams.endpoints.naming import Address
from streams.endpoints.parameters import Builder, key_of, yes_or_no
from streams.endpoints.protocol import Endpoint, TurnMode
from streams.endpoints.websocket import RawLog, WebsocketEndpoint

SERVICE = "google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"

_URL = f"wss://generativelanguage.googleapis.com/ws/{SERVICE}"
_KEYS = ("GEMINI_API_KEY", "GOOGLE_API_KEY")
_OPTIONS = frozenset(
    {"voice", "language", "instructions", "turn_detection", "resumption", "compression", "key_env"}
)
_TURNS = {TurnMode.SERVER_VAD.value: TurnMode.SERVER_VAD, TurnMode.MANUAL.value: TurnMode.MANUAL}


def _gemini(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    """`gemini://MODEL`, `gemini+ws://HOST:PORT/PATH?model=MODEL`."""
    own = bool(address.transport)
    model = (address.get("model") if own else address.target) or ""
    if not model:
        remedy = (
            "Add model=NAME." if own else "Write gemini://MODEL, as gemini://gemini-3.1-flash-live-preview."
        )
        raise address.invalid("no model", remedy)
    if not own:
        address.allow_only(_OPTIONS)
    key_env = address.get("key_env") or next((each for each in _KEYS if environ.get(each)), _KEYS[0])
    key = key_of(address, environ, key_env, needed=not own)
    return WebsocketEndpoint(
        GeminiCodec(_options(address, model)),
        address.url(without=_OPTIONS | {"model"}, default_path=f"/ws/{SERVICE}") if own else _URL,
        address=address.shown,
        headers={"x-goog-api-key": key} if key else {},
        raw_log=raw_log,
        key_env=key_env,
    )


def _options(address: Address, model: str) -> GeminiOptions:
    resumption = address.read("resumption", yes_or_no, "yes or no")
    return GeminiOptions(
        model=model,
        voice=address.get("voice"),
        language=address.get("language"),
        instructions=address.get("instructions"),
        turns=address.read("turn_detection", _turns, f"one of {', '.join(_TURNS)}") or TurnMode.SERVER_VAD,
        resumption=True if resumption is None else resumption,
        compression=address.read("compression", yes_or_no, "yes or no") or False,
    )


def _turns(text: str) -> TurnMode:
    if text not in _TURNS:
        raise ValueError(text)
    return _TURNS[text]


BUILDERS: Mapping[str, Builder] = {"gemini": _gemini, "gemini+ws": _gemini, "gemini+wss": _gemini}
