"""Which behaviours are due when, how often they have happened, and why they did not. Pure and seeded."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

from scenarios.behaviours import Behaviour
from user_sim.policy import Cause, DidNotHappen

Kind = TypeVar("Kind", bound=Behaviour)


class Occasions:
    """The behaviours of one call.

    Every draw depends on the seed, the behaviour, and the number of the turn alone: whatever the endpoint
    does, turn 3 of this user is the same.
    """

    def __init__(self, behaviours: Sequence[Behaviour], seed: int) -> None:
        self._behaviours = behaviours
        self._seed = seed
        self._happened: Counter[str] = Counter()
        self._done: set[tuple[str, int]] = set()
        self._missed: dict[str, str] = {}

    def seeded(self, behaviour: Behaviour, turn: int) -> random.Random:
        """Random numbers for a behaviour at a turn: the same ones every time it is asked."""
        return random.Random(f"{self._seed} {behaviour.id} {turn}")  # noqa: S311 (no secret)

    def due(self, kinds: tuple[type[Kind], ...], turn: int, *, ahead: bool = False) -> Iterator[Kind]:
        """Behaviours of a kind that are to happen at a turn and have not; turn 0 has none.

        Args:
            kinds: Their classes.
            turn: Number of the user's turn.
            ahead: Only look, before the turn has come.
        """
        for behaviour in self._behaviours:
            if not isinstance(behaviour, kinds) or not turn or behaviour.turn not in (None, turn):
                continue
            if self.exhausted(behaviour) or (behaviour.id, turn) in self._done:
                continue
            if self.seeded(behaviour, turn).random() < behaviour.chance:
                yield behaviour
            elif not ahead:
                self.missed(behaviour, "not_drawn")

    def count(self, behaviour: Behaviour) -> int:
        """How often it has happened."""
        return self._happened[behaviour.id]

    def exhausted(self, behaviour: Behaviour) -> bool:
        """Whether it has happened as often as it may."""
        return behaviour.at_most is not None and self._happened[behaviour.id] >= behaviour.at_most

    def happens(
        self, behaviour: Behaviour, turn: int, trigger: str, *, once: bool = True
    ) -> tuple[Cause, ...]:
        """It happens now; `once` means not again at this turn."""
        self._happened[behaviour.id] += 1
        if once:
            self._done.add((behaviour.id, turn))
        return (Cause(behaviour.id, behaviour.kind, trigger),)

    def missed(self, behaviour: Behaviour, why: str) -> None:
        """Why it has not happened so far; the last reason counts."""
        self._missed[behaviour.id] = why

    def never_happened(self) -> list[DidNotHappen]:
        """At the end of the call: what did not happen at all, and why."""
        return [
            DidNotHappen(b.id, b.kind, self._missed.get(b.id, "turn_not_reached"))
            for b in self._behaviours
            if not self._happened[b.id]
        ]
