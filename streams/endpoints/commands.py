"""What a session asks of an endpoint, put into messages by a codec."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from streams.audio import Frame
from streams.endpoints.protocol import Codec, Message, Played, Tool


class CodecCommands(ABC):
    """The commands of `Endpoint`; a shell says how messages are sent."""

    _codec: Codec

    @abstractmethod
    async def _say(self, messages: Iterable[Message]) -> None:
        """Send messages, now or as soon as the connection allows."""

    def offer(self, tools: Sequence[Tool]) -> None:
        """What the endpoint may call."""
        self._codec.offer(tools)

    async def send(self, frame: Frame) -> None:
        """One frame of user audio."""
        await self._say(self._codec.audio(frame))

    async def begin_turn(self) -> None:
        """Manual turn mode: the user starts to talk."""
        await self._say(self._codec.begin_turn())

    async def end_turn(self) -> None:
        """Manual turn mode: the user has finished."""
        await self._say(self._codec.end_turn())

    async def played(self, report: Played) -> None:
        """What was heard."""
        await self._say(self._codec.played(report))

    async def cancel(self) -> None:
        """Ask the endpoint to stop its reply."""
        await self._say(self._codec.cancel())

    async def tool_result(self, call: str, output: str, *, error: bool = False) -> None:
        """Answer a tool call."""
        await self._say(self._codec.tool_result(call, output, error=error))

    async def text(self, text: str) -> None:
        """Say something as text."""
        await self._say(self._codec.text(text))

    async def dtmf(self, digit: str) -> None:
        """Press a telephone key."""
        await self._say(self._codec.dtmf(digit))
