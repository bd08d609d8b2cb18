"""Twilio as streamdouble, a simulator by others, has it: against our adapter, and against our double."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamdouble.api import call
from streamdouble.protocol import (
    InboundClear,
    InboundMark,
    InboundMedia,
    MediaStreamEncoder,
    ProtocolViolation,
    StreamIdentity,
    UnknownFrame,
    parse_outbound,
)
from streamdouble.session import SessionConfig
from websockets.asyncio.server import ServerConnection

from streams import clock, g711
from streams.audio import Encoding, Frame
from streams.endpoints.fake import tone
from streams.endpoints.twilio.codec import TwilioCodec
from streams.endpoints.twilio.messages import CallIds
from tests.streams.vendors.serve import serving
from tests.streams.vendors.twilio import TwilioVendor
from tests.streams.vendors.vendor import PlaybackTold, Reply

PCM = tone(0.02, rate=8000)
WIRE = g711.encode(PCM, Encoding.MULAW)


def sent(messages: Any) -> list[dict[str, Any]]:
    return [json.loads(message) for message in messages]


def opened() -> TwilioVendor:
    vendor = TwilioVendor()
    for message in TwilioCodec(CallIds("MZ" + 32 * "0", "CA" + 32 * "1", "AC" + 32 * "2")).opening():
        vendor.take(message)
    return vendor


def test_our_side_of_a_call_is_message_for_message_that_of_the_simulator() -> None:
    identity = StreamIdentity()
    theirs = MediaStreamEncoder(identity)
    ours = TwilioCodec(
        CallIds(identity.stream_sid, identity.call_sid, identity.account_sid), {"name": "Mia"}
    )
    opening = [theirs.connected(), theirs.start(custom_parameters={"name": "Mia"})]
    assert sent(ours.opening()) == opening
    for _ in range(3):
        assert sent(ours.audio(Frame(PCM, 8000))) == [theirs.media(WIRE)]
    ours.receive(
        json.dumps({"event": "mark", "streamSid": identity.stream_sid, "mark": {"name": "m"}}),
        at=0,
        raw=0,
    )
    assert sent(ours.replies()) == [theirs.mark("m")]
    assert sent(ours.dtmf("5")) == [theirs.dtmf("5")]
    assert sent(ours.audio(Frame(PCM, 8000))) == [theirs.media(WIRE)]
    assert sent(ours.closing("")) == [theirs.stop()]


def test_what_our_double_sends_is_what_the_simulator_takes() -> None:
    vendor = opened()
    read = [
        parse_outbound(message, expected_stream_sid=vendor.stream)
        for message in (
            *vendor.audio(Reply(), PCM),
            *vendor.mark("m"),
            *vendor.flush(),
            *vendor.unknown(),
        )
    ]
    assert [type(frame) for frame in read] == [InboundMedia, InboundMark, InboundClear, UnknownFrame]
    media, mark, *_ = read
    assert isinstance(media, InboundMedia) and media.payload == WIRE
    assert isinstance(mark, InboundMark) and mark.name == "m"


def test_what_our_double_breaks_is_a_violation_for_the_simulator_too() -> None:
    vendor = opened()
    for message in vendor.malformed():
        with pytest.raises(ProtocolViolation):
            parse_outbound(message, expected_stream_sid=vendor.stream)


@pytest.mark.wall_clock
def test_the_simulator_holds_a_call_with_our_double() -> None:
    vendor = TwilioVendor()

    async def script(socket: ServerConnection) -> None:
        await vendor.started.wait()
        for message in (*vendor.audio(Reply(), tone(0.2, rate=8000)), *vendor.mark("said")):
            await socket.send(message)

    async def main() -> None:
        config = SessionConfig(quiet_period_s=0.3, custom_parameters={"name": "Mia"})
        async with serving(vendor, script=script) as host:
            report = await call(f"ws://{host}/media", frames=[WIRE] * 15, config=config)
        assert report.violations == []
        assert report.audio_received == g711.encode(tone(0.2, rate=8000), Encoding.MULAW)
        assert report.result.marks_echoed == ["said"]

    clock.run(main(), simulate=False)
    assert vendor.parameters == {"name": "Mia"}
    assert vendor.told == [PlaybackTold("said")]
    # 15 frames of 20 ms, and the simulator's silence after them
    heard = g711.decode(WIRE, Encoding.MULAW) * 15
    assert bytes(vendor.heard).startswith(heard)
    assert vendor.goodbye
