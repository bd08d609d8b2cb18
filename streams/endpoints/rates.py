"""Audio that comes at another rate than the session was told: resampled, and said."""

from __future__ import annotations

from streams.endpoints.events import EndpointEvent, Notice, NoticeLevel
from streams.endpoints.pieces import Stamp
from streams.resample import StreamResampler

USUAL_RATES = range(4000, 192001)
"""Rates that are taken for audio, in samples per second."""


class RateKeeper:
    """Gives PCM16 at the declared rate. What comes at it passes untouched.

    Args:
        rate: The declared rate, in samples per second.
        remedy: What to do about another one, with `{rate}` for the rate that came.
    """

    def __init__(self, rate: int, remedy: str) -> None:
        self._rate = rate
        self._remedy = remedy
        self._resampler: StreamResampler | None = None
        self._source = rate

    def turn_to(self, rate: int, stamp: Stamp) -> list[EndpointEvent]:
        """From now on audio comes at that rate; a warning when it is a new one.

        Raises:
            ValueError: No audio has that rate.
        """
        if rate == self._source:
            return []
        if rate not in USUAL_RATES:
            raise ValueError(f"audio at {rate} samples per second")
        self._source = rate
        self._resampler = None if rate == self._rate else StreamResampler(rate, self._rate)
        if self._resampler is None:
            return []
        message = (
            f"audio comes at {rate}/s and is resampled to {self._rate}/s, which delays it by the length of"
            f" a filter: {self._remedy.format(rate=rate)}"
        )
        return [Notice(**stamp, level=NoticeLevel.WARNING, code="audio_rate", message=message)]

    def push(self, pcm: bytes) -> bytes:
        """The next piece: whole samples."""
        return pcm if self._resampler is None else self._resampler.push(pcm)

    def flush(self) -> bytes:
        """What the filter still holds; a reply is over."""
        return b"" if self._resampler is None else self._resampler.flush()


def protocol_violation(message: str, stamp: Stamp) -> Notice:
    """The endpoint sent what the protocol does not allow."""
    return Notice(**stamp, level=NoticeLevel.ERROR, code="protocol_violation", message=message)
