"""Recorded traffic, message by message: what a description makes of it, and what it does not know."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from streams.endpoints.declarative.codec import DeclaredCodec
from streams.endpoints.declarative.incoming import wav_header
from streams.endpoints.declarative.model import Description, Form, Receive, WavHeader
from streams.endpoints.declarative.templates import Messages, Template
from streams.endpoints.events import AudioReceived, EndpointEvent, Notice, Unknown
from streams.endpoints.protocol import Message
from streams.endpoints.tap import Direction

_VIOLATIONS = frozenset({"protocol_violation", "audio_rate"})
_LONGEST_TEXT = 60


@dataclass(frozen=True, slots=True)
class Explained:
    """One message.

    Attributes:
        kind: What it says of what kind it is; `audio` for sound without words.
        matched: The rules that fitted a received message, or what in the file a sent one is.
        events: What came of it, for people.
        unknown: No rule fits it; sent, it is nothing that the file says.
        problems: Where it is not what the file says.
    """

    t: float
    direction: Direction
    kind: str
    matched: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    unknown: bool = False
    problems: tuple[str, ...] = ()


@dataclass
class Counts:
    """What a whole recording had.

    Attributes:
        unknown: Kinds that the file does not know, and how many there were.
        idle: Rules that no message fitted.
    """

    received: int = 0
    sent: int = 0
    events: dict[str, int] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    idle: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        """True if the file explains every message."""
        return not (self.unknown or self.problems)


class Explainer:
    """Explains the messages of one session, in order."""

    def __init__(self, description: Description, values: Mapping[str, object]) -> None:
        self._says = description
        self._codec = DeclaredCodec(description, values)
        self._ours = tuple(_ours(description))
        self._labels = dict.fromkeys(self._codec.labels, 0)
        self.counts = Counts(idle=self._codec.labels)

    def explain(self, t: float, direction: Direction, message: Message) -> Explained:
        """One message; `t` in seconds."""
        one = self._received(t, message) if direction == "received" else self._sent(t, message)
        if one.unknown:
            name = one.kind or "without a kind"
            self.counts.unknown[name] = self.counts.unknown.get(name, 0) + 1
        self.counts.problems += [f"{t:.3f} s, {one.kind}: {each}" for each in one.problems]
        return one

    def _received(self, t: float, message: Message) -> Explained:
        reading = self._codec.read(message, at=t, raw=self.counts.received)
        self._codec.replies()
        self.counts.received += 1
        for label in reading.rules:
            self._labels[label] += 1
        for event in reading.events:
            name = type(event).__name__
            self.counts.events[name] = self.counts.events.get(name, 0) + 1
        self.counts.idle = tuple(label for label, count in self._labels.items() if not count)
        sound = isinstance(message, bytes) and reading.kind == "audio"
        return Explained(
            t,
            "received",
            reading.kind,
            ("audio.receive",) if sound else reading.rules,
            tuple(map(described, reading.events)),
            any(isinstance(event, Unknown) for event in reading.events),
            tuple(_problems(reading.events)),
        )

    def _sent(self, t: float, message: Message) -> Explained:
        self.counts.sent += 1
        if isinstance(message, bytes) and self._says.audio.send.form is not Form.JSON:
            return Explained(t, "sent", "audio", ("audio.send",))
        try:
            value = json.loads(message)
        except (ValueError, RecursionError):
            value = message if isinstance(message, str) else None
        found = tuple(name for name, template in self._ours if template.fits(value))
        kind = "audio" if "audio.send" in found else self._codec.kind(value) or "message"
        return Explained(t, "sent", kind, found, unknown=not found)


def _ours(description: Description) -> Iterator[tuple[str, Template | Messages]]:
    """Everything that we send, by the place where it stands in the file."""
    yield "connect.opening", description.connect.opening
    if description.audio.send.form is Form.JSON:
        yield "audio.send", description.audio.send.message
    for name, command in description.commands:
        if isinstance(command, Messages):
            yield f"commands.{name}", command
        elif command is not None:
            yield f"commands.{name}", command.message
    for number, rule in enumerate(description.rules, 1):
        yield f"the reply of rule {number}", rule.reply


def _problems(events: tuple[EndpointEvent, ...]) -> Iterator[str]:
    for event in events:
        if isinstance(event, Notice) and event.code in _VIOLATIONS:
            yield event.message


def silence_of(audio: Receive) -> Callable[[int], bytes]:
    """What stands for sound that a recording left out: as many bytes that say nothing."""
    if audio.wav_header is WavHeader.NONE:
        return bytes
    empty = len(wav_header(audio.format, 0))
    return lambda size: wav_header(audio.format, max(0, size - empty)) + bytes(max(0, size - empty))


def described(event: EndpointEvent) -> str:
    """An event in one line: its type, and what is not its default."""
    parts = []
    for each in dataclasses.fields(event):
        value = getattr(event, each.name)
        if each.name in ("at", "raw", "pcm") or value == each.default:
            continue
        text = str(value) if isinstance(value, str) else repr(value)
        if len(text) > _LONGEST_TEXT:
            text = text[: _LONGEST_TEXT - 1] + "…"
        parts.append(f"{each.name}={text!r}" if each.name in ("text", "message") else f"{each.name}={text}")
    if isinstance(event, AudioReceived):
        parts.append(f"samples={len(event.pcm) // 2}")
    return " ".join([type(event).__name__, *parts])
