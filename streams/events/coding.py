"""Messages as bytes and back: strict JSON in UTF-8. Pure."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, TypeAdapter, ValidationError

from streams.events.messages import VERSION, Cleared, Command, Header, Published

_READER: TypeAdapter[Published] = TypeAdapter(Annotated[Published, Field(discriminator="kind")])


class Unreadable(ValueError):
    """A payload is no message of version 1."""

    limit: ClassVar[int] = 200

    def __init__(self, payload: bytes, why: str) -> None:
        self.payload = payload
        shown = payload[: self.limit].decode("utf-8", "replace")
        super().__init__(f"{shown!r} is no message of version {VERSION}: {why}")


def encode(message: Header | Command) -> bytes:
    """A message as it is published: strict JSON in UTF-8; NaN and infinity become null."""
    if isinstance(message, Cleared):
        return b""
    return message.model_dump_json().encode()


def decode(payload: bytes) -> Published:
    """Read what a run has published.

    Raises:
        Unreadable: It is no message of version 1.
    """
    try:
        return _READER.validate_json(payload)
    except ValidationError as error:
        raise Unreadable(payload, _first(error)) from error


def decode_command(payload: bytes) -> Command:
    """Read a command.

    Raises:
        Unreadable: It is none.
    """
    try:
        return Command.model_validate_json(payload, strict=True)
    except ValidationError as error:
        raise Unreadable(payload, _first(error)) from error


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in problem["loc"])
    return f"{place}: {problem['msg']}" if place else problem["msg"]
