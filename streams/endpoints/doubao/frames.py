"""The binary frames of Volcengine's speech services: header, optional fields, payload.

    byte 0   version (1) | header size in words of 4 bytes (1)
    byte 1   message type | flags: 1 and 3 announce a sequence number, 4 an event number
    byte 2   serialisation: 0 raw, 1 JSON | compression: 0 none, 1 gzip
    byte 3   0
    code 4, in error frames; sequence 4; event 4; size 4 and id (of the connection or the session) where
    there is an event; size 4 and payload. All numbers are big-endian.

Source: volcengine.com/docs/6561/1594356, section 2.2, with byte examples. A frame whose lengths do not add
up is refused, and so is a payload that unpacks to more than `LARGEST`.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum

LARGEST = 1 << 24
"""Bytes of a payload after unpacking: 175 s of PCM16 at 48 kHz."""

_HEADER = 0x11
_SEQUENCES = frozenset({1, 3})
_EVENT = 4
_GZIP_WINDOW = 31
_CONNECTION_EVENTS = range(100)


class FrameError(ValueError):
    """Bytes that are no frame, or not one that may be unpacked."""


class Kind(IntEnum):
    """Message types."""

    CLIENT = 0b0001
    CLIENT_AUDIO = 0b0010
    SERVER = 0b1001
    SERVER_AUDIO = 0b1011
    ERROR = 0b1111


class Serialisation(IntEnum):
    """What a payload is."""

    RAW = 0
    JSON = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WireFrame:
    """One message.

    Attributes:
        kind: As numbered on the wire.
        event: None if the frame carries none.
        code: Of an error frame.
        id: Of the session, or of the connection.
        payload: Not compressed.
        raw: The payload is sound, not JSON.
    """

    kind: int
    payload: bytes = b""
    event: int | None = None
    code: int | None = None
    id: str = ""
    raw: bool = False

    def pack(self, *, gzip: bool = False) -> bytes:
        """The bytes on the wire. Events of a connection (below 100) carry no id."""
        payload = self.payload
        if gzip:
            packer = zlib.compressobj(wbits=_GZIP_WINDOW)
            payload = packer.compress(payload) + packer.flush()
        serialisation = Serialisation.RAW if self.raw else Serialisation.JSON
        flags = 0 if self.event is None else _EVENT
        parts = [bytes([_HEADER, self.kind << 4 | flags, serialisation << 4 | gzip, 0])]
        if self.code is not None:
            parts.append(struct.pack(">I", self.code))
        if self.event is not None:
            parts.append(struct.pack(">I", self.event))
        if self.id:
            parts.append(_sized(self.id.encode()))
        return b"".join([*parts, _sized(payload)])


def _sized(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def unpack(data: bytes) -> WireFrame:
    """Read a frame.

    Raises:
        FrameError: It is none: version, header, lengths or compression are not as they should be.
    """
    if len(data) < 4 or data[0] != _HEADER:
        raise FrameError(f"{len(data)} bytes that do not begin with a header of version 1")
    kind, flags = data[1] >> 4, data[1] & 0xF
    serialisation, compression = data[2] >> 4, data[2] & 0xF
    reader = _Reader(data, 4)
    code = reader.number("error code") if kind == Kind.ERROR else None
    if flags & 3 in _SEQUENCES:
        reader.number("sequence")
    event = reader.number("event") if flags & _EVENT else None
    optional = event in _CONNECTION_EVENTS or kind == Kind.ERROR
    name = "" if event is None else reader.name(optional=optional)
    payload = reader.last("payload")
    if compression == 1:
        payload = _unzip(payload)
    elif compression != 0:
        raise FrameError(f"compression {compression}, expected none or gzip")
    raw = serialisation == Serialisation.RAW
    return WireFrame(kind=kind, payload=payload, event=event, code=code, id=name, raw=raw)


class _Reader:
    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at

    def number(self, what: str) -> int:
        if len(self._data) - self._at < 4:
            raise FrameError(f"the frame ends within its {what}")
        (value,) = struct.unpack_from(">I", self._data, self._at)
        self._at += 4
        return int(value)

    def name(self, *, optional: bool) -> str:
        """An id with its size before it; where it is optional, what follows tells whether it is there."""
        start = self._at
        if optional and self.number("payload size") == len(self._data) - self._at:
            self._at = start
            return ""
        self._at = start
        return self._take(self.number("id size"), "id").decode("utf-8", "replace")

    def last(self, what: str) -> bytes:
        size = self.number(f"{what} size")
        if size != len(self._data) - self._at:
            left = len(self._data) - self._at
            raise FrameError(f"the {what} is said to have {size} bytes, and {left} are there")
        return self._take(size, what)

    def _take(self, size: int, what: str) -> bytes:
        left = len(self._data) - self._at
        if size > left:
            raise FrameError(f"the {what} is said to have {size} bytes, and {left} are there")
        self._at += size
        return self._data[self._at - size : self._at]


def _unzip(data: bytes) -> bytes:
    if not data:
        return b""
    unpacker = zlib.decompressobj(wbits=_GZIP_WINDOW)
    try:
        unpacked = unpacker.decompress(data, LARGEST + 1)
    except zlib.error as exc:
        raise FrameError(f"{len(data)} bytes that are no gzip ({exc})") from None
    if len(unpacked) > LARGEST:
        raise FrameError(f"{len(data)} bytes of gzip unpack to more than {LARGEST} bytes")
    if not unpacker.eof or unpacker.unused_data:
        raise FrameError(f"{len(data)} bytes of gzip that are cut off, or followed by others")
    return unpacked
