"""What goes over a wire, for logs: each message in order, with the secrets in it masked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from streams.clock import now
from streams.endpoints.protocol import Message
from streams.endpoints.secrets import redact, redact_bytes

Direction = Literal["received", "sent"]
RawLog = Callable[[float, Direction, Message], None]
"""Called with the loop's time, the direction and the message, before parsing or sending. Received
messages come in the order of the events' `raw` numbers; secrets in them are masked."""


class Tap:
    """Shows every message to a log, if there is one.

    Args:
        secrets: Strings that must not be shown.
        log: Sees every message.
    """

    def __init__(self, secrets: Sequence[str], log: RawLog | None) -> None:
        self._secrets = secrets
        self.log = log
        self._received = 0

    def received(self, message: Message, at: float) -> tuple[Message, int]:
        """The message without secrets, and its ordinal number.

        Endpoints echo keys in error messages; they must not get into logs or recordings.
        """
        message = self._clean(message)
        if self.log is not None:
            self.log(at, "received", message)
        self._received += 1
        return message, self._received - 1

    def sent(self, message: Message) -> None:
        """A message that is about to be sent."""
        if self.log is not None:
            self.log(now(), "sent", self._clean(message))

    def _clean(self, message: Message) -> Message:
        if not self._secrets:
            return message
        if isinstance(message, str):
            return redact(message, self._secrets)
        return redact_bytes(message, self._secrets)
