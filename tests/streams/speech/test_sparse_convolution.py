from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from streams.speech.compiled import product
from streams.speech.sparse_convolution import PlaneConvolution, SparseConvolution, largest, pooled

Floats = npt.NDArray[np.float32]


def convolved(cells: Floats, kernel: Floats, bias: Floats) -> npt.NDArray[np.float64]:
    """Dense, 3 x 3 with a border of zeros, in float64: (time, frequency, inputs) to outputs."""
    padded = np.pad(cells.astype(np.float64), ((1, 1), (1, 1), (0, 0)))
    views = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(0, 1))
    return np.asarray(np.einsum("tfcij,ocij->tfo", views, kernel) + bias)


def normal(seed: int, *shape: int) -> Floats:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@settings(max_examples=60, deadline=None)  # the first example waits for the compiler
@given(
    times=st.integers(1, 9),
    frequencies=st.integers(2, 7),
    inputs=st.integers(1, 9),
    outputs=st.sampled_from([3, 8, 19]),
    zeros=st.floats(0, 1),
    seed=st.integers(0, 1000),
)
def test_what_is_zero_is_left_out_and_nothing_else(
    times: int, frequencies: int, inputs: int, outputs: int, zeros: float, seed: int
) -> None:
    cells, kernel = normal(seed, times, frequencies, inputs), normal(seed + 1, outputs, inputs, 3, 3)
    cells[np.random.default_rng(seed).random(cells.shape) < zeros] *= 0
    bias = normal(seed + 2, outputs)
    expected = convolved(np.maximum(cells, 0), kernel, bias)  # negative ones count as zero
    assert np.allclose(SparseConvolution(kernel, bias)(cells), expected, atol=1e-5)


@settings(max_examples=30, deadline=None)
@given(times=st.integers(1, 9), frequencies=st.integers(1, 7), seed=st.integers(0, 1000))
def test_a_plane_is_taken_with_what_is_negative(times: int, frequencies: int, seed: int) -> None:
    plane, kernel, bias = normal(seed, times, frequencies), normal(seed + 1, 5, 1, 3, 3), normal(seed, 5)
    expected = convolved(plane[..., np.newaxis], kernel, bias)
    assert np.allclose(PlaneConvolution(kernel, bias)(plane), expected, atol=1e-5)


def test_a_pooling_takes_the_largest_of_each_tile_and_drops_the_rest() -> None:
    cells = np.arange(15, dtype=np.float32).reshape(3, 5, 1)
    # rows 0 1 2 3 4 and 5 6 7 8 9: the largest of 0 1 5 6 and of 2 3 7 8
    assert pooled(cells)[..., 0].tolist() == [[6, 8]]
    assert largest(cells - 20).tolist() == [0]
    assert largest(cells).tolist() == [14]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 5), st.integers(1, 11), st.integers(1, 9), st.sampled_from([np.float32, np.float64]))
def test_a_product_is_that_of_numpy(rows: int, inner: int, columns: int, kind: type) -> None:
    a: np.ndarray = normal(1, rows, inner).astype(kind)
    b: np.ndarray = normal(2, inner, columns).astype(kind)
    made = product(a[::-1], b)  # whatever the layout
    assert made.dtype == kind
    assert np.allclose(made, a[::-1] @ b, atol=1e-5)
