from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.audible import Segment, audible_segments, common, gaps, merge, total
from tests.scoring.episodes import quiet, tone

RATE = 24000


def burst(start: int, samples: int, length: int, dbfs: float = -20.0) -> np.ndarray:
    track = np.zeros(length, np.int16)
    track[start : start + samples] = tone(samples / RATE, RATE, dbfs)
    return track


def noise(seconds: float, dbfs: float, seed: int = 0) -> np.ndarray:
    sigma = 32768 * 10 ** (dbfs / 20)
    return np.round(np.random.default_rng(seed).normal(0, sigma, round(seconds * RATE))).astype(np.int16)


@pytest.mark.parametrize("start", [0, 1, 7, 239, 240, 241, 30011])
def test_a_tone_is_found_to_the_sample_wherever_it_stands_on_the_frame_grid(start: int) -> None:
    # 480 samples are whole cycles of 500 Hz: the last sample is near the peak like the first
    assert audible_segments(burst(start, 24480, 60000), RATE) == (Segment(start, start + 24480),)


@given(pad=st.integers(0, 3000), length=st.integers(600, 9000), dbfs=st.floats(-44, -1))
@settings(deadline=None, max_examples=40)
def test_padding_with_silence_moves_segments_and_changes_nothing_else(
    pad: int, length: int, dbfs: float
) -> None:
    track = burst(5000, length, 20000, dbfs)
    shifted = np.concatenate([np.zeros(pad, np.int16), track])
    expected = tuple(Segment(s.start + pad, s.end + pad) for s in audible_segments(track, RATE))
    assert expected
    assert audible_segments(shifted, RATE) == expected


@pytest.mark.parametrize("rate", [8000, 16000, 22050, 24000, 44100, 48000])
def test_every_usual_rate_gives_the_same_times(rate: int) -> None:
    track = np.concatenate([quiet(1.0, rate), tone(0.5, rate), quiet(1.0, rate)])
    (found,) = audible_segments(track, rate)
    assert found.start == rate
    assert abs(found.end - round(1.5 * rate)) <= rate // 1000


def test_silence_and_nothing_at_all_have_no_segment() -> None:
    assert audible_segments(np.zeros(0, np.int16), RATE) == ()
    assert audible_segments(np.zeros(5 * RATE, np.int16), RATE) == ()
    assert audible_segments(np.zeros(3, np.int16), RATE) == ()


def test_noise_at_minus_60_dbfs_is_no_speech() -> None:
    assert audible_segments(noise(20, -60), RATE) == ()


def test_a_tone_in_noise_is_found_within_a_millisecond() -> None:
    track = noise(20, -60)
    track[4 * RATE : 5 * RATE] += tone(1.0, RATE, -30)
    (found,) = audible_segments(track, RATE)
    assert abs(found.start - 4 * RATE) <= RATE // 1000
    assert abs(found.end - 5 * RATE) <= RATE // 1000


def test_loud_steady_noise_raises_the_threshold() -> None:
    track = noise(20, -48)
    track[4 * RATE : 5 * RATE] += tone(1.0, RATE, -20)
    (found,) = audible_segments(track, RATE)
    assert abs(found.start - 4 * RATE) <= RATE // 1000
    assert abs(found.end - 5 * RATE) <= RATE // 1000


def test_a_tone_without_end_is_sound_and_not_its_own_noise_floor() -> None:
    assert audible_segments(tone(10, RATE, -25), RATE) == (Segment(0, 10 * RATE),)


def test_an_offset_is_no_sound() -> None:  # D16: 0.02 of full scale all the time
    track = np.full(10 * RATE, round(0.02 * 32768), np.int16)
    assert audible_segments(track, RATE) == ()
    track[4 * RATE : 5 * RATE] += tone(1.0, RATE, -30)
    assert audible_segments(track, RATE) == (Segment(4 * RATE, 5 * RATE),)


def test_an_offset_that_decays_is_no_sound() -> None:  # D16: 0.1 with a time constant of 0.3 s
    seconds = np.arange(10 * RATE) / RATE
    assert audible_segments(np.round(3277 * np.exp(-seconds / 0.3)).astype(np.int16), RATE) == ()


def test_short_gaps_are_merged_and_longer_ones_are_not() -> None:
    parts = [tone(0.5, RATE), quiet(0.2, RATE), tone(0.5, RATE), quiet(0.21, RATE), tone(0.5, RATE)]
    track = np.concatenate(parts)
    assert audible_segments(track, RATE) == (
        Segment(0, round(1.2 * RATE)),
        Segment(round(1.41 * RATE), round(1.91 * RATE)),
    )
    assert len(audible_segments(track, RATE, merge_gap_s=0.0)) == 3
    assert len(audible_segments(track, RATE, merge_gap_s=0.3)) == 1


def test_a_click_is_no_speech_but_can_be_asked_for() -> None:
    track = np.zeros(RATE, np.int16)
    track[5000:5024] = 9830  # 1 ms
    assert audible_segments(track, RATE) == ()
    assert audible_segments(track, RATE, min_s=0) == (Segment(5000, 5024),)


def test_a_segment_across_the_blocks_of_the_search_stays_one() -> None:
    track = burst((1 << 16) - 5003, 12000, (1 << 16) + 50000)
    assert audible_segments(track, RATE) == (Segment((1 << 16) - 5003, (1 << 16) + 6997),)


def test_stereo_is_refused_instead_of_averaged() -> None:  # D26
    with pytest.raises(ValueError, match=r"shape \(480000, 2\)"):
        audible_segments(np.zeros((480000, 2), np.int16), 48000)


def test_each_channel_alone_keeps_the_overlap() -> None:  # D26: left 0-5 s, right 3-8 s
    left = np.concatenate([tone(5, 48000, hz=500), quiet(5, 48000)])
    right = np.concatenate([quiet(3, 48000), tone(5, 48000, hz=900), quiet(2, 48000)])
    both = np.stack([left, right], axis=1)
    found = [audible_segments(both[:, channel], 48000) for channel in range(2)]
    shared = total(common(found[0], found[1])) / 48000
    assert shared == pytest.approx(2.0, abs=0.001)  # 3.0 to 5.0


SEGMENTS = st.lists(
    st.tuples(st.integers(0, 200), st.integers(0, 50)).map(lambda pair: Segment(pair[0], sum(pair)))
)


@given(SEGMENTS, SEGMENTS)
def test_interval_sums_agree_with_counting_sample_by_sample(
    first: list[Segment], second: list[Segment]
) -> None:
    def covered(segments: list[Segment]) -> set[int]:
        return {n for segment in segments for n in range(segment.start, segment.end)}

    assert total(first) == len(covered(first))
    assert total(common(first, second)) == len(covered(first) & covered(second))
    assert total(gaps(first, 180)) == len(set(range(180)) - covered(first))
    assert covered(list(merge(first))) == covered(first)
