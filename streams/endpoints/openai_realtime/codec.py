"""OpenAI Realtime as a `Codec`: GA and beta names, all dialects of `dialects.DIALECTS`.

Two decisions about what was not heard. An item of which less than 1 ms was heard is deleted rather than
truncated: servers refuse a truncation at 0 ms, and the words must leave the dialogue all the same. An
item of which nothing arrived, or that was heard to its end, is left alone.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from streams import g711
from streams.audio import AudioFormat, Frame
from streams.endpoints.events import (
    AudioReceived,
    Edge,
    EndpointEvent,
    Flush,
    ItemEnded,
    Notice,
    NoticeLevel,
    Ready,
    ResponseEnded,
    ResponseStarted,
    ResponseStatus,
    TextMode,
    Unknown,
    UserItemPlaced,
)
from streams.endpoints.openai_realtime import reading, setup
from streams.endpoints.openai_realtime.calls import Calls
from streams.endpoints.openai_realtime.dialect import Dialect, RealtimeOptions
from streams.endpoints.openai_realtime.dialogue import Dialogue, Item
from streams.endpoints.pieces import FieldError, Fields, QuietCodec, SampleAligner, Stamp
from streams.endpoints.protocol import (
    Capabilities,
    Message,
    PlaybackReport,
    PlaybackState,
    Played,
    Tool,
    TurnMode,
)

_APPEND = "input_audio_buffer.append"


class RealtimeCodec(QuietCodec):
    """The logic of one session; see `streams.endpoints.protocol.Codec` for the methods.

    Ready comes with `session.updated`, whose audio formats are taken over. A message that breaks the
    protocol becomes a `Notice` with code `protocol_violation`. Client events carry an `event_id` of
    `TYPE#NUMBER`, so that an error that echoes it says what was refused. In manual mode only the audio
    between `begin_turn` and `end_turn` is sent.
    """

    def __init__(self, dialect: Dialect, options: RealtimeOptions | None = None) -> None:
        self._dialect = dialect
        self._options = options or RealtimeOptions()
        self._manual = self._options.turns is TurnMode.MANUAL
        cumulative = {reading.DELTA: reading.WHOLE} if dialect.user_text is TextMode.CUMULATIVE else {}
        self._names = {**reading.BETA, **cumulative, **dialect.events}
        self._dialogue = Dialogue()
        self._placed: dict[str, str] = {}
        self._calls = Calls()
        self._replies: list[Message] = []
        self._sent = 0
        self._ready = False
        self._talking = self._spoken = False
        self._asked = 0
        self._ask_later = self._cancel_next = False
        self._input = self._options.input or dialect.input
        self._output = self._options.output or dialect.output
        self._aligner = SampleAligner(self._output.bytes_per_sample)

    @property
    def capabilities(self) -> Capabilities:
        """Formats are settled with `Ready`."""
        return Capabilities(
            protocol=f"openai-realtime/{self._dialect.name}",
            input=self._input,
            output=self._output,
            pace=self._dialect.pace,
            turn_modes=self._dialect.turn_modes,
            playback_report=self._dialect.playback,
            endpoint_text=True,
            user_text=True,
            speech_events=not self._manual,
            response_bounds=True,
            flush=not self._manual,
            tools=True,
            tool_setup=True,
            text_input=True,
            usage_unit=self._dialect.usage_unit,
            continuous=not self._manual,
            max_session_s=self._dialect.max_session_s,
        )

    # what we send

    def offer(self, tools: Sequence[Tool]) -> None:
        """Functions in the GA shape, beside those of the options."""
        self._options = replace(self._options, tools=(*self._options.tools, *setup.functions(tools)))

    def opening(self) -> Sequence[Message]:
        """`session.update`; it names formats and rates, since defaults differ between servers."""
        return [self._message("session.update", session=setup.session(self._dialect, self._options))]

    def audio(self, frame: Frame) -> Sequence[Message]:
        """`input_audio_buffer.append`."""
        if self._manual and not self._talking:
            return []
        self._spoken = True
        data = base64.b64encode(g711.encode(frame.pcm, self._input.encoding)).decode()
        self._sent += 1
        # as `_message` has it: there is nothing to escape, and to look for it takes longer than the rest
        return [f'{{"type": "{_APPEND}", "event_id": "{_APPEND}#{self._sent}", "audio": "{data}"}}']

    def begin_turn(self) -> Sequence[Message]:
        """Audio flows from here on."""
        self._talking, self._spoken = self._manual, False
        return []

    def end_turn(self) -> Sequence[Message]:
        """Manual mode: commit and ask for a reply. Never with server VAD: that would be a ghost turn."""
        if not (self._talking and self._spoken):
            return []
        self._talking = False
        return [self._message("input_audio_buffer.commit"), *self._ask()]

    def played(self, report: Played) -> Sequence[Message]:
        """What the dialect has for an item that was heard or dropped; nothing for progress."""
        item = self._dialogue.items.get(report.item)
        if item is None or report.state is PlaybackState.PROGRESS:
            return []
        self._dialogue.settle(report.item)
        heard = min(report.heard, report.received, item.received)
        whole = item.ended and heard == item.received
        dropped = report.state is PlaybackState.DROPPED and item.received and not whole
        if item.told:
            return []
        match self._dialect.playback:
            case PlaybackReport.TRUNCATE if dropped:
                return [self._truncation(report.item, item, heard)]
            case PlaybackReport.ACKNOWLEDGE if item.received:
                item.told = True
                names = {"item_id": report.item, "response_id": item.response}
                return [self._message("playback.ack", **names, played_ms=self._ms(heard))]
            case _:
                return []

    def _truncation(self, name: str, item: Item, heard: int) -> Message:
        item.told = True
        end_ms = self._ms(heard)
        if end_ms == 0:
            return self._message("conversation.item.delete", item_id=name)
        place: dict[str, object] = {"item_id": name, "content_index": 0}
        return self._message("conversation.item.truncate", **place, audio_end_ms=end_ms)

    def _ms(self, samples: int) -> int:
        return samples * 1000 // self._output.rate

    def cancel(self) -> Sequence[Message]:
        """Cancels the responses that are under way, or the one that was asked for and has not begun."""
        self._ask_later = False
        active = self._dialogue.active
        self._cancel_next = not active and self._asked > 0
        return [self._message("response.cancel", response_id=each) for each in active]

    def tool_result(self, call: str, output: str, *, error: bool) -> Sequence[Message]:
        """The output, and a request to go on once every open call has its own."""
        self._calls.waiting.discard(call)
        result = json.dumps({"error": output}) if error else output
        item = {"type": "function_call_output", "call_id": call, "output": result}
        created = self._message("conversation.item.create", item=item)
        return [created] if self._calls.waiting else [created, *self._ask()]

    def text(self, text: str) -> Sequence[Message]:
        """A user message in text, and a request for a reply."""
        item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        return [self._message("conversation.item.create", item=item), *self._ask()]

    def closing(self, reason: str) -> Sequence[Message]:
        """The goodbye, where the dialect has one."""
        return [self._message(self._dialect.closing)] if self._dialect.closing else []

    def replies(self) -> Sequence[Message]:
        """Requests that had to wait for the server, and answers to its keep-alive."""
        waiting, self._replies = self._replies, []
        return waiting

    def _ask(self) -> list[Message]:
        if self._dialogue.active:  # a second response is refused until the first is done
            self._ask_later = True
            return []
        self._ask_later = False
        self._asked += 1
        return [self._message("response.create")]

    def _message(self, kind: str, **fields: object) -> Message:
        self._sent += 1
        return json.dumps({"type": kind, "event_id": f"{kind}#{self._sent}", **fields})

    # what we receive

    def receive(self, message: Message, *, at: float, raw: int) -> Sequence[EndpointEvent]:
        """The events of one server message; unknown types give `Unknown`."""
        stamp = Stamp(at=at, raw=raw)
        dialect = self._dialect
        try:
            fields = Fields.parse(message)
            kind = fields.text("type")
            if kind in dialect.pongs:
                self._replies.append(self._message(dialect.pongs[kind]))
                return []
            name = self._names.get(kind, kind)
            if name in HANDLERS:
                return HANDLERS[name](self, fields, stamp)
            if name in reading.READERS:
                return reading.READERS[name](fields, stamp)
        except FieldError as exc:
            return [Notice(**stamp, level=NoticeLevel.ERROR, code="protocol_violation", message=str(exc))]
        return [] if name in reading.SILENT or kind in dialect.silent else [Unknown(**stamp, type=kind)]

    def _session_updated(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        session = fields.child("session")
        before = (self._input, self._output)
        after = setup.settled(self._dialect, session, asked=before)
        if self._ready:
            return [self._format_changed(before, after, stamp)] if after != before else []
        model = session.text("model", "") or self._options.model
        ready = Ready(**stamp, session=session.text("id", ""), model=model)
        self._input, self._output = after
        self._aligner = SampleAligner(self._output.bytes_per_sample)
        self._ready = True
        return [ready]

    def _format_changed(
        self, before: tuple[AudioFormat, ...], after: tuple[AudioFormat, ...], stamp: Stamp
    ) -> Notice:
        message = f"audio formats {before} became {after} during the session"
        return Notice(**stamp, level=NoticeLevel.ERROR, code="audio_format_changed", message=message)

    def _response_created(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        response = fields.child("response").text("id")
        self._dialogue.begin(response)
        self._asked = max(0, self._asked - 1)
        if self._cancel_next:
            self._cancel_next = False
            self._replies.append(self._message("response.cancel", response_id=response))
        return [ResponseStarted(**stamp, response=response)]

    def _response_done(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        inner = fields.child("response")
        active = self._dialogue.active
        response = inner.text("id", "") or (active[-1] if active else "")
        status, reason = reading.response_status(inner)
        usage = reading.response_usage(fields, stamp, response)
        for item in self._dialogue.finish(response):
            self._aligner.end(item)
        if status is ResponseStatus.CANCELLED:
            self._calls.waiting.clear()
        if self._ask_later and not self._calls.waiting:
            self._replies += self._ask()
        refused = reading.response_refused(inner, stamp)
        return [*usage, *refused, ResponseEnded(**stamp, response=response, status=status, reason=reason)]

    def _audio_delta(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        item, response = _item_of(fields)
        data = self._aligner.push(item, fields.audio("delta"))
        pcm = g711.decode(data, self._output.encoding)
        self._dialogue.audio(item, response, len(pcm) // 2)
        return [AudioReceived(**stamp, pcm=pcm, item=item, response=response)] if pcm else []

    def _audio_done(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        item, response = _item_of(fields)
        self._aligner.end(item)
        self._dialogue.end_item(item)
        return [ItemEnded(**stamp, item=item, response=response)]

    def _speech_started(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        started = reading.speech(fields, stamp, Edge.START)
        return [started, Flush(**stamp, responses=self._dialogue.flush())]

    def _user_text(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        asked = self._options.transcription
        return reading.user_text_completed(
            fields, stamp, self._dialect.transcription if asked is None else asked
        )

    def _committed(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        return self._place(fields.text("item_id"), fields.text("previous_item_id", ""), stamp)

    def _item_added(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        item = fields.child("item")
        if item.text("role", "") != "user":
            return []
        return self._place(item.text("id"), fields.text("previous_item_id", ""), stamp)

    def _place(self, item: str, previous: str, stamp: Stamp) -> Sequence[EndpointEvent]:
        if item in self._placed and self._placed[item] == previous:
            return []  # `committed` and `conversation.item.added` say the same thing
        self._placed[item] = previous
        return [UserItemPlaced(**stamp, item=item, previous=previous or None)]

    def _output_item_added(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        self._calls.item_added(fields.child("item"))
        return []

    def _output_item_done(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        return self._calls.item_done(fields.child("item"), stamp)

    def _arguments_done(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        return self._calls.arguments_done(fields, stamp)

    def _error(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        events, refused = reading.error(fields, stamp)
        if refused == "response.create":
            self._asked = max(0, self._asked - 1)
            self._cancel_next = False
        return events


def _item_of(fields: Fields) -> tuple[str, str]:
    """Item and response of a piece of sound; where items have no names (GLM) a response is its one item."""
    response = fields.text("response_id", "")
    return fields.text("item_id", "") or response or "reply", response


HANDLERS: dict[str, Callable[[RealtimeCodec, Fields, Stamp], Sequence[EndpointEvent]]] = {
    "session.updated": RealtimeCodec._session_updated,
    "response.created": RealtimeCodec._response_created,
    "response.done": RealtimeCodec._response_done,
    "response.output_audio.delta": RealtimeCodec._audio_delta,
    "response.output_audio.done": RealtimeCodec._audio_done,
    "response.output_item.added": RealtimeCodec._output_item_added,
    "response.output_item.done": RealtimeCodec._output_item_done,
    "response.function_call_arguments.done": RealtimeCodec._arguments_done,
    "input_audio_buffer.speech_started": RealtimeCodec._speech_started,
    "input_audio_buffer.committed": RealtimeCodec._committed,
    "conversation.item.added": RealtimeCodec._item_added,
    reading.COMPLETED: RealtimeCodec._user_text,
    "error": RealtimeCodec._error,
}
"""Message types that change the state of the session, by their names of today."""
