"""Descriptions out of a few lines of YAML, and codecs that carry them out."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from streams.endpoints.declarative.build import parse_file
from streams.endpoints.declarative.codec import DeclaredCodec
from streams.endpoints.declarative.load import load
from streams.endpoints.declarative.model import Description
from streams.endpoints.events import EndpointEvent

BINARY = """
name: mine
connect: {url: ws://127.0.0.1:9000/}
audio:
  send: {rate: 16000, form: binary}
  receive: {rate: 16000, form: binary}
"""
"""The least that a file must say."""

JSON = """
name: mine
connect: {url: ws://127.0.0.1:9000/}
audio:
  send: {rate: 16000, form: json, message: {type: in, data: "{audio}"}}
  receive: {rate: 16000, form: json}
rules:
  - {kind: out, audio: {data: data}}
"""


def describe(text: str, query: str = "") -> Description:
    """The description of a file of that text, with the parameters of an address."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mine.yaml"
        file.write_text(text, encoding="utf-8")
        return load(*parse_file(f"{file}?{query}" if query else str(file)))


def codec(text: str, query: str = "", **values: object) -> DeclaredCodec:
    return DeclaredCodec(describe(text, query), {"call_id": "call-1", **values})


def rules(*lines: str, head: str = BINARY) -> str:
    """A file with these rules, each in one line of YAML."""
    if "rules:" not in head:
        head += "rules:\n"
    return head + "".join(f"  - {line}\n" for line in lines)


def receive(made: DeclaredCodec, *messages: Any, at: float = 1.0, raw: int = 0) -> list[EndpointEvent]:
    """The events of messages; what is no text and no bytes goes as JSON."""
    events: list[EndpointEvent] = []
    for number, message in enumerate(messages, raw):
        wire = message if isinstance(message, str | bytes) else json.dumps(message)
        events += made.receive(wire, at=at, raw=number)
    return events


def sent(messages: Sequence[str | bytes]) -> list[Any]:
    """Messages as values."""
    return [message if isinstance(message, bytes) else json.loads(message) for message in messages]
