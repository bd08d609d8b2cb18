from __future__ import annotations

import itertools
import random
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.audio import Pcm, rms, silence, to_pcm, to_pcm16
from streams.resample import StreamResampler, resample

RATES = [8000, 16000, 24000, 44100, 48000]


def tone(hertz: float, rate: int, seconds: float, amplitude: float = 0.5) -> bytes:
    time = np.arange(round(rate * seconds)) / rate
    return to_pcm16(amplitude * np.sin(2 * np.pi * hertz * time))


def streamed(pcm: bytes, source: int, target: int, sizes: Iterable[int]) -> bytes:
    """Convert in pieces of these sizes (in samples), repeated until the end."""
    stream = StreamResampler(source, target)
    out, position = [], 0
    for size in itertools.cycle(sizes):
        if position >= len(pcm):
            break
        out.append(stream.push(pcm[position : position + 2 * size]))
        position += 2 * size
    return b"".join(out) + stream.flush()


def loudest_hertz(pcm: Pcm, rate: int) -> float:
    return float(np.argmax(np.abs(np.fft.rfft(pcm)))) * rate / pcm.size


def random_sizes() -> list[int]:
    draw = random.Random(22)
    return [draw.randint(1, 3000) for _ in range(200)]


# --- pitfall D22: chunks -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "target", "sizes"),
    [
        pytest.param(24000, 16000, [480], id="24k-16k in frames"),
        pytest.param(24000, 16000, [1024], id="24k-16k in 1024s"),
        pytest.param(24000, 16000, [100], id="24k-16k in 100s"),
        pytest.param(24000, 16000, range(100, 2001, 100), id="24k-16k growing"),
        pytest.param(24000, 16000, random_sizes(), id="24k-16k random"),
        pytest.param(24000, 16000, [1, 7, 3001], id="24k-16k odd"),
        pytest.param(48000, 16000, [100], id="48k-16k in 100s"),
        pytest.param(44100, 16000, [2048], id="44.1k-16k in 2048s"),
        pytest.param(8000, 24000, [160], id="8k-24k in frames"),
        pytest.param(16000, 16000, [100], id="same rate"),
    ],
)
def test_a_stream_in_pieces_is_the_stream_in_one(source: int, target: int, sizes: Iterable[int]) -> None:
    pcm = tone(440, source, 5.0)
    whole = resample(pcm, source, target)
    assert streamed(pcm, source, target, sizes) == whole
    assert len(whole) == 2 * 5 * target


@given(st.binary(max_size=400), st.lists(st.integers(0, 40), max_size=20), st.permutations(RATES))
def test_how_a_stream_is_cut_never_matters(noise: bytes, cuts: list[int], rates: list[int]) -> None:
    pcm, (source, target, *_) = noise[: len(noise) // 2 * 2], rates
    stream = StreamResampler(source, target)
    out, position = b"", 0
    for cut in cuts:
        out += stream.push(pcm[2 * position : 2 * (position + cut)])
        position += cut
    out += stream.push(pcm[2 * position :]) + stream.flush()
    assert out == resample(pcm, source, target)


@pytest.mark.parametrize(
    ("source", "size"), [(24000, 480), (24000, 1024), (48000, 100), (44100, 2048), (8000, 160)]
)
def test_a_minute_stays_a_minute(source: int, size: int) -> None:
    assert len(streamed(silence(60 * source), source, 16000, [size])) == 2 * 60 * 16000


@given(st.integers(0, 2000), st.sampled_from(RATES), st.sampled_from(RATES))
def test_the_length_is_exact_to_the_nearest_sample(samples: int, source: int, target: int) -> None:
    assert len(resample(silence(samples), source, target)) == 2 * round(samples * target / source)


# --- pitfall D02 (d), pitch and place ----------------------------------------------------------


@pytest.mark.parametrize("target", RATES)
def test_a_tone_keeps_its_length_pitch_and_level(target: int) -> None:
    heard = to_pcm(resample(tone(440, 24000, 1.0), 24000, target))
    assert heard.size == target
    assert loudest_hertz(heard, target) == 440.0
    middle = heard[target // 10 : -target // 10]  # 0.8 s: 352 whole periods
    assert rms(middle) == pytest.approx(0.5 * 32768 / np.sqrt(2), rel=1e-4)


@pytest.mark.parametrize(("source", "target"), list(itertools.permutations(RATES, 2)))
def test_a_sound_stays_where_it_was(source: int, target: int) -> None:
    click = np.zeros(source, np.int16)
    click[source // 2] = 30000
    heard = to_pcm(resample(click.tobytes(), source, target))
    assert int(np.argmax(np.abs(heard.astype(int)))) == target // 2


# --- pitfall D23: what is too high for the new rate is gone, not folded down -------------------


@pytest.mark.parametrize(("hertz", "target", "folded"), [(5000, 8000, 3000), (9000, 16000, 7000)])
def test_what_the_new_rate_cannot_hold_is_filtered_out(hertz: int, target: int, folded: int) -> None:
    heard = to_pcm(resample(tone(hertz, 24000, 5.0, amplitude=0.999), 24000, target))
    assert rms(heard) / 32768 < 0.002
    # nearly all of it is the click of a tone that starts and stops: between them is silence
    assert rms(heard[target // 10 : -target // 10]) < 1.0
    spectrum = np.abs(np.fft.rfft(heard)) / (heard.size / 2) / 32768
    assert spectrum[folded * heard.size // target] < 1e-4


# --- silence, flush, reset ---------------------------------------------------------------------


@pytest.mark.parametrize(("source", "target"), list(itertools.permutations(RATES, 2)))
def test_silence_stays_silent(source: int, target: int) -> None:
    assert resample(silence(source), source, target) == silence(target)


def test_full_scale_clips_and_never_wraps() -> None:
    square = np.tile(np.repeat(np.array([32767, -32768], np.int16), 40), 100)
    heard = to_pcm(resample(square.tobytes(), 24000, 48000)).astype(int)
    # in the middle of a half wave the sign is the source's, ripples over full scale included
    assert all(heard[80 * k + 40] * (-1) ** k > 30000 for k in range(1, 99))
    assert (heard.max(), heard.min()) == (32767, -32768)


def test_after_a_flush_the_next_reply_starts_fresh() -> None:
    pcm = tone(440, 24000, 0.3)
    stream = StreamResampler(24000, 16000)
    first = stream.push(pcm) + stream.flush()
    second = stream.push(pcm) + stream.flush()
    assert first == second == resample(pcm, 24000, 16000)


def test_after_an_interruption_nothing_of_the_old_reply_is_left() -> None:
    stream = StreamResampler(24000, 16000)
    stream.push(tone(440, 24000, 0.3, amplitude=0.9))
    stream.reset()
    assert stream.push(silence(2400)) + stream.flush() == silence(1600)


def test_an_empty_stream_is_empty() -> None:
    stream = StreamResampler(24000, 16000)
    assert stream.flush() == stream.push(b"") == stream.flush() == b""


@pytest.mark.parametrize(
    ("source", "target", "lag_ms"), [(24000, 16000, 22), (8000, 16000, 67), (8000, 48000, 138)]
)
def test_audio_comes_out_while_the_stream_goes_on(source: int, target: int, lag_ms: int) -> None:
    stream = StreamResampler(source, target)
    out = sum(len(stream.push(silence(source // 50))) // 2 for _ in range(50))
    assert target - lag_ms * target // 1000 <= out <= target  # a second went in
