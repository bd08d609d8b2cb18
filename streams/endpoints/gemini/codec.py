"""Gemini Live (BidiGenerateContent) as a `Codec`.

The server's JSON comes in binary frames. Replies have no names on the wire; `turns.py` makes them. Nothing
tells the server what was heard. With resumption (the default) a session outlives its connection: see
docs/decisions/resumption.md.

Sources: google-genai 3.6.1 (`live.py`, `types.py`); ai.google.dev/gemini-api/docs/live-api. Not run against
the service itself; the vendor's SDK was, against the server of our tests.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from streams.audio import AudioFormat, AudioFormatError, Encoding, Frame
from streams.endpoints.events import (
    Ending,
    EndpointEvent,
    Notice,
    NoticeLevel,
    Ready,
    ResponseStatus,
    ToolCalled,
    Unknown,
    UsageUnit,
)
from streams.endpoints.gemini import reading
from streams.endpoints.gemini.setup import GeminiOptions, Json, setup
from streams.endpoints.gemini.turns import Events, Turns
from streams.endpoints.pieces import FieldError, Fields, QuietCodec, Stamp
from streams.endpoints.protocol import Capabilities, Message, Pace, Tool, TurnMode

INPUT = AudioFormat(16000)
OUTPUT = AudioFormat(24000)
_RATES = range(8000, 48001)

_CONNECTION_S, _SESSION_S = 600.0, 900.0
"""Longest connection, and longest audio session without compression."""

_BROKEN = frozenset({1001, 1006, 1011, 1012, 1013, 1014})
"""Close codes of connections that were lost, not ended on purpose nor refused (1000, 1007, 1008)."""


class GeminiCodec(QuietCodec):
    """The logic of one session; see `streams.endpoints.protocol.Codec` for the methods."""

    def __init__(self, options: GeminiOptions) -> None:
        self._options = options
        self._manual = options.turns is TurnMode.MANUAL
        self._turns = Turns(OUTPUT.rate)
        self._ready = self._talking = False
        self._calls: dict[str, str] = {}
        self._handle = ""
        self._resumable = False
        """The latest handle stands for all that was said."""
        self._leaving = False

    @property
    def capabilities(self) -> Capabilities:
        """Formats are fixed; nothing is negotiated."""
        longest = _SESSION_S if self._options.resumption else _CONNECTION_S
        return Capabilities(
            protocol="gemini-live",
            input=INPUT,
            output=OUTPUT,
            pace=Pace.BURST,
            turn_modes=frozenset({TurnMode.SERVER_VAD, TurnMode.MANUAL}),
            endpoint_text=True,
            user_text=True,
            response_bounds=True,
            flush=True,
            tools=True,
            tool_setup=True,
            text_input=True,
            usage_unit=UsageUnit.TOKENS,
            continuous=not self._manual,
            max_session_s=None if self._options.resumption and self._options.compression else longest,
        )

    # what we send

    def offer(self, tools: Sequence[Tool]) -> None:
        """`functionDeclarations`, beside those of the options."""
        offered = [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
            for tool in tools
        ]
        self._options = replace(self._options, tools=(*self._options.tools, *offered))

    def opening(self) -> Sequence[Message]:
        """`setup`."""
        return [json.dumps(setup(self._options))]

    def audio(self, frame: Frame) -> Sequence[Message]:
        """`realtimeInput.audio`; in manual mode only within a turn."""
        if self._manual and not self._talking:
            return []
        if not frame.silent:
            self._resumable = False
        data = base64.b64encode(frame.pcm).decode()
        return _realtime(audio={"mimeType": f"audio/pcm;rate={INPUT.rate}", "data": data})

    def begin_turn(self) -> Sequence[Message]:
        """Manual mode: `activityStart`, which also interrupts a reply."""
        if not self._manual or self._talking:
            return []
        self._talking = True
        return _realtime(activityStart={})

    def end_turn(self) -> Sequence[Message]:
        """Manual mode: `activityEnd`."""
        if not self._talking:
            return []
        self._talking = False
        return _realtime(activityEnd={})

    def text(self, text: str) -> Sequence[Message]:
        """`realtimeInput.text`: later models take `clientContent` for the history before a session only."""
        said = _realtime(text=text)
        if self._manual and not self._talking:
            return [*_realtime(activityStart={}), *said, *_realtime(activityEnd={})]
        return said

    def cancel(self) -> Sequence[Message]:
        """An unfinished `clientContent`: it interrupts the reply and asks for none."""
        return [json.dumps({"clientContent": {"turnComplete": False}})] if self._turns.response else []

    def tool_result(self, call: str, output: str, *, error: bool) -> Sequence[Message]:
        """`toolResponse`; nothing for a call that the server has taken back."""
        name = self._calls.pop(call, None)
        if name is None:
            return []
        answer = {"id": call, "name": name, "response": {"error" if error else "output": output}}
        return [json.dumps({"toolResponse": {"functionResponses": [answer]}})]

    def resume(self, *, code: int | None = None) -> Sequence[Message] | None:
        """`setup` with the latest handle; each handle is used once.

        While the connection stands: once it was said to end, and nobody has talked since the handle came.
        """
        if not self._handle:
            return None
        if code is None:
            if not (self._leaving and self._resumable):
                return None
        elif not self._leaving and code not in _BROKEN:
            return None
        opening = [json.dumps(setup(self._options, self._handle))]
        self._handle, self._resumable, self._leaving = "", False, False
        return opening

    # what we receive

    def receive(self, message: Message, *, at: float, raw: int) -> Sequence[EndpointEvent]:
        """The events of one server message; its parts do not exclude each other."""
        stamp = Stamp(at=at, raw=raw)
        events: Events = []
        try:
            fields = Fields.parse(message)
            for name, take in _PARTS.items():
                if fields.raw(name) is not None:
                    events += take(self, fields.child(name), stamp)
            events += _unknown(fields, _PARTS.keys() | _SILENT, stamp)
        except (FieldError, RecursionError) as exc:
            events.append(
                Notice(**stamp, level=NoticeLevel.ERROR, code="protocol_violation", message=str(exc))
            )
        return events

    def _setup_complete(self, fields: Fields, stamp: Stamp) -> Events:
        events: Events = []
        if self._ready:  # a new connection: what the old one was delivering will not come any more
            events = self._turns.end(stamp, ResponseStatus.INCOMPLETE, "the connection was lost")
        self._ready = True
        return [*events, Ready(**stamp, session=fields.text("sessionId", ""), model=self._options.model)]

    def _content(self, content: Fields, stamp: Stamp) -> Events:
        events: Events = []
        turns = self._turns
        if content.raw("interrupted"):
            events += turns.interrupted(stamp)
        for part in content.child("modelTurn").children("parts"):
            events += self._part(part, stamp)
        heard = content.child("inputTranscription")
        events += turns.user_text(heard.text("text", ""), stamp, finished=bool(heard.raw("finished")))
        said = content.child("outputTranscription").text("text", "")
        if said:
            events += turns.text(said, stamp)
        if content.raw("generationComplete"):
            events += turns.end_item(stamp)
        events += self._turn_complete(content, stamp)
        self._resumable = self._resumable and not events
        return events + _unknown(content, _CONTENT, stamp, "serverContent.")

    def _part(self, part: Fields, stamp: Stamp) -> Events:
        if part.raw("inlineData") is not None:
            blob = part.child("inlineData")
            try:
                sound = AudioFormat.parse(blob.text("mimeType"), default_rate=OUTPUT.rate)
            except AudioFormatError as exc:
                raise FieldError(f"field mimeType: {exc}") from None
            if sound.encoding is not Encoding.PCM16 or sound.rate not in _RATES:
                raise FieldError(f"field mimeType: {sound}, expected PCM16 at 8 to 48 kHz")
            return self._turns.audio(blob.audio("data"), sound.rate, stamp)
        if part.raw("text") is not None:  # thoughts are not said, and not sent as sound
            return [] if part.raw("thought") else self._turns.text(part.text("text"), stamp)
        return _unknown(part, _PART, stamp, "modelTurn.")

    def _turn_complete(self, content: Fields, stamp: Stamp) -> Events:
        """The end of a turn; where the server tells its `interactionStatus`, once that is not busy."""
        complete, status = bool(content.raw("turnComplete")), content.text("interactionStatus", "")
        why = content.text("turnCompleteReason", "").lower().replace("turn_complete_reason_unspecified", "")
        if complete and status == "IN_PROGRESS":
            return self._turns.end_item(stamp)
        if not complete and status not in ("IDLE", "REQUIRES_ACTION"):
            return []
        if why and not self._turns.response:
            return [Notice(**stamp, level=NoticeLevel.WARNING, code="turn_complete", message=why)]
        return self._turns.end(stamp, ResponseStatus.INCOMPLETE if why else ResponseStatus.COMPLETED, why)

    def _tool_call(self, fields: Fields, stamp: Stamp) -> Events:
        self._resumable = False
        calls = reading.tool_calls(fields, stamp)
        self._calls.update({each.call: each.name for each in calls})
        return list(calls)

    def _tool_cancel(self, fields: Fields, stamp: Stamp) -> Events:
        ids = fields.raw("ids")
        if not isinstance(ids, list):
            raise FieldError("field toolCallCancellation.ids: expected a list")
        return [
            ToolCalled(**stamp, call=call, name=self._calls.pop(call, ""), arguments="", cancelled=True)
            for call in ids
            if isinstance(call, str)
        ]

    def _usage(self, fields: Fields, stamp: Stamp) -> Events:
        return list(reading.usage(fields, stamp, self._turns.latest))

    def _resumption_update(self, fields: Fields, stamp: Stamp) -> Events:
        handle = fields.text("newHandle", "")
        self._resumable = bool(fields.raw("resumable")) and bool(handle)
        if self._resumable:
            self._handle = handle
        return []

    def _go_away(self, fields: Fields, stamp: Stamp) -> Events:
        self._leaving = True
        left = reading.duration(fields, "timeLeft")
        return [Ending(**stamp, time_left_s=left, reason="goAway", resumable=bool(self._handle))]

    def _speech(self, fields: Fields, stamp: Stamp) -> Events:
        return list(reading.speech(fields, stamp))


def _realtime(**content: object) -> list[Message]:
    message: Json = {"realtimeInput": content}
    return [json.dumps(message)]


def _unknown(fields: Fields, known: frozenset[str] | set[str], stamp: Stamp, within: str = "") -> Events:
    return [Unknown(**stamp, type=f"{within}{name}"[:80]) for name in fields.names() if name not in known]


_PARTS: dict[str, Callable[[GeminiCodec, Fields, Stamp], Events]] = {
    "sessionResumptionUpdate": GeminiCodec._resumption_update,
    "usageMetadata": GeminiCodec._usage,
    "voiceActivity": GeminiCodec._speech,
    "serverContent": GeminiCodec._content,
    "toolCall": GeminiCodec._tool_call,
    "toolCallCancellation": GeminiCodec._tool_cancel,
    "goAway": GeminiCodec._go_away,
    "setupComplete": GeminiCodec._setup_complete,
}
"""Parts of a message, in the order in which they are taken."""

_SILENT = frozenset({"voiceActivityDetectionSignal"})

_CONTENT = frozenset(
    {
        "modelTurn",
        "interrupted",
        "generationComplete",
        "turnComplete",
        "turnCompleteReason",
        "interactionStatus",
        "waitingForInput",
        "inputTranscription",
        "outputTranscription",
        "interimInputTranscription",
        "groundingMetadata",
        "urlContextMetadata",
    }
)
"""Fields of `serverContent` that are known; those not read tell nothing new, and the raw log has them."""

_PART = frozenset({"thought", "thoughtSignature"})
