"""The rules judge on the packs we ship: what it makes of answers that are known to be right, or wrong.

science-dialogue: what the reference endpoint says when it is asked about a fact by name; and, of the facts
that it gets wrong on purpose, what it says to the question of their aspect and its follow-ups, together.
science-knowledge: the key of an item in a sentence, and its wrong options or, of open questions, keys of
others in its domain.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from scenarios.facts.check import point_of
from scenarios.load import load_pack
from scenarios.schema import Fact, Item, ItemKind
from scoring.judge.contract import FactLabel, Question, ReplyToJudge
from scoring.judge.rules import RulesJudge
from scoring.judge.select import encoder
from streams.reference.knowledge_base import KnowledgeBase, Topic
from tests.scoring.test_rules_judge_accuses import WRONG

OTHERS = 3
"""Wrong answers to an item, at most."""


def judged() -> dict[str, Any]:
    """Labels by kind of answer, for each pack."""
    judge = RulesJudge(encoder())
    counts = {
        "science_dialogue": _counted(_of_dialogues(judge)),
        "science_knowledge": _counted(_of_items(judge)),
    }
    return {
        f"{pack}_{kind}": ", ".join(f"{found[label]} {label}" for label in FactLabel)
        for pack, kinds in counts.items()
        for kind, found in kinds.items()
    }


def _counted(labels: Iterable[tuple[str, FactLabel | None]]) -> dict[str, Counter[FactLabel | None]]:
    found: dict[str, Counter[FactLabel | None]] = defaultdict(Counter)
    for kind, label in labels:
        found[kind][label] += 1
    return found


def _of_dialogues(judge: RulesJudge) -> Iterator[tuple[str, FactLabel | None]]:
    base = KnowledgeBase.load()
    for loaded in load_pack("science-dialogue").scenarios:
        scenario = loaded.scenario
        (topic,) = base.read(scenario.aspects[0].question.aloud).topics
        for aspect, fact in ((asked, fact) for asked in scenario.aspects for fact in asked.facts):
            named = _answers(base, topic, [f"What about {point_of(fact)}?"])
            yield from (("right", _label(judge, fact, answer)) for answer in named)
            if f"{scenario.id}/{fact.id}" in WRONG:
                lines = [line.aloud for line in (aspect.question, *aspect.follow_ups)]
                labels = [_label(judge, fact, answer) for answer in _answers(base, topic, lines)]
                accused = FactLabel.CONTRADICTED in labels
                yield "wrong", FactLabel.CONTRADICTED if accused else labels[0]


def _answers(base: KnowledgeBase, topic: Topic, lines: Sequence[str]) -> list[str]:
    """What is said to lines about a topic, each answer once."""
    found = [base.find(base.read(line), last=topic) for line in lines]
    return list(dict.fromkeys(one.entry.answer for one in found if one is not None and one.topic is topic))


def _of_items(judge: RulesJudge) -> Iterator[tuple[str, FactLabel | None]]:
    asked = [
        (loaded.scenario.domain, turn.item)
        for loaded in load_pack("science-knowledge").scenarios
        for turn in loaded.scenario.turns
        if turn.item is not None
    ]
    keys: dict[str, set[str]] = defaultdict(set)
    for domain, item in asked:
        keys[domain].add(_key(item))
    for domain, item in asked:
        (fact,) = Question("", item=item).reference
        yield f"{item.kind}_right", _label(judge, fact, f"It is {_key(item)}.")
        own = {_key(item), *item.accept}
        others = item.options.values() if item.kind is ItemKind.CHOICE else sorted(keys[domain])
        for other in [other for other in others if other not in own][:OTHERS]:
            yield f"{item.kind}_wrong", _label(judge, fact, f"It is {other}.")


def _key(item: Item) -> str:
    return item.options.get(item.answer, item.answer)


def _label(judge: RulesJudge, fact: Fact, heard: str) -> FactLabel | None:
    (verdict,) = judge.verdict(ReplyToJudge.of(Question("", (fact,)), heard)).facts
    return verdict.label
