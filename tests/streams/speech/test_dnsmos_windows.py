from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.speech.dnsmos_windows import (
    FRAME,
    GRID,
    HOP,
    WINDOW,
    WINDOW_FRAMES,
    materials,
    scored_samples,
    window_starts,
)

RATE = 16000


def windows(clip: np.ndarray) -> list[np.ndarray]:
    """Every window as the materials give it: what the model hears, in order."""
    made = []
    for material in materials(clip.size):
        part = material.samples(clip)[FRAME:]
        whole = (
            np.concatenate([part[:-FRAME]] * (WINDOW // material.frames // FRAME + 3))
            if material.cyclic
            else part
        )
        made += [whole[start * FRAME : start * FRAME + WINDOW] for start in material.starts]
    return made


def original(clip: np.ndarray) -> list[np.ndarray]:
    """The windows of the models' authors, where their arithmetic holds."""
    while len(clip) < WINDOW:
        clip = np.append(clip, clip)
    count = int(np.floor(len(clip) / RATE) - 9.01) + 1
    return [clip[index * RATE : index * RATE + WINDOW] for index in range(count)]


@pytest.mark.parametrize("seconds", [0.2, 1.0, 1.7, 2.5, 3.0, 4.48, 5.0, 8.99, 9.0])
def test_a_short_clip_is_heard_in_the_windows_of_the_original(seconds: float) -> None:
    for extra in (0, 77):
        clip = np.arange(round(seconds * RATE) + extra, dtype=np.float32)
        expected = original(clip)
        assert [w.tolist() for w in windows(clip)] == [w.tolist() for w in expected]


def test_a_window_that_fits_to_the_sample_is_one_window() -> None:
    assert window_starts(WINDOW) == [0]
    assert window_starts(WINDOW + 1) == [0, 1]


def test_the_last_window_that_fits_is_not_left_out_and_the_tail_is_heard() -> None:
    # 10.01 s: the original takes floor(10.01) - 9.01 + 1 = 1 window; two fit
    assert window_starts(10 * HOP + FRAME) == [0, HOP]
    # 15.9 s: five more fit, at 1 to 6 s; 6 + 9.01 = 15.01, so 0.89 s are left for a last one
    assert window_starts(15 * HOP + 14400) == [
        0,
        *(HOP * k for k in range(1, 7)),
        15 * HOP + 14400 - WINDOW,
    ]


def test_a_burst_in_the_last_second_and_a_half_changes_what_is_heard() -> None:
    clip = np.full(round(15.9 * RATE), 0.01, np.float32)
    before = np.mean([np.mean(np.square(w)) for w in windows(clip)])
    clip[round(14.4 * RATE) :] = 1.0
    assert np.mean([np.mean(np.square(w)) for w in windows(clip)]) > 10 * before
    assert np.mean([np.mean(np.square(w)) for w in original(clip)]) < 1.01 * before


def test_nothing_has_no_window() -> None:
    assert window_starts(0) == []
    assert list(materials(0)) == []


@given(st.integers(1, 60 * RATE))
def test_every_sample_is_in_a_window_and_every_window_is_whole(samples: int) -> None:
    made = list(materials(samples))
    starts = window_starts(samples)
    assert sum(len(material.starts) for material in made) == len(starts)
    for material in made:
        assert all(start * FRAME % GRID == 0 for start in material.starts)
        assert material.cyclic or material.starts[-1] + WINDOW_FRAMES == material.frames
    if samples >= WINDOW:
        places = [m.first + start * FRAME for m in made for start in m.starts]
        assert places == starts
        assert starts[0] == 0
        assert starts[-1] + WINDOW == samples
        assert all(0 < after - before <= HOP for before, after in itertools.pairwise(starts))


@given(st.integers(0, 40 * RATE))
def test_the_samples_that_are_scored_are_those_that_some_window_holds(samples: int) -> None:
    held = {start + offset for start in window_starts(samples) for offset in (0, WINDOW - 1)}
    assert scored_samples(samples) == (min(samples, max(held) + 1) if held else 0) == samples


def test_two_hours_are_cut_into_pieces_of_about_a_minute() -> None:
    pieces = list(materials(7200 * RATE))
    assert max(piece.frames for piece in pieces) <= 63 * 100 + WINDOW_FRAMES  # 64 windows, a second apart
    assert (
        sum(len(piece.starts) for piece in pieces) == 7200 - 9 + 1
    )  # the last one, at 7190.99 s, included
