"""A pool of processes that end with the one that made it, in whatever way it ends."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from typing import Any


def process_pool(
    processes: int, begin: Callable[..., None] | None = None, *arguments: Any
) -> ProcessPoolExecutor:
    """Make a pool.

    Args:
        processes: How many.
        begin: What each of them does first; it can be pickled.
        arguments: Of `begin`.
    """
    return ProcessPoolExecutor(
        processes, get_context("spawn"), initializer=_begin, initargs=(begin, *arguments)
    )


def _begin(begin: Callable[..., None] | None, *arguments: Any) -> None:
    """A process of a pool would wait for work for ever, since it holds both ends of the pipe of orders."""
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()  # a pipe, too: nobody but the parent holds its other end
        os._exit(1)

    threading.Thread(target=wait, name="ends with its parent", daemon=True).start()
    if begin is not None:
        begin(*arguments)
