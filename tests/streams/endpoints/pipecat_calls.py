"""Calls of the codec for Pipecat with messages of a bot, at once or in time."""

from __future__ import annotations

from typing import Any

from streams.audio import AudioFormat
from streams.endpoints.events import EndpointEvent
from streams.endpoints.pipecat.codec import PipecatCodec
from streams.endpoints.protocol import Message
from tests.streams.vendors.pipecat import PipecatVendor


def codec(**options: Any) -> PipecatCodec:
    return PipecatCodec(AudioFormat(16000), AudioFormat(24000), **options)


def ready() -> PipecatCodec:
    """A codec whose session is set up."""
    ours, vendor = codec(), PipecatVendor()
    for message in ours.opening():
        for answer in vendor.take(message):
            ours.receive(answer, at=0.0, raw=0)
    return ours


def take(ours: PipecatCodec, *steps: tuple[float, Message]) -> list[EndpointEvent]:
    return [event for raw, (at, step) in enumerate(steps) for event in ours.receive(step, at=at, raw=raw)]


def at_once(ours: PipecatCodec, *messages: Message) -> list[EndpointEvent]:
    return take(ours, *((1.0, message) for message in messages))
