"""Whole calls over a line that is not clean: what changes on the wire, and what must not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from recordings.format import LineCondition, LineReport, Noticed, Outcome, Side
from recordings.reader import Episode
from scenarios.conditions import (
    Codec,
    Conditions,
    Echo,
    Jitter,
    Noise,
    PacketLoss,
    Reverberation,
)
from streams.audio import Frame, to_float
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.levels import active_level
from tests.agent.calls import Call, audible, hold, scripted

# 40 dB below speech: heard, and below the level at which the fake takes a sample for speech
NOISE = (Noise(bed="pink", snr_db=40),)


def call(folder: Path, conditions: Conditions, rate: int = 16000, **changes: object) -> Call:
    replies = [FakeReply(pcm=tone(1.0), delay_s=0.7), FakeReply(pcm=tone(0.8), delay_s=0.3)]
    endpoint = FakeEndpoint(replies, rate=rate, out_rate=24000)
    return hold(folder, endpoint, scripted(2, conditions=conditions, **changes), texts=["one", "two"])


def report(episode: Episode) -> LineReport:
    (found,) = [event for event in episode.events if isinstance(event, LineReport)]
    return found


def test_without_conditions_the_wire_is_the_clean_track_byte_for_byte(tmp_path: Path) -> None:
    held = call(tmp_path, Conditions())
    folder = held.episode.path
    assert (folder / "user.wav").read_bytes() == (folder / "user_clean.wav").read_bytes()
    assert not [e for e in held.episode.events if isinstance(e, LineCondition | LineReport)]


@pytest.mark.parametrize(
    ("conditions", "rate"),
    [
        (Conditions(noise=NOISE), 16000),
        (Conditions(noise=NOISE, codec=Codec.G711_ULAW, gain_db=-2.0), 8000),
        (Conditions(noise=NOISE, echo=Echo(delay_ms=90, gain_db=-40)), 16000),
    ],
)
def test_noise_changes_the_wire_and_neither_the_clean_track_nor_any_time(
    tmp_path: Path, conditions: Conditions, rate: int
) -> None:
    clean, noisy = call(tmp_path / "a", Conditions(), rate), call(tmp_path / "b", conditions, rate)
    for track in ("user_clean", "endpoint"):
        first, second = (held.episode.path / f"{track}.wav" for held in (clean, noisy))
        assert first.read_bytes() == second.read_bytes()
    assert not np.array_equal(clean.episode.track("user")[0], noisy.episode.track("user")[0])
    times = [
        [(t.side, t.start, t.end) for t in held.episode.turns] for held in (clean, noisy)
    ]  # latency is the reply's start minus the user's end
    assert times[0] == times[1] and len(times[0]) >= 4
    assert clean.info.duration_s == noisy.info.duration_s


def test_the_filters_of_a_codec_cost_less_than_a_millisecond(tmp_path: Path) -> None:
    coded = Conditions(codec=Codec.G711_ULAW)
    starts = [
        [t.start_s for t in call(tmp_path / name, conditions).episode.turns if t.side is Side.ENDPOINT]
        for name, conditions in (("clean", Conditions()), ("coded", coded))
    ]
    assert starts[1] == pytest.approx(starts[0], abs=0.001 + 0.02)  # the user answers a tick later
    assert 0 <= starts[1][0] - starts[0][0] < 0.001


def test_the_record_says_what_the_line_was_and_what_it_did(tmp_path: Path) -> None:
    conditions = Conditions(noise=NOISE, packet_loss=PacketLoss(rate=0.1), jitter=Jitter(mean_ms=20))
    held = call(tmp_path, conditions)
    events = held.episode.events
    started = next(e for e in events if isinstance(e, LineCondition))
    assert (started.t, started.delay_samples) == (0.0, 0)
    assert started.settings["packet_loss"] == {"rate": 0.1}
    assert started.settings["noise"][0]["level_dbov"] == pytest.approx(-66.0, abs=0.01)
    values = report(held.episode).values
    assert values["frames"] == round(held.info.duration_s * 50)
    assert 0 < values["lost_frames"] < values["frames"] / 2
    assert values["worst_delay_ms"] % 20 == 0
    assert [e.kind for e in events][-2:] == ["line_report", "session_ended"]


def test_the_snr_of_each_utterance_is_what_was_really_on_the_wire(tmp_path: Path) -> None:
    held = call(tmp_path, Conditions(noise=NOISE))
    wire, rate = held.episode.track("user")
    clean, _ = held.episode.track("user_clean")
    rows = report(held.episode).values["utterances"]
    spans = audible(held.episode, "user") and [
        (t.start, t.end) for t in held.episode.turns if t.side is Side.USER
    ]
    assert len(rows) == len(spans) == 2
    for row, (start, end) in zip(rows, spans, strict=True):
        speech = active_level(to_float(clean[start:end]), rate)
        noise = (wire[start:end].astype(float) - clean[start:end]) / 32768
        assert speech is not None
        measured = speech.dbov - 10 * np.log10(np.mean(np.square(noise)))
        assert row["snr_db"] == pytest.approx(measured, abs=0.05)
        assert row["snr_db"] == pytest.approx(row["speech_dbov"] - row["noise_dbov"], abs=0.011)


def test_every_frame_arrives_in_its_order_however_late(tmp_path: Path) -> None:
    endpoint = FakeEndpoint([FakeReply(pcm=tone(1.0), delay_s=0.7)], rate=16000)
    frames: list[bytes] = []
    send = endpoint.send

    async def counted(frame: Frame) -> None:
        frames.append(frame.pcm)
        await send(frame)

    endpoint.send = counted  # type: ignore[method-assign]
    late = Conditions(noise=NOISE, jitter=Jitter(mean_ms=60, max_ms=200))
    held = hold(tmp_path, endpoint, scripted(conditions=late))
    assert b"".join(frames) == held.episode.track("user")[0].tobytes()
    assert report(held.episode).values["delayed_frames"] > len(frames) / 2


def test_the_line_is_the_same_for_every_endpoint_that_is_called_with_the_seed(tmp_path: Path) -> None:
    conditions = Conditions(noise=NOISE, packet_loss=PacketLoss(rate=0.2))

    def opening(name: str, endpoint: FakeEndpoint, seed: int) -> bytes:
        held = hold(tmp_path / name, endpoint, scripted(conditions=conditions), seed=seed)
        return bytes(held.episode.track("user")[0][:32000].tobytes())

    quick = FakeEndpoint([FakeReply(pcm=tone(1.0), delay_s=0.6)], rate=16000)
    slow = FakeEndpoint([FakeReply(pcm=tone(2.0), delay_s=1.5)], rate=16000, out_rate=8000)
    other = FakeEndpoint([FakeReply(pcm=tone(1.0), delay_s=0.6)], rate=16000)
    first = opening("quick", quick, 1)
    assert first == opening("slow", slow, 1)
    assert first != opening("other", other, 2)


def test_the_endpoint_s_own_voice_comes_back_on_the_wire(tmp_path: Path) -> None:
    held = call(tmp_path, Conditions(echo=Echo(delay_ms=200, gain_db=-20)))
    wire, rate = held.episode.track("user")
    clean, _ = held.episode.track("user_clean")
    echo = np.abs(wire.astype(int) - clean) > 60
    reply = next(t for t in held.episode.turns if t.side is Side.ENDPOINT)
    assert np.flatnonzero(echo)[0] / rate == pytest.approx(reply.start_s + 0.2, abs=0.002)


def test_a_room_rings_on_after_the_word_and_leaves_the_last_word_where_it_was(tmp_path: Path) -> None:
    held = call(tmp_path, Conditions(reverberation=Reverberation(rt60_s=0.2, distance_m=1.0)))
    wire, rate = held.episode.track("user")
    user = next(t for t in held.episode.turns if t.side is Side.USER)
    assert user.end == round(0.6 * rate)  # 0.6 s, as the clean clip: latency counts from there
    assert wire[user.end : user.end + 800].any()


def test_a_codec_that_the_wire_cannot_have_makes_the_scenario_invalid_not_the_endpoint_bad(
    tmp_path: Path,
) -> None:
    held = call(tmp_path, Conditions(codec=Codec.G711_ALAW), rate=44100)
    assert held.info.outcome is Outcome.SCENARIO_INVALID and held.info.outcome.void
    assert "g711_alaw cannot be applied on a wire of 44100 Hz" in held.info.reason


def test_a_codec_that_changes_nothing_on_this_wire_is_told(tmp_path: Path) -> None:
    held = call(tmp_path, Conditions(codec=Codec.NARROWBAND), rate=8000)
    (notice,) = [e for e in held.episode.events if isinstance(e, Noticed)]
    assert (notice.by, notice.level, notice.code) == ("us", "warning", "line_condition")
    assert notice.message == "codec: narrowband changes nothing on a wire of 8000 Hz"


def test_a_noise_file_that_has_gone_ends_the_call_before_it_begins(tmp_path: Path) -> None:
    held = call(tmp_path, Conditions(noise=(Noise(bed="gone.wav", snr_db=10),)))
    assert held.info.outcome is Outcome.USER_FAILED
    assert "gone.wav" in held.info.reason and held.info.duration_s == 0


def test_a_silent_noise_file_ends_the_call_before_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "silent.wav"
    soundfile.write(path, np.zeros(16000, np.int16), 16000)
    held = call(tmp_path, Conditions(noise=(Noise(bed=str(path), snr_db=10),)))
    assert held.info.outcome is Outcome.USER_FAILED
    assert "it is silent" in held.info.reason and held.info.duration_s == 0
