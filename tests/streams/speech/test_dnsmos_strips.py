from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streams.speech import dnsmos_strips
from streams.speech.dnsmos_strips import Floats, Stage, Strip, windows_after
from streams.speech.sparse_convolution import PlaneConvolution, SparseConvolution, pooled

DRAW = np.random.default_rng(4)
BINS = 19


def kernel(outputs: int, inputs: int) -> tuple[Floats, Floats]:
    return (
        DRAW.normal(size=(outputs, inputs, 3, 3), scale=0.2).astype(np.float32),
        DRAW.normal(size=outputs).astype(np.float32),
    )


FIRST = PlaneConvolution(*kernel(8, 1))
SECOND, THIRD, FOURTH, FIFTH = (SparseConvolution(*kernel(8, 8)) for _ in range(4))
# cells that a border of zeros reaches: 2 behind two convolutions, so 1 behind the pooling; 2 behind the
# third convolution, so 1 again; 2 behind the fourth, so 1 behind the pooling and 2 behind the fifth
STAGES = (
    Stage(lambda cells: pooled(SECOND(FIRST(cells))), stride=2, reach=2, edge=1),
    Stage(lambda cells: pooled(THIRD(cells)), stride=2, reach=2, edge=1),
    Stage(FOURTH, stride=1, reach=1, edge=2),
    # windows that begin on an odd cell are pooled otherwise than those on an even one
    Stage(lambda cells: FIFTH(pooled(cells)), stride=2, reach=2, edge=2),
)


def alone(window: Floats) -> Floats:
    """The layers on one window, which is all there is."""
    return FIFTH(pooled(FOURTH(pooled(THIRD(pooled(SECOND(FIRST(window))))))))


def spectrum(frames: int, seed: int) -> Floats:
    return np.random.default_rng(seed).normal(size=(frames, BINS)).astype(np.float32)


@settings(max_examples=60, deadline=None)  # the first example waits for the compiler
@given(
    length=st.integers(8, 17).map(lambda cells: 4 * cells),
    gaps=st.lists(st.integers(0, 15).map(lambda cells: 4 * cells), max_size=6),
    seed=st.integers(0, 1000),
)
def test_windows_are_what_they_are_alone_wherever_they_lie(length: int, gaps: list[int], seed: int) -> None:
    starts = np.cumsum([0, *gaps]).tolist()
    whole = spectrum(starts[-1] + length, seed)
    made = list(windows_after(STAGES, Strip(whole), starts, length))
    assert len(made) == len(starts)
    for start, window in zip(starts, made, strict=True):
        assert np.allclose(window, alone(whole[start : start + length]), atol=1e-3)


@settings(max_examples=40, deadline=None)
@given(
    period=st.integers(1, 8).map(lambda cells: 4 * cells),
    starts=st.sets(st.integers(0, 7).map(lambda cells: 4 * cells), min_size=1),
    seed=st.integers(0, 1000),
)
def test_a_clip_that_is_repeated_is_computed_once(period: int, starts: set[int], seed: int) -> None:
    once, length = spectrum(period, seed), 40
    places = sorted({start % period for start in starts})
    made = windows_after(STAGES, Strip(once, cyclic=True), places, length)
    for start, window in zip(places, made, strict=True):
        heard = once.take(np.arange(start, start + length), axis=0, mode="wrap")
        assert np.allclose(window, alone(heard), atol=1e-3)


def test_how_a_stretch_is_cut_into_blocks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, starts = spectrum(200, 5), [0, 40, 140]
    expected = [alone(whole[start : start + 60]) for start in starts]
    for block in (2, 12, 64, 512):
        monkeypatch.setattr(dnsmos_strips, "_BLOCK", block)
        made = list(windows_after(STAGES, Strip(whole), starts, 60))
        assert all(np.allclose(*pair, atol=1e-3) for pair in zip(made, expected, strict=True))
