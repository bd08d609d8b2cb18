from __future__ import annotations

from pathlib import Path

import numpy as np

from streams.speech.onnx_weights import read_weights


def field(number: int, data: bytes) -> bytes:
    """A field of bytes: its tag is number * 8 + 2; all here are shorter than 128 bytes."""
    return bytes([number << 3 | 2, len(data)]) + data


def integer(number: int, value: int) -> bytes:
    return bytes([number << 3, value])


def test_weights_are_read_however_the_file_holds_them(tmp_path: Path) -> None:
    values = np.array([[1.5, -2.0, 0.25], [3.0, 1e-9, 7.0]], "<f4")
    raw = integer(1, 2) + integer(1, 3) + integer(2, 1) + field(8, b"raw") + field(9, values.tobytes())
    packed = field(1, bytes([3, 2])) + integer(2, 1) + field(4, values.tobytes()) + field(8, b"floats")
    other = integer(1, 1) + integer(2, 7) + field(8, b"shape") + field(9, bytes(8))  # 7: an int64
    node = field(1, field(4, b"Conv"))
    graph = node + field(5, raw) + field(5, packed) + field(5, other) + field(2, b"g")
    path = tmp_path / "model.onnx"
    path.write_bytes(integer(1, 7) + bytes([7 << 3 | 2, len(graph) & 127 | 128, len(graph) >> 7]) + graph)
    weights = read_weights(path)
    assert list(weights) == ["raw", "floats"]
    assert np.array_equal(weights["raw"], values)
    assert np.array_equal(weights["floats"], values.reshape(3, 2))


def test_constants_are_read_from_the_branches_too(tmp_path: Path) -> None:
    values = np.array([0.5, -4.0], "<f4")
    tensor = integer(1, 2) + integer(2, 1) + field(9, values.tobytes())
    constant = (
        field(2, b"then.bias") + field(4, b"Constant") + field(5, field(1, b"value") + field(5, tensor))
    )
    branch = field(1, constant)
    choice = field(2, b"chosen") + field(4, b"If") + field(5, field(1, b"then_branch") + field(6, branch))
    path = tmp_path / "model.onnx"
    path.write_bytes(field(7, field(1, choice)))
    weights = read_weights(path)
    assert list(weights) == ["then.bias"]
    assert np.array_equal(weights["then.bias"], values)
