"""Whatever a server sends, the OpenAI Realtime codec answers with events and never fails."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams.endpoints.events import AudioReceived, Edge, Notice, Unknown
from streams.endpoints.openai_realtime import codec as codec_module
from streams.endpoints.openai_realtime import reading
from streams.endpoints.openai_realtime.dialects import DIALECTS
from tests.streams.endpoints.realtime_messages import codec
from tests.streams.vendors.mutations import mutated
from tests.streams.vendors.realtime import RealtimeVendor
from tests.streams.vendors.vendor import Reply

TYPES = sorted(
    {
        *codec_module.HANDLERS,
        *reading.READERS,
        *reading.SILENT,
        *reading.BETA,
        *(name for each in DIALECTS.values() for name in (*each.silent, *each.events)),
        "response.new_thing",
        "",
    }
)
FIELDS = [
    "item_id",
    "response_id",
    "delta",
    "transcript",
    "text",
    "session",
    "response",
    "item",
    "error",
    "call_id",
    "name",
    "arguments",
    "usage",
    "audio_start_ms",
    "previous_item_id",
    "reset_seconds",
    "remaining",
    "rate_limits",
    "warning",
    "id",
    "status",
    "status_details",
    "reason",
    "code",
    "type",
    "role",
    "audio",
    "input",
    "output",
    "format",
    "rate",
    "input_audio_format",
    "output_audio_format",
    "message",
    "event_id",
]

leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(
        ["AAAA", "AAA", "pcm16", "audio/pcm", "function_call", "completed", "user", "r1", "a1"]
    )
)
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4),
    max_leaves=8,
)
messages = st.builds(
    lambda kind, fields: json.dumps({**fields, "type": kind}),
    st.sampled_from(TYPES) | values,
    st.dictionaries(st.sampled_from(FIELDS), values, max_size=6),
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(DIALECTS)), st.lists(messages | st.text() | st.binary(), max_size=8))
def test_no_message_makes_the_codec_raise(dialect: str, stream: list[str | bytes]) -> None:
    made = codec(dialect, ready=False)
    for raw, message in enumerate(stream):
        for event in made.receive(message, at=1.0, raw=raw):
            assert (event.at, event.raw) == (1.0, raw)
            repr(event).encode()  # whatever arrived can be written to a file
            if isinstance(event, AudioReceived):
                assert len(event.pcm) % 2 == 0
            if isinstance(event, Notice | Unknown):
                assert len(repr(event)) < 10_000
        for reply in made.replies():
            json.loads(reply)
        made.cancel()


REPLY = Reply()


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_a_servers_own_messages_may_be_broken_in_any_way(dialect: str) -> None:
    """A few of the hundred thousand of `python -m benchmarks "malformed messages"`."""
    vendor = RealtimeVendor(dialect)
    made = codec(dialect)
    whole = [
        *vendor.begin(REPLY),
        *vendor.audio(REPLY, bytes(960)),
        *vendor.text(REPLY, "Good morning.", final=True),
        *vendor.tool("call-1", "weather", "{}"),
        *vendor.user_speech(Edge.START),
        *vendor.user_text("hello", item="user-1"),
        *vendor.error("no", fatal=False),
        *vendor.end(REPLY),
    ]
    kinds = set()
    for raw, message in enumerate(mutated(whole, 400, random.Random(dialect))):
        kinds |= {type(event) for event in made.receive(message, at=1.0, raw=raw)}
        made.replies()
    assert {
        Notice,
        Unknown,
        AudioReceived,
    } <= kinds  # broken ones are noted, and whole ones still get through
