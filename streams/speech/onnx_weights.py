"""Reads the weights of an ONNX file, without the onnx package.

onnxruntime runs a model as a whole. Where layers are computed in another way, their weights are taken out.
The file is a protocol buffer; the few messages needed are at
https://github.com/onnx/onnx/blob/main/onnx/onnx.proto (field numbers never change).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

Weights = npt.NDArray[np.float32]

_FLOAT = 1  # TensorProto.FLOAT
_VARINT, _FIXED64, _FIXED32 = 0, 1, 5


def read_weights(path: Path) -> dict[str, Weights]:
    """The float32 tensors that an ONNX file holds, by name."""
    weights: dict[str, Weights] = {}
    (graph,) = (value for number, value in _fields(path.read_bytes()) if number == 7)
    for number, value in _fields(_as_bytes(graph)):
        if number == 5:
            name, tensor = _tensor(_as_bytes(value))
            if tensor is not None:
                weights[name] = tensor
    return weights


def _tensor(data: bytes) -> tuple[str, Weights | None]:
    """Name and values of a TensorProto; None if it does not hold float32."""
    dims: list[int] = []
    kind, name, raw, floats = 0, "", b"", b""
    for number, value in _fields(data):
        match number, value:
            case 1, int():
                dims.append(value)
            case 1, bytes():
                dims += _varints(value)
            case 2, int():
                kind = value
            case 4, bytes():
                floats += value
            case 8, bytes():
                name = value.decode()
            case 9, bytes():
                raw = value
    if kind != _FLOAT:
        return name, None
    return name, np.frombuffer(raw or floats, "<f4").reshape(dims)


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message in order: numbers as integers, all else as bytes."""
    at = 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _read_varint(data, at)
            yield tag >> 3, value
            continue
        size = {_FIXED64: 8, _FIXED32: 4}.get(kind)
        if size is None:
            size, at = _read_varint(data, at)
        yield tag >> 3, data[at : at + size]
        at += size


def _varints(data: bytes) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _read_varint(data, at)
        yield value


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _as_bytes(value: int | bytes) -> bytes:
    assert isinstance(value, bytes)  # a message, by the format
    return value
