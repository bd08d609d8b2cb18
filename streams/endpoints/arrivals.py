"""A websocket that notes when each message arrived: before it is parsed, or anybody waits for it."""

from __future__ import annotations

import secrets
import struct
from collections import deque
from collections.abc import Iterator
from typing import Any

from websockets.asyncio.client import ClientConnection
from websockets.frames import DATA_OPCODES, Frame, Opcode
from websockets.http11 import Request, Response

from streams.clock import now

try:
    from websockets.speedups import apply_mask
except ImportError:  # websockets without its part in C
    from websockets.utils import apply_mask

_FIN, _MASKED = 0x80, 0x80
_KEY_BYTES = 4
_KEYS_AT_A_TIME = 256


def client_frame(opcode: Opcode, payload: bytes, key: bytes) -> bytes:
    """A whole message of a client in one frame, masked with a key of 4 bytes (RFC 6455, section 5.2)."""
    size = len(payload)
    if size < 126:
        head = struct.pack("!BB", _FIN | opcode, _MASKED | size)
    elif size < 1 << 16:
        head = struct.pack("!BBH", _FIN | opcode, _MASKED | 126, size)
    else:
        head = struct.pack("!BBQ", _FIN | opcode, _MASKED | 127, size)
    return head + key + apply_mask(payload, key)


def masking_keys() -> Iterator[bytes]:
    """Unpredictable keys (section 5.3), for ever.

    Many are drawn at a time: a draw is a call of the system, at which another thread takes the interpreter.
    """
    while True:
        drawn = secrets.token_bytes(_KEY_BYTES * _KEYS_AT_A_TIME)
        yield from (drawn[at : at + _KEY_BYTES] for at in range(0, len(drawn), _KEY_BYTES))


class StampedConnection(ClientConnection):
    """A client connection whose messages carry their time of arrival.

    Attributes:
        arrivals: One time of the loop's clock for each complete message not yet taken by `recv`, in order.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.arrivals: deque[float] = deque()
        self._arrived = 0.0
        self._keys = masking_keys()

    def send_at_once(self, message: str | bytes) -> bool:
        """Send a whole message on an open connection, without the library's care for those who wait.

        It is most of what `send` costs, and a session sends fifty messages a second.

        Returns:
            False if the network is behind: nothing is sent, and `send` has to wait for it.
        """
        if self.transport.get_write_buffer_size():
            return False
        opcode, payload = (
            (Opcode.TEXT, message.encode()) if isinstance(message, str) else (Opcode.BINARY, message)
        )
        self.transport.write(client_frame(opcode, payload, next(self._keys)))
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
