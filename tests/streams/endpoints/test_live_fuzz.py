"""Whatever a server sends, the codecs of Gemini Live, OpenAI Live and Doubao answer with events.

A hundred thousand messages: `python -m benchmarks "malformed messages"`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams.endpoints.address import connect
from streams.endpoints.doubao.frames import unpack
from streams.endpoints.events import AudioReceived, Edge, EndpointEvent, Notice, Unknown
from streams.endpoints.protocol import Codec, Message
from streams.endpoints.websocket import WebsocketEndpoint
from tests.streams.vendors.doubao import DoubaoVendor, raw_frame
from tests.streams.vendors.gemini import GeminiVendor
from tests.streams.vendors.mutations import mutated
from tests.streams.vendors.openai_live import OpenAILiveVendor
from tests.streams.vendors.vendor import Reply

REPLY = Reply()
COUNT = 500

Fuzzed = GeminiVendor | OpenAILiveVendor | DoubaoVendor
VENDORS: Sequence[Callable[[], Fuzzed]] = (GeminiVendor, OpenAILiveVendor, DoubaoVendor)


def codec_of(vendor: Fuzzed) -> Codec:
    endpoint = connect(vendor.address("127.0.0.1:9"), {})
    assert isinstance(endpoint, WebsocketEndpoint)
    return endpoint.codec


def whole(vendor: Fuzzed) -> list[Message]:
    """One message of every kind that the double has."""
    codec = codec_of(vendor)
    waiting = list(codec.opening())
    while waiting:
        for answer in vendor.take(waiting.pop()):
            codec.receive(answer, at=0.0, raw=0)
        waiting += codec.replies()
    messages = [
        *vendor.begin(REPLY),
        *vendor.audio(REPLY, b"\x10\x27" * 480),
        *vendor.text(REPLY, "Good morning.", final=True),
        *vendor.user_text("hello", item="user-1"),
        *vendor.usage(tokens=30),
        *vendor.ending(50.0),
        *vendor.unknown(),
        *vendor.end(REPLY),
    ]
    if isinstance(vendor, GeminiVendor | OpenAILiveVendor):
        messages += vendor.tool("call-1", "weather", '{"city": "Bern"}')
    if isinstance(vendor, GeminiVendor):
        messages += [*vendor.flush(), *vendor.tool_cancel("call-1"), *vendor.user_speech(Edge.START)]
    else:
        messages += vendor.error("no", fatal=False)
    return messages


def broken(vendor: Fuzzed, count: int) -> Iterator[Message]:
    """Messages with things wrong; of frames that are compressed also within their payload."""
    rng = random.Random(vendor.name)
    messages = whole(vendor)
    if not isinstance(vendor, DoubaoVendor):
        yield from mutated(messages, count, rng)
        return
    yield from mutated(messages, count // 2, rng)
    frames = [unpack(message) for message in messages if isinstance(message, bytes)]
    told = [frame for frame in frames if frame.event is not None and not frame.raw]
    for _ in range(count // 2):
        frame = rng.choice(told)
        (body,) = mutated([frame.payload], 1, rng)
        assert isinstance(body, bytes)
        yield raw_frame(0x94, 0x10, frame.event or 0, frame.id, body)


def sound(event: EndpointEvent, at: float, raw: int) -> None:
    """An event as every reader may rely on it."""
    assert (event.at, event.raw) == (at, raw)
    repr(event).encode()  # whatever arrived can be written to a file
    if isinstance(event, AudioReceived):
        assert event.pcm and len(event.pcm) % 2 == 0
    if isinstance(event, Notice | Unknown):
        assert len(repr(event)) < 1_000


@pytest.mark.parametrize("make", VENDORS)
def test_a_servers_own_messages_may_be_broken_in_any_way(make: Callable[[], Fuzzed]) -> None:
    vendor = make()
    made = codec_of(vendor)
    made.opening()
    kinds = set()
    # broken ones are noted, and whole ones still get through
    for raw, message in enumerate([*broken(vendor, COUNT), *whole(vendor)]):
        events = made.receive(message, at=raw * 0.3, raw=raw)
        for event in events:
            sound(event, raw * 0.3, raw)
        kinds |= {type(event) for event in events}
        made.replies()
        made.resume()
    assert {Notice, Unknown, AudioReceived} <= kinds


NAMES = sorted(
    {
        *(name for name in json.dumps([json.loads(m) for m in whole(GeminiVendor())]).split('"')[1::2]),
        *(name for name in json.dumps([json.loads(m) for m in whole(OpenAILiveVendor())]).split('"')[1::2]),
    }
)
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.sampled_from(NAMES)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=8,
)
MESSAGES = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4).map(json.dumps)


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(VENDORS), st.lists(MESSAGES | st.text() | st.binary(), max_size=6))
def test_no_message_makes_a_codec_raise(make: Callable[[], Fuzzed], stream: list[Message]) -> None:
    made = codec_of(make())
    for raw, message in enumerate(stream):
        for event in made.receive(message, at=1.0, raw=raw):
            sound(event, 1.0, raw)
        made.replies()
        made.cancel()
