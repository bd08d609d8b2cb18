"""Addresses of Doubao."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from streams.endpoints.doubao.codec import DoubaoCodec
from streams.endpoints.doubao.events import DoubaoOptions
from streams.endpoints.errors import AuthenticationFailed
from streams.endpoints.naming import Address
from streams.endpoints.parameters import Builder, key_of
from streams.endpoints.protocol import Endpoint, TurnMode
from streams.endpoints.websocket import RawLog, WebsocketEndpoint

_PATH = "/api/v3/realtime/dialogue"
_URL = f"wss://openspeech.bytedance.com{_PATH}"
_APP_ENV, _KEY_ENV = "DOUBAO_APP_ID", "DOUBAO_ACCESS_KEY"
_OPTIONS = frozenset({"voice", "instructions", "turn_detection", "silence_ms", "key_env"})
_TURNS = {TurnMode.SERVER_VAD.value: TurnMode.SERVER_VAD, TurnMode.MANUAL.value: TurnMode.MANUAL}

_SERVICE = {"X-Api-Resource-Id": "volc.speech.dialog", "X-Api-App-Key": "PlgvMymc7f3tQnJ6"}
"""The same for everybody: the documentation prints them."""


def _doubao(address: Address, environ: Mapping[str, str], raw_log: RawLog | None) -> Endpoint:
    """`doubao://MODEL` (1.2.1.1, 2.2.0.0), `doubao+ws://HOST:PORT/PATH?model=MODEL`."""
    own = bool(address.transport)
    if not own:
        address.allow_only(_OPTIONS)
    key_env = address.get("key_env") or _KEY_ENV
    key = key_of(address, environ, key_env, needed=not own)
    return WebsocketEndpoint(
        DoubaoCodec(_options(address), str(uuid.uuid4())),
        address.url(without=_OPTIONS | {"model"}, default_path=_PATH) if own else _URL,
        address=address.shown,
        headers=_headers(address, environ, key) if key else {},
        raw_log=raw_log,
        key_env=key_env,
    )


def _options(address: Address) -> DoubaoOptions:
    model = address.get("model") if address.transport else address.target
    turns = address.read("turn_detection", _turns, f"one of {', '.join(_TURNS)}")
    return DoubaoOptions(
        model=model or DoubaoOptions().model,
        voice=address.get("voice"),
        instructions=address.get("instructions"),
        silence_ms=address.read("silence_ms", _silence, "milliseconds from 500 to 50000"),
        turns=turns or TurnMode.SERVER_VAD,
    )


def _headers(address: Address, environ: Mapping[str, str], key: str) -> dict[str, str]:
    app = environ.get(_APP_ENV, "")
    if not app:
        remedy = f"Set the environment variable {_APP_ENV} to the APP ID of your console."
        raise AuthenticationFailed(address.shown, f"no APP ID: {_APP_ENV} is not set", remedy)
    connection = str(uuid.uuid4())
    return {"X-Api-App-ID": app, "X-Api-Access-Key": key, "X-Api-Connect-Id": connection, **_SERVICE}


def _turns(text: str) -> TurnMode:
    if text not in _TURNS:
        raise ValueError(text)
    return _TURNS[text]


def _silence(text: str) -> int:
    value = int(text)
    if not 500 <= value <= 50000:
        raise ValueError(text)
    return value


BUILDERS: Mapping[str, Builder] = {"doubao": _doubao, "doubao+ws": _doubao, "doubao+wss": _doubao}
