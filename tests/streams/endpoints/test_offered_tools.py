"""What each wire protocol says of tools that are offered, in its set-up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streams.endpoints.address import connect
from streams.endpoints.declarative.build import from_file
from streams.endpoints.protocol import Tool
from streams.endpoints.websocket import WebsocketEndpoint

SCHEMA = {"type": "object", "properties": {"day": {"type": "string"}}}
HOURS = Tool("hours", "When it is open.", SCHEMA)
PLAIN = {"name": "hours", "description": "When it is open.", "parameters": SCHEMA}
KEYS = {"DEEPGRAM_API_KEY": "k" * 20, "ASSEMBLYAI_API_KEY": "k" * 20}


def endpoint(address: str) -> WebsocketEndpoint:
    made = connect(address, KEYS)
    assert isinstance(made, WebsocketEndpoint)
    return made


def opening(made: WebsocketEndpoint) -> Any:
    (message,) = made.codec.opening()
    return json.loads(message)


@pytest.mark.parametrize(
    ("address", "path", "shape"),
    [
        (
            "openai+ws://127.0.0.1/v1/realtime?model=x",
            ("session", "tools", 0),
            {"type": "function", **PLAIN},
        ),
        (
            "stepfun+ws://127.0.0.1/v1/realtime?model=x",
            ("session", "tools", 0),
            {"type": "function", "function": PLAIN},
        ),
        ("gemini+ws://127.0.0.1/live?model=x", ("setup", "tools", 0, "functionDeclarations", 0), PLAIN),
        ("assemblyai+ws://127.0.0.1/v1", ("session", "tools", 0), {"type": "function", **PLAIN}),
    ],
)
def test_the_set_up_declares_the_tools(address: str, path: tuple[str | int, ...], shape: object) -> None:
    made = endpoint(address)
    made.offer([HOURS])
    found = opening(made)
    for part in path:
        found = found[part]
    assert found == shape
    assert made.capabilities.tool_setup
    assert "tools" not in json.dumps(
        opening(endpoint(address))
    )  # without an offer nothing is said of tools


def test_deepgram_is_told_in_its_settings() -> None:
    made = endpoint("deepgram+ws://127.0.0.1/v1")
    made.offer([HOURS])
    made.codec.opening()
    made.codec.receive('{"type": "Welcome", "request_id": "r"}', at=0, raw=0)
    (settings,) = made.codec.replies()
    assert json.loads(settings)["agent"]["think"]["functions"] == [PLAIN]


@pytest.mark.parametrize(
    "address", ["pcm+ws://127.0.0.1/?rate=16000", "twilio+ws://127.0.0.1/", "hume+ws://127.0.0.1/?config=1"]
)
def test_where_the_endpoint_brings_its_own_tools_the_capabilities_say_so(address: str) -> None:
    made = endpoint(address)
    made.offer([HOURS])
    assert not made.capabilities.tool_setup


def test_a_file_may_name_the_tools_where_it_likes(tmp_path: Any) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(
        "name: own\nconnect:\n  url: ws://127.0.0.1/\n  opening: {type: hi, can: '{tools}'}\n"
        "audio:\n  send: {rate: 16000, form: binary}\n  receive: {rate: 16000, form: binary}\n"
    )
    made = from_file(str(file), {}, None)
    assert isinstance(made, WebsocketEndpoint)
    assert made.capabilities.tool_setup
    assert opening(made) == {"type": "hi"}
    made.offer([HOURS])
    assert opening(made) == {"type": "hi", "can": [PLAIN]}
