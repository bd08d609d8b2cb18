"""A declared endpoint as a `Codec`: what its file says, carried out."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from streams import g711
from streams.audio import Frame
from streams.endpoints.declarative.incoming import wav_header
from streams.endpoints.declarative.model import Description, Follows, Form, WavHeader
from streams.endpoints.declarative.rules import Rules
from streams.endpoints.declarative.session import Session, violation
from streams.endpoints.declarative.templates import Messages
from streams.endpoints.declarative.tool_use import ToolResults
from streams.endpoints.events import EndpointEvent, Unknown
from streams.endpoints.pieces import FieldError, QuietCodec, Stamp
from streams.endpoints.protocol import (
    Capabilities,
    Message,
    PlaybackReport,
    Played,
    Tool,
    TurnMode,
)

_LONGEST_KIND = 80
"""Characters of a kind that is recorded as unknown."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How one received message was understood.

    Attributes:
        kind: Its kind, or `audio`, `binary`, `text`.
        rules: Labels of the rules that fitted.
        events: What came of it.
    """

    kind: str
    rules: tuple[str, ...]
    events: tuple[EndpointEvent, ...]


class DeclaredCodec(QuietCodec):
    """The logic of one session; see `streams.endpoints.protocol.Codec` for the methods.

    A message that no rule fits is `Unknown`, and so is one that is no JSON. A value that is not what its
    rule expects gives a `Notice` with code `protocol_violation`, which names the rule and the field.

    Args:
        description: The endpoint.
        values: See `Session`.
    """

    def __init__(self, description: Description, values: Mapping[str, object] | None = None) -> None:
        self._says = description
        self.values: dict[str, object] = dict(values or {})
        """What placeholders stand for; to be complete before `opening`."""
        self._rules = Rules(description, [name for step in description.prepare for name in step.take])
        self._session = Session(description, self.values)
        self._manual = description.turns is TurnMode.MANUAL
        self._talking = False
        self._gathered = b""
        self._after_reply: list[Message] = []
        self._first = True
        self._since_keep_alive = 0.0
        self._tag_size = len(next(iter(description.audio.receive.tags), "")) // 2

    @property
    def capabilities(self) -> Capabilities:
        """What the rules and commands of the file have; formats are settled with `Ready`."""
        says, rules, commands = self._says, self._says.rules, self._says.commands
        report = PlaybackReport.NONE
        if commands.mark_reached:
            report = PlaybackReport.MARKS
        elif commands.played is not None:
            report = commands.played.report
        return Capabilities(
            protocol=says.name,
            input=self._session.send_format,
            output=self._session.incoming.format,
            pace=says.pace,
            turn_modes=frozenset({says.turns}),
            playback_report=report,
            endpoint_text=any(rule.text for rule in rules),
            user_text=any(rule.user_text for rule in rules),
            speech_events=any(rule.user_speech for rule in rules),
            response_bounds=any(rule.reply_end for rule in rules),
            flush=any(rule.flush for rule in rules),
            tools=bool(commands.tool_result),
            tool_setup=self._says.declares_tools,
            dtmf=bool(commands.dtmf),
            text_input=bool(commands.text),
            usage_unit=next((rule.usage.unit for rule in rules if rule.usage), None),
            continuous=not self._manual,
            max_session_s=says.max_session_s,
            ready_on_connect=not any(rule.ready for rule in rules),
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The rules as `read` names them."""
        return tuple(rule.label for rule in self._rules.rules)

    # what we receive

    def receive(self, message: Message, *, at: float, raw: int) -> Sequence[EndpointEvent]:
        """The events of one message."""
        return self.read(message, at=at, raw=raw).events

    def read(self, message: Message, *, at: float, raw: int) -> Reading:
        """The same with the kind of the message, and the rules that fitted it."""
        stamp = Stamp(at=at, raw=raw)
        kind = "binary" if isinstance(message, bytes) else "text"
        try:
            if isinstance(message, bytes) and self._says.audio.receive.form is not Form.JSON:
                return self._binary(message, stamp)
            return self._by_rules(_json(message), stamp)
        except _NoJson as error:
            return Reading(kind, (), (Unknown(**stamp, type=f"{kind} that is no JSON ({error})"),))
        except FieldError as error:
            return Reading(kind, (), (violation(error, stamp, kind),))

    def _binary(self, data: bytes, stamp: Stamp) -> Reading:
        follows = Follows.AUDIO
        tag = data[: self._tag_size].hex()
        if self._tag_size:
            found = self._says.audio.receive.tags.get(tag)
            if found is None:
                return Reading(tag, (), (Unknown(**stamp, type=f"tag {tag}"),))
            follows, data = found, data[self._tag_size :]
        if follows is Follows.AUDIO:
            return Reading("audio", (), tuple(self._session.audio(data, "", "", None, stamp)))
        view: dict[str, object] = {"tag": tag}
        if follows is Follows.TEXT:
            view["text"] = data.decode("utf-8", "replace")
        elif follows is Follows.JSON:
            view["json"] = _json(data)
        return self._by_rules(view, stamp, tag)

    def _by_rules(self, message: object, stamp: Stamp, kind: str = "") -> Reading:
        kind = kind or self.kind(message)
        fitting = self._rules.fitting(kind, message)
        events = [event for rule in fitting for event in rule.apply(message, self._session, stamp)]
        if not fitting:
            events.append(Unknown(**stamp, type=kind[:_LONGEST_KIND] or "JSON without a kind"))
        return Reading(kind, tuple(rule.label for rule in fitting), tuple(events))

    def kind(self, message: object) -> str:
        """What a message says of what kind it is; "" if it does not."""
        try:
            return self._says.kind_at.name_in(message)
        except FieldError:
            return ""

    def replies(self) -> Sequence[Message]:
        """Answers of rules, marks that have nothing before them to be heard, results that had to wait."""
        answers, self._session.answers = self._session.answers, []
        if self._after_reply and not self._session.replies.response:
            answers += self._after_reply
            self._after_reply = []
        return answers

    # what we send

    def offer(self, tools: Sequence[Tool]) -> None:
        """What `{tools}` and `{functions}` stand for; without tools they have no value."""
        if tools and self._says.declares_tools:
            self.values["tools"] = [self._says.tools.declared(tool) for tool in tools]
            self.values["functions"] = [
                {"type": "function", "name": tool.name}
                | {"description": tool.description, "parameters": tool.parameters}
                for tool in tools
            ]

    def opening(self) -> Sequence[Message]:
        """The messages of `connect.opening`."""
        self._session.values.update(self.values)
        return self._filled(self._says.connect.opening)

    def audio(self, frame: Frame) -> Sequence[Message]:
        """The frame, once `message_ms` are together; and the message that keeps the line alive."""
        messages = self._keep_alive(frame.samples / frame.rate)
        if self._manual and not self._talking:
            return messages
        self._gathered += frame.pcm
        if len(self._gathered) * 500 < self._says.audio.send.message_ms * frame.rate:
            return messages
        return [*self._spoken(), *messages]

    def _spoken(self) -> list[Message]:
        pcm, self._gathered = self._gathered, b""
        if not pcm:
            return []
        says, audio = self._says.audio.send, self._session.send_format
        data = g711.encode(pcm, audio.encoding)
        if says.wav_header is WavHeader.EACH:
            data = wav_header(audio, len(data)) + data
        elif says.wav_header is WavHeader.FIRST and self._first:
            data = wav_header(audio) + data
        self._first = False
        if says.form is not Form.JSON:
            return [bytes.fromhex(says.tag) + data]
        values = self._session.with_values({"audio": base64.b64encode(data).decode()})
        message = says.message.text(values.get)
        return [] if message is None else [message]

    def _keep_alive(self, seconds: float) -> list[Message]:
        command = self._says.commands.keep_alive
        self._since_keep_alive += seconds
        if command is None or self._since_keep_alive < command.every_s:
            return []
        self._since_keep_alive = 0.0
        return self._filled(command.message)

    def begin_turn(self) -> Sequence[Message]:
        """Audio flows from here on, with manual turns."""
        self._talking = True
        return self._filled(self._says.commands.begin_turn)

    def end_turn(self) -> Sequence[Message]:
        """The rest of the audio, and the command."""
        if not self._talking:
            return []
        self._talking = False
        return [*self._spoken(), *self._filled(self._says.commands.end_turn)]

    def played(self, report: Played) -> Sequence[Message]:
        """The marks that were reached, and what the file says of playback."""
        messages = self._session.played(report)
        command = self._says.commands.played
        if command is None or report.state not in command.states:
            return messages
        heard = min(report.heard, report.received)
        values = {
            "item": report.item,
            "heard_samples": heard,
            "heard_ms": heard * 1000 // self._session.incoming.format.rate,
            "state": report.state.value,
        }
        return [*messages, *self._filled(command.message, values)]

    def cancel(self) -> Sequence[Message]:
        """The command."""
        return self._filled(self._says.commands.cancel)

    def tool_result(self, call: str, output: str, *, error: bool) -> Sequence[Message]:
        """The command, with the name of the tool; kept until the reply is over where the file says so."""
        commands = self._says.commands
        name = self._session.tools.pop(call, "")
        values = {"call": call, "name": name, "output": output, "error": error}
        command = commands.tool_error if error and commands.tool_error else commands.tool_result
        messages = self._filled(command, values)
        if self._says.tools.results is ToolResults.AFTER_REPLY and self._session.replies.response:
            self._after_reply += messages
            return []
        return messages

    def text(self, text: str) -> Sequence[Message]:
        """The command."""
        return self._filled(self._says.commands.text, {"text": text})

    def dtmf(self, digit: str) -> Sequence[Message]:
        """The command."""
        return self._filled(self._says.commands.dtmf, {"digit": digit})

    def closing(self, reason: str) -> Sequence[Message]:
        """The goodbye."""
        return self._filled(self._says.commands.close, {"reason": reason})

    def _filled(self, messages: Messages, values: Mapping[str, object] | None = None) -> list[Message]:
        return messages.filled(self._session.with_values(values or {}).get)


class _NoJson(FieldError):
    """A message is no JSON."""


def _json(message: Message) -> object:
    try:
        found: object = json.loads(message, parse_constant=_refused)
    except (ValueError, RecursionError) as error:
        raise _NoJson(type(error).__name__) from None
    return found


def _refused(name: str) -> object:
    """NaN and infinity are no JSON."""
    raise ValueError(name)
