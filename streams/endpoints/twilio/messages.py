"""What we send as the telephone company: the templates of a dialect, filled with the values of one call."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from streams import g711
from streams.audio import AudioFormat
from streams.endpoints.protocol import Message
from streams.endpoints.twilio.dialects import Dialect, Template


@dataclass(frozen=True, slots=True)
class CallIds:
    """The provider's names for one call; fresh for each."""

    stream: str
    call: str
    account: str


class Messages:
    """The messages of one call, numbered as they are made.

    Args:
        dialect: The provider.
        ids: Its names for this call.
        parameters: What the provider's markup would hand over to the endpoint.
        wire: The audio of both directions.
    """

    def __init__(
        self, dialect: Dialect, ids: CallIds, parameters: Mapping[str, str], wire: AudioFormat
    ) -> None:
        self._dialect = dialect
        self._wire = wire
        self._sequence = 0
        self._chunks = 0
        self._sent = 0
        """Samples sent."""
        self._waiting = b""
        encoding = dialect.formats[wire.encoding][0]
        self._constants: dict[str, object] = {
            "stream": ids.stream,
            "call": ids.call,
            "account": ids.account,
            "parameters": dict(parameters),
            "parameters_text": ";".join(f"{name}={value}" for name, value in parameters.items()),
            "encoding": encoding,
            "rate": wire.rate,
            "rate_text": str(wire.rate),
            "content_type": f"{encoding};rate={wire.rate}",
        }

    def opening(self) -> Sequence[Message]:
        """What is sent when the socket is open."""
        return [self._message(template) for template in self._dialect.opening]

    def audio(self, pcm: bytes) -> Sequence[Message]:
        """PCM16 of the user, in pieces of the provider's length; the rest waits."""
        self._waiting += pcm
        size = 2 * self._wire.rate * self._dialect.pieces_ms // 1000
        messages: list[Message] = []
        while len(self._waiting) >= size:
            messages.append(self._piece(self._waiting[:size]))
            self._waiting = self._waiting[size:]
        return messages

    def echo(self, name: object) -> Message:
        """Playback has reached a mark."""
        return self._message(self._dialect.echo, name=name)

    def cleared(self) -> Sequence[Message]:
        """What has not been heard was dropped."""
        template = self._dialect.cleared
        return [] if template is None else [self._message(template)]

    def key(self, digit: str) -> Message:
        """A telephone key."""
        return self._message(self._dialect.key, digit=digit)

    def goodbye(self) -> Sequence[Message]:
        """The audio that waited for a whole piece, and the end of the stream."""
        rest, self._waiting = self._waiting, b""
        last = [self._piece(rest)] if rest else []
        stop = self._dialect.stop
        return last if stop is None else [*last, self._message(stop)]

    def _piece(self, pcm: bytes) -> Message:
        data = g711.encode(pcm, self._wire.encoding)
        self._chunks += 1
        template = self._dialect.audio
        message: Message = data
        if template is not None:
            message = self._message(template, payload=base64.b64encode(data).decode())
        self._sent += len(pcm) // 2
        return message

    def _message(self, template: Template, **values: object) -> Message:
        def value(name: str) -> object:
            match name:
                case "sequence":
                    self._sequence += 1
                    return self._counter(self._sequence)
                case "chunk":
                    return self._counter(self._chunks)
                case "ms":
                    return str(self._sent * 1000 // self._wire.rate)
                case _:
                    return values[name] if name in values else self._constants[name]

        return json.dumps(_filled(template, value))

    def _counter(self, number: int) -> object:
        return str(number) if self._dialect.text_counters else number


def _filled(template: object, value: Callable[[str], object]) -> object:
    if isinstance(template, str):
        return value(template[1:]) if template.startswith("$") else template
    if not isinstance(template, Mapping):
        return template
    filled: dict[str, object] = {}
    for name, inner in template.items():
        content = _filled(inner, value)
        if name != "*":
            filled[name] = content
        elif isinstance(content, dict):
            filled |= content
    return filled
