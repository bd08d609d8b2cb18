"""Convolutions of 3 x 3 on a processor, for networks most of whose cells are zero.

After a rectifier, which makes zero of what is below zero, a map is sparse: in the costly layers of DNSMOS 7
to 13 % of the values are left. A zero adds nothing to a sum and is skipped; what is left is added, a row of
weights at a time, to the nine cells around it. The products are those of a dense convolution without the
zeros, so the results are equal to rounding. A general library does not know that its input is sparse.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from streams.speech.compiled import compiled

Floats = npt.NDArray[np.float32]


class PlaneConvolution:
    """A convolution of one plane of any numbers, with a border of zeros.

    Args:
        kernel: Shape (outputs, 1, 3, 3): time, then frequency.
        bias: Shape (outputs,).
    """

    def __init__(self, kernel: Floats, bias: Floats) -> None:
        self._kernel = np.ascontiguousarray(kernel.transpose(2, 3, 1, 0).reshape(9, -1))
        self._bias = np.ascontiguousarray(bias)

    def __call__(self, plane: Floats) -> Floats:
        """Cells of shape (time, frequency, outputs) from those of shape (time, frequency)."""
        made = np.empty((*plane.shape, self._bias.size), np.float32)
        compiled(_gather)(np.ascontiguousarray(plane), self._kernel, self._bias, made)
        return made


class SparseConvolution:
    """A rectifier, and a convolution of what it lets through, with a border of zeros.

    Args:
        kernel: Shape (outputs, inputs, 3, 3): time, then frequency.
        bias: Shape (outputs,).
    """

    def __init__(self, kernel: Floats, bias: Floats) -> None:
        # from where an input is to where it is added: seen from there, the kernel is turned round
        turned = kernel[:, :, ::-1, ::-1].transpose(1, 2, 3, 0)
        self._kernel = np.ascontiguousarray(turned.reshape(kernel.shape[1], 3, -1))
        self._bias = np.ascontiguousarray(bias)

    def __call__(self, cells: Floats) -> Floats:
        """Cells of shape (time, frequency, outputs) from those of shape (time, frequency, inputs)."""
        time, frequency, _ = cells.shape
        made = np.empty((time + 3, frequency, self._bias.size), np.float32)
        made[:] = self._bias
        compiled(_scatter)(np.ascontiguousarray(cells), self._kernel, made.reshape(time + 3, -1))
        return made[1 : time + 1]


def pooled(cells: Floats) -> Floats:
    """The largest of each 2 x 2 cells; what fills no such tile is dropped."""
    time, frequency = cells.shape[0] // 2 * 2, cells.shape[1] // 2 * 2
    rows = np.maximum(cells[0:time:2], cells[1:time:2])
    return np.maximum(rows[:, 0:frequency:2], rows[:, 1:frequency:2])


def largest(cells: Floats) -> Floats:
    """The largest value of each channel, after a rectifier; shape (channels,)."""
    made: Floats = np.maximum(cells.max(axis=(0, 1)), np.float32(0))
    return made


def _gather(plane: Any, kernel: Any, bias: Any, made: Any) -> None:
    """Each cell of the result from the nine of the plane around it."""
    times, frequencies = plane.shape
    outputs = bias.shape[0]
    for t in range(times):
        for f in range(frequencies):
            for j in range(outputs):
                made[t, f, j] = bias[j]
            for d in range(max(0, 1 - t), min(3, times + 1 - t)):
                row = t + d - 1
                below = plane[row, f - 1] if f > 0 else np.float32(0)
                here = plane[row, f]
                above = plane[row, f + 1] if f + 1 < frequencies else np.float32(0)
                for j in range(outputs):
                    made[t, f, j] += (
                        below * kernel[3 * d, j]
                        + here * kernel[3 * d + 1, j]
                        + above * kernel[3 * d + 2, j]
                    )


def _scatter(cells: Any, kernel: Any, made: Any) -> None:
    """What is above zero of each cell, added to the nine around it.

    Four inputs of two neighbours in time are taken at once: what is loaded of the kernel serves both. The
    result begins one row before the cells, and ends one or two behind.
    """
    times, frequencies, inputs = cells.shape
    outputs = kernel.shape[2] // 3
    zero = np.float32(0)
    which = np.zeros(inputs + 4, np.uint64)
    before = np.zeros(inputs + 4, np.float32)
    after = np.zeros(inputs + 4, np.float32)
    for t in range(0, times, 2):
        for f in range(frequencies):
            found = np.uint64(0)
            for c in range(inputs):  # without a branch: what is not above zero is overwritten by the next
                a = max(cells[t, f, c], zero)
                b = max(cells[t + 1, f, c], zero) if t + 1 < times else zero
                which[found] = c
                before[found] = a
                after[found] = b
                found += np.uint64(max(a, b) > 0)
            count = np.int64(found)
            for k in range(count, count + 3):
                which[k] = 0
                before[k] = 0
                after[k] = 0
            # three cells of a row lie side by side; at the edge of the map there are two
            first = np.uint64(0 if f > 0 else outputs)
            start, end = max(0, f - 1) * outputs, min(f + 2, frequencies) * outputs
            for k in range(0, count, 4):
                i0, i1, i2, i3 = which[k], which[k + 1], which[k + 2], which[k + 3]
                a0, a1, a2, a3 = before[k], before[k + 1], before[k + 2], before[k + 3]
                b0, b1, b2, b3 = after[k], after[k + 1], after[k + 2], after[k + 3]
                for d in range(3):
                    one, next_one = made[t + d, start:end], made[t + d + 1, start:end]
                    for j in range(one.size):
                        w = first + np.uint64(j)
                        w0, w1, w2, w3 = (
                            kernel[i0, d, w],
                            kernel[i1, d, w],
                            kernel[i2, d, w],
                            kernel[i3, d, w],
                        )
                        one[j] += a0 * w0 + a1 * w1 + a2 * w2 + a3 * w3
                        next_one[j] += b0 * w0 + b1 * w1 + b2 * w2 + b3 * w3
