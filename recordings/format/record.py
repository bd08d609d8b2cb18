"""What every record of the format shares."""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Frozen, and without fields that the format does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Side(StrEnum):
    """Whose turn."""

    USER = "user"
    ENDPOINT = "endpoint"


LONGEST_S = 1e7
"""No session lasts longer, and nothing in a recording lies further from its start: four months."""


class EventRecord(Record):
    """One line of events.jsonl.

    Attributes:
        t: Seconds since sample 0 of the session.
    """

    t: float
