"""The science dialogues in physics, chemistry, life sciences, medicine and earth sciences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import scenarios
from scenarios.facts.check import check_facts
from scenarios.facts.matching import find, tokens
from scenarios.load import LoadedScenario, load_scenarios
from scenarios.schema import Aspect, AspectKind, Expertise, Fact, Scenario, Trait
from streams.reference.knowledge_base import KnowledgeBase, Topic

PACK = Path(scenarios.__file__).parent / "science-dialogue"
DOMAINS = ("physics", "chemistry", "life-sciences", "medicine", "earth-sciences")
KNOWN = 0.8
"""Share of the questions, at least, whose entry the reference endpoint must find."""


@cache
def loaded() -> tuple[LoadedScenario, ...]:
    return tuple(one for domain in DOMAINS for one in load_scenarios(PACK / f"{domain}.yaml"))


def dialogues() -> list[Scenario]:
    return [one.scenario for one in loaded()]


def aspects() -> Iterator[tuple[str, Aspect]]:
    for scenario in dialogues():
        for aspect in scenario.aspects:
            yield f"{scenario.id}/{aspect.id}", aspect


def facts() -> Iterator[tuple[str, Fact]]:
    for name, aspect in aspects():
        for fact in aspect.facts:
            yield f"{name}/{fact.id}", fact


def test_each_domain_has_four_dialogues_and_none_has_a_warning() -> None:
    assert Counter(scenario.domain for scenario in dialogues()) == dict.fromkeys(DOMAINS, 4)
    assert [str(warning) for one in loaded() for warning in one.warnings] == []


def test_every_dialogue_goes_through_the_five_aspects_with_two_facts_each() -> None:
    for scenario in dialogues():
        assert [aspect.kind for aspect in scenario.aspects] == list(AspectKind)
        assert [len(aspect.facts) for aspect in scenario.aspects] == [2] * 5
        assert all(aspect.follow_ups and aspect.tries == 3 for aspect in scenario.aspects)
        assert scenario.goodbye is not None


def test_each_expertise_meets_each_trait_once() -> None:
    personas = [(scenario.persona.expertise, scenario.persona.trait) for scenario in dialogues()]
    assert Counter(personas) == {(expertise, trait): 1 for expertise in Expertise for trait in Trait}


def test_every_fact_is_stated_by_its_own_words() -> None:
    assert [name for name, fact in facts() if not check_facts([fact], fact.text).stated] == []


def test_every_fact_has_a_source_and_a_point_that_does_not_give_it_away() -> None:
    for name, fact in facts():
        assert fact.source, name
        assert not check_facts([fact], fact.point).stated, name


def test_no_question_and_no_follow_up_states_a_fact() -> None:
    for name, aspect in aspects():
        for line in (aspect.question, *aspect.follow_ups):
            assert check_facts(aspect.facts, line.text).stated == (), (name, line.text)


def test_a_sentence_with_a_wrong_phrase_contradicts_the_fact() -> None:
    wrong = [(name, fact, phrase) for name, fact in facts() for phrase in fact.wrong]
    assert len(wrong) >= 100
    for name, fact, phrase in wrong:
        assert check_facts([fact], f"Well, I am sure that {phrase}.").contradicted, (name, phrase)


def test_no_fact_of_a_dialogue_contradicts_another() -> None:
    for scenario in dialogues():
        all_facts = [fact for aspect in scenario.aspects for fact in aspect.facts]
        for fact in all_facts:
            assert check_facts(all_facts, fact.text).contradicted == (), (scenario.id, fact.id)


def test_every_keyword_of_an_aspect_stands_in_its_question_or_facts() -> None:
    for name, aspect in aspects():
        source = tokens(". ".join([aspect.question.text, *(fact.text for fact in aspect.facts)]))
        words = aspect.keywords
        for category in (words.core_entity, words.target_concept, words.knowledge_anchor):
            assert 1 <= len(category) <= 3, name
            assert [word for word in category if find(word, source) is None] == [], name


@cache
def base() -> KnowledgeBase:
    return KnowledgeBase.load()


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """What the reference endpoint has for the question of an aspect; "" where it finds nothing."""

    aspect: Aspect
    entry: str
    text: str


@cache
def first_answers(scenario: Scenario) -> tuple[FirstAnswer, ...]:
    """The answers to the questions of a dialogue in their order, each after the topic of the first."""
    topic = topic_of(scenario)
    answers = []
    for aspect in scenario.aspects:
        found = base().find(base().read(aspect.question.aloud), last=topic)
        if found is not None and found.topic is topic:
            answers.append(FirstAnswer(aspect, found.entry.id, found.entry.answer))
        else:
            answers.append(FirstAnswer(aspect, "", ""))
    return tuple(answers)


@cache
def topic_of(scenario: Scenario) -> Topic:
    """The topic that the first question names."""
    (topic,) = base().read(scenario.aspects[0].question.aloud).topics
    return topic


def test_the_reference_endpoint_finds_the_entry_that_a_question_is_about() -> None:
    answers = [(scenario.id, answer) for scenario in dialogues() for answer in first_answers(scenario)]
    missed = [
        f"{id}/{a.aspect.id}: {a.entry or 'nothing'}" for id, a in answers if a.entry != a.aspect.kind
    ]
    assert len(missed) <= (1 - KNOWN) * len(answers), "\n".join(missed)


def test_about_a_fifth_of_its_first_answers_leave_nothing_to_ask() -> None:
    answers = [answer for scenario in dialogues() for answer in first_answers(scenario)]
    complete = sum(check_facts(answer.aspect.facts, answer.text).satisfied for answer in answers)
    assert 0.15 * len(answers) <= complete <= 0.25 * len(answers)


@pytest.mark.parametrize("domain", DOMAINS)
def test_one_of_its_answers_in_a_domain_is_wrong_and_put_right_when_pressed(domain: str) -> None:
    wrong = [
        (scenario, answer, finding.fact)
        for scenario in dialogues()
        if scenario.domain == domain
        for answer in first_answers(scenario)
        for finding in check_facts(answer.aspect.facts, answer.text).contradicted
    ]
    assert wrong
    for scenario, answer, fact in wrong:
        asked = base().read(f"Hm, are you sure? Could you check what you said about {fact.point}?")
        again = base().find(asked, last=topic_of(scenario), told=[answer.text])
        assert again is not None, fact.id
        assert check_facts([fact], answer.text, again.entry.answer).stated, (fact.id, again.entry.id)
