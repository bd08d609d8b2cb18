"""Pipecat's protobuf frames, as values: one binary message of the wire each.

The messages are pipecat-ai's own generated module, loaded when a codec is made: `pipecat` takes half a
second to import, and greets on standard error unless told not to.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class FrameError(ValueError):
    """Bytes that are no frame of Pipecat's."""


@dataclass(frozen=True, slots=True)
class Sound:
    """Audio as it came: PCM16, perhaps in several channels, perhaps behind a WAV header.

    Attributes:
        rate: Samples per second; 0 if the frame says none.
        channels: Channels, interleaved; 0 if the frame says none.
    """

    data: bytes
    rate: int
    channels: int


@dataclass(frozen=True, slots=True)
class Text:
    """Words of the bot."""

    text: str


@dataclass(frozen=True, slots=True)
class Transcription:
    """Words of the user."""

    text: str


@dataclass(frozen=True, slots=True)
class Json:
    """A message of the application or of RTVI, as JSON text."""

    data: str


@dataclass(frozen=True, slots=True)
class Interruption:
    """What has not been heard yet shall be dropped."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """A frame of a kind that this version of Pipecat does not have."""


WireFrame = Sound | Text | Transcription | Json | Interruption | Nothing


def installed() -> bool:
    """True if pipecat-ai is there to import."""
    return importlib.util.find_spec("pipecat") is not None


class Frames:
    """Reads and writes frames.

    Raises:
        ImportError: pipecat-ai is not installed.
    """

    def __init__(self) -> None:
        from google.protobuf.message import DecodeError
        from loguru import logger

        logger.disable("pipecat")
        from pipecat.frames.protobufs import frames_pb2

        self._frame: Any = frames_pb2.Frame
        self._broken = DecodeError

    def read(self, message: bytes) -> WireFrame:
        """One message of the wire.

        Raises:
            FrameError: It is no protobuf message, or a text in it is no UTF-8.
        """
        try:
            frame = self._frame.FromString(message)
        except self._broken:
            raise FrameError(f"{len(message)} bytes that are no Pipecat frame") from None
        match frame.WhichOneof("frame"):
            case "audio":
                return Sound(frame.audio.audio, frame.audio.sample_rate, frame.audio.num_channels)
            case "message":
                return Json(frame.message.data)
            case "interruption":
                return Interruption()
            case "text":
                return Text(frame.text.text)
            case "transcription":
                return Transcription(frame.transcription.text)
            case _:
                return Nothing()

    def audio(self, pcm: bytes, rate: int) -> bytes:
        """A frame of mono PCM16."""
        frame = self._frame()
        frame.audio.audio, frame.audio.sample_rate, frame.audio.num_channels = pcm, rate, 1
        return self._bytes(frame)

    def json(self, content: Mapping[str, object]) -> bytes:
        """A frame with a message."""
        frame = self._frame()
        frame.message.data = json.dumps(content)
        return self._bytes(frame)

    def interruption(self) -> bytes:
        """A frame that interrupts the bot."""
        frame = self._frame()
        frame.interruption.SetInParent()
        return self._bytes(frame)

    def _bytes(self, frame: Any) -> bytes:
        data: bytes = frame.SerializeToString()
        return data
