"""What may be asked of a call from outside while it goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recordings.format import Outcome
from user_sim.policy import Percept, SayNext

if TYPE_CHECKING:
    from agent.call import Call
    from agent.take_over import Seat


class Control:
    """The reins of one call. On the call's own loop only."""

    def __init__(self) -> None:
        self._call: Call | None = None
        self._tell: Callable[[Percept], None] | None = None
        self._seat: Seat | None = None

    def attach(self, call: Call, tell: Callable[[Percept], None], seat: Seat | None = None) -> None:
        """The call begins.

        Args:
            call: The call.
            tell: Lets its user notice something.
            seat: The user's, which a person may take; None where no microphone is at hand.
        """
        self._call, self._tell, self._seat = call, tell, seat

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

    @property
    def has_microphone(self) -> bool:
        """Whether a person may take over."""
        return self._seat is not None

    @property
    def taken_over(self) -> bool:
        """True from when a person takes over until they are gone."""
        return self._seat is not None and self._seat.busy

    def take_over(self) -> bool:
        """A person speaks in the user's place; returns False if none can, or one does already."""
        return self.live and self._seat is not None and self._seat.take()

    def give_back(self) -> bool:
        """The simulated user speaks again; returns False if no person speaks."""
        return self.live and self._seat is not None and self._seat.give_back()

    def stop(self, reason: str) -> bool:
        """End the call now, as cancelled; returns False if it does not go on."""
        if self._call is None or not self.live:
            return False
        self._call.end(Outcome.CANCELLED, reason, "us")
        return True
