"""Binary frames: the examples of the vendor's documentation, and lengths and packings that lie."""

from __future__ import annotations

import gzip
import struct
import tracemalloc
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams.endpoints.doubao.frames import LARGEST, FrameError, Kind, WireFrame, unpack
from tests.streams.vendors.doubao import frame, raw_frame

SESSION = "75a6126e-427f-49a1-a2c1-621143cb9db3"

# volcengine.com/docs/6561/1594356, notes to the client's events: the bytes of StartConnection
START_CONNECTION = bytes([17, 20, 16, 0, 0, 0, 0, 1, 0, 0, 0, 2, 123, 125])

# the same page: the bytes of StartSession with the session id above, whose payload is
# {"dialog":{"bot_name":"豆包","dialog_id":"","extra":null}}, 60 bytes of UTF-8
START_SESSION = (
    bytes([17, 20, 16, 0, 0, 0, 0, 100, 0, 0, 0, 36])
    + SESSION.encode()
    + bytes([0, 0, 0, 60])
    + '{"dialog":{"bot_name":"豆包","dialog_id":"","extra":null}}'.encode()
)

# the same page, notes to the server's events: how the bytes of a TTSResponse begin
TTS_RESPONSE = bytes([17, 180, 0, 0, 0, 0, 1, 96, 0, 0, 0, 36])


def test_what_we_pack_are_the_bytes_of_the_documentation() -> None:
    assert WireFrame(kind=Kind.CLIENT, event=1, payload=b"{}").pack() == START_CONNECTION
    payload = '{"dialog":{"bot_name":"豆包","dialog_id":"","extra":null}}'.encode()
    assert WireFrame(kind=Kind.CLIENT, event=100, id=SESSION, payload=payload).pack() == START_SESSION


def test_a_documented_sound_frame_is_read() -> None:
    data = TTS_RESPONSE + SESSION.encode() + struct.pack(">I", 4) + b"\1\2\3\4"
    assert unpack(data) == WireFrame(
        kind=Kind.SERVER_AUDIO, event=352, id=SESSION, payload=b"\1\2\3\4", raw=True
    )


@given(
    st.sampled_from([Kind.SERVER, Kind.SERVER_AUDIO]),
    st.integers(100, 2**32 - 1),
    st.text(min_size=1, max_size=40).filter(lambda text: text.isprintable()),
    st.binary(max_size=200),
    st.booleans(),
    st.booleans(),
)
def test_what_is_packed_is_unpacked(
    kind: Kind, event: int, name: str, payload: bytes, raw: bool, packed: bool
) -> None:
    whole = WireFrame(kind=kind, event=event, id=name, payload=payload, raw=raw)
    assert unpack(whole.pack(gzip=packed)) == whole


def test_the_id_of_a_connection_may_be_there_or_not() -> None:
    assert unpack(frame(50, {}, name="connection-1")).id == "connection-1"
    without = unpack(frame(50, {"a": 1}))
    assert (without.id, without.payload) == ("", b'{"a": 1}')


def test_a_sequence_number_is_skipped() -> None:
    body = struct.pack(">iI", -1, 350) + struct.pack(">I", 1) + b"s" + struct.pack(">I", 2) + b"{}"
    read = unpack(bytes([0x11, 0x97, 0x10, 0]) + body)  # flags 0111: negative sequence, and an event
    assert (read.event, read.id, read.payload) == (350, "s", b"{}")


def test_an_error_frame_has_a_code_and_may_have_no_event() -> None:
    payload = b'{"error": "no"}'
    plain = bytes([0x11, 0xF0, 0x10, 0]) + struct.pack(">II", 45000003, len(payload)) + payload
    assert (unpack(plain).code, unpack(plain).payload) == (45000003, payload)
    told = bytes([0x11, 0xF4, 0x10, 0]) + struct.pack(">III", 45000003, 599, len(payload)) + payload
    assert (unpack(told).code, unpack(told).event, unpack(told).id) == (45000003, 599, "")


GOOD = frame(550, {"content": "a"}, name="s")


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "0 bytes that do not begin with a header"),
        (b"\x21" + GOOD[1:], "do not begin with a header of version 1"),
        (GOOD[:7], "ends within its event"),
        (GOOD[:10], "ends within its id size"),
        (GOOD[:-1], "bytes are there|are there"),
        (GOOD + b"x", "are there"),
        (GOOD[:8] + b"\xff\xff\xff\xff" + GOOD[12:], "the id is said to have 4294967295 bytes"),
        (raw_frame(0x94, 0x12, 550, "s", b"{}"), "compression 2, expected none or gzip"),
        (raw_frame(0x94, 0x11, 550, "s", b"no gzip"), "that are no gzip"),
        (raw_frame(0x94, 0x11, 550, "s", gzip.compress(b"{}")[:-3]), "cut off"),
        (raw_frame(0x94, 0x11, 550, "s", gzip.compress(b"{}") + b"more"), "followed by others"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # gzip's header holds the time
)
def test_what_is_no_frame_is_refused_with_what_was_found(data: bytes, found: str) -> None:
    with pytest.raises(FrameError, match=found):
        unpack(data)


def test_a_bomb_is_refused_before_it_goes_off() -> None:
    packer = zlib.compressobj(wbits=31)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(64)) + packer.flush()  # 64 MB
    data = raw_frame(0x94, 0x11, 550, "s", bomb)
    assert len(data) < 70_000
    tracemalloc.start()
    try:
        with pytest.raises(FrameError, match=f"unpack to more than {LARGEST} bytes"):
            unpack(data)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 3 * LARGEST  # the limit, and what zlib needs to grow its buffer up to it


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60) | st.binary(max_size=40).map(lambda rest: GOOD[:8] + rest))
def test_any_bytes_are_a_frame_or_refused(data: bytes) -> None:
    try:
        read = unpack(data)
    except FrameError as error:
        assert len(str(error)) < 200
    else:
        assert len(read.payload) <= LARGEST
