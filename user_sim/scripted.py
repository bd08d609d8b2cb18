"""A user that says the scenario's turns as they are written."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.items import query
from scenarios.schema import Scenario
from user_sim.policy import Action, Ending, Line, TurnHeard
from user_sim.turn_taking import Phase, TurnTaking, line


class ScriptedPolicy(TurnTaking):
    """Says one turn after each reply, whatever the reply was, then the goodbye if there is one.

    A turn's `pause_s` is waited after the reply before it. Of a live judge's advice only "stop" is
    followed. Without a goodbye the user hangs up right after the last reply.
    """

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario)
        self._next = 0

    def _first(self, greeting: TurnHeard | None) -> Sequence[Action]:
        return self._say_next()

    def _reply(self, heard: TurnHeard) -> Sequence[Action]:
        if self._next < len(self.scenario.turns):
            return self._say_next()
        if self.scenario.goodbye is None:
            return self.hang_up(Ending.DONE)
        return self.part(Ending.DONE)

    def _unanswered(self) -> Sequence[Action]:
        return self._say_next() if self._next < len(self.scenario.turns) else ()

    def _say_next(self) -> Sequence[Action]:
        turn = self.scenario.turns[self._next]
        self._next += 1
        expected = [fact.id for fact in turn.facts]
        return self.say(line(query(turn)), f"turn {self._next}", delay_s=turn.pause_s, expected=expected)

    def lines_ahead(self) -> Sequence[Line]:
        """The next turn, or the goodbye; then the question whether anybody is there."""
        if self.phase is Phase.OVER or self._parting is not None:
            return ()
        ahead = [line(query(turn)) for turn in self.scenario.turns[self._next : self._next + 1]]
        if not ahead and self.scenario.goodbye is not None:
            ahead = [self.goodbye()]
        return [*ahead, Line(self.phrases.still_there)]
