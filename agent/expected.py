"""What a scenario expects of answers, as its judges are told: by ids, and by the words that ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from scenarios.expression_task import Expression
from scenarios.items import query
from scenarios.load import LoadedScenario
from scenarios.schema import Fact, Item, scenario_facts


@dataclass(frozen=True, slots=True)
class Expected:
    """What answers may be expected to state and to be.

    Attributes:
        facts: Everything that an answer may state, by id.
        items: Questions of knowledge, by the words that ask them.
        expressions: What answers must do in content and manner, by the words that ask for it.
        fusion: How the pack makes one label of content, manner and voice quality; "" if it does not say.
    """

    facts: Mapping[str, Fact] = field(default_factory=dict)
    items: Mapping[str, Item] = field(default_factory=dict)
    expressions: Mapping[str, Expression] = field(default_factory=dict)
    fusion: str = ""

    @classmethod
    def of(cls, loaded: LoadedScenario) -> Expected:
        """Those of a scenario and its pack."""
        scenario = loaded.scenario
        return cls(
            facts={fact.id: fact for fact in scenario_facts(scenario)},
            items={query(turn).text: turn.item for turn in scenario.turns if turn.item is not None},
            expressions={turn.text: turn.expression for turn in scenario.turns if turn.expression},
            fusion=loaded.pack.fusion if loaded.pack else "",
        )
