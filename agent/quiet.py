"""How long nobody has talked, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable

from agent.call import Call
from recordings.format import Outcome
from user_sim.policy import Percept, SaidAll, Silence


class QuietWatch:
    """Counts silence since somebody was last heard; tells the user once per its patience.

    What the user says beside its turn, to itself or to somebody else, ends no silence. A person is not hung
    up on: they do that themselves when they have waited enough.

    Attributes:
        thinking: True while the user looks for words or speaks: its own time is no silence.
    """

    def __init__(
        self,
        call: Call,
        ear_speaking: Callable[[], bool],
        tell: Callable[[Percept], None],
        *,
        patience_s: float,
        reply_timeout_s: float,
    ) -> None:
        self._call = call
        self._ear_speaking = ear_speaking
        self._tell = tell
        self._patience_s = patience_s
        self._reply_timeout_s = reply_timeout_s
        self._since = 0.0
        self._told = 0
        self._person = False
        self.thinking = False

    def said_all(self) -> None:
        """The user's words are out."""
        self._tell(SaidAll())

    def tick(self, t: float) -> None:
        """A frame has passed; `t` is session time."""
        person, before = self._call.book.person, self._person
        if self.thinking or self._call.taking_turn or self._ear_speaking() or person is not before:
            self._since, self._told, self._person = t, 0, person
            return
        quiet = t - self._since
        if quiet >= self._reply_timeout_s and not person:
            reason = f"nothing was heard for {quiet:.1f} s after the user's last word"
            self._call.end(Outcome.ENDPOINT_SILENT, reason, by="us")
        elif quiet >= self._patience_s * (self._told + 1):
            self._told += 1
            self._tell(Silence(quiet))
