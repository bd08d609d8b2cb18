from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.blueprint.loudness import measure_loudness
from scoring.labelling.sound import Floats, Level, equally_loud, listenable, with_gain
from streams.audio import Pcm
from tests.scoring.episodes import tone


def loudness(clip: Floats, level: Level) -> float:
    """Of a clip as it is played, measured anew."""
    played = np.asarray(with_gain(clip, level.gain_db) / 32768, np.float32)
    found = measure_loudness(played, 48000)
    assert found is not None and found.integrated is not None
    return found.integrated


@pytest.mark.parametrize("rate", [8000, 16000, 24000, 48000])
def test_every_clip_is_played_at_one_rate_and_without_a_click(rate: int) -> None:
    clip = listenable(tone(1.5, rate, -20.0), rate)
    assert (clip.size, str(clip.dtype)) == (72000, "float32")
    assert clip[0] == 0 and abs(clip[-1]) < 0.01
    middle = clip[24000:48000]
    assert 20 * np.log10(np.abs(middle).max()) == pytest.approx(-20.0, abs=0.1)


@given(one=st.floats(-45, -3), two=st.floats(-45, -3))
def test_two_replies_are_equally_loud_and_neither_is_clipped(one: float, two: float) -> None:
    clips = [listenable(tone(1.0, 24000, dbfs), 24000) for dbfs in (one, two)]
    levels = equally_loud(*clips)
    played = [loudness(clip, level) for clip, level in zip(clips, levels, strict=True)]
    assert played[0] == pytest.approx(played[1], abs=0.03)  # gains are to the hundredth, samples 16 bit
    assert max(played) <= -23.0 + 0.03
    assert max(level.gain_db for level in levels) <= 20.0
    for clip, level in zip(clips, levels, strict=True):
        assert 20 * np.log10(np.abs(clip).max()) + level.gain_db <= -1.0 + 0.01


def test_what_can_be_is_brought_to_the_target() -> None:
    # 500 Hz: the K-weighting is near 0 dB there, and a tone of peak p has -3.01 - 0.69 + p dB
    clips = [listenable(tone(2.0, 24000, dbfs), 24000) for dbfs in (-15.0, -27.0)]
    one, two = equally_loud(*clips)
    assert two.gain_db - one.gain_db == pytest.approx(12.0, abs=0.02)
    assert loudness(clips[0], one) == pytest.approx(-23.0, abs=0.02)


def test_where_one_is_very_quiet_the_other_comes_down_to_it() -> None:
    clips = [listenable(tone(2.0, 24000, dbfs), 24000) for dbfs in (-10.0, -50.0)]
    one, two = equally_loud(*clips)
    assert two.gain_db == 20.0  # no more: its noise would become the loudest thing
    assert one.gain_db == pytest.approx(20.0 - 40.0, abs=0.05)


@pytest.mark.parametrize("other", [np.zeros(48000, np.int16), tone(0.3, 24000), np.zeros(0, np.int16)])
def test_what_cannot_be_measured_is_played_as_it_is_and_so_is_the_other(other: Pcm) -> None:
    one, two = equally_loud(listenable(tone(2.0, 24000), 24000), listenable(other, 24000))
    assert (one.gain_db, two.gain_db, two.lufs) == (0.0, 0.0, None)
    assert two.to_json() == {"lufs": None, "gain_db": 0.0}
