"""A websocket that notes when each message arrived: before it is parsed, or anybody waits for it."""

from __future__ import annotations

from collections import deque
from typing import Any

from websockets.asyncio.client import ClientConnection
from websockets.frames import DATA_OPCODES, Frame
from websockets.http11 import Request, Response

from streams.clock import now


class StampedConnection(ClientConnection):
    """A client connection whose messages carry their time of arrival.

    Attributes:
        arrivals: One time of the loop's clock for each complete message not yet taken by `recv`, in order.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.arrivals: deque[float] = deque()
        self._arrived = 0.0

    def send_at_once(self, message: str | bytes) -> bool:
        """Send a whole message on an open connection, without the library's care for those who wait.

        It is most of what `send` costs, and a session sends fifty messages a second.

        Returns:
            False if the network is behind: nothing is sent, and `send` has to wait for it.
        """
        if self.transport.get_write_buffer_size():
            return False
        if isinstance(message, str):
            self.protocol.send_text(message.encode())
        else:
            self.protocol.send_binary(message)
        self.send_data()
        return True

    def data_received(self, data: bytes) -> None:
        """Bytes came in; they may hold a part of a message, or several."""
        self._arrived = now()
        super().data_received(data)

    def process_event(self, event: Request | Response | Frame) -> None:
        """One frame of what came in; the last of a message completes it."""
        if isinstance(event, Frame) and event.opcode in DATA_OPCODES and event.fin:
            self.arrivals.append(self._arrived)
        super().process_event(event)
