"""The endpoint's audio bytes: WAV headers, whole samples, G.711."""

from __future__ import annotations

import contextlib
import io
import struct
import wave

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams import g711
from streams.audio import AudioFormat, Encoding
from streams.endpoints.declarative.incoming import Incoming, read_wav, wav_header
from streams.endpoints.declarative.model import WavHeader
from streams.endpoints.events import AudioReceived, ItemEnded, Notice, NoticeLevel
from streams.endpoints.pieces import FieldError, Stamp
from tests.streams.endpoints.declarative.declared import BINARY, codec, receive
from tests.streams.vendors.hume import wav

PCM16K = AudioFormat(16000)
STAMP = Stamp(at=1.0, raw=0)
PCM = bytes(range(200))


def taken(incoming: Incoming, data: bytes, item: str = "a") -> bytes:
    return incoming.take(item, data, STAMP)[1]


def test_our_header_is_read_by_the_standard_library() -> None:
    with wave.open(io.BytesIO(wav_header(PCM16K, len(PCM)) + PCM)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 16000)
        assert file.readframes(1000) == PCM


@pytest.mark.parametrize(
    "audio", [PCM16K, AudioFormat(8000, Encoding.MULAW), AudioFormat(8000, Encoding.ALAW)]
)
def test_a_header_reads_back_as_it_was_written(audio: AudioFormat) -> None:
    assert read_wav(wav_header(audio, 10)) == (audio, 44, 54)
    endless = wav_header(audio)
    assert read_wav(endless) == (audio, 44, 44 + 0xFFFFFFFF)
    assert [read_wav(endless[:size]) for size in (0, 3, 11, 43)] == [None] * 4


@given(st.lists(st.integers(1, 60), max_size=8))
def test_a_header_at_the_beginning_may_be_cut_anywhere(sizes: list[int]) -> None:
    stream, incoming = wav(PCM, 16000), Incoming(PCM16K, WavHeader.FIRST)
    pieces = []
    for size in sizes:
        pieces.append(stream[:size])
        stream = stream[size:]
    assert b"".join(taken(incoming, piece) for piece in [*pieces, stream]) == PCM


def test_a_later_reply_may_have_a_header_or_none() -> None:
    incoming = Incoming(PCM16K, WavHeader.FIRST)
    assert taken(incoming, wav(PCM, 16000)) == PCM
    assert taken(incoming, PCM) == PCM
    incoming.end("a")
    assert taken(incoming, PCM, "b") == PCM
    incoming.end("b")
    assert taken(incoming, wav(PCM, 16000), "c") == PCM


def test_a_wav_file_each_joins_samples_that_were_cut_in_two() -> None:
    incoming = Incoming(AudioFormat(48000), WavHeader.EACH)
    assert taken(incoming, wav(PCM[:3], 48000)) + taken(incoming, wav(PCM[3:], 48000)) == PCM


def test_a_stream_s_header_without_a_length_takes_all_that_follows() -> None:
    endless = wav_header(PCM16K)[:-4] + struct.pack("<I", 0)
    assert taken(Incoming(PCM16K, WavHeader.EACH), endless + PCM) == PCM


def test_chunks_before_the_audio_are_passed_over() -> None:
    header = wav_header(PCM16K, len(PCM))
    extra = b"LIST" + struct.pack("<I", 5) + b"abcde\0"
    assert taken(Incoming(PCM16K, WavHeader.EACH), header[:36] + extra + header[36:] + PCM) == PCM


STEREO = wav_header(PCM16K, 4)[:22] + struct.pack("<H", 2) + wav_header(PCM16K, 4)[24:]


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        (b"nothing like it", "without the WAV header"),
        (wav(PCM, 16000)[:30], "no whole WAV file"),
        (b"RIFF\0\0\0\0WAVE" + b"data" + bytes(4), "without its format"),
        (STEREO, "2 channels, 16 bits; expected mono"),
        (b"RIFF\0\0\0\0WAVE" + b"junk" + struct.pack("<I", 9000), "without an end"),
        (wav_header(PCM16K, 4)[:24] + struct.pack("<I", 7) + wav_header(PCM16K, 4)[28:], "audio rate 7 Hz"),
    ],
)
def test_a_broken_header_is_a_field_error(data: bytes, complaint: str) -> None:
    with pytest.raises(FieldError, match=complaint):
        taken(Incoming(PCM16K, WavHeader.EACH), data)


@given(st.binary(max_size=80), st.binary(max_size=80))
def test_whatever_comes_is_audio_or_a_field_error(head: bytes, tail: bytes) -> None:
    for header in WavHeader:
        incoming = Incoming(PCM16K, header)
        for data in (wav_header(PCM16K, 10)[: len(head)] + tail, head, tail):
            with contextlib.suppress(FieldError):
                assert len(taken(incoming, data)) % 2 == 0


def test_a_header_of_another_rate_is_believed_and_said_once() -> None:
    made = codec(BINARY.replace("receive: {rate: 16000,", "receive: {rate: 16000, wav_header: each,"))
    half = bytes(2 * 4000)  # half a second at 8 kHz
    events = receive(made, wav(half, 8000), wav(half, 8000), at=1.0)
    events += receive(made, wav(PCM, 16000), at=9.0)  # another item: what the filter held comes first
    (notice,) = (event for event in events if isinstance(event, Notice))
    assert (notice.level, notice.code, notice.raw) == (NoticeLevel.WARNING, "audio_rate", 0)
    assert "set `audio.receive.rate` of its file to 8000" in notice.message
    pieces = [(event.item, len(event.pcm) // 2) for event in events if isinstance(event, AudioReceived)]
    assert sum(samples for item, samples in pieces if item == "item-1") == 16000
    assert pieces[-1] == ("item-2", 100)
    assert isinstance(events[-2], ItemEnded)


def test_a_header_of_another_encoding_is_no_audio() -> None:
    header = wav_header(AudioFormat(16000, Encoding.MULAW), 4)
    with pytest.raises(FieldError, match=r"says mulaw, .* of its file is pcm16"):
        taken(Incoming(PCM16K, WavHeader.EACH), header + bytes(4))


def test_g711_is_decoded_at_its_own_rate() -> None:
    audio = AudioFormat(24000, Encoding.MULAW)
    wire = g711.encode(PCM, Encoding.MULAW)
    assert taken(Incoming(audio, WavHeader.NONE), wire) == g711.decode(wire, Encoding.MULAW)
