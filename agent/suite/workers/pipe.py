"""Carries messages between two processes of ours; neither end ever waits for the other."""

from __future__ import annotations

import os
import queue
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Protocol

Receive = Callable[[Any], None]
Lost = Callable[[], None]


class Line(Protocol):
    """One end of a connection between two processes."""

    def send(self, message: Any) -> None:
        """Send a message; returns at once."""


Dial = Callable[[Receive, Lost], Line]
"""Takes up an end: from then on what arrives is received, and the loss of the other end is told."""


class Pipe:
    """One end of a pipe.

    Args:
        connection: Of a `multiprocessing.Pipe` that goes both ways, which is a pair of sockets.
        receive: Called with each message, in a thread of this pipe.
        lost: Called there once, when the other end is gone.
    """

    def __init__(self, connection: Connection, receive: Receive, lost: Lost) -> None:
        self._connection = connection
        self._receive = receive
        self._lost = lost
        self._outbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=work, name=f"pipe {name}", daemon=True)
            for name, work in (("in", self._read), ("out", self._write))
        ]
        for thread in self._threads:
            thread.start()

    def send(self, message: Any) -> None:
        """Send a message; returns at once. To an end that is gone it goes nowhere."""
        self._outbox.put(message)

    def close(self) -> None:
        """Send what was given, and say that nothing more comes; the other end may still talk."""
        self._outbox.put(None)
        self._threads[1].join()
        with suppress(OSError), socket.socket(fileno=os.dup(self._connection.fileno())) as end:
            end.shutdown(socket.SHUT_WR)

    def _read(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self._receive(self._connection.recv())
        self._lost()
        self._outbox.put(None)
        self._threads[1].join()
        self._connection.close()

    def _write(self) -> None:
        with suppress(OSError):  # the reader notices that the other end is gone
            while (message := self._outbox.get()) is not None:
                self._connection.send(message)
