"""turns.jsonl: who said what, when."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from recordings.format.record import Record, Side
from recordings.format.user_events import Role


class Verdict(Record):
    """A judge's answer on a turn: a label of a declared set, or unscored with a cause.

    Attributes:
        detail: How it came about: a label for each fact, and of a language model the prompt, its raw
            replies, tokens and price.
    """

    judge: str
    label: str | None = None
    unscored: str | None = None
    reason: str = ""
    evidence: tuple[str, ...] = ()
    detail: dict[str, Any] = Field(default_factory=dict)


class Turn(Record):
    """One side's contribution.

    Attributes:
        index: Position in the call, both sides counted together, from 0.
        start: First audible sample, on that side's track.
        end: One past the last audible sample.
        intended: User: the scenario's words. Endpoint: its own text of what it says, if it sends any.
        said: User: what a recogniser makes of the clean clip. Endpoint: None live (the offline scorer
            transcribes received.wav).
        heard: User: the endpoint's transcript of it, if it sends any. Endpoint: what the user's
            recogniser made of the heard audio.
        unscored: Why a text is missing, by field ("heard": "no_speech").
        role: User: what the utterance was for. Endpoint: always `turn`.
        interrupted: The turn ended because the other side spoke or playback was cut.
    """

    index: int
    side: Side
    start: int
    end: int
    rate: int = Field(gt=0)
    intended: str | None = None
    said: str | None = None
    heard: str | None = None
    label: str = ""
    role: Role = Role.TURN
    items: tuple[str, ...] = ()
    interrupted: bool = False
    unscored: dict[str, str] = Field(default_factory=dict)
    verdicts: tuple[Verdict, ...] = ()

    @property
    def start_s(self) -> float:
        """Start in seconds."""
        return self.start / self.rate

    @property
    def end_s(self) -> float:
        """End in seconds."""
        return self.end / self.rate
