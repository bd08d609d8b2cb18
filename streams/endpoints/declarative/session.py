"""What one session remembers: replies, marks, tool calls, and the values that templates fill in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from streams.endpoints.declarative.incoming import Incoming
from streams.endpoints.declarative.model import Description
from streams.endpoints.declarative.replies import Replies
from streams.endpoints.events import (
    AudioReceived,
    EndpointEvent,
    ItemEnded,
    Mark,
    Notice,
)
from streams.endpoints.pieces import FieldError, Stamp
from streams.endpoints.protocol import Message, PlaybackState, Played
from streams.endpoints.rates import protocol_violation

V = TypeVar("V")

_MOST_REMEMBERED = 1000
"""Items, marks and tool calls that are remembered; the oldest go first."""


class Session:
    """The state of one session.

    Args:
        description: The endpoint.
        values: What placeholders stand for: what `prepare` took, `call_id`, `$NAME` of the environment.
    """

    def __init__(self, description: Description, values: Mapping[str, object]) -> None:
        self.values = dict(values)
        self.replies = Replies(description)
        self.send_format = description.audio.send.format
        self.incoming = Incoming(description.audio.receive.format, description.audio.receive.wav_header)
        self.answers: list[Message] = []
        """Messages to send at once."""
        self.tools: dict[str, str] = {}
        """Names of the tools that were called, by call."""
        self.ready = False
        self._mark_reached = description.commands.mark_reached
        self._received: dict[str, int] = {}
        self._marks: dict[str, list[tuple[int, str]]] = {}

    def lookup(self, name: str) -> object:
        """What a placeholder stands for; None if it has no value yet."""
        return self.values.get(name)

    def with_values(self, values: Mapping[str, object]) -> Mapping[str, object]:
        """The values of the session, and those of one command."""
        return {**self.values, **values}

    def audio(
        self, data: bytes, item: str, response: str, order: float | None, stamp: Stamp
    ) -> Sequence[EndpointEvent]:
        """Audio of a reply; what is none is noted."""
        ended, (item, response) = self.replies.audio(item, response, order, stamp)
        events = self.with_rests(ended)
        try:
            said, pcm = self.incoming.take(item, data, stamp)
        except FieldError as error:
            return [*events, violation(error, stamp, "audio")]
        events += said
        if pcm:
            self._count(item, pcm)
            events.append(AudioReceived(**stamp, pcm=pcm, item=item, response=response))
        return events

    def with_rests(self, events: Sequence[EndpointEvent]) -> list[EndpointEvent]:
        """The events; before the end of an item what a resampler still held of it."""
        made: list[EndpointEvent] = []
        for event in events:
            if isinstance(event, ItemEnded) and (rest := self.incoming.end(event.item)):
                self._count(event.item, rest)
                stamp = Stamp(at=event.at, raw=event.raw)
                made.append(AudioReceived(**stamp, pcm=rest, item=event.item, response=event.response))
            made.append(event)
        return made

    def _count(self, item: str, pcm: bytes) -> None:
        _remember(self._received, item, self._received.get(item, 0) + len(pcm) // 2)

    def mark(self, name: str, stamp: Stamp) -> Sequence[EndpointEvent]:
        """The endpoint wants to know when playback gets here: behind the audio that came last."""
        item = next(reversed(self._received), "")
        if item:
            self._marks.setdefault(item, []).append((self._received[item], name))
        else:
            self.answers += self._echo(name)
        return [Mark(**stamp, name=name)]

    def played(self, report: Played) -> list[Message]:
        """The marks that playback has reached, or will never reach."""
        over = report.state is not PlaybackState.PROGRESS
        if over:
            self._received.pop(report.item, None)
        marks = self._marks.pop(report.item, [])
        waiting = [] if over else [each for each in marks if each[0] > report.heard]
        if waiting:
            self._marks[report.item] = waiting
        return [message for each in marks if each not in waiting for message in self._echo(each[1])]

    def called(self, call: str, name: str) -> None:
        """A tool was called."""
        _remember(self.tools, call, name)

    def _echo(self, name: str) -> list[Message]:
        return self._mark_reached.filled(self.with_values({"mark": name}).get)


def _remember(into: dict[str, V], key: str, value: V) -> None:
    into.pop(key, None)
    into[key] = value
    if len(into) > _MOST_REMEMBERED:
        del into[next(iter(into))]


def violation(error: FieldError, stamp: Stamp, where: str) -> Notice:
    """A message that is not what the file says."""
    return protocol_violation(f"{where}: {error}", stamp)
