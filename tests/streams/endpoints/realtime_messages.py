"""Server messages of the OpenAI Realtime protocol for the tests of its codec."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from itertools import count

from streams.endpoints.events import EndpointEvent
from streams.endpoints.openai_realtime.codec import RealtimeCodec
from streams.endpoints.openai_realtime.dialects import DIALECTS, RealtimeOptions
from streams.endpoints.protocol import Message

Json = dict[str, object]


def codec(
    dialect: str = "openai", options: RealtimeOptions | None = None, *, ready: bool = True
) -> RealtimeCodec:
    """A codec, after its set-up unless told otherwise."""
    made = RealtimeCodec(DIALECTS[dialect], options)
    if ready:
        made.opening()
        receive(made, updated())
    return made


def receive(codec: RealtimeCodec, *messages: Json, at: float = 5.0) -> list[EndpointEvent]:
    """All events of these messages; the first one is number 0."""
    return [
        event
        for raw, each in enumerate(messages)
        for event in codec.receive(json.dumps(each), at=at, raw=raw)
    ]


def sent(messages: Iterable[Message]) -> list[Json]:
    """What a codec wants sent, without event ids."""
    parsed = [json.loads(each) for each in messages]
    for each in parsed:
        assert each.pop("event_id").startswith(each["type"] + "#")
    return parsed


_numbers = count()


def server(kind: str, **fields: object) -> Json:
    return {"type": kind, "event_id": f"event_{next(_numbers)}", **fields}


def updated(session: Mapping[str, object] | None = None) -> Json:
    return server("session.updated", session={"type": "realtime", **(session or {})})


def created(response: str) -> Json:
    return server("response.created", response={"id": response, "status": "in_progress"})


def delta(pcm: bytes, item: str, response: str, *, name: str = "response.output_audio.delta") -> Json:
    data = base64.b64encode(pcm).decode()
    where: Json = {"item_id": item, "response_id": response, "output_index": 0, "content_index": 0}
    return server(name, **where, delta=data)


def audio_done(item: str, response: str) -> Json:
    where: Json = {"item_id": item, "response_id": response, "output_index": 0, "content_index": 0}
    return server("response.output_audio.done", **where)


def done(response: str, status: str = "completed", **fields: object) -> Json:
    return server("response.done", response={"id": response, "status": status, **fields})


def speech_started(item: str = "u1", at_ms: int = 0) -> Json:
    return server("input_audio_buffer.speech_started", item_id=item, audio_start_ms=at_ms)
