"""The other side of Twilio and its cousins, as Pipecat ships it for servers, beside adapter and doubles.

Each takes what the other sends, and the doubles send the same.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from streams import g711
from streams.audio import Encoding, Frame
from streams.endpoints.events import AudioReceived, Flush
from streams.endpoints.fake import tone
from streams.endpoints.protocol import Codec, Message
from tests.streams.conformance.adapters import codec_of
from tests.streams.vendors import pipecat_library as pipecat
from tests.streams.vendors.twilio import TwilioVendor
from tests.streams.vendors.twilio_cousins import TELEPHONE_VENDORS
from tests.streams.vendors.vendor import Reply


def serializer_of(vendor: TwilioVendor) -> Any:
    """Pipecat's serializer, as a bot would make it for this call."""
    match vendor.scheme:
        case "twilio":
            twilio = pipecat.TwilioFrameSerializer
            made: Any = twilio(vendor.stream, params=twilio.InputParams(auto_hang_up=False))
        case "telnyx":
            telnyx, codec = pipecat.TelnyxFrameSerializer, getattr(vendor, "wire", "")
            made = telnyx(vendor.stream, codec, codec, params=telnyx.InputParams(auto_hang_up=False))
        case "plivo":
            plivo = pipecat.PlivoFrameSerializer
            made = plivo(vendor.stream, params=plivo.InputParams(auto_hang_up=False))
        case "exotel":
            made = pipecat.ExotelFrameSerializer(vendor.stream)
        case _:
            made = pipecat.VonageFrameSerializer()
    rate = vendor.input_rate
    asyncio.run(made.setup(SimpleNamespace(audio_in_sample_rate=rate)))
    return made


def speaks_linear_plivo(vendor: TwilioVendor) -> bool:
    return vendor.scheme == "plivo" and vendor.encoding is Encoding.PCM16


VENDORS = [each for each in TELEPHONE_VENDORS if not speaks_linear_plivo(each())]
"""Pipecat's serializer for Plivo knows mu-law only."""

every_vendor = pytest.mark.parametrize("made", VENDORS, ids=lambda made: made.name)


def opened(vendor: TwilioVendor) -> tuple[Codec, Sequence[Message]]:
    codec = codec_of(vendor)
    messages = codec.opening()
    for message in messages:
        vendor.take(message)
    return codec, messages


def on_the_wire(vendor: TwilioVendor, pcm: bytes) -> bytes:
    """What a sample is after the coding of the line."""
    if vendor.encoding is Encoding.PCM16:
        return pcm
    return g711.decode(g711.encode(pcm, vendor.encoding), vendor.encoding)


@pytest.mark.parametrize(
    "made", [each for each in VENDORS if each.scheme != "vonage"], ids=lambda made: made.name
)
def test_pipecat_recognises_the_provider_by_our_opening(made: type[TwilioVendor]) -> None:
    vendor = made()
    codec, opening = opened(vendor)
    frame = Frame(bytes(2 * vendor.input_rate // 50), vendor.input_rate)

    class Socket:
        async def iter_text(self) -> AsyncIterator[str]:
            for message in (*opening, *codec.audio(frame)):
                yield str(message)

    kind, call = asyncio.run(pipecat.parse_telephony_websocket(Socket()))
    assert kind == vendor.scheme
    assert (call["stream_id"], call["call_id"]) == (vendor.stream, vendor.call)
    if vendor.scheme == "telnyx":
        assert call["outbound_encoding"] == getattr(vendor, "wire", "")


@every_vendor
def test_pipecat_hears_the_user_sample_for_sample(made: type[TwilioVendor]) -> None:
    vendor = made()
    codec, _ = opened(vendor)
    serializer = serializer_of(vendor)
    pcm = tone(0.2, rate=vendor.input_rate)
    size = 2 * vendor.input_rate // 50
    heard = b""
    for place in range(0, len(pcm), size):
        for message in codec.audio(Frame(pcm[place : place + size], vendor.input_rate)):
            frame = asyncio.run(serializer.deserialize(message))
            assert isinstance(frame, pipecat.frames.InputAudioRawFrame)
            assert (frame.sample_rate, frame.num_channels) == (vendor.input_rate, 1)
            heard += frame.audio
    assert heard == on_the_wire(vendor, pcm)


@every_vendor
def test_pipecat_sees_the_keys(made: type[TwilioVendor]) -> None:
    vendor = made()
    codec, _ = opened(vendor)
    serializer = serializer_of(vendor)
    for digit in "0159*#":
        (message,) = codec.dtmf(digit)
        frame = asyncio.run(serializer.deserialize(message))
        assert isinstance(frame, pipecat.frames.InputDTMFFrame)
        assert frame.button is pipecat.KeypadEntry(digit)


@every_vendor
def test_we_hear_the_bot_and_our_double_says_it_in_the_same_words(made: type[TwilioVendor]) -> None:
    vendor = made()
    codec, _ = opened(vendor)
    serializer = serializer_of(vendor)
    # samples that the line can say exactly: encoders round the others in ways of their own
    pcm = on_the_wire(vendor, tone(0.04, rate=vendor.output_rate))
    frame = pipecat.frames.OutputAudioRawFrame(pcm, vendor.output_rate, 1)
    message = asyncio.run(serializer.serialize(frame))
    (event,) = codec.receive(message, at=1.0, raw=0)
    assert event == AudioReceived(at=1.0, raw=0, pcm=pcm, item="reply-1")
    assert [read(each) for each in vendor.audio(Reply(), pcm)] == [read(message)]


@every_vendor
def test_an_interruption_of_the_bot_is_a_flush(made: type[TwilioVendor]) -> None:
    vendor = made()
    codec, _ = opened(vendor)
    message = asyncio.run(serializer_of(vendor).serialize(pipecat.frames.InterruptionFrame()))
    assert list(codec.receive(message, at=1.0, raw=0)) == [Flush(at=1.0, raw=0)]
    assert [read(each) for each in vendor.flush()] == [read(message)]


def read(message: Message) -> object:
    return json.loads(message) if isinstance(message, str) else message
