"""Replies with planted timing and no models: the measure for everything that measures.

The metronome lets the first audible sample of its reply arrive exactly the planted delay after the last
audible sample of the user. The clicks mark every whole second, to show clocks that drift.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from streams.audio import sample_at, silence, to_pcm, to_pcm16
from streams.clock import now, sleep_exactly, sleep_until
from streams.endpoints.protocol import Tool
from streams.reference.config import ClicksPlan, MetronomePlan
from streams.reference.delivery import Delivery
from streams.reference.dialogue import Message
from streams.reference.replies import Piece, UserTurn
from streams.reference.settings import DEFAULT_RATE

TONE_HZ = 500
"""Of the reply: a whole number of samples per cycle at every usual rate."""

AMPLITUDE = 0.3
"""Of tone and clicks: -10 dBFS."""

CLICK_S = 0.001
"""Length of a click."""

CLICKS_BEGIN_S = 0.1
"""Where on the stream's timeline the track of clicks begins."""


@dataclass(frozen=True, slots=True)
class Planted:
    """What one reply of the metronome was made to be; times on the loop's clock.

    Attributes:
        turn: Number of the turn, from 0.
        user_end_s: Where the user's last audible sample ends, in seconds into the stream.
        delay_s: From there to the first audible sample of the reply.
        first_byte_due: When the first piece was due.
        first_byte_sent: When it was handed to the connection.
    """

    turn: int
    user_end_s: float
    delay_s: float
    first_byte_due: float
    first_byte_sent: float

    def metadata(self) -> dict[str, str]:
        """As strings, for the wire."""
        return {
            "turn": str(self.turn),
            "user_end_stream_s": f"{self.user_end_s:.6f}",
            "planted_delay_s": f"{self.delay_s:.6f}",
            "first_byte_due": f"{self.first_byte_due:.6f}",
            "first_byte_sent": f"{self.first_byte_sent:.6f}",
        }


class Metronome:
    """Answers each turn with a tone, on time.

    Args:
        plan: What to plant.
        journal: Takes what was planted, as each reply begins.
    """

    def __init__(self, plan: MetronomePlan, journal: Callable[[Planted], None] | None = None) -> None:
        self._plan = plan
        self._journal = journal

    async def reply(
        self,
        turn: UserTurn,
        messages: Sequence[Message],
        instructions: str,
        rate: int,
        tools: Sequence[Tool] = (),
    ) -> AsyncGenerator[Piece, None]:
        """See `Replier.reply`."""
        plan = self._plan
        delay = plan.delays[turn.number % len(plan.delays)]
        due = turn.ended_at + delay - plan.leading_silence
        pcm = silence(sample_at(plan.leading_silence, rate)) + tone(plan.reply, rate)
        delivery = Delivery(plan.pace, rate, plan.seed + turn.number)
        yield Piece(b"", "Beep.")  # all but the audio goes out before, so that nothing delays the audio
        planted: Planted | None = None
        for parcel in delivery.parcels(pcm, at=due):
            await sleep_exactly(parcel.due)
            if planted is not None:
                yield Piece(parcel.pcm)
                continue
            planted = Planted(turn.number, turn.end_s, delay, due, now())
            yield Piece(parcel.pcm, metadata=planted.metadata())
            if self._journal is not None:
                self._journal(planted)


class Clicks:
    """One long reply from the start of the stream: silence, with a click at each planned second.

    The clicks stand on the user's timeline: the first sample of a click at 1.0 s is heard when the user's
    stream is 1.0 s old.

    Args:
        plan: Where to click.
    """

    def __init__(self, plan: ClicksPlan) -> None:
        self._plan = plan
        click_track(plan.offsets, plan.length, DEFAULT_RATE)  # ready before the first caller comes

    async def reply(
        self,
        turn: UserTurn,
        messages: Sequence[Message],
        instructions: str,
        rate: int,
        tools: Sequence[Tool] = (),
    ) -> AsyncGenerator[Piece, None]:
        """See `Replier.reply`."""
        track = click_track(self._plan.offsets, self._plan.length, rate)
        track = track[2 * sample_at(CLICKS_BEGIN_S, rate) :]
        delivery = Delivery(self._plan.pace, rate, self._plan.seed)
        text = "Clicks."
        for parcel in delivery.parcels(track, at=turn.ended_at + CLICKS_BEGIN_S):
            await sleep_until(parcel.due)
            yield Piece(parcel.pcm, text)
            text = ""


def tone(seconds: float, rate: int) -> bytes:
    """A tone as PCM16 that is at its peak in its first sample and near it in its last."""
    cycle = np.arange(sample_at(seconds, rate)) * (TONE_HZ / rate)
    return to_pcm16(AMPLITUDE * np.cos(2 * np.pi * cycle))


@cache
def click_track(offsets: tuple[float, ...], seconds: float, rate: int) -> bytes:
    """Silence as PCM16, with a click of 1 ms at each of the offsets."""
    track = np.zeros(sample_at(seconds, rate), np.int16)  # integers: an hour of floats would be late
    click = to_pcm(to_pcm16(np.full(sample_at(CLICK_S, rate), AMPLITUDE)))
    for offset in offsets:
        room = track[sample_at(offset, rate) :][: click.size]
        room[:] = click[: room.size]
    return track.astype("<i2").tobytes()
