"""RTVI, the messages of Pipecat's clients: what each type says, as events.

Protocol 2.2.0, read in pipecat-ai 1.14.0 (`processors/frameworks/rtvi`), and run with it. Older servers
lack some types: of several that tell the same thing, the best that has come so far in a session counts.
`user-stopped-speaking` is held back until the words are there: it is no evidence of time.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Sequence

from streams.endpoints.events import (
    Edge,
    EndpointEvent,
    Notice,
    NoticeLevel,
    ResponseStatus,
    TextMode,
    TextReceived,
    ToolCalled,
    Usage,
    UsageUnit,
    UserSpeech,
    UserTextReceived,
)
from streams.endpoints.pieces import Fields, Stamp
from streams.endpoints.pipecat.speech import Speech

VERSION = "2.2.0"
LABEL = "rtvi-ai"

_REMEMBERED = 256
"""Sentences and tool calls that are remembered: enough to see the same one twice, and no growth."""

_LONGEST_NOTE = 500

_MESSAGE, _SPOKEN, _OUTPUT = 1, 2, 3
"""Sources of words, the better ones higher: frames; `bot-tts-text`; what replaces it. So for the user."""


class Conversation:
    """What a session's RTVI messages need to know of those before them."""

    def __init__(self, speech: Speech) -> None:
        self.speech = speech
        self.ready = False
        self.calls: dict[str, tuple[str, object]] = {}
        """Name and arguments of tool calls, by id: their answers repeat both."""
        self._segments: deque[float] = deque(maxlen=_REMEMBERED)
        self._best = {"bot": 0, "user": 0}
        self._users = 1

    def bot_said(self, text: str, stamp: Stamp, source: int = _MESSAGE) -> Sequence[EndpointEvent]:
        """Words of the bot."""
        if not text or not self._counts("bot", source):
            return []
        item, text = self.speech.spaced(text)
        return [
            TextReceived(**stamp, text=text, mode=TextMode.DELTA, item=item, response=self.speech.response)
        ]

    def user_said(
        self, text: str, stamp: Stamp, source: int = _MESSAGE, *, final: bool = True
    ) -> Sequence[EndpointEvent]:
        """Words of the user; a turn may have several final texts, each is an item of its own."""
        if not self._counts("user", source):
            return []
        item = f"user-{self._users}"
        self._users += final
        mode = TextMode.FINAL if final else TextMode.CUMULATIVE
        return [UserTextReceived(**stamp, text=text, mode=mode, item=item)]

    def is_new_segment(self, segment: float | None) -> bool:
        """True unless this sentence was told before."""
        if segment is None:
            return True
        if segment in self._segments:
            return False
        self._segments.append(segment)
        return True

    def call(self, call: str, name: str, arguments: object) -> bool:
        """Note a tool call; False if it is known."""
        if call in self.calls:
            return False
        if len(self.calls) >= _REMEMBERED:
            del self.calls[next(iter(self.calls))]
        self.calls[call] = (name, arguments)
        return True

    def _counts(self, whose: str, source: int) -> bool:
        self._best[whose] = max(self._best[whose], source)
        return source == self._best[whose]


Reader = Callable[[Conversation, Fields, Stamp], Sequence[EndpointEvent]]


def _begins(talk: Conversation, _: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    return talk.speech.begin(stamp)


def _speaks(talk: Conversation, _: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    return talk.speech.begin(stamp, speaking=True)


def _stopped(talk: Conversation, _: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    return talk.speech.end(stamp, ResponseStatus.COMPLETED)


def _output(talk: Conversation, data: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """A sentence: told when it begins, while it goes on, when it is over. Protocol 1 has `spoken` alone."""
    spoken = data.raw("will_be_spoken" if data.raw("spoken_status") is not None else "spoken") is True
    if not spoken or not talk.is_new_segment(data.number("segment_id")):
        return []
    return talk.bot_said(data.text("text"), stamp, _OUTPUT)


def _tts_text(talk: Conversation, data: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    return talk.bot_said(data.text("text"), stamp, _SPOKEN)


def _user_input(talk: Conversation, data: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    if data.text("input_type", "transcription") == "chat":
        return []  # the echo of our own text
    return talk.user_said(data.text("text"), stamp, _OUTPUT, final=data.raw("final") is not False)


def _transcription(talk: Conversation, data: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    return talk.user_said(data.text("text"), stamp, _SPOKEN, final=data.raw("final") is not False)


def _user_starts(_: Conversation, __: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    return [UserSpeech(**stamp, edge=Edge.START)]


def _user_stops(_: Conversation, __: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    return [UserSpeech(**stamp, edge=Edge.STOP)]


def _call(talk: Conversation, data: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """A tool call: `llm-function-call` asks us, `…-in-progress` tells of one, perhaps without its name.

    The bot may answer such a call itself, and does not say so: both are told, not asked.
    """
    call, name = data.text("tool_call_id"), data.text("function_name", "")
    arguments = data.raw("args") or data.raw("arguments") or {}
    if not talk.call(call, name, arguments):
        return []
    return [ToolCalled(**stamp, call=call, name=name, arguments=json.dumps(arguments), told=True)]


def _call_stopped(talk: Conversation, data: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    call = data.text("tool_call_id")
    name, _ = talk.calls.get(call, (data.text("function_name", ""), {}))
    if data.raw("cancelled") is not True:
        return []
    return [ToolCalled(**stamp, call=call, name=name, arguments="", cancelled=True)]


def _error(talk: Conversation, data: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """A failure in the bot; while it starts up, one that is not fatal is no reason not to call."""
    fatal = data.raw("fatal") is True
    level = NoticeLevel.ERROR if fatal or talk.ready else NoticeLevel.WARNING
    message = data.text("error", "") or data.text("message", "")
    return [Notice(**stamp, level=level, code="error", message=message, fatal=fatal)]


def _refused(_: Conversation, data: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """The bot does not take a message of ours, or not our version of RTVI; the call goes on."""
    message = data.text("error", "")
    return [Notice(**stamp, level=NoticeLevel.WARNING, code="error-response", message=message)]


def _metrics(talk: Conversation, data: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
    """Usage, counted since the message before, and what the bot says of its own latency."""
    response = talk.speech.response
    events: list[EndpointEvent] = [
        Usage(**stamp, unit=UsageUnit.TOKENS, values=each.numbers(), response=response)
        for each in data.children("tokens")
    ]
    for each in data.children("characters"):
        values = {"tts_characters": each.number("value") or 0.0}
        events.append(Usage(**stamp, unit=UsageUnit.CHARACTERS, values=values, response=response))
    for each in data.children("stt_usage"):
        values = {"stt_audio_seconds": each.child("value").number("audio_seconds") or 0.0}
        events.append(Usage(**stamp, unit=UsageUnit.SECONDS, values=values))
    for each in data.children("ttfb"):
        if seconds := each.number("value"):
            message = f"{each.text('processor', '?')} says {seconds:.3f} s to its first byte"
            events.append(Notice(**stamp, level=NoticeLevel.INFO, code="ttfb", message=message))
    return events


NOTED = frozenset(
    {
        "server-message",
        "server-response",
        "system-log",
        "ui-command",
        "ui-job-group",
        "user-mute-started",
        "user-mute-stopped",
    }
)
"""Types whose `data` is noted as it is."""

READERS: dict[str, Reader] = {
    "bot-llm-started": _begins,
    "bot-tts-started": _begins,
    "bot-started-speaking": _speaks,
    "bot-stopped-speaking": _stopped,
    "bot-output": _output,
    "bot-tts-text": _tts_text,
    "user-input": _user_input,
    "user-transcription": _transcription,
    "user-started-speaking": _user_starts,
    "user-stopped-speaking": _user_stops,
    "llm-function-call": _call,
    "llm-function-call-in-progress": _call,
    "llm-function-call-stopped": _call_stopped,
    "error": _error,
    "error-response": _refused,
    "metrics": _metrics,
}
"""Types and what they say; a reader is given the message's `data`."""

SILENT = frozenset(
    {
        "bot-audio-level",
        "bot-interrupted",
        "bot-llm-marker",
        "bot-llm-stopped",
        "bot-llm-text",
        "bot-transcription",
        "bot-tts-audio",
        "bot-tts-stopped",
        "llm-function-call-started",
        "llm-raw-text",
        "stt-raw-text",
        "tts-raw-text",
        "user-audio-level",
        "user-llm-text",
        "vad-user-started-speaking",
        "vad-user-stopped-speaking",
    }
)
"""Known types that tell nothing new; the raw log has them."""


def read(talk: Conversation, message: Fields, stamp: Stamp) -> Sequence[EndpointEvent] | None:
    """The events of one RTVI message; None for a type that is not known.

    Raises:
        FieldError: A field is missing or of another type.
    """
    kind = message.text("type")
    if kind in READERS:
        return READERS[kind](talk, message.child("data"), stamp)
    if kind in NOTED:
        note = json.dumps(message.raw("data"))[:_LONGEST_NOTE]
        return [Notice(**stamp, level=NoticeLevel.INFO, code=kind, message=note)]
    return [] if kind in SILENT else None
