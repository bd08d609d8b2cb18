"""SIGTERM, as containers, schedulers and `timeout` send it before they kill: the run ends as by Ctrl+C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Within it, the first SIGTERM is a Ctrl+C; a second one ends the process at once."""
    if threading.current_thread() is not threading.main_thread():  # signals come to that one alone
        yield
        return

    def terminate(*_: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
