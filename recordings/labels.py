"""Labels that people give to recordings: a file with one JSON object a line, only ever appended to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from recordings.format import EpisodeInfo
from recordings.reading import read_lines


class PersonLabel(BaseModel):
    """What one person says about one item.

    Attributes:
        item: What was labelled; a turn of an episode is named by `turn_item`, two of them by `pair_item`.
        label: Of the set that the person was offered; or None, and `unscored` says why.
        unscored: Why there is no label ("skipped", "inaudible").
        annotator: Who; a name or a pseudonym.
        dimension: What was asked about, where there are several questions ("content").
        at_utc: When, ISO 8601.
        note: The person's own words.
        round: 1; 2 where the same person is asked a second time, to see whether the answer is the same.
        shown: How the item was shown: its place in the order, which side came first, the gain in dB.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    item: str = Field(min_length=1)
    label: str | None = Field(default=None, min_length=1)
    unscored: str | None = Field(default=None, min_length=1)
    annotator: str = ""
    dimension: str = ""
    at_utc: str = ""
    note: str = ""
    round: int = Field(default=1, ge=1)
    shown: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _labelled_or_not(self) -> Self:
        if (self.label is None) == (self.unscored is None):
            raise ValueError("expected a label, or else the cause why there is none (unscored)")
        return self


_LABELS = TypeAdapter(PersonLabel)


def turn_item(info: EpisodeInfo, turn: int) -> str:
    """The name of a turn for people and judges alike: RUN/EPISODE/TURN, or EPISODE/TURN outside a run."""
    return "/".join((*([info.run] if info.run else []), info.id, str(turn)))


def pair_item(first: str, second: str) -> str:
    """The name of two turns that are compared, whichever is named first; label "1" is the lesser name's."""
    return " | ".join(sorted((first, second)))


def call_of(item: str) -> str:
    """The call that a turn is of, RUN/EPISODE; of two turns that of the first. "" of any other name."""
    call, _, turn = item.partition(" | ")[0].rpartition("/")
    return call if turn.isdigit() else ""


def read_person_labels(path: Path) -> list[PersonLabel]:
    """The labels of a file; of several by one person on one question of one item in one round, the last.

    Raises:
        RecordingError: It cannot be read, or a line is not valid. A torn last line is left out.
    """
    lines, _ = read_lines(path, _LABELS)
    last = {(line.annotator, line.dimension, line.item, line.round): line for line in lines}
    return list(last.values())
