from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from streams.speech import onnx
from streams.speech.onnx_graph import Graph, read_weights

R = np.random.default_rng(1)


def random(*shape: int) -> np.ndarray:
    return R.normal(size=shape).astype(np.float32)


def convolved(x: np.ndarray, kernel: np.ndarray, bias: np.ndarray) -> np.ndarray:
    """3 x 3 with a border of zeros, one loop an output channel; then what is above zero."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    views = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    made = np.einsum("cijkl,ockl->oij", views, kernel) + bias[:, None, None]
    return np.asarray(np.maximum(made, 0))


@pytest.mark.models
def test_a_graph_computes_what_its_operators_say() -> None:
    kernel, bias, matrix, offset = random(8, 1, 3, 3), random(8), random(8, 3), random(3)
    graph = (
        Graph(("n", 1, "t", 10))
        .conv(kernel, bias)
        .pool(2, 2)
        .largest()
        .dense(matrix, offset, positive=False)
    )
    x = random(2, 1, 7, 10)
    (made,) = onnx.session_of(graph).run(None, {"x": x})
    for clip, scores in zip(x, made, strict=True):
        cells = convolved(clip, kernel, bias)[:, :6, :10].reshape(8, 3, 2, 5, 2).max(axis=(2, 4))
        assert np.allclose(scores, cells.max(axis=(1, 2)) @ matrix + offset, atol=1e-5)


def test_weights_are_read_back_as_they_were_written(tmp_path: Path) -> None:
    kernel, bias = random(5, 2, 3, 3), random(5)
    path = tmp_path / "graph.onnx"
    path.write_bytes(Graph(("n", 2, "t", 300)).conv(kernel, bias).to_bytes())
    first, second = read_weights(path).values()
    assert np.array_equal(first, kernel)
    assert np.array_equal(second, bias)
