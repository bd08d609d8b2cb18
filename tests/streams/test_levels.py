from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.audio import Samples
from streams.levels import FAINTEST_DBOV, active_level, amplified, speech_gain_db

RATE = 8000


def tone(seconds: float, peak: float, rate: int = RATE) -> Samples:
    phase = 2 * np.pi * 400 / rate * np.arange(round(seconds * rate))
    samples: Samples = (peak * np.sin(phase)).astype(np.float32)
    return samples


def quiet(seconds: float) -> Samples:
    return np.zeros(round(seconds * RATE), dtype=np.float32)


def by_the_recommendation(samples: Samples, rate: int) -> tuple[float, float]:
    """P.56 method B, sample by sample as it is written; level in dBov and activity."""
    g = math.exp(-1 / (rate * 0.03))
    hangover = round(0.2 * rate)
    p = q = squares = 0.0
    thresholds = [2.0**-j for j in range(15, 0, -1)]
    active, hang = [0] * 15, [hangover] * 15
    for x in samples.tolist():
        squares += x * x
        p = g * p + (1 - g) * abs(x)
        q = g * q + (1 - g) * p
        for j, threshold in enumerate(thresholds):
            if q >= threshold:
                active[j] += 1
                hang[j] = 0
            elif hang[j] < hangover:
                active[j] += 1
                hang[j] += 1
    levels = [
        (10 * math.log10(squares / a), 20 * math.log10(c))
        for a, c in zip(active, thresholds, strict=True)
        if a
    ]
    for (a0, c0), (a1, c1) in itertools.pairwise(levels):
        if a1 - c1 <= 15.9:
            share = (a0 - c0 - 15.9) / ((a0 - c0) - (a1 - c1))
            level = a0 + share * (a1 - a0)
            return level, squares / len(samples) / 10 ** (level / 10)
    raise AssertionError("no level")


def test_a_full_scale_sine_is_at_minus_three_and_always_active() -> None:
    found = active_level(tone(2.0, 1.0), RATE)
    assert found is not None
    assert found.dbov == pytest.approx(-3.01, abs=0.2)  # the envelope takes its time to rise
    assert found.activity == pytest.approx(1.0, abs=0.04)


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_level_of_the_recommendation(seed: int) -> None:
    # syllables: bursts of noise of random lengths and levels, with pauses
    random = np.random.default_rng(seed)
    parts: list[Samples] = []
    for _ in range(8):
        length = int(random.integers(400, 3200))
        parts.append((random.normal(size=length) * random.uniform(0.01, 0.2)).astype(np.float32))
        parts.append(quiet(float(random.uniform(0, 0.5))))
    clip = np.concatenate(parts)
    found = active_level(clip, RATE)
    level, activity = by_the_recommendation(clip, RATE)
    assert found is not None
    assert (found.dbov, found.activity) == pytest.approx((level, activity), abs=1e-3)


def test_a_pause_lowers_the_level_by_no_more_than_the_hangover() -> None:
    spoken = tone(2.0, 0.2)
    alone = active_level(spoken, RATE)
    among = active_level(np.concatenate([quiet(3.0), spoken, quiet(3.0)]), RATE)
    assert alone is not None and among is not None
    # 0.2 s of hangover, and as long as the envelope takes to fall to the threshold
    assert -10 * math.log10(2.4 / 2.0) < among.dbov - alone.dbov < 0.0
    assert among.activity == pytest.approx(2.3 / 8.0, abs=0.02)


@given(st.floats(-40, 0))
def test_gain_moves_the_level_by_the_gain(gain_db: float) -> None:
    clip = np.concatenate([tone(0.5, 0.5), quiet(0.5)])
    before, after = active_level(clip, RATE), active_level(amplified(clip, gain_db), RATE)
    assert before is not None and after is not None
    assert after.dbov - before.dbov == pytest.approx(gain_db, abs=0.35)  # thresholds are 6 dB apart


def test_a_clip_without_speech_has_no_level_and_is_not_amplified() -> None:
    for clip in (quiet(0.0), quiet(1.0), tone(1.0, 1e-5)):
        assert active_level(clip, RATE) is None
        assert speech_gain_db(clip, RATE) == 0.0
    hiss = tone(1.0, 10 ** (FAINTEST_DBOV / 20))  # 3 dB below
    assert active_level(hiss, RATE) is not None
    assert speech_gain_db(hiss, RATE) == 0.0


def test_the_gain_brings_speech_to_the_level_that_is_asked_for() -> None:
    clip = tone(2.0, 0.5)
    found = active_level(amplified(clip, speech_gain_db(clip, RATE, -30.0)), RATE)
    assert found is not None
    assert found.dbov == pytest.approx(-30.0, abs=0.2)


@given(st.floats(-60, 40))
def test_nothing_clips_and_what_is_small_keeps_its_shape(gain_db: float) -> None:
    clip = np.linspace(-1, 1, 401, dtype=np.float32)
    loud = amplified(clip, gain_db)
    assert np.abs(loud).max() <= 0.99
    assert (np.diff(loud) >= 0).all()
    small = np.abs(clip) * 10 ** (gain_db / 20) <= 0.7
    assert loud[small] == pytest.approx(clip[small] * 10 ** (gain_db / 20), rel=1e-5)
