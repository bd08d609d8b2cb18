"""OpenAI Realtime and the servers that speak a dialect of it, as the vendors' documents have them.

What a dialect is stands here a second time, apart from the table that the adapter works with: what one of
them gets wrong, the other does not repeat.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from streams import g711
from streams.audio import Encoding
from streams.endpoints.events import Edge, ResponseStatus
from streams.endpoints.protocol import Message
from tests.streams.vendors.vendor import Absent, Concept, PlaybackTold, Reply

Json = dict[str, Any]

MODEL = "gpt-4o-realtime-preview"
"""What the server runs."""

GA = {"audio": "response.output_audio", "words": "response.output_audio_transcript", "item": "added"}
BETA = {"audio": "response.audio", "words": "response.audio_transcript", "item": "created"}

PCM_24K = {"pcm16": (24000, Encoding.PCM16)}
G711 = {"g711_ulaw": (8000, Encoding.MULAW), "g711_alaw": (8000, Encoding.ALAW)}


@dataclass(frozen=True, slots=True)
class Kind:
    """One server.

    Attributes:
        scheme: With which it is called at an address of one's own.
        nested: `session.audio.input.format`; else flat, with the names of `heard` and `spoken`.
        names: Of its events.
        top: What it wants at the top of a nested session.
        truncates: It takes `conversation.item.truncate` and `.delete`; `acks`: `playback.ack`.
        ids: Its sound names items, and its calls have ids.
        opens: It says nothing before `session.update`, and then `session.created`.
        client_vad: Its word for turn detection by the client; null where there is none.
    """

    scheme: str
    nested: bool
    names: dict[str, str]
    heard: dict[str, tuple[int, Encoding]] | None = None
    spoken: dict[str, tuple[int, Encoding]] | None = None
    top: frozenset[str] = frozenset({"type"})
    truncates: bool = True
    acks: bool = False
    ids: bool = True
    opens: bool = False
    client_vad: str | None = None
    query: str = ""


_FLAT = {**PCM_24K, **G711}
_16K = (16000, Encoding.PCM16)

KINDS = {
    "openai": Kind("openai", True, GA),
    "openai-beta": Kind("openai", False, BETA, _FLAT, _FLAT, query="&dialect=openai-beta"),
    "azure": Kind("azure-openai", True, GA),
    "azure-beta": Kind("openai", False, BETA, _FLAT, _FLAT, query="&dialect=azure-beta"),
    "voice-live": Kind("azure-voice-live", False, BETA, _FLAT, {**_FLAT, "pcm16_16000hz": _16K}),
    "qwen": Kind("qwen", False, BETA, {"pcm": _16K}, {"pcm": (24000, Encoding.PCM16)}, truncates=False),
    "xai": Kind("xai", True, GA, top=frozenset({"turn_detection"})),
    "glm": Kind(
        "glm",
        False,
        BETA,
        {"pcm16": _16K, "pcm24": (24000, Encoding.PCM16)},
        {"pcm": (24000, Encoding.PCM16)},
        truncates=False,
        ids=False,
        client_vad="client_vad",
    ),
    "stepfun": Kind("stepfun", False, BETA, PCM_24K, PCM_24K, truncates=False),
    "s2s": Kind("s2s", True, {**GA, "item": "created"}, truncates=False),
    "vllm-omni": Kind("vllm-omni", True, GA, truncates=False, acks=True, opens=True),
}
"""All of them by the name of their dialect."""

_NESTED = {
    "audio/pcm": Encoding.PCM16,
    "audio/pcmu": Encoding.MULAW,
    "audio/pcma": Encoding.ALAW,
    "audio/g711_ulaw": Encoding.MULAW,
    "audio/g711_alaw": Encoding.ALAW,
}

_ALWAYS = frozenset(
    {
        Concept.TEXT,
        Concept.USER_TEXT,
        Concept.USER_SPEECH,
        Concept.RESPONSE_BOUNDS,
        Concept.CANCELLED_BOUNDS,
        Concept.FLUSH,
        Concept.ERRORS,
        Concept.FATAL_ERRORS,
        Concept.ENDING,
        Concept.USAGE,
        Concept.BASE64,
    }
)


class RealtimeVendor:
    """One session of one of these servers; see `Vendor` for the methods.

    Args:
        dialect: A name of `KINDS`.
    """

    def __init__(self, dialect: str = "openai") -> None:
        self.kind = kind = KINDS[dialect]
        self.name = f"OpenAI Realtime: {dialect}"
        self.concepts = _ALWAYS | (
            frozenset({Concept.ITEM_IDS, Concept.TOOLS}) if kind.ids else frozenset()
        )
        if kind.truncates or kind.acks:
            self.concepts |= {Concept.PLAYED}
        self.input_rate = self.output_rate = 24000
        self.heard = bytearray()
        self.told: list[PlaybackTold] = []
        self.tool_results: list[tuple[str, str]] = []
        self.goodbye = False
        self.pongs = 0
        self.session: Json = {}
        """What the client asked for."""
        self.asked: list[str] = []
        """Types of the client's messages."""
        self._codings = {False: Encoding.PCM16, True: Encoding.PCM16}
        self._delivered: dict[str, int] = {}  # bytes of PCM16, by item
        self._words: dict[str, str] = {}
        self._tokens = 0
        self._sent = 0

    # --- the client's side

    def address(self, host: str) -> str:
        """As in README."""
        return f"{self.kind.scheme}+ws://{host}/v1/realtime?model=m{self.kind.query}"

    def greet(self) -> Sequence[Message]:
        """`session.created`."""
        return [] if self.kind.opens else [self._event("session.created", session=self._settled())]

    def take(self, message: Message) -> Sequence[Message]:
        """One client event."""
        assert isinstance(message, str), "a binary message"
        event = json.loads(message)
        kind = event.pop("type")
        self.asked.append(kind)
        match kind:
            case "session.update":
                return self._update(event["session"])
            case "input_audio_buffer.append":
                self.heard += g711.decode(base64.b64decode(event["audio"]), self._codings[False])
            case "input_audio_buffer.commit":
                assert self.heard, "a commit of nothing"
                return [
                    self._event("input_audio_buffer.committed", item_id="user-1", previous_item_id=None)
                ]
            case "conversation.item.truncate" | "conversation.item.delete" | "playback.ack":
                return self._playback(kind, event)
            case "conversation.item.create":
                return self._item(event["item"])
            case "session.close" if self.kind.opens:
                self.goodbye = True
            case _:
                assert kind in ("response.create", "response.cancel"), f"the event {kind}"
        return []

    def _update(self, session: Json) -> Sequence[Message]:
        self.session = session
        if self.kind.nested:
            audio = session["audio"]
            wanted = [audio["input"]["format"], audio["output"]["format"]]
            codings = [_NESTED[each["type"]] for each in wanted]
            rates = [each.get("rate", 8000) for each in wanted]
            missing = self.kind.top - session.keys()
            assert not missing, f"a session without {missing}"
        else:
            assert self.kind.heard is not None and self.kind.spoken is not None
            heard = self.kind.heard[session["input_audio_format"]]
            spoken = self.kind.spoken[session["output_audio_format"]]
            rates = [session.get("input_audio_sampling_rate", heard[0]), spoken[0]]
            codings = [heard[1], spoken[1]]
        self.input_rate, self.output_rate = rates
        self._codings = {False: codings[0], True: codings[1]}
        done = "session.created" if self.kind.opens else "session.updated"
        return [self._event(done, session=self._settled())]

    def _settled(self) -> Json:
        """The session as the server has it: what was asked for comes back."""
        base = {"id": "sess_1", "object": "realtime.session", "model": MODEL, **self.session}
        return {"type": "realtime", **base} if self.kind.nested else base

    def _playback(self, kind: str, event: Json) -> Sequence[Message]:
        item = event["item_id"]
        assert item in self._delivered, f"{kind} of the item {item}"
        if kind == "playback.ack":
            assert self.kind.acks, kind
            self._tell(item, event["played_ms"])
            return [self._event("playback.acknowledged", item_id=item, played_ms=event["played_ms"])]
        assert self.kind.truncates, kind
        if kind.endswith("delete"):
            self.told.append(PlaybackTold(item, 0))
            return [self._event("conversation.item.deleted", item_id=item)]
        assert event["content_index"] == 0
        self._tell(item, event["audio_end_ms"])
        told = {"item_id": item, "content_index": 0, "audio_end_ms": event["audio_end_ms"]}
        return [self._event("conversation.item.truncated", **told)]

    def _tell(self, item: str, ms: int) -> None:
        """More than was delivered is an error at OpenAI."""
        samples = ms * self.output_rate // 1000
        assert 2 * samples <= self._delivered[item], f"{ms} ms of {item}, which has not so much"
        self.told.append(PlaybackTold(item, samples))

    def _item(self, item: Json) -> Sequence[Message]:
        if item["type"] == "function_call_output":
            self.tool_results.append((item["call_id"], item["output"]))
        kept = {"id": f"item_{self._sent}", "object": "realtime.item", "status": "completed", **item}
        return [self._event(self._added, item=kept, previous_item_id=None)]

    # --- the server's side

    def begin(self, reply: Reply) -> Sequence[Message]:
        """The response, its item and the part that will be filled."""
        item = {"id": reply.item, "object": "realtime.item", "type": "message", "role": "assistant"}
        whole: Json = {**item, "status": "in_progress", "content": []}
        part = {"type": "audio", "transcript": ""}
        return [
            self._event("response.created", response=self._response(reply, "in_progress")),
            self._event(
                "response.output_item.added", response_id=reply.response, output_index=0, item=whole
            ),
            self._event(self._added, item=whole, previous_item_id=None),
            self._event("response.content_part.added", **self._place(reply), part=part),
        ]

    def audio(self, reply: Reply, pcm: bytes) -> Sequence[Message]:
        """A delta. G.711 has one byte a sample."""
        coding = self._codings[True]
        data = pcm if coding is Encoding.PCM16 else g711.encode(pcm, coding)
        self._delivered[reply.item] = self._delivered.get(reply.item, 0) + len(pcm)
        delta = base64.b64encode(data).decode()
        return [self._event(f"{self.kind.names['audio']}.delta", **self._place(reply), delta=delta)]

    def text(self, reply: Reply, text: str, *, final: bool) -> Sequence[Message]:
        """A piece of the transcript, or all of it."""
        words = self.kind.names["words"]
        if final:
            self._words[reply.item] = text
            return [self._event(f"{words}.done", **self._place(reply), transcript=text)]
        return [self._event(f"{words}.delta", **self._place(reply), delta=text)]

    def end(self, reply: Reply, status: ResponseStatus = ResponseStatus.COMPLETED) -> Sequence[Message]:
        """Everything is done, or the response is cancelled since a turn was detected."""
        messages = []
        if reply.item in self._delivered:
            messages.append(self._event(f"{self.kind.names['audio']}.done", **self._place(reply)))
        done = self._response(reply, status.value)
        if status is not ResponseStatus.COMPLETED:
            done["status_details"] = {"type": status.value, "reason": "turn_detected"}
        return [*messages, self._event("response.done", response=done)]

    def user_text(self, text: str, *, item: str) -> Sequence[Message]:
        """The final transcript of a user's turn."""
        kind = "conversation.item.input_audio_transcription.completed"
        usage = {"type": "duration", "seconds": 1.0}
        return [self._event(kind, item_id=item, content_index=0, transcript=text, usage=usage)]

    def user_speech(self, edge: Edge) -> Sequence[Message]:
        """The server's voice activity."""
        name, stamp = ("started", "audio_start_ms") if edge is Edge.START else ("stopped", "audio_end_ms")
        return [self._event(f"input_audio_buffer.speech_{name}", item_id="user-1", **{stamp: 1000})]

    def flush(self) -> Sequence[Message]:
        """The user was heard to begin: the client shall be silent."""
        return self.user_speech(Edge.START)

    def mark(self, name: str) -> Sequence[Message]:
        """None."""
        raise Absent

    def tool(self, call: str, name: str, arguments: str) -> Sequence[Message]:
        """A call, as three messages tell it."""
        item = {"id": "item-call", "object": "realtime.item", "type": "function_call", "call_id": call}
        named = {**item, "name": name, "status": "completed"}
        place = {"response_id": "resp-a", "output_index": 1}
        done = {"item_id": "item-call", "call_id": call, "arguments": arguments}
        if self.kind.nested:  # the beta tells the name in the item alone
            done["name"] = name
        return [
            self._event("response.output_item.added", **place, item={**named, "arguments": ""}),
            self._event("response.function_call_arguments.done", **place, **done),
            self._event("response.output_item.done", **place, item={**named, "arguments": arguments}),
        ]

    def tool_cancel(self, call: str) -> Sequence[Message]:
        """None."""
        raise Absent

    def error(self, message: str, *, fatal: bool) -> Sequence[Message]:
        """An error; after `session_expired` the server closes."""
        kind = ("invalid_request_error", "session_expired") if fatal else ("server_error", "internal")
        return [self._event("error", error=self._error(*kind, message))]

    def ending(self, seconds: float) -> Sequence[Message]:
        """It says that the session is over, and not when it closes."""
        if self.kind.opens:
            return [self._event("session.expired", reason="max_age")]
        return self.error("Your session hit the maximum duration.", fatal=True)

    def ping(self) -> Sequence[Message]:
        """None that wants an answer."""
        raise Absent

    def usage(self, *, tokens: int) -> Sequence[Message]:
        """It comes with the end of the response."""
        self._tokens = tokens
        return []

    def unknown(self) -> Sequence[Message]:
        """An event of tomorrow."""
        return [self._event("response.output_smell.delta", delta="roses")]

    def malformed(self) -> Sequence[Message]:
        """Base64 that is none, fields of other types, no event, no JSON."""
        audio = f"{self.kind.names['audio']}.delta"
        return [
            self._event(audio, item_id="item-a", response_id="resp-a", delta="no base64!"),
            self._event(audio, item_id=7, response_id="resp-a", delta="AAAA"),
            self._event("response.created", response="resp-a"),
            self._event("input_audio_buffer.speech_started", item_id="u", audio_start_ms="soon"),
            json.dumps({"event_id": "event_x"}),
            json.dumps([{"type": "response.done"}]),
            '{"type": "response.do',
        ]

    @property
    def _added(self) -> str:
        return f"conversation.item.{self.kind.names['item']}"

    def _place(self, reply: Reply) -> Json:
        named = {"item_id": reply.item} if self.kind.ids else {}
        return {"response_id": reply.response, **named, "output_index": 0, "content_index": 0}

    def _response(self, reply: Reply, status: str) -> Json:
        response: Json = {"id": reply.response, "object": "realtime.response", "status": status}
        if status == "in_progress":
            return {**response, "output": []}
        tokens, self._tokens = self._tokens, 0
        counted = {"text_tokens": tokens // 3, "audio_tokens": tokens - tokens // 3}
        totals = {"total_tokens": tokens, "input_tokens": 0, "output_tokens": tokens}
        return {**response, "output": [], "usage": {**totals, "output_token_details": counted}}

    def _error(self, kind: str, code: str, message: str) -> Json:
        return {"type": kind, "code": code, "message": message, "param": None, "event_id": None}

    def _event(self, kind: str, **fields: Any) -> str:
        self._sent += 1
        return json.dumps({"type": kind, "event_id": f"event_{self._sent}", **fields})
