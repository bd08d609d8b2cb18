from __future__ import annotations

import pytest

from scenarios.facts.check import check_facts
from scenarios.load import LoadedScenario, find
from scenarios.schema import Fact, Say
from streams.reference.answers import KnowledgeAnswerer
from streams.reference.dialogue import Message, Role
from streams.reference.knowledge_base import KnowledgeBase


def parts(loaded: LoadedScenario) -> list[tuple[list[Say], tuple[Fact, ...]]]:
    """What is asked, follow-ups included, and what the replies to it should state."""
    turns: list[tuple[list[Say], tuple[Fact, ...]]] = [
        ([turn], turn.facts) for turn in loaded.scenario.turns
    ]
    return turns + [
        ([aspect.question, *aspect.follow_ups], aspect.facts) for aspect in loaded.scenario.aspects
    ]


@pytest.mark.parametrize("loaded", find("demo"), ids=lambda one: one.scenario.id)
def test_the_reference_endpoint_can_state_every_fact_of_the_demo(loaded: LoadedScenario) -> None:
    answerer = KnowledgeAnswerer(KnowledgeBase.load())
    dialogue: list[Message] = []
    for lines, facts in parts(loaded):
        replies = []
        for line in lines:
            dialogue.append(Message(role=Role.USER, text=line.text))
            replies.append(answerer.find(dialogue))
            dialogue.append(Message(role=Role.ASSISTANT, text=replies[-1]))
        assert check_facts(facts, *replies).satisfied


def test_one_fact_of_the_demo_needs_a_follow_up() -> None:
    (crispr,) = find("demo/crispr")
    mechanism = crispr.scenario.aspects[1]
    answerer = KnowledgeAnswerer(KnowledgeBase.load())
    asked = [Message(role=Role.USER, text="How does CRISPR work, step by step?")]
    assert [fact.id for fact in check_facts(mechanism.facts, answerer.find(asked)).missing] == ["length"]


@pytest.mark.parametrize("loaded", find("demo"), ids=lambda one: one.scenario.id)
def test_no_question_of_the_demo_gives_its_answer_away(loaded: LoadedScenario) -> None:
    assert not loaded.warnings
    for lines, facts in parts(loaded):
        check = check_facts(facts, *(line.text for line in lines))
        assert not check.stated, [finding.fact.id for finding in check.stated]


@pytest.mark.parametrize("loaded", find("demo"), ids=lambda one: one.scenario.id)
def test_every_fact_of_the_demo_is_stated_by_its_own_sentence(loaded: LoadedScenario) -> None:
    for _, facts in parts(loaded):
        for fact in facts:
            assert check_facts([fact], fact.text).satisfied, fact.id


@pytest.mark.parametrize(
    ("heard", "id"),
    [
        ("The guide are na pairs with the matching D.N.A.", "pairing"),
        ("It only cuts beside a P A M.", "motif"),
        ("About 20 letters match.", "length"),
        ("It treats Sickle-cell disease.", "sickle-cell"),
    ],
)
def test_typical_spellings_of_a_recogniser_count(heard: str, id: str) -> None:
    (crispr,) = find("demo/crispr")
    (fact,) = [fact for aspect in crispr.scenario.aspects for fact in aspect.facts if fact.id == id]
    assert check_facts([fact], heard).satisfied


def test_a_wrong_answer_of_the_demo_is_caught_and_its_denial_is_not() -> None:
    (mrna,) = find("demo/mrna")
    (fact,) = [fact for turn in mrna.scenario.turns for fact in turn.facts if fact.id == "no-change"]
    assert check_facts([fact], "It changes your DNA for ever.").contradicted
    assert check_facts([fact], "No, the mRNA cannot change your DNA.").satisfied
