"""Reads the weights of an ONNX file, without the onnx package.

onnxruntime runs a model as a whole. Where layers are computed in another way, their weights are taken out:
the graph's initializers and its constants, those of the branches within it included.
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
    (graph,) = (value for number, value in _fields(path.read_bytes()) if number == 7)
    return {name: tensor for name, tensor in _tensors(_as_bytes(graph)) if tensor is not None}


def _tensors(graph: bytes) -> Iterator[tuple[str, Weights | None]]:
    """What a GraphProto and the graphs within it hold."""
    for number, value in _fields(graph):
        if number == 1:
            yield from _tensors_of_node(_as_bytes(value))
        elif number == 5:
            yield _tensor(_as_bytes(value))


def _tensors_of_node(node: bytes) -> Iterator[tuple[str, Weights | None]]:
    """What a NodeProto holds: a constant, which is named as the node's output, or graphs."""
    output = ""
    for number, value in _fields(node):
        if number == 2:
            output = _as_bytes(value).decode()
        elif number == 5:  # an attribute; a constant's comes behind its output
            for kind, held in _fields(_as_bytes(value)):
                if kind == 5:
                    yield output, _tensor(_as_bytes(held))[1]
                elif kind == 6:
                    yield from _tensors(_as_bytes(held))


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
