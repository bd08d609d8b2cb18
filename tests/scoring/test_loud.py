from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import loud
from scoring.loud import cells_of, loud_runs
from streams.audio import Pcm


def one_by_one(pcm: list[int], window: int, threshold: float) -> list[tuple[int, int]]:
    """As defined: a window begins at every sample, the last sample goes on, those that touch are one."""
    runs: list[tuple[int, int]] = []
    padded = pcm + pcm[-1:] * (window - 1)
    for start in range(len(pcm)):
        held = padded[start : start + window]
        if window * sum(x * x for x in held) - sum(held) ** 2 >= (window * threshold) ** 2:
            begin = runs.pop()[0] if runs and start <= runs[-1][1] else start
            runs.append((begin, min(start + window, len(pcm))))
    return runs


STRETCHES = st.lists(
    st.tuples(st.integers(1, 25), st.sampled_from([0, 0, 1, 9, 10, 11, 40, 32767]), st.integers(-50, 50))
)
"""Length, amplitude and offset of stretches of sound, or of silence, after each other."""


@given(stretches=STRETCHES, window=st.integers(1, 12), threshold=st.integers(1, 20), seed=st.integers(0, 9))
@settings(deadline=None)
def test_few_windows_are_looked_at_and_what_is_found_is_as_if_all_were(
    stretches: list[tuple[int, int, int]], window: int, threshold: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    parts = [
        np.clip(rng.integers(-height, height + 1, length) + offset, -32768, 32767)
        for length, height, offset in stretches
    ]
    pcm: Pcm = np.concatenate([np.zeros(0), *parts]).astype(np.int16)
    found = loud_runs(pcm, cells_of(pcm, window), threshold)
    assert found == one_by_one(pcm.tolist(), window, threshold)


def test_blocks_in_which_a_long_track_is_read_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    pcm = np.round(rng.normal(0, 300, 5000) * np.repeat(rng.random(100) > 0.5, 50)).astype(np.int16)
    whole = loud_runs(pcm, cells_of(pcm, 20), 150)
    monkeypatch.setattr(loud, "_BLOCK", 64)
    assert loud_runs(pcm, cells_of(pcm, 20), 150) == whole
    assert len(whole) > 10
