"""Code of others, run by us: whatever it raises is its failure, and is told as such."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def foreign_code(told: Callable[[Exception], Exception]) -> Iterator[None]:
    """Around code of others: what it raises becomes what `told` makes of it."""
    try:
        yield
    except Exception as error:
        raise told(error) from error
