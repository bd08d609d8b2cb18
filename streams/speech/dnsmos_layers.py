"""The layers of the DNSMOS networks, with the weights of their files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from streams.speech.dnsmos_strips import Floats
from streams.speech.onnx_weights import Weights, read_weights
from streams.speech.sparse_convolution import PlaneConvolution, SparseConvolution

_MATRIX, _BIAS = "MatMul/ReadVariableOp/resource:0", "BiasAdd/ReadVariableOp/resource:0"


class Dense:
    """Dense layers with a rectifier between them.

    Args:
        layers: The matrix and the bias of each.
    """

    def __init__(self, layers: Sequence[tuple[Weights, Weights]]) -> None:
        self._layers = layers

    def __call__(self, values: Floats) -> Floats:
        """Values of shape (outputs,) from those of shape (inputs,)."""
        for index, (matrix, bias) in enumerate(self._layers):
            values = (np.maximum(values, np.float32(0)) if index else values) @ matrix + bias
        return values


class Network:
    """The layers that a file holds.

    Args:
        path: An ONNX file of Keras's names.
    """

    def __init__(self, path: Path) -> None:
        self.weights = read_weights(path)

    def first(self, name: str) -> PlaneConvolution:
        """The convolution of the spectrum."""
        return PlaneConvolution(self.weights[f"{name}/kernel:0"], self.weights[f"{name}/bias:0"])

    def convolution(self, name: str) -> SparseConvolution:
        """One of the others."""
        return SparseConvolution(self.weights[f"{name}/kernel:0"], self.weights[f"{name}/bias:0"])

    def dense(self, *names: str) -> Dense:
        """Dense layers, one behind the other."""
        pairs = [(self.weights[f"{name}/{_MATRIX}"], self.weights[f"{name}/{_BIAS}"]) for name in names]
        return Dense(pairs)
