"""One thread that writes the recordings of all sessions of a process.

A thread for each session would be woken ten times a second for each, and every time the event loop would
have to hand over the interpreter. This one takes what all sessions have handed over, and then rests.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable

REST_S = 0.02
"""After each round: what is handed over meanwhile is written in the next. A killed process loses it too."""

Work = Callable[[], None]


class Scribe:
    """Does work in the order in which it is handed over, in a thread that lives while it has clients."""

    def __init__(self) -> None:
        self._clients = 0
        self._changing = threading.Lock()
        self._hurry = threading.Event()
        self._queue: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def enter(self) -> None:
        """A client comes; each leaves once."""
        with self._changing:
            self._clients += 1
            if self._thread is None:
                self._queue = queue.SimpleQueue()
                self._thread = threading.Thread(
                    target=self._work, args=(self._queue,), name="recordings", daemon=True
                )
                self._thread.start()

    def leave(self) -> None:
        """A client goes; the last one waits until the thread has ended."""
        with self._changing:
            self._clients -= 1
            thread = self._thread
            if self._clients or thread is None:
                return
            self._queue.put(None)
            self._hurry.set()
            self._thread = None
        if thread is not threading.current_thread():
            thread.join()

    def put(self, work: Work) -> None:
        """Hand over some work, which raises nothing; returns at once."""
        self._queue.put(work)

    def wait(self) -> None:
        """Until all is done that was handed over; never called by the work itself."""
        done = threading.Event()
        self._queue.put(done.set)
        self._hurry.set()
        done.wait()

    def _work(self, work: queue.SimpleQueue[Work | None]) -> None:
        while (job := work.get()) is not None:
            job()
            if work.empty():
                self._hurry.wait(REST_S)
                self._hurry.clear()


SCRIBE = Scribe()
"""That of this process."""
