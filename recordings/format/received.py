"""received.jsonl: the index of received.wav."""

from __future__ import annotations

from recordings.format.record import Record


class ReceivedPiece(Record):
    """One delivery of audio: the index of received.wav.

    Attributes:
        t: Arrival.
        offset: First sample in received.wav.
        samples: Length.
        start: First sample on the heard timeline, or None if it came after its item was cut.
        raw: Ordinal number of the wire message.
    """

    t: float
    item: str
    response: str = ""
    offset: int
    samples: int
    start: int | None
    raw: int = -1
