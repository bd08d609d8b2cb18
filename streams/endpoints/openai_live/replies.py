"""Finds replies in the sound of an endpoint that never stops sending, and turns in its transcripts.

OpenAI Live streams its output at 1x for the whole session, silence included, and marks nothing in it. A
reply is what stands between silences of `QUIET_S`. The silence between replies is not passed on: played one
piece after the other, every delay of the network would stay as a lag for the rest of the session.
"""

from __future__ import annotations

from streams.audio import peak, to_pcm
from streams.endpoints.events import (
    AudioReceived,
    EndpointEvent,
    ItemEnded,
    TextMode,
    TextReceived,
    UserTextReceived,
)
from streams.endpoints.pieces import Stamp

QUIET_S = 0.8
"""A silence as long as this parts replies, and turns of the user in its transcript."""

FLOOR = 33
"""Largest sample of silence: a peak of -60 dBFS."""


class Replies:
    """The endpoint's side: items, and the words that belong to them.

    Args:
        rate: Samples per second.
    """

    def __init__(self, rate: int) -> None:
        self._longest = round(QUIET_S * rate)
        self._count = 0
        self._item = ""
        self.sounding = False
        """A reply is under way."""
        self._quiet = 0

    def audio(self, pcm: bytes, stamp: Stamp) -> list[EndpointEvent]:
        """The next samples of the stream, PCM16."""
        if peak(to_pcm(pcm)) > FLOOR:
            self.sounding, self._quiet = True, 0
        elif not self.sounding:
            return []
        else:
            self._quiet += len(pcm) // 2
            if self._quiet >= self._longest:
                ended = ItemEnded(**stamp, item=self._item)
                self._item, self.sounding = "", False
                return [ended]
        return [AudioReceived(**stamp, pcm=pcm, item=self._named())]

    def text(self, text: str, stamp: Stamp) -> list[EndpointEvent]:
        """Words of the reply that is heard, or of the next."""
        return [TextReceived(**stamp, text=text, mode=TextMode.DELTA, item=self._named())]

    def _named(self) -> str:
        if not self._item:
            self._count += 1
            self._item = f"reply-{self._count}"
        return self._item


class UserTurns:
    """The transcript of the user: a pause on the session's own timeline begins another item."""

    def __init__(self) -> None:
        self._count = 1
        self._end_ms: float | None = None

    def text(
        self, text: str, start_ms: float | None, end_ms: float | None, stamp: Stamp
    ) -> list[EndpointEvent]:
        """A fragment, and where it stands on the timeline."""
        if start_ms is not None and self._end_ms is not None:
            self._count += start_ms - self._end_ms >= 1000 * QUIET_S
        self._end_ms = end_ms
        return [UserTextReceived(**stamp, text=text, mode=TextMode.DELTA, item=f"user-{self._count}")]
