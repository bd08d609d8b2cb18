"""What may be asked of a call from outside while it goes on: the seam for commands and a microphone."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recordings.format import Outcome
from user_sim.policy import Percept, SayNext

if TYPE_CHECKING:
    from agent.call import Call


class Control:
    """The reins of one call. On the call's own loop only.

    Attributes:
        take_over: Lets a person speak in the user's place from now on; None where no microphone is at hand.
            Whoever holds the call sets it.
    """

    def __init__(self) -> None:
        self._call: Call | None = None
        self._tell: Callable[[Percept], None] | None = None
        self.take_over: Callable[[], None] | None = None

    def attach(self, call: Call, tell: Callable[[Percept], None]) -> None:
        """The call begins; `tell` lets its user notice something."""
        self._call, self._tell = call, tell

    @property
    def live(self) -> bool:
        """True while the call goes on."""
        return self._call is not None and not self._call.over.done()

    def say(self, text: str) -> bool:
        """The user says this when it is next its turn; returns False if the call does not go on."""
        if not self.live or self._tell is None:
            return False
        self._tell(SayNext(text))
        return True

    def stop(self, reason: str) -> bool:
        """End the call now, as cancelled; returns False if it does not go on."""
        if self._call is None or not self.live:
            return False
        self._call.end(Outcome.CANCELLED, reason, "us")
        return True
