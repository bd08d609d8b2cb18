"""What makes a reply: the seam between a conversation and what speaks in it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from streams.endpoints.protocol import Tool
from streams.reference.defects.sound import Echo
from streams.reference.dialogue import Message
from streams.reference.ears import Ears, Urged
from streams.reference.settings import SessionSettings
from streams.reference.tool_use import ToolUse
from streams.speech.interfaces import Recogniser


@dataclass(frozen=True, slots=True)
class UserTurn:
    """What is answered.

    Attributes:
        number: Counts the turns of a session from 0.
        end_s: Where the user's speech ended, in seconds into the stream.
        ended_at: The same on the loop's clock: when that sample was spoken.
        clip_s: Seconds of audio that belong to the turn.
        urge: What makes the endpoint talk although there is nothing to answer.
    """

    number: int
    end_s: float
    ended_at: float
    clip_s: float = 0.0
    urge: Urged | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a reply, handed over when it is due.

    Attributes:
        pcm: PCM16 at the session's output rate; may be empty.
        text: The words that begin with this piece.
        tool: A tool that is called at this point; there is no audio then.
        metadata: What should be known about the reply when it ends.
    """

    pcm: bytes
    text: str = ""
    tool: ToolUse | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)


class Replier(Protocol):
    """Makes replies; one per session."""

    def reply(
        self,
        turn: UserTurn,
        messages: Sequence[Message],
        instructions: str,
        rate: int,
        tools: Sequence[Tool] = (),
    ) -> AsyncGenerator[Piece, None]:
        """Answer a turn.

        Args:
            turn: What is answered.
            messages: The dialogue as far as it was heard, the question last; no question if the
                user said nothing, or nothing that was understood.
            instructions: The client's instructions, or "".
            rate: Samples per second of the pieces.
            tools: What the client lets the endpoint call.

        Raises:
            ReplyFailed: There will be no more of this reply.
        """


class ReplyFailed(RuntimeError):
    """A reply could not be made; says why."""


@dataclass(frozen=True, slots=True)
class Cast:
    """Who takes part on the endpoint's side of a session.

    Attributes:
        ears: Makes ears for the settings and the second of the stream at which they begin to listen.
        replier: Answers.
        recogniser: Puts what the user said into words; None if nobody needs them.
        opens: Whether the endpoint speaks first, as soon as the stream begins.
        queues: Whether a turn that ends while a reply goes on is answered after it.
        echo: Makes what gives the user's own voice back, at a rate; None if nothing does.
    """

    ears: Callable[[SessionSettings, float], Ears]
    replier: Replier
    recogniser: Recogniser | None = None
    opens: bool = False
    queues: bool = False
    echo: Callable[[int], Echo] | None = None
