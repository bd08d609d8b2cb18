"""The dialogues in climate, astronomy, materials, mathematics and computer science."""

from __future__ import annotations

from pathlib import Path

import pytest

import scenarios
from scenarios.facts.check import check_facts, point_of
from scenarios.facts.matching import find, tokens
from scenarios.load import LoadedScenario, load_scenarios
from scenarios.schema import Aspect, AspectKind, Expertise, Fact, Scenario, Trait
from streams.reference.answers import KnowledgeAnswerer
from streams.reference.dialogue import Message, Role
from streams.reference.knowledge_base import KnowledgeBase
from user_sim.adaptive import AdaptivePolicy
from user_sim.policy import CallStarted, HangUp, SaidAll, Say, TurnHeard

PACK = Path(scenarios.__file__).parent / "science-dialogue"
DOMAINS = ("climate", "astronomy", "materials", "mathematics", "computer-science")
LOADED = {domain: load_scenarios(PACK / f"{domain}.yaml") for domain in DOMAINS}
DIALOGUES = [one.scenario for domain in DOMAINS for one in LOADED[domain]]
ASPECTS = [(dialogue, aspect) for dialogue in DIALOGUES for aspect in dialogue.aspects]
FACTS = [(dialogue, fact) for dialogue, aspect in ASPECTS for fact in aspect.facts]

BASE = KnowledgeBase.load()
ANSWERER = KnowledgeAnswerer(BASE)


def spoken_with(dialogue: Scenario) -> list[tuple[str, str, str]]:
    """An adaptive user and the reference endpoint talk, in text: aspect, question, answer of each turn."""
    user = AdaptivePolicy(dialogue, seed=0)
    said: list[Message] = []
    turns: list[tuple[str, str, str]] = []
    actions = user.observe(CallStarted())
    while not any(isinstance(action, HangUp) for action in actions):
        (say,) = (action for action in actions if isinstance(action, Say))
        user.observe(SaidAll())
        said.append(Message(Role.USER, say.line.text))
        said.append(Message(Role.ASSISTANT, ANSWERER.find(said)))
        if say.label.startswith("aspect "):
            aspect = say.label.removeprefix("aspect ").split(",")[0]
            turns.append((aspect, say.line.text, said[-1].text))
        actions = user.observe(TurnHeard(said[-1].text))
    return turns


TALKS = {dialogue.id: spoken_with(dialogue) for dialogue in DIALOGUES}


def replies(dialogue: Scenario, aspect: Aspect) -> list[str]:
    return [answer for id, _, answer in TALKS[dialogue.id] if id == aspect.id]


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_domain_has_four_dialogues_of_five_aspects_without_warnings(domain: str) -> None:
    loaded: tuple[LoadedScenario, ...] = LOADED[domain]
    assert len(loaded) == 4
    assert [problem for one in loaded for problem in one.warnings] == []
    for one in loaded:
        assert one.scenario.domain == domain
        assert [aspect.kind for aspect in one.scenario.aspects] == list(AspectKind)
        assert all(len(aspect.facts) == 2 and aspect.keywords for aspect in one.scenario.aspects)
        assert all(fact.point and fact.source for a in one.scenario.aspects for fact in a.facts)


def test_every_expertise_meets_every_trait_once() -> None:
    personas = [(dialogue.persona.expertise, dialogue.persona.trait) for dialogue in DIALOGUES]
    assert sorted(personas) == sorted((level, trait) for level in Expertise for trait in Trait)


@pytest.mark.parametrize(("dialogue", "fact"), FACTS, ids=lambda one: one.id)
def test_a_fact_is_stated_by_its_own_sentence_and_contradicted_by_its_wrong_phrases(
    dialogue: Scenario, fact: Fact
) -> None:
    assert check_facts([fact], fact.text).satisfied
    for phrase in fact.wrong:
        assert check_facts([fact], f"I would say: {phrase}.").contradicted, phrase


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=lambda one: one.id)
def test_nothing_the_user_says_gives_the_answer_away(dialogue: Scenario) -> None:
    for aspect in dialogue.aspects:
        lines = [say.text for say in (aspect.question, *aspect.follow_ups)]
        for said in (*lines, *(point_of(fact) for fact in aspect.facts)):
            assert not check_facts(aspect.facts, said).stated, said


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=lambda one: one.id)
def test_a_keyword_is_traceable_to_the_question_or_a_fact(dialogue: Scenario) -> None:
    for aspect in dialogue.aspects:
        texts = [tokens(text) for text in (aspect.question.text, *(fact.text for fact in aspect.facts))]
        kinds = (
            aspect.keywords.core_entity,
            aspect.keywords.target_concept,
            aspect.keywords.knowledge_anchor,
        )
        for kind in kinds:
            assert 1 <= len(kind) <= 3
            for keyword in kind:
                assert any(find(keyword, text) for text in texts), keyword


def test_the_reference_endpoint_finds_the_entry_that_an_aspect_asks_for() -> None:
    missed = []
    for dialogue, aspect in ASPECTS:
        told = BASE.told(replies(dialogue, aspect)[0])
        if told is None or told.entry.id != aspect.id:
            missed.append(f"{dialogue.id}/{aspect.id}: {told.entry.id if told else 'nothing'}")
    assert len(missed) <= 0.2 * len(ASPECTS), missed


def test_the_reference_endpoint_leaves_out_enough_to_be_asked_again_and_tells_it_then() -> None:
    at_once = [check_facts(a.facts, replies(d, a)[0]).satisfied for d, a in ASPECTS]
    in_the_end = [check_facts(a.facts, *replies(d, a)).satisfied for d, a in ASPECTS]
    assert 0.15 <= sum(at_once) / len(ASPECTS) <= 0.35
    assert sum(in_the_end) / len(ASPECTS) >= 0.9


@pytest.mark.parametrize("domain", DOMAINS)
def test_in_each_domain_one_answer_is_wrong_and_put_right_when_it_is_doubted(domain: str) -> None:
    wrong = [
        (dialogue, aspect)
        for dialogue, aspect in ASPECTS
        if dialogue.domain == domain
        and check_facts(aspect.facts, replies(dialogue, aspect)[0]).contradicted
    ]
    assert len(wrong) == 1
    ((dialogue, aspect),) = wrong
    assert check_facts(aspect.facts, *replies(dialogue, aspect)).satisfied
