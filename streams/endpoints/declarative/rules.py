"""From a message to events: which rules fit it, and what each of their keys makes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from streams.audio import AudioFormat
from streams.endpoints import events as wire
from streams.endpoints.declarative import rule_model as says
from streams.endpoints.declarative.model import Description
from streams.endpoints.declarative.paths import Path
from streams.endpoints.declarative.rule_model import Rule
from streams.endpoints.declarative.session import Session, violation
from streams.endpoints.declarative.templates import ALWAYS
from streams.endpoints.events import EndpointEvent
from streams.endpoints.pieces import FieldError, Fields, Stamp

Meaning = Callable[[Any, object, Session, Stamp], Sequence[EndpointEvent]]
"""What the value of one key of a rule makes of a message."""


class CompiledRule:
    """One rule, ready to be applied.

    Attributes:
        label: `rule 3 (text, flush)`, for people.
    """

    def __init__(self, number: int, rule: Rule, kept: frozenset[str]) -> None:
        self.rule = rule
        parts = {key: part for key in MEANINGS if (part := getattr(rule, key))}
        self._meanings = [(MEANINGS[key], part) for key, part in parts.items()]
        keys = [*parts, *(["reply"] if rule.reply else [])]
        self.label = f"rule {number} ({', '.join(keys) or 'ignore'})"
        self._answer_paths = {
            name: Path(name) for name in rule.reply.names if name not in kept and not name.startswith("$")
        }

    def fits(self, message: object) -> bool:
        """True if its condition holds; its kind was looked up before."""
        return self.rule.when is None or self.rule.when.holds(message)

    def apply(self, message: object, session: Session, stamp: Stamp) -> list[EndpointEvent]:
        """The events of a message that fits."""
        events: list[EndpointEvent] = []
        for each in self._each(message):
            for meaning, part in self._meanings:
                try:
                    events += meaning(part, each, session, stamp)
                except FieldError as error:
                    events.append(violation(error, stamp, self.label))
            self._answer(each, session)
        return session.with_rests(events)

    def _each(self, message: object) -> Sequence[object]:
        if self.rule.each is None:
            return [message]
        try:
            found = self.rule.each.find(message)
        except FieldError:
            return []
        return found if isinstance(found, list) else []

    def _answer(self, message: object, session: Session) -> None:
        def lookup(name: str) -> object:
            path = self._answer_paths.get(name)
            try:
                return session.lookup(name) if path is None else path.find(message)
            except FieldError:
                return None

        session.answers += self.rule.reply.filled(lookup)


class Rules:
    """All rules of a file, found by kind."""

    def __init__(self, description: Description, given: Sequence[str] = ()) -> None:
        kept = ALWAYS.union(given, *(rule.keep for rule in description.rules))
        self.rules = [CompiledRule(n, rule, kept) for n, rule in enumerate(description.rules, 1)]
        self._any = [each for each in self.rules if not each.rule.kind]
        kinds = {kind for rule in description.rules for kind in rule.kind}
        self._by_kind: Mapping[str, list[CompiledRule]] = {
            kind: [each for each in self.rules if not each.rule.kind or kind in each.rule.kind]
            for kind in kinds
        }

    def fitting(self, kind: str, message: object) -> list[CompiledRule]:
        """The rules that fit a message, in the order of the file."""
        return [each for each in self._by_kind.get(kind, self._any) if each.fits(message)]


def _ready(part: says.Ready, message: object, session: Session, stamp: Stamp) -> Sequence[EndpointEvent]:
    if session.ready:
        return []
    session.send_format = _format(part.send_format, message, session.send_format)
    session.incoming.settle(_format(part.receive_format, message, session.incoming.format))
    session.ready = True
    return [wire.Ready(**stamp, session=_name(part.session, message), model=_name(part.model, message))]


def _format(path: Path | None, message: object, declared: AudioFormat) -> AudioFormat:
    found = None if path is None else path.find(message)
    if found is None:
        return declared
    try:
        if isinstance(found, int) and not isinstance(found, bool):
            return AudioFormat(found, declared.encoding)
        if isinstance(found, str | dict):
            return AudioFormat.parse(found, default_rate=declared.rate)
    except ValueError as error:
        raise FieldError(f"audio format {found!r:.80}: {error}") from None
    raise FieldError(f"audio format {found!r:.80}, expected its name or its rate")


def _keep(
    part: Mapping[str, Path], message: object, session: Session, stamp: Stamp
) -> Sequence[EndpointEvent]:
    found = {name: path.find(message) for name, path in part.items()}
    session.values.update({name: value for name, value in found.items() if value is not None})
    return []


def _reply_start(
    part: says.ReplyStart, message: object, session: Session, stamp: Stamp
) -> Sequence[EndpointEvent]:
    return session.replies.start(_name(part.response, message), stamp)


def _user_speech(
    part: says.UserSpeech, message: object, session: Session, stamp: Stamp
) -> Sequence[EndpointEvent]:
    at_ms, item = _number(part.at_ms, message), _name(part.item, message)
    return [wire.UserSpeech(**stamp, edge=part.edge, server_ms=at_ms, item=item)]


def _user_text(
    part: says.UserText, message: object, session: Session, stamp: Stamp
) -> Sequence[EndpointEvent]:
    failed = _holds(part.failed_when, message)
    text, mode = "" if failed else part.text.text_in(message), _mode(part, message)
    item = session.replies.user(_name(part.item, message), final=failed or mode is wire.TextMode.FINAL)
    return [wire.UserTextReceived(**stamp, text=text, mode=mode, item=item, failed=failed)]


def _text(part: says.ReplyText, message: object, session: Session, stamp: Stamp) -> Sequence[EndpointEvent]:
    text = part.text.text_in(message)
    ended, (item, response) = session.replies.words(
        _name(part.item, message), _name(part.response, message), last=part.last, stamp=stamp
    )
    mode = _mode(part, message)
    return [*ended, wire.TextReceived(**stamp, text=text, mode=mode, item=item, response=response)]


def _audio(
    part: says.ReplyAudio, message: object, session: Session, stamp: Stamp
) -> Sequence[EndpointEvent]:
    data = part.data.audio_in(message)
    item, response = _name(part.item, message), _name(part.response, message)
    return session.audio(data, item, response, _number(part.order, message), stamp)


def _tool_call(
    part: says.ToolCall, message: object, session: Session, stamp: Stamp
) -> Sequence[EndpointEvent]:
    call, name = part.id.name_in(message), _name(part.name, message)
    if not call:
        raise FieldError(f"field {part.id.text}: nothing, expected the id of the call")
    arguments = "{}" if part.arguments is None else part.arguments.json_in(message)
    if part.cancelled:
        session.tools.pop(call, None)
    else:
        session.called(call, name)
    return [wire.ToolCalled(**stamp, call=call, name=name, arguments=arguments, cancelled=part.cancelled)]


def _mark(part: says.Mark, message: object, session: Session, stamp: Stamp) -> Sequence[EndpointEvent]:
    return session.mark(part.name.name_in(message), stamp)


def _usage(part: says.Usage, message: object, session: Session, stamp: Stamp) -> Sequence[EndpointEvent]:
    found = part.values.find(message)
    if found is None:
        return []
    values = Fields(found if isinstance(found, dict) else {part.unit.value: found}).numbers()
    response = _name(part.response, message) or session.replies.response
    return [
        wire.Usage(**stamp, unit=part.unit, values=values, cumulative=part.cumulative, response=response)
    ]


def _notice(part: says.Notice, message: object, session: Session, stamp: Stamp) -> Sequence[EndpointEvent]:
    fatal = part.fatal or _holds(part.fatal_when, message)
    code, said = part.code.name_in(message), _name(part.message, message)
    return [wire.Notice(**stamp, level=part.level, code=code, message=said, fatal=fatal)]


def _item_end(
    part: says.ItemEnd, message: object, session: Session, stamp: Stamp
) -> Sequence[EndpointEvent]:
    return session.replies.end_item(_name(part.item, message), stamp)


def _reply_end(
    part: says.ReplyEnd, message: object, session: Session, stamp: Stamp
) -> Sequence[EndpointEvent]:
    status = next((s for s, when in part.status_when.items() if when.holds(message)), part.status)
    return session.replies.end(_name(part.response, message), status, _name(part.reason, message), stamp)


def _flush(part: says.Flush, message: object, session: Session, stamp: Stamp) -> Sequence[EndpointEvent]:
    return session.replies.flush(_number(part.upto, message), part.rest, stamp)


def _ending(part: says.Ending, message: object, session: Session, stamp: Stamp) -> Sequence[EndpointEvent]:
    left = _number(part.time_left_s, message)
    return [wire.Ending(**stamp, time_left_s=left, reason=_name(part.reason, message))]


def _name(path: Path | None, message: object) -> str:
    return "" if path is None else path.name_in(message)


def _number(path: Path | None, message: object) -> float | None:
    return None if path is None else path.number_in(message)


def _holds(path: Path | None, message: object) -> bool:
    return path is not None and path.holds(message)


def _mode(part: says.UserText | says.ReplyText, message: object) -> wire.TextMode:
    return wire.TextMode.FINAL if _holds(part.final_when, message) else part.mode


MEANINGS: Mapping[str, Meaning] = {
    "keep": _keep,
    "ready": _ready,
    "reply_start": _reply_start,
    "user_speech": _user_speech,
    "user_text": _user_text,
    "text": _text,
    "audio": _audio,
    "tool_call": _tool_call,
    "mark": _mark,
    "usage": _usage,
    "notice": _notice,
    "item_end": _item_end,
    "reply_end": _reply_end,
    "flush": _flush,
    "ending": _ending,
}
"""The keys of a rule, in the order in which they become events."""
