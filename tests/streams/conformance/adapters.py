"""Every adapter with its vendor: the columns of the table in `docs/protocols.md`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from streams.endpoints.address import connect
from streams.endpoints.protocol import Codec
from streams.endpoints.websocket import WebsocketEndpoint
from tests.streams.conformance.line import Line
from tests.streams.vendors.assemblyai import AssemblyAIVendor
from tests.streams.vendors.cartesia import CartesiaVendor
from tests.streams.vendors.deepgram import DeepgramVendor
from tests.streams.vendors.doubao import DoubaoVendor
from tests.streams.vendors.elevenlabs import ElevenLabsVendor
from tests.streams.vendors.fastrtc import FastRTCVendor
from tests.streams.vendors.gemini import GeminiVendor
from tests.streams.vendors.hume import HumeVendor
from tests.streams.vendors.openai_live import OpenAILiveVendor
from tests.streams.vendors.pipecat import PipecatVendor
from tests.streams.vendors.realtime import KINDS, RealtimeVendor
from tests.streams.vendors.twilio import TwilioVendor
from tests.streams.vendors.twilio_cousins import (
    ExotelVendor,
    PlivoVendor,
    TelnyxAlawVendor,
    TelnyxVendor,
    VonageVendor,
)
from tests.streams.vendors.ultravox import UltravoxVendor
from tests.streams.vendors.vapi import VapiVendor
from tests.streams.vendors.vendor import Vendor

KEYS = "abcdefgh12345678"
"""What any key's variable holds here."""


class Environment(dict[str, str]):
    """An environment in which every key is set."""

    def __missing__(self, name: str) -> str:
        return KEYS

    def get(self, name: str, default: str | None = None) -> str:  # type: ignore[override]
        return self[name]


FAMILIES: Mapping[str, Mapping[str, Callable[[], Vendor]]] = {
    "OpenAI Realtime and its dialects": {name: partial(RealtimeVendor, name) for name in KINDS},
    "Telephone": {
        "Twilio": TwilioVendor,
        "Telnyx": TelnyxVendor,
        "Telnyx, A-law": TelnyxAlawVendor,
        "Plivo": PlivoVendor,
        "Exotel": ExotelVendor,
        "Vonage": VonageVendor,
    },
    "Protocols of their own": {
        "Pipecat": PipecatVendor,
        "Gemini Live": GeminiVendor,
        "OpenAI Live": OpenAILiveVendor,
        "Doubao": DoubaoVendor,
    },
    "Declared in a file": {
        "ElevenLabs": ElevenLabsVendor,
        "Deepgram": DeepgramVendor,
        "Hume": HumeVendor,
        "Ultravox": UltravoxVendor,
        "Vapi": VapiVendor,
        "AssemblyAI": AssemblyAIVendor,
        "FastRTC": FastRTCVendor,
        "Cartesia": CartesiaVendor,
    },
}
"""A table each, with one column for each adapter."""

VENDORS: Mapping[str, Callable[[], Vendor]] = {
    name: vendor for family in FAMILIES.values() for name, vendor in family.items()
}


def codec_of(vendor: Vendor) -> Codec:
    """The codec that the vendor's own address gets."""
    endpoint = connect(vendor.address("127.0.0.1:9"), Environment())
    assert isinstance(endpoint, WebsocketEndpoint)
    return endpoint.codec


def line_to(name: str) -> Line:
    """A call that is set up, with the vendor of that column."""
    vendor = VENDORS[name]()
    line = Line(vendor, codec_of(vendor))
    line.open()
    return line
