"""Audio that arrives after an interruption, through the codec into the Speaker: counted, never heard."""

import numpy as np

from streams.audio import to_pcm
from streams.endpoints.events import AudioReceived, EndpointEvent, Flush, ItemEnded, ResponseEnded
from streams.endpoints.fake import tone
from streams.endpoints.openai_realtime.codec import RealtimeCodec
from streams.endpoints.protocol import PlaybackState, Played
from streams.playback import Speaker
from tests.streams.endpoints.realtime_messages import (
    Json,
    codec,
    created,
    delta,
    done,
    receive,
    sent,
    speech_started,
)

RATE = 24000
A = [delta(tone(0.1, hz=500), "a", "rA") for _ in range(13)]
B = [delta(tone(0.1, hz=900), "b", "rB") for _ in range(5)]
A_DONE = done("rA", "cancelled", status_details={"type": "cancelled", "reason": "turn_detected"})


class Ear:
    """Plays a codec's events as a session would, and reports what was dropped."""

    def __init__(self) -> None:
        self.codec: RealtimeCodec = codec()
        self.speaker = Speaker(RATE)
        self.heard = b""
        self.sent: list[Json] = []

    def at(self, seconds: float, *messages: Json) -> None:
        self.heard += self.speaker.heard(round(seconds * RATE))
        for event in receive(self.codec, *messages, at=seconds):
            self._take(event)

    def _take(self, event: EndpointEvent) -> None:
        match event:
            case AudioReceived():
                self.speaker.play(event.pcm, at=event.at, item=event.item, response=event.response)
            case ItemEnded():
                self.speaker.end_item(event.item)
            case ResponseEnded():
                self.speaker.end_response(event.response)
            case Flush():
                for cut in self.speaker.flush(at=event.at, responses=event.responses):
                    report = Played(cut.item, cut.heard, cut.received, PlaybackState.DROPPED)
                    self.sent += sent(self.codec.played(report))
            case _:
                pass

    def cancel(self) -> None:
        self.sent += sent(self.codec.cancel())

    def energy(self, hz: float, start_s: float, end_s: float) -> float:
        """Mean magnitude at one frequency in a stretch of what was heard, in sample units."""
        samples = to_pcm(self.heard)[round(start_s * RATE) : round(end_s * RATE)].astype(np.float64)
        wave = np.exp(-2j * np.pi * hz / RATE * np.arange(samples.size))
        return float(abs(samples @ wave)) * 2 / samples.size


def check(ear: Ear, *, b_starts: float) -> None:
    ear.at(3.0)
    assert ear.speaker.late == 3
    assert ear.energy(500, 1.0, 1.4) > 7900
    assert ear.energy(500, 1.4, 3.0) < 1
    whole_b = to_pcm(tone(0.1, hz=900) * 5)
    start = round(b_starts * RATE)
    assert np.array_equal(to_pcm(ear.heard)[start : start + whole_b.size], whole_b)
    assert not to_pcm(ear.heard)[round(1.4 * RATE) : start].any()
    # 10 deltas at 1.0, cut at 1.4: 400 ms were heard of 1000
    assert ear.sent[0] == {
        "type": "conversation.item.truncate", "item_id": "a", "content_index": 0, "audio_end_ms": 400,
    }  # fmt: skip


def test_deltas_between_a_cancel_and_its_done_are_not_heard() -> None:
    ear = Ear()
    ear.at(1.0, created("rA"), *A[:10])
    ear.at(1.4, speech_started())
    ear.cancel()
    assert ear.sent[1:] == [{"type": "response.cancel", "response_id": "rA"}]
    ear.at(1.5, *A[10:], A_DONE)
    ear.at(2.0, created("rB"), *B, done("rB"))
    check(ear, b_starts=2.0)


def test_a_new_response_interleaved_with_the_rest_of_the_old_one_is_whole() -> None:
    ear = Ear()
    ear.at(1.0, created("rA"), *A[:10])
    ear.at(1.4, speech_started())
    ear.at(2.0, created("rB"), A[10], B[0], A[11], B[1], A[12], B[2], A_DONE, B[3], B[4], done("rB"))
    check(ear, b_starts=2.0)


def test_a_late_delta_right_behind_speech_started_is_not_heard() -> None:
    ear = Ear()
    ear.at(1.0, created("rA"), *A[:10])
    ear.at(1.4, speech_started(), *A[10:])
    ear.at(1.5, A_DONE)
    ear.at(2.0, created("rB"), *B, done("rB"))
    check(ear, b_starts=2.0)


def test_a_response_cut_before_its_first_audio_stays_unheard() -> None:
    ear = Ear()
    ear.at(1.0, created("rA"))
    ear.at(1.2, speech_started())
    ear.at(1.3, *A[:3], A_DONE)
    ear.at(3.0)
    assert ear.speaker.late == 3
    assert ear.heard == bytes(2 * 3 * RATE)
    assert ear.sent == []


def test_a_barge_in_after_response_done_cuts_what_still_plays() -> None:
    ear = Ear()
    ear.at(1.0, created("rA"), *A[:10], done("rA"))
    ear.at(1.4, speech_started())
    ear.at(3.0)
    assert (ear.speaker.dropped, ear.speaker.late) == (round(0.6 * RATE), 0)
    assert ear.energy(500, 1.4, 3.0) < 1
    assert [each["audio_end_ms"] for each in ear.sent] == [400]


def test_speech_while_nothing_plays_cuts_and_reports_nothing() -> None:
    ear = Ear()
    ear.at(1.0, created("rA"), *A[:2], done("rA"))
    ear.at(2.0, speech_started())
    assert ear.sent == []
    assert ear.speaker.dropped == 0


def test_an_odd_byte_of_a_cancelled_item_does_not_reach_the_next() -> None:
    made, odd = codec(), bytes(range(1, 8))
    events = receive(
        made, created("rA"), delta(odd, "a", "rA"), A_DONE, created("rB"), delta(bytes(range(8)), "a", "rB")
    )
    assert [each.pcm for each in events if isinstance(each, AudioReceived)] == [odd[:6], bytes(range(8))]
