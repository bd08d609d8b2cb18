"""Loops over arrays as machine code, which runs in the thread that calls it, beside others."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

F = TypeVar("F", np.float32, np.float64)


@cache
def compiled(function: Callable[..., None]) -> Callable[..., None]:
    """A plain function of arrays and numbers as machine code, by numba.

    It is made when it is first called; for the next process the code is kept beside the function's file, or
    in the user's cache. No lock of Python's is held while it runs.
    """
    import numba

    # a product and a sum in one instruction: the only liberty that is taken with sums
    options = {"nogil": True, "fastmath": {"contract"}}
    try:
        made: Callable[..., None] = numba.njit(function, cache=True, **options)
    except RuntimeError:  # there is nowhere to keep it
        made = numba.njit(function, **options)
    return made


def product(rows: npt.NDArray[F], matrix: npt.NDArray[F]) -> npt.NDArray[F]:
    """Product of two matrices, (n, k) and (k, m), in this thread.

    numpy's own starts a thread on every processor, which then waits for more, busily, for longer than
    small products take; where several threads or processes work side by side they take it from each other.
    """
    made = np.zeros((rows.shape[0], matrix.shape[1]), rows.dtype)
    compiled(_add_product)(np.ascontiguousarray(rows), np.ascontiguousarray(matrix), made)
    return made


def _add_product(rows: Any, matrix: Any, made: Any) -> None:
    count, inputs = rows.shape
    even = inputs // 4 * 4
    for t in range(count):
        for k in range(0, even, 4):
            a, b, c, d = rows[t, k], rows[t, k + 1], rows[t, k + 2], rows[t, k + 3]
            for j in range(matrix.shape[1]):
                made[t, j] += (
                    a * matrix[k, j] + b * matrix[k + 1, j] + c * matrix[k + 2, j] + d * matrix[k + 3, j]
                )
        for k in range(even, inputs):
            for j in range(matrix.shape[1]):
                made[t, j] += rows[t, k] * matrix[k, j]
