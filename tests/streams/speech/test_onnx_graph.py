from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from streams.speech.onnx import session_of
from streams.speech.onnx_graph import Graph
from streams.speech.onnx_weights import read_weights

MATRIX = np.array([[1, 2, 3], [4, 5, 6]], np.float32)


def test_a_graph_computes_what_it_says() -> None:
    pytest.importorskip("onnxruntime")
    graph = Graph()
    given = graph.input("x")
    picked = graph.op("Gather", given, graph.input("which", "<i8"), axis=1)
    former, latter = graph.ops("Split", picked, outputs=2, axis=0)
    padded = graph.op("Pad", former, mode="reflect", pads=[0, 0, 0, 1])
    graph.output(graph.op("Reshape", padded, graph.constant([2, -1])))
    graph.output(graph.op("MatMul", latter, graph.constant(MATRIX.T)))
    values = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.float32)
    padded_rows, product = session_of(graph.to_bytes()).run(
        None, {"x": values, "which": np.array([3, 0, 1], np.int64)}
    )
    # columns 3, 0, 1 of the first row, mirrored about the last: 4 1 2 1; of the second: 8 5 6
    assert padded_rows.tolist() == [[4, 1], [2, 1]]
    assert product.tolist() == [[8 + 2 * 5 + 3 * 6, 4 * 8 + 5 * 5 + 6 * 6]]


def test_an_input_may_be_left_out() -> None:
    pytest.importorskip("onnxruntime")
    weights = np.zeros((1, 4, 1), np.float32)
    graph = Graph()
    # a cell with weights of zero: every gate is half open and nothing comes in, so half of it is kept
    cell = [graph.constant(weights), graph.constant(weights), "", "", graph.input("h"), graph.input("c")]
    _, _, kept = graph.ops("LSTM", graph.input("x"), *cell, outputs=3, hidden_size=1)
    graph.output(kept)
    one = np.ones((1, 1, 1), np.float32)
    (after,) = session_of(graph.to_bytes()).run(
        None, {"x": np.ones((2, 1, 1), np.float32), "h": one, "c": one}
    )
    assert after.item() == 0.25  # after two steps


def test_its_weights_are_read_again(tmp_path: Path) -> None:
    graph = Graph()
    name = graph.constant(MATRIX.T)  # not as it lies in memory
    graph.constant([300, -1])
    graph.output(graph.op("MatMul", graph.input("x"), name))
    path = tmp_path / "graph.onnx"
    path.write_bytes(graph.to_bytes())
    weights = read_weights(path)
    assert list(weights) == [name]
    assert np.array_equal(weights[name], MATRIX.T)
