"""Moments that the user waits for, on the media clock: exact to the 20 ms tick."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from streams.audio import FRAME_S, peak, sample_at, to_pcm
from streams.speech.audible import FLOOR
from user_sim.policy import Percept, QuietSoFar, ReplyGoesOn, Since

TICKS_PER_S = 50

AUDIBLE_TICKS = 3
"""The endpoint is audible until so many frames without sound were heard: shorter gaps are within words."""


class Alarms:
    """Tells the user when a moment has come that it asked for with `WakeMe`.

    Args:
        tell: Takes the percept.
    """

    def __init__(self, tell: Callable[[Percept], None]) -> None:
        self._tell = tell
        self._reply_from: float | None = None
        self._quiet_from: float | None = 0.0
        self._endpoint_speaks = False
        self._user_until = 0.0
        self._lately: deque[bytes] = deque(maxlen=AUDIBLE_TICKS)
        self._asked: dict[Since, list[float]] = {Since.REPLY: [], Since.QUIET: []}

    def ask(self, since: Since, seconds: float) -> None:
        """Wait for a moment; forgotten at once if what it counts from is not there."""
        origin = self._reply_from if since is Since.REPLY else self._quiet_from
        if origin is not None:
            self._asked[since].append(origin + seconds)

    # --- what happens, in seconds of session time

    def reply_began(self, at: float) -> None:
        """The endpoint's turn began."""
        self._reply_from = at
        self.speech_began()

    def reply_over(self) -> None:
        """The endpoint's turn is over."""
        self._reply_from = None
        self._asked[Since.REPLY].clear()

    @property
    def reply_from(self) -> float | None:
        """Where the endpoint's turn began that is being heard."""
        return self._reply_from

    def speech_began(self) -> None:
        """The endpoint is heard."""
        self._endpoint_speaks, self._quiet_from = True, None
        self._asked[Since.QUIET].clear()

    def speech_ended(self, at: float) -> None:
        """The endpoint fell silent."""
        self._endpoint_speaks, self._quiet_from = False, max(at, self._user_until)

    def user_speaks(self, until: float) -> None:
        """The user takes the turn, and will have finished then."""
        self._asked[Since.QUIET].clear()
        self._user_until = until
        self._quiet_from = None if self._endpoint_speaks else until

    # --- the media clock

    def hear(self, pcm: bytes) -> None:
        """A frame was heard."""
        self._lately.append(pcm)

    def tick(self, ticks: int) -> None:
        """So many ticks have passed since sample 0."""
        if self._asked[Since.QUIET] and self._quiet_from is not None:
            self._due(Since.QUIET, ticks, QuietSoFar(ticks * FRAME_S - self._quiet_from))
        if self._asked[Since.REPLY] and self._reply_from is not None and self._audible():
            self._due(Since.REPLY, ticks, ReplyGoesOn(ticks * FRAME_S - self._reply_from))

    def _audible(self) -> bool:
        return any(pcm.count(0) != len(pcm) and peak(to_pcm(pcm)) > FLOOR for pcm in self._lately)

    def _due(self, since: Since, ticks: int, percept: Percept) -> None:
        asked = self._asked[since]
        later = [moment for moment in asked if sample_at(moment, TICKS_PER_S) > ticks]
        if len(later) < len(asked):
            self._asked[since] = later
            self._tell(percept)
