"""Server messages that need no state: each function reads one kind into events."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from streams.endpoints.events import (
    Edge,
    Ending,
    EndpointEvent,
    Notice,
    NoticeLevel,
    ResponseStatus,
    TextMode,
    TextReceived,
    Usage,
    UsageUnit,
    UserSpeech,
    UserTextReceived,
)
from streams.endpoints.pieces import Fields, Stamp

_ENDING = frozenset({"session_expired"})
_FATAL = _ENDING | {"session_limit_reached", "beta_api_shape_disabled"}
_HARMLESS = frozenset({"response_cancel_not_active"})

_RATE_LIMITED = re.compile(r"rate_limit|quota|too_many_requests", re.IGNORECASE)
_TRY_AGAIN = re.compile(r"try again in (\d+(?:\.\d+)?) ?(ms|s)\b")

_HOUSEKEEPING = ("conversation.item.truncate", "conversation.item.delete", "response.cancel")
"""Client events of ours whose refusal is no failing of the endpoint."""


def text_delta(fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """`response.output_audio_transcript.delta`, `response.output_text.delta`."""
    return [_text(fields, stamp, fields.text("delta"), TextMode.DELTA)]


def audio_text_done(fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """`response.output_audio_transcript.done`."""
    return [_text(fields, stamp, fields.text("transcript"), TextMode.FINAL)]


def text_done(fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """`response.output_text.done`."""
    return [_text(fields, stamp, fields.text("text"), TextMode.FINAL)]


def _text(fields: Fields, stamp: Stamp, text: str, mode: TextMode) -> TextReceived:
    item, response = fields.text("item_id", ""), fields.text("response_id", "")
    return TextReceived(**stamp, text=text, mode=mode, item=item, response=response)


def user_text_delta(fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """`conversation.item.input_audio_transcription.delta`."""
    return [_user_text(fields, stamp, fields.text("delta", ""), TextMode.DELTA)]


def user_text_updated(fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """`conversation.item.input_audio_transcription.updated` (xAI): the whole text so far."""
    text = fields.text("transcript", "") or fields.text("delta", "") or fields.text("text", "")
    return [_user_text(fields, stamp, text, TextMode.CUMULATIVE)]


def user_text_completed(fields: Fields, stamp: Stamp, model: str) -> Sequence[EndpointEvent]:
    """`conversation.item.input_audio_transcription.completed`; its usage is billed apart, as `model`'s."""
    events: list[EndpointEvent] = [_user_text(fields, stamp, fields.text("transcript"), TextMode.FINAL)]
    usage = fields.child("usage")
    values = usage.numbers("transcription.")
    if values:
        unit = UsageUnit.SECONDS if usage.text("type", "") == "duration" else UsageUnit.TOKENS
        events.append(Usage(**stamp, unit=unit, values=values, model=model))
    return events


def _user_text(fields: Fields, stamp: Stamp, text: str, mode: TextMode) -> UserTextReceived:
    return UserTextReceived(**stamp, text=text, mode=mode, item=fields.text("item_id", ""))


def user_text_failed(fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """`conversation.item.input_audio_transcription.failed`."""
    item = fields.text("item_id", "")
    return [UserTextReceived(**stamp, text="", mode=TextMode.FINAL, item=item, failed=True)]


def speech(fields: Fields, stamp: Stamp, edge: Edge) -> UserSpeech:
    """`input_audio_buffer.speech_started` and `.speech_stopped`."""
    server_ms = fields.number("audio_start_ms" if edge is Edge.START else "audio_end_ms")
    return UserSpeech(**stamp, edge=edge, server_ms=server_ms, item=fields.text("item_id", ""))


def speech_stopped(fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """`input_audio_buffer.speech_stopped`."""
    return [speech(fields, stamp, Edge.STOP)]


def idle_timeout(_: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """`input_audio_buffer.timeout_triggered`: the endpoint takes the floor after a long silence."""
    message = "the endpoint speaks because the user was silent"
    return [Notice(**stamp, level=NoticeLevel.INFO, code="idle_timeout", message=message)]


def rate_limits(fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """`rate_limits.updated`: a note, unless something is used up."""
    limits = fields.children("rate_limits")
    message = "; ".join(
        f"{each.text('name', '?')}: {each.number('remaining')} of {each.number('limit')} left,"
        f" reset in {each.number('reset_seconds')} s"
        for each in limits
    )
    empty = [each for each in limits if each.number("remaining") == 0]
    level = NoticeLevel.RATE_LIMIT if empty else NoticeLevel.INFO
    reset = max((each.number("reset_seconds") or 0.0 for each in empty), default=None)
    return [Notice(**stamp, level=level, code="rate_limits.updated", message=message, reset_s=reset)]


def warning(fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """`warning` (Azure Voice Live)."""
    detail = fields.child("warning")
    code, message = detail.text("code", "warning"), detail.text("message", "")
    return [Notice(**stamp, level=NoticeLevel.WARNING, code=code, message=message)]


def error(fields: Fields, stamp: Stamp) -> tuple[Sequence[EndpointEvent], str]:
    """`error`: the session mostly survives it; whether it did, the socket tells.

    Returns:
        The events, and the type of our message that was refused, if the error names it.
    """
    plain = fields.raw("error")
    detail = Fields({"message": plain}) if isinstance(plain, str) else fields.child("error")
    code = detail.text("code", "") or detail.text("type", "") or "error"
    message = detail.text("message", "") or fields.text("message", "")
    parameter = detail.text("param", "")
    if parameter:
        message = f"{message} ({parameter})"
    refused = detail.text("event_id", "").partition("#")[0]
    if _RATE_LIMITED.search(code):
        return [_used_up(stamp, code, message)], refused
    harmless = code in _HARMLESS or refused in _HOUSEKEEPING
    level = NoticeLevel.WARNING if harmless else NoticeLevel.ERROR
    events: list[EndpointEvent] = [
        Notice(**stamp, level=level, code=code, message=message, fatal=code in _FATAL)
    ]
    if code in _ENDING:
        events.append(Ending(**stamp, reason=message or code))
    return events, refused


def _used_up(stamp: Stamp, code: str, message: str) -> Notice:
    found = _TRY_AGAIN.search(message)
    reset = None if found is None else float(found[1]) / (1000 if found[2] == "ms" else 1)
    return Notice(
        **stamp, level=NoticeLevel.RATE_LIMIT, code=code, message=message, fatal=True, reset_s=reset
    )


def session_over(fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """`session.expired`, `session.closed` (vLLM-Omni): the server will close."""
    reason = fields.text("reason", "") or fields.text("type")
    return [Ending(**stamp, reason=f"the endpoint says {reason}")]


def response_refused(response: Fields, stamp: Stamp) -> Sequence[Notice]:
    """A response that failed because the account has used up what it may."""
    trouble = response.child("status_details").child("error")
    code = trouble.text("code", "") or trouble.text("type", "")
    return [_used_up(stamp, code, trouble.text("message", ""))] if _RATE_LIMITED.search(code) else []


def response_usage(fields: Fields, stamp: Stamp, response: str) -> Sequence[Usage]:
    """Usage of a `response.done`; xAI puts it at the top of the message."""
    inner = fields.child("response")
    values = inner.child("usage").numbers() or fields.child("usage").numbers()
    if not values:
        return []
    return [Usage(**stamp, unit=UsageUnit.TOKENS, values=values, response=response)]


def response_status(response: Fields) -> tuple[ResponseStatus, str]:
    """How a response ended, and why."""
    status = response.text("status", "")
    details = response.child("status_details")
    trouble = details.child("error")
    reasons = (details.text("reason", ""), trouble.text("code", ""), trouble.text("message", ""))
    reason = ": ".join(each for each in reasons if each)
    try:
        return ResponseStatus(status), reason
    except ValueError:
        # a reply that does not say that it is complete is not taken for complete
        return ResponseStatus.INCOMPLETE, reason or f"status {status!r}"


_TRANSCRIPTION = "conversation.item.input_audio_transcription"

BETA: Mapping[str, str] = {
    "response.audio.delta": "response.output_audio.delta",
    "response.audio.done": "response.output_audio.done",
    "response.audio_transcript.delta": "response.output_audio_transcript.delta",
    "response.audio_transcript.done": "response.output_audio_transcript.done",
    "response.text.delta": "response.output_text.delta",
    "response.text.done": "response.output_text.done",
    "conversation.item.created": "conversation.item.added",
}
"""What the beta called what has another name today."""

DELTA, WHOLE = f"{_TRANSCRIPTION}.delta", f"{_TRANSCRIPTION}.updated"
"""The transcript of the user, a piece of it and all so far."""

READERS: dict[str, Callable[[Fields, Stamp], Sequence[EndpointEvent]]] = {
    "response.output_audio_transcript.delta": text_delta,
    "response.output_text.delta": text_delta,
    "response.output_audio_transcript.done": audio_text_done,
    "response.output_text.done": text_done,
    DELTA: user_text_delta,
    WHOLE: user_text_updated,
    f"{_TRANSCRIPTION}.failed": user_text_failed,
    "input_audio_buffer.speech_stopped": speech_stopped,
    "input_audio_buffer.timeout_triggered": idle_timeout,
    "rate_limits.updated": rate_limits,
    "session.closed": session_over,
    "session.expired": session_over,
    "warning": warning,
}
"""Message types that need no state."""

COMPLETED = f"{_TRANSCRIPTION}.completed"
"""The final transcript of the user; the codec adds the model to its usage."""

SILENT = frozenset(
    {
        "session.created",
        "conversation.created",
        "conversation.item.done",
        "conversation.item.retrieved",
        "conversation.item.truncated",
        "conversation.item.deleted",
        f"{_TRANSCRIPTION}.segment",
        "input_audio_buffer.cleared",
        "response.content_part.added",
        "response.content_part.done",
        "response.function_call_arguments.delta",
    }
)
"""Known types that tell nothing new; the raw traffic has them."""
