import pytest

from streams import g711
from streams.audio import AudioFormat, Encoding, Frame
from streams.endpoints.events import AudioReceived, EndpointEvent, Flush, ItemEnded, Unknown
from streams.endpoints.pcm.codec import PcmCodec
from streams.endpoints.protocol import Message


def receive(codec: PcmCodec, *messages: tuple[float, Message]) -> list[EndpointEvent]:
    return [event for raw, (at, m) in enumerate(messages) for event in codec.receive(m, at=at, raw=raw)]


def test_binary_messages_are_audio_both_ways() -> None:
    codec = PcmCodec(AudioFormat(16000))
    assert list(codec.audio(Frame(b"\x01\x00" * 320, 16000))) == [b"\x01\x00" * 320]
    assert receive(codec, (1.0, b"\x02\x00\x03\x00")) == [
        AudioReceived(at=1.0, raw=0, pcm=b"\x02\x00\x03\x00", item="reply-1")
    ]


def test_g711_is_decoded_and_encoded() -> None:
    codec = PcmCodec(AudioFormat(8000, Encoding.MULAW))
    pcm = b"\x10\x27" * 160
    wire = g711.encode(pcm, Encoding.MULAW)
    assert list(codec.audio(Frame(pcm, 8000))) == [wire]
    assert receive(codec, (0.0, wire)) == [
        AudioReceived(at=0.0, raw=0, pcm=g711.decode(wire, Encoding.MULAW), item="reply-1")
    ]
    assert len(wire) == 160


def test_audio_after_a_gap_in_delivery_is_a_new_item() -> None:
    events = receive(
        PcmCodec(AudioFormat(16000), reply_gap_s=0.5), (1.0, b"aa"), (1.25, b"bb"), (1.75, b"cc")
    )
    assert events == [
        AudioReceived(at=1.0, raw=0, pcm=b"aa", item="reply-1"),
        AudioReceived(at=1.25, raw=1, pcm=b"bb", item="reply-1"),
        ItemEnded(at=1.75, raw=2, item="reply-1"),
        AudioReceived(at=1.75, raw=2, pcm=b"cc", item="reply-2"),
    ]


@pytest.mark.parametrize("kind", ["flush", "clear"])
def test_a_flush_ends_the_item_so_that_later_audio_is_heard(kind: str) -> None:
    events = receive(
        PcmCodec(AudioFormat(16000)), (1.0, b"aab"), (1.1, f'{{"type": "{kind}"}}'), (1.2, b"cc")
    )
    assert events == [
        AudioReceived(at=1.0, raw=0, pcm=b"aa", item="reply-1"),
        ItemEnded(at=1.1, raw=1, item="reply-1"),
        Flush(at=1.1, raw=1),
        AudioReceived(at=1.2, raw=2, pcm=b"cc", item="reply-2"),  # without the odd byte of the first item
    ]


def test_a_flush_while_silent_ends_nothing() -> None:
    assert receive(PcmCodec(AudioFormat(16000)), (1.0, '{"type": "flush"}')) == [Flush(at=1.0, raw=0)]


@pytest.mark.parametrize(
    ("message", "kind"), [('{"type": "state"}', "state"), ("hello", "text"), ('{"type": 3}', "text")]
)
def test_other_text_is_unknown_and_counted_by_type(message: str, kind: str) -> None:
    assert receive(PcmCodec(AudioFormat(16000)), (1.0, message)) == [Unknown(at=1.0, raw=0, type=kind)]


def test_samples_split_between_messages_are_put_together() -> None:
    events = receive(PcmCodec(AudioFormat(16000)), (1.0, b"a"), (1.1, b"abb"))
    assert events == [AudioReceived(at=1.1, raw=1, pcm=b"aabb", item="reply-1")]
