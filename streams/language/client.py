"""Chat with a language model on any OpenAI-compatible server."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import parse_qsl, urlsplit

from pydantic import BaseModel, ValidationError

from streams.clock import now
from streams.language.errors import Malformed, Refused, SpecInvalid
from streams.language.server import VENDOR, Server, shown_url
from streams.language.structured import instruction, parse, strict_schema

S = TypeVar("S", bound=BaseModel)

_UNSUPPORTED = frozenset({400, 404, 415, 422, 501})
"""Statuses with which servers refuse a response format that they don't know."""

_OPTIONS = ("key_env", "timeout_s", "max_tokens")


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a chat.

    Attributes:
        audio: WAV files that belong to it, after its text; only models that hear can be given some.
    """

    role: Literal["system", "user", "assistant"]
    content: str
    audio: tuple[bytes, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens as the server counted them."""

    prompt: int
    completion: int


@dataclass(frozen=True, slots=True)
class Completion:
    """An answer.

    Attributes:
        text: What the model said.
        usage: Tokens used, None if the server doesn't say.
        model: The model that answered, as the server names it.
        seconds: From the request to the whole answer, retries included.
        truncated: True if the answer ends because its length limit was reached.
    """

    text: str
    usage: TokenUsage | None
    model: str
    seconds: float
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Choice(Generic[S]):
    """A structured answer.

    Attributes:
        value: The answer, valid.
        completion: The raw reply that it was read from.
        attempts: Replies it took; 1 if the first was valid.
    """

    value: S
    completion: Completion
    attempts: int


class LanguageModel:
    """A chat model on an OpenAI-compatible server.

    Args:
        model: Its name on the server.
        base_url: Root of the API.
        key_env: Environment variable with the key; None means OPENAI_API_KEY for OpenAI's own address and
            no key elsewhere.
        timeout_s: Time for one request with its retries; of a stream, for each piece.
        temperature: 0 for the likeliest answer; None leaves it to the server (some models allow no other).
        max_tokens: Limit of an answer; None leaves it to the server.
        retries: How often a rate limit, a server error or a lost connection is tried again.
        environ: The environment; that of the process by default.

    Raises:
        KeyMissing: The server needs a key and the environment has none.
    """

    def __init__(
        self,
        model: str,
        base_url: str = VENDOR,
        *,
        key_env: str | None = None,
        timeout_s: float = 60.0,
        temperature: float | None = 0.0,
        max_tokens: int | None = None,
        retries: int = 2,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.model = model
        self.temperature = temperature
        self.max_tokens = max_tokens
        self._server = Server(
            base_url, key_env=key_env, timeout_s=timeout_s, retries=retries, environ=environ
        )
        self._server.check_key(model)
        self._form = 0

    @property
    def base_url(self) -> str:
        """The server's address, without secrets."""
        return self._server.base_url

    async def complete(self, messages: Sequence[Message]) -> Completion:
        """Answer a chat.

        Raises:
            LanguageError: No usable answer came.
        """
        return await self._complete(messages, {})

    async def stream(self, messages: Sequence[Message]) -> AsyncIterator[str]:
        """Answer a chat piece by piece, as the text arrives.

        Raises:
            LanguageError: No usable answer came, or it broke off.
        """
        async with self._server.request(self.model, whole=False) as client:
            async with asyncio.timeout(self._server.timeout_s):
                pieces = await client.chat.completions.create(**self._body(messages), stream=True)
            async with pieces:
                while True:
                    async with asyncio.timeout(self._server.timeout_s):
                        piece = await anext(pieces, None)
                    if piece is None:
                        return
                    if piece.choices and piece.choices[0].delta.content:
                        yield piece.choices[0].delta.content

    async def choose(self, messages: Sequence[Message], schema: type[S], *, retries: int = 2) -> Choice[S]:
        """Answer a chat with a value of a pydantic model.

        The server is asked for the model's JSON Schema, in its response format and in words; a server that
        refuses the format gets the words alone. A reply that doesn't fit is shown to the model with what is
        wrong with it.

        Args:
            messages: The chat, at least one message.
            schema: What to answer with; its fields are all demanded, also those with defaults.
            retries: How often an invalid reply is tried again.

        Raises:
            Malformed: No reply was valid; `raw` is the last.
            LanguageError: No answer came.
        """
        chat = asking_for(schema, messages)
        for attempt in range(1, retries + 2):
            reply = await self.formatted(chat, schema)
            try:
                return Choice(parse(reply.text, schema), reply, attempt)
            except ValidationError as error:
                wrong = _explain(error)
            chat += [
                Message("assistant", reply.text),
                Message("user", f"That is not valid: {wrong}. Answer again, with the JSON object only."),
            ]
        found = f"no valid {schema.__name__} in {retries + 1} replies ({wrong})"
        remedy = (
            "Raise max_tokens: the answer was cut off." if reply.truncated else "Take a more capable model."
        )
        raise Malformed(self.base_url, self.model, found, self._server.without_key(reply.text), remedy)

    async def formatted(self, chat: Sequence[Message], schema: type[BaseModel]) -> Completion:
        """One reply in the server's format for a schema, if it knows any; it may fit the schema or not.

        Raises:
            LanguageError: No usable answer came.
        """
        for number, form in enumerate(_FORMS[self._form :], self._form):
            try:
                reply = await self._complete(chat, form(schema))
            except Refused as refusal:
                if form is _in_words or not _refuses_format(refusal):
                    raise
            else:
                self._form = number  # the request was fine: it was the formats before that were refused
                return reply
        raise AssertionError("the last form returns or raises")

    async def _complete(self, messages: Sequence[Message], extra: dict[str, Any]) -> Completion:
        started = now()
        async with self._server.request(self.model) as client:
            reply = await client.chat.completions.create(**self._body(messages), **extra)
        # the client library checks no types: this may be any JSON, or a page of HTML
        choices = getattr(reply, "choices", None)
        choice = choices[0] if isinstance(choices, list) and choices else None
        text = getattr(getattr(choice, "message", None), "content", None)
        if not isinstance(text, str):
            raw = self._server.without_key(str(reply))
            remedy = "Check that this is a chat model."
            raise Malformed(self.base_url, self.model, "the answer holds no text", raw, remedy)
        seconds = now() - started
        truncated = getattr(choice, "finish_reason", None) == "length"
        return Completion(text, _usage(reply.usage), reply.model or self.model, seconds, truncated)

    def _body(self, messages: Sequence[Message]) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": message.role, "content": _content(message)} for message in messages],
        }
        if self.temperature is not None:
            body["temperature"] = self.temperature
        if self.max_tokens is not None:
            # OpenAI's newer models know only the second name, many other servers only the first
            body["max_completion_tokens" if self._server.vendor else "max_tokens"] = self.max_tokens
        return body


def language_model(spec: str, environ: Mapping[str, str] | None = None) -> LanguageModel:
    """The language model that a spec names.

    `openai:MODEL` is OpenAI's own address; `http://HOST:PORT/v1#MODEL` (or https) is any compatible server.
    Options follow as a query: `https://host/v1?key_env=HOST_KEY&timeout_s=20#model`. Keys are named, never
    given: `key_env` is the environment variable that holds one.

    Raises:
        SpecInvalid: It names none.
        KeyMissing: Its key is not in the environment.
    """
    parts = urlsplit(spec)
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.scheme == "openai":
        model, base_url = parts.path, VENDOR
    elif parts.scheme in ("http", "https") and parts.netloc:
        model, base_url = parts.fragment, parts._replace(query="", fragment="").geturl()
    else:
        known = "openai:MODEL, http://HOST:PORT/v1#MODEL or https://HOST/v1#MODEL"
        raise SpecInvalid(spec, "it names no server", f"Expected {known}.")
    shown = shown_url(base_url)
    if not model:
        raise SpecInvalid(shown, "it names no model", "Put the model's name after openai: or after #.")
    if unknown := sorted(options.keys() - _OPTIONS):
        found = f"unknown option {', '.join(unknown)}"
        raise SpecInvalid(shown, found, f"Known are {', '.join(_OPTIONS)}.")
    try:
        timeout_s = float(options.get("timeout_s", 60.0))
    except ValueError:
        raise SpecInvalid(shown, f"timeout_s is {options['timeout_s']!r}", "Expected seconds.") from None
    limit = options.get("max_tokens")
    if limit is not None and not (limit.isdecimal() and int(limit)):
        raise SpecInvalid(shown, f"max_tokens is {limit!r}", "Expected a number of tokens.")
    return LanguageModel(
        model,
        base_url,
        key_env=options.get("key_env"),
        timeout_s=timeout_s,
        max_tokens=int(limit) if limit else None,
        environ=environ,
    )


def asking_for(schema: type[BaseModel], messages: Sequence[Message]) -> list[Message]:
    """A chat whose last message ends with the demand for an answer that fits a schema."""
    *before, last = messages
    return [*before, replace(last, content=f"{last.content}\n\n{instruction(schema)}")]


def _content(message: Message) -> str | list[dict[str, Any]]:
    """A message's content as it is sent: in parts only with sound, since not every server knows parts."""
    if not message.audio:
        return message.content
    sounds = (base64.b64encode(wav).decode() for wav in message.audio)
    return [
        {"type": "text", "text": message.content},
        *({"type": "input_audio", "input_audio": {"data": data, "format": "wav"}} for data in sounds),
    ]


def _usage(usage: Any) -> TokenUsage | None:
    prompt, completion = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    return TokenUsage(prompt, completion)


def _as_json_schema(schema: type[BaseModel]) -> dict[str, Any]:
    form = {"name": schema.__name__, "schema": strict_schema(schema), "strict": True}
    return {"response_format": {"type": "json_schema", "json_schema": form}}


def _as_json_object(schema: type[BaseModel]) -> dict[str, Any]:
    return {"response_format": {"type": "json_object", "schema": strict_schema(schema)}}


def _in_words(schema: type[BaseModel]) -> dict[str, Any]:
    return {}


_FORMS = (_as_json_schema, _as_json_object, _in_words)
"""How a schema is asked for: OpenAI's way, that of llama-cpp-python and its kin, in words alone."""


def _refuses_format(refusal: Refused) -> bool:
    # llama-cpp-python answers 500 to a request that it should call a bad one
    return refusal.status in _UNSUPPORTED or "response_format" in refusal.found


def _explain(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, problem['loc'])) or 'the reply'}: {problem['msg']}"
        for problem in error.errors()[:5]
    )
