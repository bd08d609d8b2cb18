"""Names of the messages on a wire, whatever its protocol: for counting what an endpoint sends. Pure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from streams.endpoints.doubao.frames import FrameError, unpack
from streams.endpoints.protocol import Message

NAMING = ("type", "event", "message_type", "event_type", "kind", "method")
"""Where the protocols that we know keep the name of a JSON message, the likeliest first."""

LONGEST = 80
WITHOUT_A_NAME = "JSON without a name"
BINARY = "binary"

_PIPECAT, _DOUBAO = "pipecat", "doubao"


def count_names(protocol: str, messages: Iterable[Message]) -> Counter[str]:
    """How many messages of each name, in the order of their first."""
    name = {_PIPECAT: _pipecat, _DOUBAO: _doubao}.get(protocol, message_name)
    return Counter(name(message) for message in messages)


def message_name(message: Message) -> str:
    """The name that stands in a JSON message, or else its keys (Gemini Live); "binary" for all else."""
    try:
        content = json.loads(message)
    except (ValueError, RecursionError):
        return BINARY if isinstance(message, bytes) else "text"
    if not isinstance(content, dict):
        return WITHOUT_A_NAME
    named = next((content[key] for key in NAMING if isinstance(content.get(key), str)), "")
    return (named or "+".join(map(str, content)) or WITHOUT_A_NAME)[:LONGEST]


def _pipecat(message: Message) -> str:
    """The kind of frame; of a message within it, its own name."""
    from streams.endpoints.pipecat.frames import FrameError as NoFrame
    from streams.endpoints.pipecat.frames import Frames, Json

    if isinstance(message, str):
        return message_name(message)
    try:
        frame = Frames().read(message)
    except NoFrame:
        return BINARY
    return message_name(frame.data) if isinstance(frame, Json) else type(frame).__name__.lower()


def _doubao(message: Message) -> str:
    """The number of the event."""
    if isinstance(message, str):
        return message_name(message)
    try:
        frame: Any = unpack(message)
    except FrameError:
        return BINARY
    return f"event {frame.event}" if frame.event is not None else f"message type {frame.kind}"
