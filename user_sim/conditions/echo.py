"""The endpoint's own voice, as it comes back to it: at an exact delay, whatever the two rates."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from streams.audio import FRAME_MS, Samples, to_float
from user_sim.conditions.filters import RateFilter, Response

_REACH_S = 0.003
"""Of the interpolating filter, to each side."""

_KAISER_BETA = 7.0
_BAND = 0.92
"""Of the lower of the two Nyquist frequencies."""


class Echo:
    """Delays what the user hears and brings it to the rate of the wire.

    Args:
        delay_ms: From a sample's place on the endpoint's track to its place on the user's; at least two
            frames and the filter's reach, since the line learns so late what was heard.
        gain_db: Of the echo.
        rate: Of the wire.
        endpoint_rate: Of what is heard.
    """

    def __init__(self, delay_ms: float, gain_db: float, rate: int, endpoint_rate: int) -> None:
        self._frame = rate * FRAME_MS // 1000
        self._gain = np.float32(10 ** (gain_db / 20))
        self._filter: RateFilter | None = None
        lag = 0
        if rate != endpoint_rate:
            lag = round(_REACH_S * rate)
            response = _interpolation(rate, endpoint_rate, lag / rate)
            self._filter = RateFilter(endpoint_rate, rate, response, 2 * lag / rate)
        delay = round(delay_ms * rate / 1000) - lag
        self._waiting = np.zeros(delay + self._frame, np.float32)
        self._read, self._written = 0, delay

    def process(self, heard: bytes) -> Samples:
        """The echo in the next frame of the wire.

        Args:
            heard: The next 20 ms of what the user hears, PCM16; nothing while there is none yet.
        """
        if heard:
            samples = to_float(heard)
            self._put(samples if self._filter is None else self._filter.process(samples))
        out = np.take(self._waiting, np.arange(self._read, self._read + self._frame), mode="wrap")
        self._read += self._frame
        return out * self._gain

    def _put(self, samples: Samples) -> None:
        places = np.arange(self._written, self._written + len(samples)) % len(self._waiting)
        self._waiting[places] = samples
        self._written += len(samples)


def _interpolation(rate: int, source: int, reach_s: float) -> Response:
    """A Kaiser-windowed sinc, `reach_s` late, so that it needs no sample that is still to come."""
    hertz = _BAND * min(rate, source)

    def at(seconds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        distance = seconds - reach_s
        inside = np.clip(1 - np.square(distance / reach_s), 0, None)
        window = np.i0(_KAISER_BETA * np.sqrt(inside)) / np.i0(_KAISER_BETA)
        return np.where(inside > 0, hertz / source * np.sinc(hertz * distance) * window, 0)

    return at
