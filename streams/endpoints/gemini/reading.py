"""Parts of Gemini Live messages that need no state."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from streams.endpoints.events import Edge, ToolCalled, Usage, UsageUnit, UserSpeech
from streams.endpoints.pieces import FieldError, Fields, Stamp

_DURATION = re.compile(r"(\d{1,12}(?:\.\d{1,12})?)s")

_EDGES = {"ACTIVITY_START": Edge.START, "ACTIVITY_END": Edge.STOP}


def duration(fields: Fields, name: str) -> float | None:
    """Seconds of a protobuf duration as JSON has it, "9.5s"; None if absent.

    Raises:
        FieldError: It is no such thing.
    """
    text = fields.text(name, "")
    if not text:
        return None
    found = _DURATION.fullmatch(text)
    if found is None:
        raise FieldError(f"field {name}: {text!r:.40}, expected seconds as '9.5s'")
    return float(found[1])


def usage(fields: Fields, stamp: Stamp, response: str) -> Sequence[Usage]:
    """`usageMetadata`: counts, and by modality as `promptTokensDetails.AUDIO`."""
    values = fields.numbers()
    for name in fields.names():
        if name.endswith("TokensDetails"):
            for detail in fields.children(name):
                count = detail.number("tokenCount")
                if count is not None:
                    values[f"{name}.{detail.text('modality', 'UNSPECIFIED')}"] = count
    if not values:
        return []
    return [Usage(**stamp, unit=UsageUnit.TOKENS, values=values, response=response)]


def tool_calls(fields: Fields, stamp: Stamp) -> Sequence[ToolCalled]:
    """`toolCall`."""
    return [
        ToolCalled(
            **stamp,
            call=call.text("id"),
            name=call.text("name", ""),
            arguments=json.dumps(call.child("args").values()),
        )
        for call in fields.children("functionCalls")
    ]


def speech(fields: Fields, stamp: Stamp) -> Sequence[UserSpeech]:
    """`voiceActivity`, which some projects get."""
    edge = _EDGES.get(fields.text("type", "").upper())
    if edge is None:
        return []
    offset = duration(fields, "audioOffset")
    return [UserSpeech(**stamp, edge=edge, server_ms=None if offset is None else offset * 1000)]
