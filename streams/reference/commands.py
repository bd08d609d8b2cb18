"""What a client may send: the OpenAI Realtime messages as values."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from streams.reference.settings import SessionPatch


def _from_base64(text: object) -> bytes:
    if not isinstance(text, str):
        raise ValueError("expected base64 text")
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"is not base64: {error}") from None


class _Command(BaseModel):
    """Base of all client messages.

    Attributes:
        event_id: The client's own id of the message; an error names it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    event_id: str | None = None


class UpdateSession(_Command):
    """Change the settings of the session."""

    type: Literal["session.update"]
    session: SessionPatch


class Append(_Command):
    """The next piece of the user's audio; the codec hands it on as PCM16 at the input's rate."""

    type: Literal["input_audio_buffer.append"]
    audio: Annotated[bytes, BeforeValidator(_from_base64)]


class Commit(_Command):
    """Manual mode: the user's turn is over."""

    type: Literal["input_audio_buffer.commit"]


class Clear(_Command):
    """Forget the audio that was not committed."""

    type: Literal["input_audio_buffer.clear"]


class NewItem(BaseModel):
    """A message of text."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: Literal["message"]
    role: Literal["user", "system", "assistant"]
    id: str | None = None
    content: tuple[dict[str, Any], ...] = ()

    @property
    def text(self) -> str:
        """All text of the item's content parts."""
        return " ".join(str(part["text"]) for part in self.content if part.get("text"))


class ToolOutput(BaseModel):
    """What a tool returned."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: Literal["function_call_output"]
    call_id: str
    output: str
    id: str | None = None


class CreateItem(_Command):
    """Put a message of text, or what a tool returned, into the dialogue."""

    type: Literal["conversation.item.create"]
    item: Annotated[NewItem | ToolOutput, Field(discriminator="type")]


class DeleteItem(_Command):
    """Take an item out of the dialogue."""

    type: Literal["conversation.item.delete"]
    item_id: str


class TruncateItem(_Command):
    """Say how much of a reply was heard."""

    type: Literal["conversation.item.truncate"]
    item_id: str
    content_index: int = 0
    audio_end_ms: int = Field(ge=0)


class CreateResponse(_Command):
    """Ask for a reply."""

    type: Literal["response.create"]


class CancelResponse(_Command):
    """Give up the reply that is being made."""

    type: Literal["response.cancel"]
    response_id: str | None = None


Command = (
    UpdateSession
    | Append
    | Commit
    | Clear
    | CreateItem
    | DeleteItem
    | TruncateItem
    | CreateResponse
    | CancelResponse
)

AnyCommand = Annotated[Command, Field(discriminator="type")]
"""For parsing: the message's `type` says which command it is."""
