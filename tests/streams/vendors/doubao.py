"""A server of Doubao. Its binary frames are written here anew: it shares no code with the codec."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Sequence
from typing import Any

from streams.endpoints.events import Edge, ResponseStatus
from streams.endpoints.protocol import Message
from tests.streams.vendors.quiet_vendor import QuietVendor
from tests.streams.vendors.vendor import Concept, PlaybackTold, Reply

SESSION_STARTED, USAGE = 150, 154


class DoubaoVendor(QuietVendor):
    """PCM16 at 16 kHz in, 24 kHz out; every JSON payload that it sends is compressed."""

    name = "Doubao"
    concepts = frozenset(
        {
            Concept.TEXT,
            Concept.USER_TEXT,
            Concept.USER_SPEECH,
            Concept.RESPONSE_BOUNDS,
            Concept.FLUSH,
            Concept.PLAYED,
            Concept.ERRORS,
            Concept.FATAL_ERRORS,
            Concept.ENDING,
            Concept.USAGE,
        }
    )
    input_rate = 16000
    output_rate = 24000

    def __init__(self) -> None:
        super().__init__()
        self._texts: dict[str, str] = {}
        self._questions = 0
        self.session = ""
        self.config: dict[str, Any] = {}
        self.events: list[int] = []
        """Numbers of the events that came in, audio left out."""
        self.queries: list[str] = []

    def address(self, host: str) -> str:
        return f"doubao+ws://{host}/api/v3/realtime/dialogue"

    def take(self, message: Message) -> Sequence[Message]:
        event, session, payload = self._read(message)
        if event == 200:
            assert session == self.session
            assert payload, "45000002 Empty audio"
            self.heard += payload
            return []
        self.events.append(event)
        body = json.loads(payload)
        match event:
            case 1:
                return [frame(50, {}, name="connection-1")]
            case 100:
                self.session, self.config = session, body
                assert self.config["tts"]["audio_config"]["format"] == "pcm_s16le"
                return [self._session(SESSION_STARTED, {"dialog_id": "dialog-1"})]
            case 102:
                return [self._session(152, {})]
            case 2:
                self.goodbye = True
                return [frame(52, {})]
            case 400 | 515:
                assert self.config["dialog"]["extra"]["input_mod"] == "push_to_talk"
            case 501:
                self.queries.append(body["content"])
                return [self._session(553, {"question_id": "q"})]
            case 513:
                assert self.config["dialog"]["extra"]["enable_conversation_truncate"]
                samples = body["audio_end_ms"] * self.output_rate // 1000
                self.told.append(PlaybackTold(body["item_id"], samples))
                return [self._session(570, {})]
            case _:
                raise AssertionError(f"Doubao has no event {event}")
        return []

    def _read(self, message: Message) -> tuple[int, str, bytes]:
        """Event, session and payload of a client's frame."""
        assert isinstance(message, bytes), "frames are binary"
        version, kind, serialisation, reserved, event = struct.unpack_from(">BBBBI", message)
        assert (version, reserved) == (0x11, 0)
        assert (kind, serialisation) == ((0x24, 0x00) if event == 200 else (0x14, 0x10))
        at, session = 8, ""
        if event >= 100:
            (size,) = struct.unpack_from(">I", message, at)
            session = message[at + 4 : at + 4 + size].decode()
            at += 4 + size
        (size,) = struct.unpack_from(">I", message, at)
        payload = message[at + 4 :]
        assert len(payload) == size
        return event, session, payload

    def _session(self, event: int, body: object) -> bytes:
        return frame(event, body, name=self.session)

    def begin(self, reply: Reply) -> Sequence[Message]:
        return [
            self._session(
                350, {"tts_type": "default", "text": "", "question_id": "q", "reply_id": reply.response}
            )
        ]

    def audio(self, reply: Reply, pcm: bytes) -> Sequence[Message]:
        return [sound(pcm, self.session)]

    def text(self, reply: Reply, text: str, *, final: bool) -> Sequence[Message]:
        said = self._texts.get(reply.response, "")
        piece = text.removeprefix(said) if final else text
        self._texts[reply.response] = said + piece
        names = {"question_id": "q", "reply_id": reply.response}
        chat = self._session(550, {"content": piece, **names})
        return [chat, self._session(559, names)] if final else [chat]

    def end(self, reply: Reply, status: ResponseStatus = ResponseStatus.COMPLETED) -> Sequence[Message]:
        return [self._session(359, {"question_id": "q", "reply_id": reply.response})]

    def user_text(self, text: str, *, item: str) -> Sequence[Message]:
        heard = self._session(451, {"results": [{"text": text, "is_interim": False}]})
        return [self._session(450, {"question_id": item}), heard]

    def user_speech(self, edge: Edge) -> Sequence[Message]:
        return [self._session(459, {})] if edge is Edge.STOP else self.flush()

    def flush(self) -> Sequence[Message]:
        self._questions += 1
        return [self._session(450, {"question_id": f"q-{self._questions}"})]

    def error(self, message: str, *, fatal: bool) -> Sequence[Message]:
        if fatal:
            return [failure(55000001, message)]
        return [self._session(599, {"status_code": "50000000", "message": message})]

    def ending(self, seconds: float) -> Sequence[Message]:
        return [failure(45000003, "Abnormal silence audio")]

    def usage(self, *, tokens: int) -> Sequence[Message]:
        counts = {"input_audio_tokens": 12, "output_audio_tokens": tokens, "output_text_tokens": 3}
        return [self._session(USAGE, {"usage": counts})]

    def unknown(self) -> Sequence[Message]:
        return [self._session(777, {"what": "new"})]

    def malformed(self) -> Sequence[Message]:
        good = self._session(550, {"content": "a"})
        bomb = gzip.compress(bytes(1 << 25))
        return [
            "text",
            b"",
            good[:11],
            good + b"x",
            b"\x21" + good[1:],
            good[:8] + struct.pack(">I", 1 << 31) + good[12:],
            raw_frame(0x94, 0x11, 550, self.session, b"no gzip"),
            raw_frame(0x94, 0x11, 550, self.session, bomb),
            raw_frame(0x94, 0x10, 451, self.session, b'{"results": 7}'),
            raw_frame(0x94, 0x10, 550, self.session, b"[]"),
        ]


def raw_frame(kind: int, how: int, event: int, name: str, payload: bytes) -> bytes:
    """A server's frame: type and flags, serialisation and compression, event, id, payload."""
    named = struct.pack(">I", len(name.encode())) + name.encode() if name else b""
    return (
        bytes([0x11, kind, how, 0])
        + struct.pack(">I", event)
        + named
        + struct.pack(">I", len(payload))
        + payload
    )


def frame(event: int, body: object, *, name: str = "") -> bytes:
    """A full server response with a compressed JSON payload."""
    return raw_frame(0x94, 0x11, event, name, gzip.compress(json.dumps(body).encode()))


def sound(pcm: bytes, session: str) -> bytes:
    """An audio-only response."""
    return raw_frame(0xB4, 0x00, 352, session, pcm)


def failure(code: int, message: str) -> bytes:
    """An error frame: code instead of an event."""
    payload = json.dumps({"error": message}).encode()
    return bytes([0x11, 0xF0, 0x10, 0]) + struct.pack(">II", code, len(payload)) + payload
