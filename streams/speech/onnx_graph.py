"""Reads the weights of an ONNX file, and writes small graphs of convolutions, without the onnx package.

onnxruntime runs a model as a whole. Where only a part of it is wanted, on other lengths of input, its
weights are taken out and a graph of that part is put together. Both are protocol buffers; the few messages
needed are at https://github.com/onnx/onnx/blob/main/onnx/onnx.proto (field numbers never change).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

Weights = npt.NDArray[np.float32]

OPSET = 12
"""Version of the operators: that of the models we take weights from."""

_IR_VERSION = 7
_FLOAT, _INTS = 1, 7  # TensorProto.FLOAT, AttributeProto.INTS
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


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


@dataclass
class Graph:
    """An ONNX graph in the making: a chain of operators from the input "x" to its last output.

    Attributes:
        shape: Of the input; a name stands for a length that may vary.
    """

    shape: Sequence[int | str]
    _parts: list[bytes] = field(default_factory=list)
    _last: str = "x"
    _made: int = 0

    def conv(self, kernel: Weights, bias: Weights) -> Graph:
        """A 3 x 3 convolution with a border of zeros, and then what is above zero of it."""
        pads = _ints("pads", [1, 1, 1, 1])
        return self._op("Conv", (kernel, bias), pads)._op("Relu")

    def pool(self, rows: int, columns: int) -> Graph:
        """The largest of each tile of rows x columns; what fills no tile is dropped."""
        size = [rows, columns]
        return self._op("MaxPool", (), _ints("kernel_shape", size) + _ints("strides", size))

    def largest(self) -> Graph:
        """The largest over all rows and columns, for each channel."""
        return self._op("ReduceMax", (), _ints("axes", [2, 3]) + _int("keepdims", 0))

    def dense(self, matrix: Weights, bias: Weights, *, positive: bool) -> Graph:
        """A matrix product, and with `positive` only what is above zero of it."""
        self._op("Gemm", (matrix, bias))
        return self._op("Relu") if positive else self

    def to_bytes(self) -> bytes:
        """The model, for an `onnxruntime.InferenceSession`; its output is the last operator's."""
        tail = _field(2, b"g") + _field(11, _value("x", self.shape)) + _field(12, _value(self._last, None))
        graph = b"".join(self._parts) + tail
        return _number(1, _IR_VERSION) + _field(8, _number(2, OPSET)) + _field(7, graph)

    def _op(self, kind: str, weights: Sequence[Weights] = (), attributes: bytes = b"") -> Graph:
        self._made += 1
        names = [f"w{self._made}.{index}" for index in range(len(weights))]
        output = f"y{self._made}"
        inputs = b"".join(_field(1, name.encode()) for name in (self._last, *names))
        node = inputs + _field(2, output.encode()) + _field(4, kind.encode()) + attributes
        self._parts.append(_field(1, node))
        self._parts += [_field(5, _packed(name, w)) for name, w in zip(names, weights, strict=True)]
        self._last = output
        return self


def _packed(name: str, tensor: Weights) -> bytes:
    dims = b"".join(_number(1, size) for size in tensor.shape)
    raw = np.ascontiguousarray(tensor, "<f4").tobytes()
    return dims + _number(2, _FLOAT) + _field(8, name.encode()) + _field(9, raw)


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


def _value(name: str, shape: Sequence[int | str] | None) -> bytes:
    """A ValueInfoProto of float32."""
    tensor = _number(1, _FLOAT)
    if shape is not None:
        dims = (_number(1, size) if isinstance(size, int) else _field(2, size.encode()) for size in shape)
        tensor += _field(2, b"".join(_field(1, dim) for dim in dims))
    return _field(1, name.encode()) + _field(2, _field(1, tensor))


def _ints(name: str, values: Sequence[int]) -> bytes:
    body = b"".join(_number(8, value) for value in values)
    return _field(5, _field(1, name.encode()) + body + _number(20, _INTS))


def _int(name: str, value: int) -> bytes:
    return _field(5, _field(1, name.encode()) + _number(3, value) + _number(20, 2))


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(data)) + data


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3 | _VARINT) + _varint(value)


def _varint(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    made.append(value)
    return bytes(made)


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
