"""DNSMOS P.835 on overlapping windows, each layer computed once for all windows that share it.

The network is a log spectrum, seven convolutions with three poolings, and the largest value over the
window, from which three dense layers make three scores. A convolution sees nothing but its neighbourhood:
in the middle of a window it gives what it gives in the window a second later. Only at a window's two edges,
where zeros take the place of the neighbours, is it the window's own. So each stage is computed once along
the whole stretch, and for every window two cells at either edge again. The scores are those of the whole
model on every window (to rounding), at about a ninth of its cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from streams.audio import Samples
from streams.speech import onnx
from streams.speech.dnsmos_windows import FRAME, WINDOW_FRAMES, Material
from streams.speech.onnx_graph import Graph, Weights, read_weights

Floats = npt.NDArray[np.float32]

EDGE = 2
"""Cells at either end of a window that differ from the same place in the middle of another."""

_BINS = 161
_FLOOR = np.float32(1e-12)
_BLOCK = 64
"""Cells computed at once: what a stage needs then stays in the processor's cache."""

_TOGETHER = 8
"""Windows, or edges, computed at once."""

_SILENT = (2, 8, 21, 22, 29, 30, 31, 34, 38, 40, 41, 44, 46, 53, 56, 62)
"""Filters of the second convolution that never answer, left out: a quarter of the most costly layer.

The two models were trained from one another, and of these filters not one weight has moved: nothing in all
the training speech and noise ever woke them. Over every spectrogram that can be written down, possible as a
sound or not, gradient ascent finds no answer above 0.2, where the others reach tens.
"""


class Layers:
    """The network of one P.835 model, cut into stages that windows share.

    Args:
        model: Path of its ONNX file.
    """

    def __init__(self, model: Path) -> None:
        weights = read_weights(model)
        kernels = [weights[f"time2freq/stft-{part}/kernel:0"][:, :, 0] for part in ("real", "imag")]
        self._transform = np.concatenate(kernels).T.copy()  # (320, 322)
        self._sound = _Stage(_sound(weights), stride=2, reach=4)
        self._shape = _Stage(_shape(weights), stride=2, reach=2)
        self._scores = onnx.session_of(_scores(weights))

    def score(self, material: Material, samples: Samples) -> npt.NDArray[np.float64]:
        """Raw scores (signal, background, overall) of every window, shape (windows, 3)."""
        starts = sorted(set(material.starts))
        strip = self._sound.apply(_Strip.plain(self._spectrum(samples[FRAME:])), starts, WINDOW_FRAMES)
        strip = self._shape.apply(strip, [s // 2 for s in starts], WINDOW_FRAMES // 2)
        made: dict[int, npt.NDArray[np.float64]] = {}
        for at in range(0, len(starts), _TOGETHER):
            some = starts[at : at + _TOGETHER]
            windows = [strip.window(s // 4, WINDOW_FRAMES // 4, at + i) for i, s in enumerate(some)]
            (raw,) = self._scores.run(None, {"x": np.stack(windows)})
            made |= zip(some, raw.astype(np.float64), strict=True)
        return np.stack([made[start] for start in material.starts])

    def _spectrum(self, samples: Samples) -> Floats:
        """Log power, shape (1, frames, 161); a frame is 20 ms, one begins every 10 ms."""
        frames = np.lib.stride_tricks.sliding_window_view(samples, 2 * FRAME)[::FRAME]
        parts = frames @ self._transform
        power = np.square(parts[:, :_BINS]) + np.square(parts[:, _BINS:])
        made: Floats = np.log10(np.maximum(power, _FLOOR))[np.newaxis]
        return made


@dataclass(frozen=True, slots=True)
class _Strip:
    """What a stage made of a stretch: channels x cells in time x cells in frequency.

    Attributes:
        middle: As it is in the middle of a window; it goes on at its beginning.
        left: The first cells of each window.
        right: The last cells of each window.
    """

    middle: Floats
    left: Sequence[Floats]
    right: Sequence[Floats]

    @classmethod
    def plain(cls, spectrum: Floats) -> _Strip:
        """Input of the first stage: nothing of it belongs to a window alone."""
        return cls(spectrum, (), ())

    def part(self, start: int, end: int) -> Floats:
        """Cells of the middle, shape (channels, end - start, frequency cells)."""
        return self.middle.take(np.arange(start, end), axis=1, mode="wrap")

    def head(self, start: int, cells: int, index: int) -> Floats:
        """The first cells of a window."""
        if not self.left:
            return self.part(start, start + cells)
        return np.concatenate([self.left[index], self.part(start + EDGE, start + cells)], axis=1)

    def tail(self, end: int, cells: int, index: int) -> Floats:
        """The last cells of a window."""
        if not self.right:
            return self.part(end - cells, end)
        return np.concatenate([self.part(end - cells, end - EDGE), self.right[index]], axis=1)

    def window(self, start: int, cells: int, index: int) -> Floats:
        """All cells of a window."""
        middle = self.part(start + EDGE, start + cells - EDGE)
        return np.concatenate([self.left[index], middle, self.right[index]], axis=1)


class _Stage:
    """Some layers of the network.

    Args:
        graph: The layers.
        stride: Cells of the input for one of the output.
        reach: Cells of the input, beside its own, that an output cell depends on; a multiple of the stride.
    """

    def __init__(self, graph: Graph, *, stride: int, reach: int) -> None:
        self._session = onnx.session_of(graph)
        self._stride = stride
        self._reach = reach

    def apply(self, strip: _Strip, starts: Sequence[int], length: int) -> _Strip:
        """What the stage makes of a strip with windows of `length` cells at `starts`."""
        keep = EDGE * self._stride
        cells = keep + self._reach  # enough that the far end does not reach the cells that are kept
        left = [strip.head(start, cells, i) for i, start in enumerate(starts)]
        right = [strip.tail(start + length, cells, i) for i, start in enumerate(starts)]
        return _Strip(
            self._middle(strip),
            [made[:, :EDGE] for made in self._run(left)],
            [made[:, -EDGE:] for made in self._run(right)],
        )

    def _middle(self, strip: _Strip) -> Floats:
        made: list[Floats] = []
        total, beside = strip.middle.shape[1] // self._stride, self._reach // self._stride
        for at in range(0, total, _BLOCK):
            end = min(at + _BLOCK, total)
            part = strip.part(at * self._stride - self._reach, end * self._stride + self._reach)
            (whole,) = self._session.run(None, {"x": part[np.newaxis]})
            made.append(whole[0, :, beside : beside + end - at])
        return np.concatenate(made, axis=1)

    def _run(self, parts: Sequence[Floats]) -> list[Floats]:
        made: list[Floats] = []
        for at in range(0, len(parts), _TOGETHER):
            (some,) = self._session.run(None, {"x": np.stack(parts[at : at + _TOGETHER])})
            made += list(some)
        return made


def _sound(weights: dict[str, Weights]) -> Graph:
    """The four convolutions at full resolution (97 % of the work), and the first pooling."""
    kernels = [weights[f"{name}/kernel:0"] for name in ("conv2d", "conv2d_1", "conv2d_2", "conv2d_3")]
    biases = [weights[f"{name}/bias:0"] for name in ("conv2d", "conv2d_1", "conv2d_2", "conv2d_3")]
    kernels[1], biases[1] = np.delete(kernels[1], _SILENT, axis=0), np.delete(biases[1], _SILENT)
    kernels[2] = np.delete(kernels[2], _SILENT, axis=1)
    graph = Graph(("n", 1, "t", _BINS))
    for kernel, bias in zip(kernels, biases, strict=True):
        graph.conv(kernel, bias)
    return graph.pool(2, 2)


def _shape(weights: dict[str, Weights]) -> Graph:
    """The fifth convolution and the second pooling."""
    kernel, bias = weights["conv2d_4/kernel:0"], weights["conv2d_4/bias:0"]
    return Graph(("n", 32, "t", _BINS // 2)).conv(kernel, bias).pool(2, 2)


def _scores(weights: dict[str, Weights]) -> Graph:
    """The rest, on whole windows."""
    graph = Graph(("n", 32, WINDOW_FRAMES // 4, _BINS // 4))
    graph.conv(weights["conv2d_5/kernel:0"], weights["conv2d_5/bias:0"]).pool(2, 2)
    graph.conv(weights["conv2d_6/kernel:0"], weights["conv2d_6/bias:0"]).largest()
    for name in ("dense", "dense_1", "dense_3"):
        place = f"mos_estimator_logpow/{name}"
        matrix = weights[f"{place}/MatMul/ReadVariableOp/resource:0"]
        bias = weights[f"{place}/BiasAdd/ReadVariableOp/resource:0"]
        graph.dense(matrix, bias, positive=name != "dense_3")
    return graph
