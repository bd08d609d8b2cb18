"""Doubao (Volcengine realtime dialogue) as a `Codec`.

Sound carries no name on the wire: it is of the reply that the last `TTSSentenceStart` named. `ASRInfo` says
that the user is heard, and asks for silence; later sound of the same reply stays unheard. Models from 2.0
on are told how much of a reply was heard (`ConversationTruncate`).

Source: volcengine.com/docs/6561/1594356. Not run against the service itself.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Sequence

from streams.audio import Frame
from streams.endpoints.doubao.events import (
    INPUT,
    OUTPUT,
    SILENT,
    Client,
    DoubaoOptions,
    Server,
    start_session,
)
from streams.endpoints.doubao.frames import FrameError, Kind, WireFrame, unpack
from streams.endpoints.doubao.replies import Events, Replies
from streams.endpoints.events import (
    Ending,
    EndpointEvent,
    Notice,
    NoticeLevel,
    Ready,
    Unknown,
    Usage,
    UsageUnit,
)
from streams.endpoints.pieces import FieldError, Fields, QuietCodec, Stamp
from streams.endpoints.protocol import (
    Capabilities,
    Message,
    PlaybackReport,
    PlaybackState,
    Played,
    TurnMode,
)

_SILENT_TOO_LONG = 45000003
"""Error code: ten minutes without dialogue."""


class DoubaoCodec(QuietCodec):
    """The logic of one session; see `streams.endpoints.protocol.Codec` for the methods.

    Args:
        options: What the session asks for.
        session: Its id, which we choose.
    """

    def __init__(self, options: DoubaoOptions, session: str) -> None:
        self._options = options
        self._session = session
        self._manual = options.turns is TurnMode.MANUAL
        self._turns = Replies()
        self._talking = False
        self._answers: list[Message] = []
        self._parted = True

    @property
    def capabilities(self) -> Capabilities:
        """Formats are as asked; nothing is negotiated."""
        report = PlaybackReport.TRUNCATE if self._options.truncates else PlaybackReport.NONE
        return Capabilities(
            protocol="doubao",
            input=INPUT,
            output=OUTPUT,
            turn_modes=frozenset({TurnMode.SERVER_VAD, TurnMode.MANUAL}),
            playback_report=report,
            endpoint_text=True,
            user_text=True,
            speech_events=True,
            response_bounds=True,
            flush=True,
            text_input=True,
            usage_unit=UsageUnit.TOKENS,
            continuous=not self._manual,
        )

    # what we send

    def opening(self) -> Sequence[Message]:
        """`StartConnection`; `StartSession` follows once the connection has started."""
        return [WireFrame(kind=Kind.CLIENT, event=Client.START_CONNECTION, payload=b"{}").pack()]

    def replies(self) -> Sequence[Message]:
        """The next step of the handshake, or of the goodbye."""
        answers, self._answers = self._answers, []
        return answers

    def audio(self, frame: Frame) -> Sequence[Message]:
        """`TaskRequest`; in manual mode only within a turn."""
        if self._manual and not self._talking:
            return []
        task = WireFrame(
            kind=Kind.CLIENT_AUDIO,
            event=Client.TASK_REQUEST,
            id=self._session,
            payload=frame.pcm,
            raw=True,
        )
        return [task.pack()]

    def begin_turn(self) -> Sequence[Message]:
        """Manual mode: audio flows from here on; a reply that is under way is interrupted."""
        self._talking = self._manual
        return self.cancel()

    def end_turn(self) -> Sequence[Message]:
        """Manual mode: `EndASR`."""
        if not self._talking:
            return []
        self._talking = False
        return [self._request(Client.END_ASR)]

    def cancel(self) -> Sequence[Message]:
        """`ClientInterrupt`, which the protocol has in manual mode only."""
        return [self._request(Client.CLIENT_INTERRUPT)] if self._manual and self._turns.response else []

    def text(self, text: str) -> Sequence[Message]:
        """`ChatTextQuery`."""
        return [self._request(Client.CHAT_TEXT_QUERY, content=text)]

    def played(self, report: Played) -> Sequence[Message]:
        """`ConversationTruncate` for a reply that was cut; nothing for one whose name we made."""
        if report.state is not PlaybackState.DROPPED or not self._options.truncates:
            return []
        if not self._turns.may_truncate(report.item):
            return []
        end_ms = min(report.heard, report.received) * 1000 // OUTPUT.rate
        return [self._request(Client.CONVERSATION_TRUNCATE, item_id=report.item, audio_end_ms=end_ms)]

    def closing(self, reason: str) -> Sequence[Message]:
        """`FinishSession`; `FinishConnection` follows the answer."""
        self._parted = False
        return [self._request(Client.FINISH_SESSION)]

    @property
    def parted(self) -> bool:
        """False between `FinishSession` and `ConnectionFinished`."""
        return self._parted

    def _request(self, event: Client, **content: object) -> Message:
        payload = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
        return WireFrame(kind=Kind.CLIENT, event=event, id=self._session, payload=payload).pack()

    # what we receive

    def receive(self, message: Message, *, at: float, raw: int) -> Sequence[EndpointEvent]:
        """The events of one frame; what is no frame gives a `Notice`."""
        stamp = Stamp(at=at, raw=raw)
        try:
            if isinstance(message, str):
                return [Unknown(**stamp, type="text")]
            frame = unpack(message)
            if frame.kind == Kind.ERROR:
                return self._error_frame(frame, stamp)
            if frame.event == Server.TTS_RESPONSE:
                return self._turns.audio(frame.payload, stamp)
            if frame.event in _HANDLERS:
                return _HANDLERS[frame.event](self, _fields(frame), stamp)
        except (FrameError, FieldError) as exc:
            return [Notice(**stamp, level=NoticeLevel.ERROR, code="protocol_violation", message=str(exc))]
        if frame.event in SILENT:
            return []
        return [Unknown(**stamp, type=f"event {frame.event}, message type {frame.kind}")]

    def _error_frame(self, frame: WireFrame, stamp: Stamp) -> Events:
        text = frame.payload.decode("utf-8", "replace")
        with contextlib.suppress(FieldError):  # else it is plain text
            text = Fields.parse(frame.payload).text("error", "") or text
        events: Events = [_error(str(frame.code), text[:500], stamp)]
        if frame.code == _SILENT_TOO_LONG:
            events.append(Ending(**stamp, reason="ten minutes without dialogue"))
        return events

    def _connection_started(self, fields: Fields, stamp: Stamp) -> Events:
        payload = json.dumps(start_session(self._options), ensure_ascii=False).encode("utf-8", "replace")
        start = WireFrame(kind=Kind.CLIENT, event=Client.START_SESSION, id=self._session, payload=payload)
        self._answers.append(start.pack())
        return []

    def _session_started(self, fields: Fields, stamp: Stamp) -> Events:
        dialog = fields.text("dialog_id", "")
        return [Ready(**stamp, session=dialog or self._session, model=self._options.model)]

    def _session_finished(self, fields: Fields, stamp: Stamp) -> Events:
        if self._parted:  # we have not asked for it
            return [Ending(**stamp, time_left_s=0.0, reason="the endpoint finished the session")]
        finish = WireFrame(kind=Kind.CLIENT, event=Client.FINISH_CONNECTION, payload=b"{}")
        self._answers.append(finish.pack())
        return []

    def _connection_finished(self, fields: Fields, stamp: Stamp) -> Events:
        self._parted = True
        return []

    def _failed(self, fields: Fields, stamp: Stamp) -> Events:
        return [_error("failed", fields.text("error", ""), stamp)]

    def _common_error(self, fields: Fields, stamp: Stamp) -> Events:
        code, message = fields.raw("status_code"), fields.text("message", "")
        shown = str(code)[:40] if isinstance(code, str | int) else "dialog_error"
        return [Notice(**stamp, level=NoticeLevel.ERROR, code=shown, message=message)]

    def _usage(self, fields: Fields, stamp: Stamp) -> Events:
        values = fields.child("usage").numbers()
        if not values:
            return []
        return [Usage(**stamp, unit=UsageUnit.TOKENS, values=values, response=self._turns.latest)]

    def _sentence(self, fields: Fields, stamp: Stamp) -> Events:
        return self._turns.begin(fields.text("reply_id", ""), stamp, source=fields.text("tts_type", ""))

    def _chat(self, fields: Fields, stamp: Stamp) -> Events:
        return self._turns.text(fields.text("content", ""), fields.text("reply_id", ""), stamp)

    def _tts_ended(self, fields: Fields, stamp: Stamp) -> Events:
        events = self._turns.end(stamp, fields.text("reply_id", ""))
        code = fields.raw("status_code")
        if isinstance(code, str | int):
            message = f"the reply ended with status {code}"[:80]
            events.append(Notice(**stamp, level=NoticeLevel.INFO, code="tts_ended", message=message))
        return events

    def _asr_info(self, fields: Fields, stamp: Stamp) -> Events:
        return self._turns.user_began(fields.text("question_id", ""), stamp)

    def _asr_response(self, fields: Fields, stamp: Stamp) -> Events:
        texts = [each.text("text", "") for each in fields.children("results")]
        return self._turns.user_text("".join(texts), stamp)

    def _asr_ended(self, fields: Fields, stamp: Stamp) -> Events:
        return self._turns.user_ended(stamp)


def _fields(frame: WireFrame) -> Fields:
    return Fields.parse(frame.payload) if frame.payload else Fields({})


def _error(code: str, message: str, stamp: Stamp) -> Notice:
    return Notice(**stamp, level=NoticeLevel.ERROR, code=code, message=message, fatal=True)


_HANDLERS: dict[int, Callable[[DoubaoCodec, Fields, Stamp], Events]] = {
    Server.CONNECTION_STARTED: DoubaoCodec._connection_started,
    Server.CONNECTION_FAILED: DoubaoCodec._failed,
    Server.CONNECTION_FINISHED: DoubaoCodec._connection_finished,
    Server.SESSION_STARTED: DoubaoCodec._session_started,
    Server.SESSION_FINISHED: DoubaoCodec._session_finished,
    Server.SESSION_FAILED: DoubaoCodec._failed,
    Server.USAGE: DoubaoCodec._usage,
    Server.TTS_SENTENCE_START: DoubaoCodec._sentence,
    Server.TTS_ENDED: DoubaoCodec._tts_ended,
    Server.ASR_INFO: DoubaoCodec._asr_info,
    Server.ASR_RESPONSE: DoubaoCodec._asr_response,
    Server.ASR_ENDED: DoubaoCodec._asr_ended,
    Server.CHAT_RESPONSE: DoubaoCodec._chat,
    Server.DIALOG_COMMON_ERROR: DoubaoCodec._common_error,
}
