"""The endpoint's audio bytes on their way to PCM16: WAV headers off, whole samples, G.711 decoded."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from streams import g711
from streams.audio import AudioFormat, Encoding
from streams.endpoints.declarative.model import WavHeader
from streams.endpoints.events import EndpointEvent
from streams.endpoints.pieces import FieldError, SampleAligner, Stamp
from streams.endpoints.rates import RateKeeper

_RIFF = b"RIFF"
_LONGEST_HEADER = 4096
"""Bytes in which a WAV header must have ended."""

_FORMATS = {1: Encoding.PCM16, 6: Encoding.ALAW, 7: Encoding.MULAW, 0xFFFE: Encoding.PCM16}
"""Format tags of RIFF WAVE (RFC 2361); 0xFFFE is the extensible form."""


def wav_header(audio: AudioFormat, size: int | None = None) -> bytes:
    """A RIFF header of 44 bytes before mono audio of `size` bytes; None for a stream without end."""
    length = 0xFFFFFFFF if size is None else size
    tag = {Encoding.PCM16: 1, Encoding.ALAW: 6, Encoding.MULAW: 7}[audio.encoding]
    width = audio.bytes_per_sample
    layout = struct.pack("<HHIIHH", tag, 1, audio.rate, audio.rate * width, width, 8 * width)
    whole = min(length + 36, 0xFFFFFFFF)
    return (
        struct.pack("<4sI4s4sI", _RIFF, whole, b"WAVE", b"fmt ", 16)
        + layout
        + struct.pack("<4sI", b"data", length)
    )


def read_wav(data: bytes) -> tuple[AudioFormat, int, int] | None:
    """Format, and begin and end of the audio of a WAV file that may go on; None while the header does.

    Raises:
        FieldError: It is no WAV of one channel in PCM16 or G.711.
    """
    if len(data) >= 12 and (data[:4] != _RIFF or data[8:12] != b"WAVE"):
        raise FieldError("audio without the WAV header that the file declares")
    place, audio = 12, None
    while place + 8 <= len(data):
        name, size = struct.unpack_from("<4sI", data, place)
        place += 8
        if name == b"data":
            if audio is None:
                raise FieldError("a WAV header without its format")
            return audio, place, place + size
        if name == b"fmt " and len(data) >= place + 16:
            audio = _read_format(*struct.unpack_from("<HHIIHH", data, place))
        place += size + size % 2
    if len(data) > _LONGEST_HEADER or place > _LONGEST_HEADER:
        raise FieldError(f"a WAV header without an end in {_LONGEST_HEADER} bytes")
    return None


def _read_format(tag: int, channels: int, rate: int, _rate: int, _block: int, bits: int) -> AudioFormat:
    encoding = _FORMATS.get(tag)
    if encoding is None or channels != 1 or bits != (16 if encoding is Encoding.PCM16 else 8):
        raise FieldError(
            f"WAV of format {tag}, {channels} channels, {bits} bits; expected mono PCM16 or G.711"
        )
    try:
        return AudioFormat(rate, encoding)
    except ValueError as error:
        raise FieldError(f"a WAV header: {error}") from None


class Incoming:
    """Turns what arrives for an item into PCM16 at the declared rate.

    A WAV header that names another rate is believed: the audio is resampled, and a warning says so.
    """

    def __init__(self, audio: AudioFormat, header: WavHeader) -> None:
        self._header = header
        self._before: dict[str, bytes] = {}
        self._begun = self._last = ""
        self.settle(audio)

    def settle(self, audio: AudioFormat) -> None:
        """The format that the endpoint has settled for."""
        self.format = audio
        self._aligner = SampleAligner(audio.bytes_per_sample)
        self._rates = RateKeeper(audio.rate, "set `audio.receive.rate` of its file to {rate}")

    def take(self, item: str, data: bytes, stamp: Stamp) -> tuple[Sequence[EndpointEvent], bytes]:
        """What is to be said of these bytes, and the whole samples that they complete, as PCM16.

        Raises:
            FieldError: A WAV header that is none, or of an encoding that is not the declared one.
        """
        self._last = item
        events: Sequence[EndpointEvent] = []
        if self._header is WavHeader.EACH:
            events, data = self._file(data, stamp)
        elif self._header is WavHeader.FIRST and item != self._begun:
            events, data = self._behind_header(item, data, stamp)
        pcm = g711.decode(self._aligner.push(item, data), self.format.encoding)
        return events, self._rates.push(pcm)

    def end(self, item: str) -> bytes:
        """Nothing more will come for an item; returns what a resampler still held of it."""
        self._aligner.end(item)
        self._before.pop(item, None)
        if item == self._begun:
            self._begun = ""
        return self._rates.flush() if item == self._last else b""

    def _file(self, data: bytes, stamp: Stamp) -> tuple[Sequence[EndpointEvent], bytes]:
        """The audio of a whole WAV file; a length of 0 is that of a stream."""
        found = read_wav(data)
        if found is None:
            raise FieldError(f"{len(data)} bytes that are no whole WAV file")
        audio, begin, end = found
        return self._turn_to(audio, stamp), data[begin : end if end > begin else None]

    def _behind_header(self, item: str, data: bytes, stamp: Stamp) -> tuple[Sequence[EndpointEvent], bytes]:
        """What follows the header at the begin of an item; later items may have none."""
        events: Sequence[EndpointEvent] = []
        data = self._before.pop(item, b"") + data
        if data.startswith(_RIFF[: len(data)]):
            found = read_wav(data)
            if found is None:
                self._before = {item: data}  # of one item only: what was begun before is given up
                return [], b""
            events, data = self._turn_to(found[0], stamp), data[found[1] :]
        self._begun = item
        return events, data

    def _turn_to(self, audio: AudioFormat, stamp: Stamp) -> Sequence[EndpointEvent]:
        if audio.encoding is not self.format.encoding:
            declared = f"`audio.receive.encoding` of its file is {self.format.encoding}"
            raise FieldError(f"a WAV header says {audio.encoding}, {declared}")
        try:
            return self._rates.turn_to(audio.rate, stamp)
        except ValueError as error:
            raise FieldError(str(error)) from None
