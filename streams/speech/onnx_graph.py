"""Writes small ONNX graphs, without the onnx package.

onnxruntime runs a model as its file puts it. Where the same can be had for less with other operators, a
graph of our own takes the file's weights (`streams.speech.onnx_weights`). It is a protocol buffer; the few
messages needed are at https://github.com/onnx/onnx/blob/main/onnx/onnx.proto (field numbers never change).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

OPSET = 9
"""Version of the operators (https://onnx.ai/onnx/operators): in later ones slices and pads are inputs."""

_IR_VERSION = 7
_KINDS = {"<f4": 1, "<i4": 6, "<i8": 7}  # TensorProto.DataType
_INT, _STRING, _INTS = 2, 3, 7  # AttributeProto.AttributeType
_VARINT, _BYTES = 0, 2


class Graph:
    """A graph in the making; values have names, which its methods return."""

    def __init__(self) -> None:
        self._nodes = b""
        self._constants = b""
        self._inputs = b""
        self._outputs = b""
        self._named = 0

    def input(self, name: str, kind: str = "<f4") -> str:
        """An array that is given, of a type as numpy spells it: "<f4", "<i4" or "<i8"."""
        self._inputs += _field(11, _value(name, kind))
        return name

    def constant(self, values: npt.NDArray[np.generic] | Sequence[int]) -> str:
        """A constant: an array, or whole numbers, as a shape."""
        array = np.ascontiguousarray(values)
        name, kind = self._name(), _KINDS[array.dtype.newbyteorder("<").str]
        dims = b"".join(_number(1, size) for size in array.shape)
        data = _field(9, array.astype(array.dtype.newbyteorder("<")).tobytes())
        self._constants += _field(5, dims + _number(2, kind) + _field(8, name.encode()) + data)
        return name

    def op(self, operator: str, *inputs: str, **attributes: int | str | Sequence[int]) -> str:
        """An operator with one output; an input that is left out is ""."""
        (output,) = self.ops(operator, *inputs, outputs=1, **attributes)
        return output

    def ops(
        self, operator: str, *inputs: str, outputs: int, **attributes: int | str | Sequence[int]
    ) -> list[str]:
        """An operator with several outputs."""
        names = [self._name() for _ in range(outputs)]
        node = b"".join(_field(1, name.encode()) for name in inputs)
        node += b"".join(_field(2, name.encode()) for name in names) + _field(4, operator.encode())
        node += b"".join(_field(5, _attribute(*attribute)) for attribute in attributes.items())
        self._nodes += _field(1, node)
        return names

    def output(self, name: str) -> None:
        """A value that is asked for, of float32; the first that is named is the first answer."""
        self._outputs += _field(12, _value(name, "<f4"))

    def to_bytes(self) -> bytes:
        """The model, for an `onnxruntime.InferenceSession`."""
        graph = self._nodes + _field(2, b"vivavoce") + self._constants + self._inputs + self._outputs
        return _number(1, _IR_VERSION) + _field(8, _number(2, OPSET)) + _field(7, graph)

    def _name(self) -> str:
        self._named += 1
        return f"v{self._named}"


def _value(name: str, kind: str) -> bytes:
    """A ValueInfoProto of an array of any shape."""
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, _KINDS[kind])))


def _attribute(name: str, value: int | str | Sequence[int]) -> bytes:
    head = _field(1, name.encode())
    if isinstance(value, str):
        return head + _field(4, value.encode()) + _number(20, _STRING)
    if isinstance(value, int):
        return head + _number(3, value) + _number(20, _INT)
    return head + b"".join(_number(8, each) for each in value) + _number(20, _INTS)


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
