"""OpenAI Live as a `Codec`: full duplex audio, transcripts without ends, usage in seconds that only grows.

The wire has no turns, responses, interruptions or truncation: the model itself yields, and only its sound
shows it. Work that it hands over (`session.delegation.created`) is a tool call.

Sources: openai 3.57.0 (`types/live`, `resources/live`), pipecat-ai 1.14.0 (`services/openai/live`); the
pace and the two hours from reports of users. Not run against the service itself; the vendor's SDK was,
against the server of our tests.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from streams import g711
from streams.audio import AudioFormat, AudioFormatError, Encoding, Frame
from streams.endpoints.events import (
    Ending,
    EndpointEvent,
    Notice,
    NoticeLevel,
    Ready,
    ToolCalled,
    Unknown,
    Usage,
    UsageUnit,
)
from streams.endpoints.openai_live.replies import Replies, UserTurns
from streams.endpoints.pieces import FieldError, Fields, QuietCodec, SampleAligner, Stamp
from streams.endpoints.protocol import Capabilities, Message, Pace

Json = dict[str, object]
Events = list[EndpointEvent]

_SESSION_S = 7200.0
_PCM_24K = AudioFormat(24000)

_LONGEST_CONTENT = 500
"""Characters of one `session.commentary.append`, whose limit is 500 tokens."""

_NAMES = {Encoding.PCM16: "audio/pcm", Encoding.MULAW: "audio/pcmu", Encoding.ALAW: "audio/pcma"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveOptions:
    """What a session asks for; what is None is left to the server.

    Attributes:
        audio: Both ways: PCM16 at 16000 or 24000/s, or G.711.
    """

    model: str
    voice: str | None = None
    instructions: str | None = None
    audio: AudioFormat = _PCM_24K


class LiveCodec(QuietCodec):
    """The logic of one session; see `streams.endpoints.protocol.Codec` for the methods."""

    def __init__(self, options: LiveOptions) -> None:
        self._options = options
        self._settle(options.audio)
        self._user = UserTurns()
        self._delegations: set[str] = set()
        self._functions: set[str] = set()
        self._sent = 0
        self._parted = True

    def _settle(self, audio: AudioFormat) -> None:
        self._audio = audio
        self._aligner = SampleAligner(audio.bytes_per_sample)
        self._replies = Replies(audio.rate)

    @property
    def capabilities(self) -> Capabilities:
        """The format is settled with `Ready`."""
        return Capabilities(
            protocol="openai-live",
            input=self._audio,
            output=self._audio,
            pace=Pace.REALTIME,
            endpoint_text=True,
            user_text=True,
            tools=True,
            usage_unit=UsageUnit.SECONDS,
            max_session_s=_SESSION_S,
        )

    # what we send

    def opening(self) -> Sequence[Message]:
        """`session.start`; the server refuses fields that it does not know."""
        options = self._options
        audio: Json = {"format": {"type": _NAMES[options.audio.encoding], "rate": options.audio.rate}}
        if options.voice is not None:
            audio["output"] = {"voice": options.voice}
        session: Json = {"model": options.model, "audio": audio}
        if options.instructions is not None:
            session["instructions"] = options.instructions
        return [self._message("session.start", session=session)]

    def audio(self, frame: Frame) -> Sequence[Message]:
        """`session.input_audio.append`; the model speaks only while audio comes in."""
        data = base64.b64encode(g711.encode(frame.pcm, self._audio.encoding)).decode()
        return [json.dumps({"type": "session.input_audio.append", "audio": data})]

    def tool_result(self, call: str, output: str, *, error: bool) -> Sequence[Message]:
        """What came of a delegation, to be told; or the output of a function of the Responses backend."""
        if call in self._functions:
            self._functions.discard(call)
            result = json.dumps({"error": output}) if error else output
            item = {"type": "function_call_output", "call_id": call, "output": result}
            return [self._message("response.item.create", item=item), self._message("response.create")]
        if call not in self._delegations:
            return []
        self._delegations.discard(call)
        content = f"This failed: {output}" if error else output
        return [
            self._message("session.commentary.append", content=part, delegation_id=call)
            for part in _parts(content)
        ]

    def closing(self, reason: str) -> Sequence[Message]:
        """`session.close`, which `session.closed` answers."""
        self._parted = False
        return [self._message("session.close")]

    @property
    def parted(self) -> bool:
        """False between `session.close` and `session.closed`."""
        return self._parted

    def _message(self, kind: str, **fields: object) -> Message:
        self._sent += 1
        return json.dumps({"type": kind, "event_id": f"{kind}#{self._sent}", **fields})

    # what we receive

    def receive(self, message: Message, *, at: float, raw: int) -> Sequence[EndpointEvent]:
        """The events of one server message; unknown types give `Unknown`."""
        stamp = Stamp(at=at, raw=raw)
        try:
            fields = Fields.parse(message)
            kind = fields.text("type")
            if kind in _HANDLERS:
                return _HANDLERS[kind](self, fields, stamp)
        except (FieldError, RecursionError) as exc:
            return [Notice(**stamp, level=NoticeLevel.ERROR, code="protocol_violation", message=str(exc))]
        return [] if kind in _SILENT else [Unknown(**stamp, type=kind[:80])]

    def _started(self, fields: Fields, stamp: Stamp) -> Events:
        session = fields.child("session")
        spec = session.child("audio").raw("format")
        if isinstance(spec, str | dict):
            try:
                self._settle(AudioFormat.parse(spec, default_rate=self._audio.rate))
            except AudioFormatError as exc:
                raise FieldError(f"field session.audio.format: {exc}") from None
        return [Ready(**stamp, session=session.text("id", ""), model=session.text("model", ""))]

    def _audio_delta(self, fields: Fields, stamp: Stamp) -> Events:
        whole = self._aligner.push("", fields.audio("delta"))
        events = self._replies.audio(g711.decode(whole, self._audio.encoding), stamp) if whole else []
        if not self._replies.sounding:  # half a sample too many is not carried through the whole session
            self._aligner.end("")
        return events

    def _output_text(self, fields: Fields, stamp: Stamp) -> Events:
        text = fields.text("delta")
        return self._replies.text(text, stamp) if text else []

    def _input_text(self, fields: Fields, stamp: Stamp) -> Events:
        text = fields.text("delta")
        start, end = fields.number("start_ms"), fields.number("end_ms")
        return self._user.text(text, start, end, stamp) if text else []

    def _delegated(self, fields: Fields, stamp: Stamp) -> Events:
        """The task itself stands in the transcript; what the Responses backend does comes as its events."""
        delegation = fields.child("delegation")
        call, target = delegation.text("id"), delegation.text("target", "client")
        if target != "client":
            return []
        self._delegations.add(call)
        return [ToolCalled(**stamp, call=call, name="delegation", arguments="{}", told=True)]

    def _backend(self, fields: Fields, stamp: Stamp) -> Events:
        """`response.event`: functions that the backend calls, and its tokens."""
        event = fields.child("event")
        kind = event.text("type", "")
        if kind == "response.output_item.done" and event.child("item").raw("type") == "function_call":
            item = event.child("item")
            call = item.text("call_id")
            self._functions.add(call)
            name, arguments = item.text("name", ""), item.text("arguments", "")
            return [ToolCalled(**stamp, call=call, name=name, arguments=arguments)]
        if kind == "response.completed":
            response = event.child("response")
            values = response.child("usage").numbers("delegated.")
            name = response.text("id", "")
            return [Usage(**stamp, unit=UsageUnit.TOKENS, values=values, response=name)] if values else []
        return []

    def _usage(self, fields: Fields, stamp: Stamp) -> Events:
        values = fields.child("usage").numbers()
        if not values:
            return []
        return [Usage(**stamp, unit=UsageUnit.SECONDS, values=values, cumulative=True)]

    def _closed(self, fields: Fields, stamp: Stamp) -> Events:
        self._parted = True
        events, why = self._usage(fields, stamp), fields.text("reason", "")
        if why == "expired":
            events.append(Ending(**stamp, reason="the session reached its longest duration"))
        elif why in ("content", "connection_lost"):
            message = f"the session was closed: {why}"
            events.append(
                Notice(**stamp, level=NoticeLevel.ERROR, code=f"closed_{why}", message=message, fatal=True)
            )
        return events

    def _error(self, fields: Fields, stamp: Stamp) -> Events:
        detail = fields.child("error")
        code = detail.text("code", "") or detail.text("type", "") or "error"
        message, parameter = detail.text("message", ""), detail.text("param", "")
        shown = f"{message} ({parameter})" if parameter else message
        return [Notice(**stamp, level=NoticeLevel.ERROR, code=code, message=shown)]

    def _info(self, fields: Fields, stamp: Stamp) -> Events:
        code, message = fields.text("code", "info"), fields.text("message", "")
        return [Notice(**stamp, level=NoticeLevel.INFO, code=code, message=message)]


def _parts(text: str) -> list[str]:
    """A text in pieces that a message may hold, cut at spaces where there are any."""
    parts = []
    while len(text) > _LONGEST_CONTENT:
        cut = text.rfind(" ", 1, _LONGEST_CONTENT) + 1 or _LONGEST_CONTENT
        parts.append(text[:cut])
        text = text[cut:]
    return [*parts, text]


_HANDLERS: dict[str, Callable[[LiveCodec, Fields, Stamp], Events]] = {
    "session.started": LiveCodec._started,
    "session.output_audio.delta": LiveCodec._audio_delta,
    "session.output_transcript.delta": LiveCodec._output_text,
    "session.input_transcript.delta": LiveCodec._input_text,
    "session.delegation.created": LiveCodec._delegated,
    "response.event": LiveCodec._backend,
    "session.usage.updated": LiveCodec._usage,
    "session.closed": LiveCodec._closed,
    "error": LiveCodec._error,
    "info": LiveCodec._info,
}

_SILENT = frozenset(
    {
        "session.updated",
        "session.input_audio.muted",
        "session.input_audio.unmuted",
        "session.instructions.appended",
        "session.thinking.appended",
        "session.commentary.appended",
    }
)
"""Known types that tell nothing new; the raw log has them."""
