"""A Pipecat bot behind its websocket transport as a `Codec`: protobuf frames, with RTVI messages inside.

Ready comes with the bot's answer to `client-ready`; with `use_rtvi=False` as soon as the socket is open.
The bot takes it that its audio is played as it comes: there is no report of what was heard. There is no
goodbye either: RTVI's `disconnect-bot` would end a bot that serves one client after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from streams.audio import AudioFormat, Frame
from streams.endpoints.events import EndpointEvent, Ready, Unknown, UsageUnit
from streams.endpoints.pieces import FieldError, Fields, QuietCodec, Stamp
from streams.endpoints.pipecat import rtvi
from streams.endpoints.pipecat.frames import (
    FrameError,
    Frames,
    Interruption,
    Json,
    Sound,
    Text,
    Transcription,
)
from streams.endpoints.pipecat.speech import Speech
from streams.endpoints.protocol import Capabilities, Message, Pace
from streams.endpoints.rates import protocol_violation


class PipecatCodec(QuietCodec):
    """The logic of one session; see `streams.endpoints.protocol.Codec` for the methods.

    A message that breaks the protocol becomes a `Notice` with code `protocol_violation`.

    Args:
        input: PCM16 that we send.
        output: PCM16 that we want to get; audio of another rate is resampled, with a warning.
        use_rtvi: Shake hands by RTVI. Its messages are read in any case.
        reply_gap_s: For bots that never say when they speak, see `Speech`.

    Raises:
        ImportError: pipecat-ai is not installed.
    """

    def __init__(
        self,
        input: AudioFormat,
        output: AudioFormat,
        *,
        use_rtvi: bool = True,
        reply_gap_s: float = 0.8,
    ) -> None:
        self._input = input
        self._output = output
        self._rtvi = use_rtvi
        self._frames = Frames()
        self._speech = Speech(output.rate, reply_gap_s=reply_gap_s, bounded=use_rtvi)
        self._talk = rtvi.Conversation(self._speech)
        self._sent = 0

    @property
    def capabilities(self) -> Capabilities:
        """Formats are as declared: the bot's pipeline has its own, and does not tell."""
        return Capabilities(
            protocol="pipecat",
            input=self._input,
            output=self._output,
            pace=Pace.REALTIME,
            endpoint_text=self._rtvi,
            user_text=self._rtvi,
            speech_events=self._rtvi,
            response_bounds=self._rtvi,
            flush=True,
            tools=self._rtvi,
            dtmf=self._rtvi,
            text_input=self._rtvi,
            usage_unit=UsageUnit.TOKENS if self._rtvi else None,
            ready_on_connect=not self._rtvi,
        )

    # what we send

    def opening(self) -> Sequence[Message]:
        """`client-ready`."""
        return self._message("client-ready", {"version": rtvi.VERSION, "about": {"library": "vivavoce"}})

    def audio(self, frame: Frame) -> Sequence[Message]:
        """One frame of audio, which states its rate."""
        return [self._frames.audio(frame.pcm, frame.rate)]

    def cancel(self) -> Sequence[Message]:
        """An interruption, as if the user had spoken."""
        return [self._frames.interruption()]

    def tool_result(self, call: str, output: str, *, error: bool) -> Sequence[Message]:
        """`llm-function-call-result`, which repeats name and arguments of the call."""
        name, arguments = self._talk.calls.get(call, ("", {}))
        result: object = {"error": output} if error else output
        content = {
            "function_name": name,
            "tool_call_id": call,
            "arguments": arguments if isinstance(arguments, dict) else {},
            "result": result,
        }
        return self._message("llm-function-call-result", content)

    def text(self, text: str) -> Sequence[Message]:
        """`send-text`: a user's message, to be answered at once and aloud."""
        options = {"run_immediately": True, "audio_response": True}
        return self._message("send-text", {"content": text, "options": options})

    def dtmf(self, digit: str) -> Sequence[Message]:
        """`dtmf`."""
        return self._message("dtmf", {"buttons": [digit]})

    def _message(self, kind: str, data: object) -> Sequence[Message]:
        if not self._rtvi:
            return []
        self._sent += 1
        name = f"{kind}#{self._sent}"
        return [self._frames.json({"label": rtvi.LABEL, "type": kind, "id": name, "data": data})]

    # what we receive

    def receive(self, message: Message, *, at: float, raw: int) -> Sequence[EndpointEvent]:
        """The events of one frame; unknown kinds give `Unknown`."""
        stamp = Stamp(at=at, raw=raw)
        try:
            # a bot with a serializer for JSON alone sends RTVI in text messages
            frame = Json(message) if isinstance(message, str) else self._frames.read(message)
            match frame:
                case Sound():
                    return self._speech.audio(frame, stamp)
                case Json(data=data):
                    return self._json(Fields.parse(data), stamp)
                case Interruption():
                    return self._speech.interrupt(stamp)
                case Text(text=text):
                    return self._talk.bot_said(text, stamp)
                case Transcription(text=text):
                    return self._talk.user_said(text, stamp)
                case _:
                    return [Unknown(**stamp, type="frame")]
        except (FrameError, FieldError, RecursionError) as exc:
            return [protocol_violation(str(exc), stamp)]

    def _json(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        if fields.raw("label") != rtvi.LABEL:
            return [Unknown(**stamp, type="message")]
        kind = fields.text("type")
        if kind == "bot-ready":
            return self._bot_ready(fields, stamp)
        events = rtvi.read(self._talk, fields, stamp)
        return [Unknown(**stamp, type=kind)] if events is None else events

    def _bot_ready(self, fields: Fields, stamp: Stamp) -> Sequence[EndpointEvent]:
        if self._talk.ready:
            return []
        self._talk.ready = True
        about = fields.child("data").child("about")
        model = f"{about.text('library', '')} {about.text('library_version', '')}".strip()
        return [Ready(**stamp, model=model)] if self._rtvi else []
