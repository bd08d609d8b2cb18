"""The server's side of OpenAI Realtime (GA), without I/O: messages in, commands out, and back.

A client that sets up its session in the beta shape is answered with the beta's event names.
"""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Iterable
from typing import Any

from pydantic import TypeAdapter, ValidationError

from streams import g711
from streams.audio import AudioFormatError
from streams.endpoints.events import ResponseStatus
from streams.endpoints.protocol import Message
from streams.reference import happenings as did
from streams.reference.commands import AnyCommand, Append, Command, UpdateSession
from streams.reference.settings import SessionSettings, TurnTaking, describe

_COMMANDS: TypeAdapter[Command] = TypeAdapter(AnyCommand)

_BETA_NAMES = {
    "response.output_audio.delta": "response.audio.delta",
    "response.output_audio.done": "response.audio.done",
    "response.output_audio_transcript.delta": "response.audio_transcript.delta",
    "response.output_audio_transcript.done": "response.audio_transcript.done",
    "conversation.item.added": "conversation.item.created",
}

_PART = {"output_index": 0, "content_index": 0}

Json = dict[str, Any]


class ServerCodec:
    """One session's messages.

    Args:
        session: Id of the session.
        model: What the client asked for; it is echoed.
        settings: The settings until the client changes them.
    """

    def __init__(self, session: str, model: str = "", settings: SessionSettings | None = None) -> None:
        self.session = session
        self.model = model
        self.settings = settings or SessionSettings()
        self._turn_taking = self.settings.turn_taking or TurnTaking()
        self._audio_began = False
        self._numbers = itertools.count(1)

    def receive(self, message: Message) -> Command | did.Refused:
        """Read one client message. Settings change here, so that the next audio is read by them."""
        try:
            document = json.loads(message)
        except ValueError as error:
            return did.Refused("invalid_json", f"The message is no JSON text: {error}.")
        if not isinstance(document, dict):
            return did.Refused("invalid_json", "The message is no JSON object.")
        event_id = document.get("event_id")
        try:
            command = _COMMANDS.validate_python(document)
        except ValidationError as error:
            return _refusal(error, event_id if isinstance(event_id, str) else None)
        match command:
            case Append():
                return self._decoded(command)
            case UpdateSession():
                return self._updated(command)
        return command

    def _decoded(self, command: Append) -> Append | did.Refused:
        wire = self.settings.input
        try:
            wire.samples(len(command.audio))
        except AudioFormatError as error:
            return did.Refused("invalid_value", f"{error}.", command.event_id, "audio")
        self._audio_began = True
        return command.model_copy(update={"audio": g711.decode(command.audio, wire.encoding)})

    def _updated(self, command: UpdateSession) -> UpdateSession | did.Refused:
        settings = command.session.apply(self.settings, self._turn_taking)
        formats = (settings.input, settings.output)
        if self._audio_began and formats != (self.settings.input, self.settings.output):
            message = "Audio formats cannot change after audio has flowed; set them before."
            return did.Refused("cannot_update_format", message, command.event_id, "session.audio")
        self.settings = settings
        return command

    def send(self, happening: did.Happening) -> list[str]:
        """The messages that tell a happening, in order."""
        return [self._message(body) for body in self._bodies(happening)]

    def _message(self, body: Json) -> str:
        if self.settings.beta:
            body = {**body, "type": _BETA_NAMES.get(body["type"], body["type"])}
        return json.dumps({"event_id": f"event_{next(self._numbers):06d}", **body})

    def _bodies(self, happening: did.Happening) -> Iterable[Json]:
        match happening:
            case did.SessionOpened():
                return [{"type": "session.created", "session": self._session()}]
            case did.SessionChanged():
                return [{"type": "session.updated", "session": self._session()}]
            case did.ReplyAudio(response, item, pcm):
                self._audio_began = True
                delta = base64.b64encode(g711.encode(pcm, self.settings.output.encoding)).decode()
                return [_of_reply("response.output_audio.delta", response, item, delta=delta)]
            case did.ReplyText(response, item, text):
                return [_of_reply("response.output_audio_transcript.delta", response, item, delta=text)]
            case did.ReplyBegan(response):
                return [{"type": "response.created", "response": _response(response, "in_progress")}]
            case did.ReplyItemBegan():
                return self._item_bodies(happening.item, happening.previous, _begun(happening))
            case did.ReplyToolCalled():
                return self._call_bodies(happening)
            case did.ReplyEnded():
                return _ended(happening, beta=self.settings.beta)
            case did.Refused(code, message, event_id, param):
                error = {
                    "type": "invalid_request_error",
                    "code": code,
                    "message": message,
                    "param": param,
                    "event_id": event_id,
                }
                return [{"type": "error", "error": error}]
        return self._user_bodies(happening)

    def _user_bodies(self, happening: did.Happening) -> Iterable[Json]:
        match happening:
            case did.UserBegan(item, ms):
                return [
                    {"type": "input_audio_buffer.speech_started", "audio_start_ms": ms, "item_id": item}
                ]
            case did.UserStopped(item, ms):
                return [{"type": "input_audio_buffer.speech_stopped", "audio_end_ms": ms, "item_id": item}]
            case did.UserCommitted(item, previous):
                committed = {
                    "type": "input_audio_buffer.committed",
                    "item_id": item,
                    "previous_item_id": previous,
                }
                content = {"type": "input_audio", "transcript": None}
                return [committed, *self._whole_item(item, previous, "user", content)]
            case did.TextItemAdded(item, previous, role, text):
                kind = "output_text" if role == "assistant" else "input_text"
                return self._whole_item(item, previous, role, {"type": kind, "text": text})
            case did.ToolOutputAdded(item, previous, call, output):
                value = {**_BASE_ITEM, "id": item, "type": "function_call_output"}
                return self._placed({**value, "call_id": call, "output": output}, previous)
            case did.UserTranscribed(item, text, seconds):
                usage = {"type": "duration", "seconds": round(seconds, 3)}
                return [_transcription("completed", item, transcript=text, usage=usage)]
            case did.UserNotTranscribed(item, message):
                error = {"type": "transcription_error", "code": "recogniser_failed", "message": message}
                return [_transcription("failed", item, error=error)]
            case did.InputCleared():
                return [{"type": "input_audio_buffer.cleared"}]
            case did.ItemDeleted(item):
                return [{"type": "conversation.item.deleted", "item_id": item}]
            case did.ItemTruncated(item, ms):
                truncated = {"type": "conversation.item.truncated", "item_id": item}
                return [{**truncated, "content_index": 0, "audio_end_ms": ms}]
        raise AssertionError(f"no message tells {happening!r}")

    def _session(self) -> Json:
        return describe(self.settings, session=self.session, model=self.model)

    def _whole_item(self, item: str, previous: str | None, role: str, content: Json) -> list[Json]:
        return self._placed(_item(item, role, "completed", content), previous)

    def _placed(self, value: Json, previous: str | None) -> list[Json]:
        added = {"type": "conversation.item.added", "previous_item_id": previous, "item": value}
        # beta knew one event for both
        return [added] if self.settings.beta else [added, {**added, "type": "conversation.item.done"}]

    def _call_bodies(self, called: did.ReplyToolCalled) -> list[Json]:
        value = _call(called)
        begun = {**value, "status": "in_progress", "arguments": ""}
        place = {"response_id": called.response, "output_index": 0}
        named = {"item_id": called.item, "call_id": called.call, "name": called.name}
        done = "response.function_call_arguments.done"
        return [
            {"type": "response.output_item.added", **place, "item": begun},
            *self._placed(value, called.previous),
            {"type": done, **place, **named, "arguments": called.arguments},
            {"type": "response.output_item.done", **place, "item": value},
        ]

    def _item_bodies(self, item: str, previous: str | None, around: list[Json]) -> list[Json]:
        value = _item(item, "assistant", "in_progress")
        added = {"type": "conversation.item.added", "previous_item_id": previous, "item": value}
        return [around[0], added, *around[1:]]


def _refusal(error: ValidationError, event_id: str | None) -> did.Refused:
    first = error.errors(include_url=False, include_input=False)[0]
    where = [str(part) for part in first["loc"]]
    param = ".".join(where[1:]) or "type"
    code = "missing_required_parameter" if first["type"] == "missing" else "invalid_value"
    return did.Refused(code, f"{param}: {first['msg']}.", event_id, param)


def _item(item: str, role: str, status: str, *content: Json) -> Json:
    return {
        "id": item,
        "object": "realtime.item",
        "type": "message",
        "status": status,
        "role": role,
        "content": list(content),
    }


_BASE_ITEM: Json = {"object": "realtime.item", "status": "completed"}


def _call(called: did.ReplyToolCalled) -> Json:
    value = {**_BASE_ITEM, "id": called.item, "type": "function_call", "call_id": called.call}
    return {**value, "name": called.name, "arguments": called.arguments}


def _of_reply(kind: str, response: str, item: str, **more: object) -> Json:
    return {"type": kind, "response_id": response, "item_id": item, **_PART, **more}


def _transcription(how: str, item: str, **more: object) -> Json:
    kind = f"conversation.item.input_audio_transcription.{how}"
    return {"type": kind, "item_id": item, "content_index": 0, **more}


def _response(response: str, status: str, **more: object) -> Json:
    base = {"id": response, "object": "realtime.response", "status": status, "status_details": None}
    return {**base, "output": [], "output_modalities": ["audio"], "usage": None, "metadata": None, **more}


def _begun(happening: did.ReplyItemBegan) -> list[Json]:
    response, item = happening.response, happening.item
    added = {
        "type": "response.output_item.added",
        "response_id": response,
        "output_index": 0,
        "item": _item(item, "assistant", "in_progress"),
    }
    part = {"type": "audio", "transcript": ""}
    return [added, _of_reply("response.content_part.added", response, item, part=part)]


def _ended(end: did.ReplyEnded, *, beta: bool) -> list[Json]:
    completed = end.status is ResponseStatus.COMPLETED
    bodies: list[Json] = []
    output: list[Json] = [_call(each) for each in end.calls]
    if end.item is not None:
        content = {"type": "audio" if beta else "output_audio", "transcript": end.text}
        item = _item(end.item, "assistant", "completed" if completed else "incomplete", content)
        part = {"type": "audio", "transcript": end.text}
        done = {"type": "response.output_item.done", "response_id": end.response, "output_index": 0}
        output.append(item)
        bodies = [
            _of_reply("response.output_audio.done", end.response, end.item),
            _of_reply("response.output_audio_transcript.done", end.response, end.item, transcript=end.text),
            _of_reply("response.content_part.done", end.response, end.item, part=part),
            {**done, "item": item},
        ]
        if not beta:
            bodies.append({"type": "conversation.item.done", "item": item})
    response = _response(
        end.response,
        end.status.value,
        status_details=_details(end),
        output=output,
        usage=_usage(end.tokens),
        metadata=dict(end.metadata) or None,
    )
    return [*bodies, {"type": "response.done", "response": response}]


def _details(end: did.ReplyEnded) -> Json | None:
    match end.status:
        case ResponseStatus.COMPLETED:
            return None
        case ResponseStatus.FAILED:
            error = {"type": "server_error", "code": "reply_failed", "message": end.reason}
            return {"type": end.status.value, "error": error}
    return {"type": end.status.value, "reason": end.reason}


def _usage(tokens: did.Tokens) -> Json:
    heard, spoken = tokens.audio_in, tokens.audio_out + tokens.text_out
    return {
        "total_tokens": heard + spoken,
        "input_tokens": heard,
        "output_tokens": spoken,
        "input_token_details": {
            "text_tokens": 0,
            "audio_tokens": tokens.audio_in,
            "cached_tokens": 0,
        },
        "output_token_details": {"text_tokens": tokens.text_out, "audio_tokens": tokens.audio_out},
    }
