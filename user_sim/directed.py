"""A user who also says what somebody outside tells it to: any policy, with words in between. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from user_sim.policy import (
    Action,
    Line,
    Percept,
    Policy,
    SaidInstead,
    Say,
    SayNext,
    Silence,
    TurnHeard,
)

LABEL = "told from outside"
"""What such a turn is for, in the record."""


class Directed:
    """Plays a policy; words that it is told come first when it is the user's turn.

    The policy hears the reply that was due to it after the exchange in between. If there was none (the
    endpoint was silent), it asks its question again.

    Args:
        policy: Decides everything else.
    """

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._told: deque[str] = deque()
        self._kept: TurnHeard | None = None

    def observe(self, percept: Percept) -> Sequence[Action]:
        """Take note of a percept; returns what to do now."""
        match percept:
            case SayNext(text=text):
                self._told.append(text)
                return ()
            case TurnHeard(interrupted=False) if self._told:
                self._kept = self._kept or percept
                return (self._say(),)
            case TurnHeard(interrupted=False) if self._kept is not None:
                kept, self._kept = self._kept, None
                return self._policy.observe(kept)
            case Silence() if self._told:
                said = self._say()
                if self._kept is not None:
                    return (said,)
                return (said, *self._policy.observe(SaidInstead(said.line.text, dropped=False)))
            case _:
                return self._policy.observe(percept)

    def lines_ahead(self) -> Sequence[Line]:
        """What it was told, then what the policy may say."""
        return [*map(Line, self._told), *self._policy.lines_ahead()]

    def _say(self) -> Say:
        return Say(Line(self._told.popleft()), LABEL)
