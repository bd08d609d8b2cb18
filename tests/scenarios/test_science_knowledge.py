"""The pack of questions with a key, and what the reference endpoint knows of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from statistics import mean

import pytest

import scenarios
from scenarios.facts.matching import find, tokens
from scenarios.items import query
from scenarios.load import load_pack
from scenarios.schema import Feature, Item, ItemKind, PolicyKind, Turn
from scenarios.spoken.expressions import features
from scenarios.spoken.terms import WordFrequencies
from scenarios.spoken.verbalise import spoken_form
from scoring.science.choice import chosen
from scoring.science.open_answer import holds
from streams.reference.answers import KnowledgeAnswerer
from streams.reference.dialogue import Message, Role
from streams.reference.knowledge_base import KnowledgeBase

DOMAINS = ["physics", "chemistry", "life-sciences", "medicine", "earth-sciences", "climate", "astronomy"]
DOMAINS += ["materials", "mathematics", "computer-science"]

PACK = load_pack("science-knowledge")
TURNS = {one.scenario.id: one.scenario.turns[0] for one in PACK.scenarios}


def item_of(turn: Turn) -> Item:
    assert turn.item is not None
    return turn.item


ITEMS = {id: item_of(turn) for id, turn in TURNS.items()}
QUERIES = {id: query(turn) for id, turn in TURNS.items()}
CHOICES = {id: item for id, item in ITEMS.items() if item.kind is ItemKind.CHOICE}
PAIRS: dict[str, list[str]] = defaultdict(list)
for _id, _item in ITEMS.items():
    if _item.pair:
        PAIRS[_item.pair].append(_id)


def test_the_pack_loads_without_warnings_and_each_scenario_asks_one_question() -> None:
    assert len(PACK.scenarios) >= 200
    for one in PACK.scenarios:
        assert one.warnings == ()
        assert len(one.scenario.turns) == 1
        assert one.scenario.policy is PolicyKind.SCRIPTED
        assert one.scenario.domain == one.path.stem


def test_each_domain_has_twenty_items_half_of_them_with_options() -> None:
    kinds = Counter((one.scenario.domain, ITEMS[one.scenario.id].kind) for one in PACK.scenarios)
    assert sorted({domain for domain, _ in kinds}) == sorted(DOMAINS)
    for domain in DOMAINS:
        assert kinds[domain, ItemKind.CHOICE] == kinds[domain, ItemKind.OPEN] >= 10


@pytest.mark.parametrize("feature", Feature)
def test_a_third_of_the_items_has_each_feature(feature: Feature) -> None:
    assert 3 * sum(feature in item.features for item in ITEMS.values()) >= len(ITEMS)


def test_the_features_and_terms_of_an_item_are_those_found_in_its_query() -> None:
    rarity = WordFrequencies()
    for id, item in ITEMS.items():
        found = features(QUERIES[id].text, rarity)
        assert {feature.value for feature in item.features} == found.present, id
        assert item.terms == tuple(dict.fromkeys(found.terminology)), id


def test_no_question_is_asked_twice() -> None:
    asked = Counter(say.text.casefold() for say in QUERIES.values())
    assert [text for text, times in asked.items() if times > 1] == []


def test_the_keys_are_spread_evenly_over_the_letters() -> None:
    for options in (3, 4):
        keys = Counter(item.answer for item in CHOICES.values() if len(item.options) == options)
        assert len(keys) == options
        assert max(keys.values()) - min(keys.values()) <= 0.05 * len(CHOICES)


def test_the_options_are_alike_in_length_and_the_right_one_is_not_the_longest_by_rule() -> None:
    longest = []
    for id, item in CHOICES.items():
        lengths = {letter: len(text) for letter, text in item.options.items()}
        assert max(lengths.values()) <= 2 * min(lengths.values()) + 8, id
        others = [length for letter, length in lengths.items() if letter != item.answer]
        longest.append(lengths[item.answer] > max(others))
    assert mean(longest) < 0.4


def test_an_answer_is_said_in_its_explanation_and_an_open_question_does_not_give_it_away() -> None:
    for id, item in ITEMS.items():
        if item.kind is ItemKind.OPEN:
            assert holds(item.explanation, item.answer, item.accept), id
            assert not holds(QUERIES[id].text, item.answer, item.accept), id
        else:
            assert find(item.options[item.answer], tokens(item.explanation)), id


def test_a_keyword_is_traceable_in_each_of_three_categories() -> None:
    for id, item in ITEMS.items():
        right = item.options.get(item.answer, item.answer)
        texts = [tokens(text) for text in (QUERIES[id].text, right, item.explanation, item.reasoning)]
        words = item.keywords
        for category in (words.core_entity, words.target_concept, words.knowledge_anchor):
            assert 1 <= len(category) <= 3, id
            for keyword in category:
                assert any(find(keyword, text) for text in texts), (id, keyword)


def test_every_item_has_a_source_an_explanation_and_its_reasoning() -> None:
    assert all(item.source and item.explanation and item.reasoning for item in ITEMS.values())


def test_pairs_are_complete_and_differ_in_one_thing() -> None:
    kinds = Counter[str]()
    for pair, ids in PAIRS.items():
        assert len(ids) == 2, pair
        one, other = (ITEMS[id] for id in ids)
        texts = [TURNS[id].text for id in ids]
        assert one.explanation == other.explanation
        if one.kind is not other.kind:
            kinds["choice and open"] += 1
            assert texts[0] == texts[1]
        else:
            kinds["abbreviation and full name"] += 1
            assert (one.options, one.answer, one.accept) == (other.options, other.answer, other.accept)
            found = [Feature.ABBREVIATION in item.features for item in (one, other)]
            assert sorted(found) == [False, True], pair
            assert texts[0] != texts[1]
    assert kinds["choice and open"] >= 30
    assert kinds["abbreviation and full name"] >= 20


def test_every_query_has_a_spoken_form_without_signs() -> None:
    aloud = spoken_form("en", Path(scenarios.__file__).parent / "science-knowledge")
    for id, say in QUERIES.items():
        said = say.spoken or aloud(say.text)
        assert not set(said) & set("=+−×·²³⁺⁻/^°%<>αβλπσφΩħ∂"), (id, said)
        assert not any(character.isdigit() for character in aloud(said)), (id, said)


def known(spoken: bool) -> Counter[tuple[ItemKind, str]]:
    """How the reference endpoint answers all questions, in text: as written, or as they are said."""
    aloud = spoken_form("en", Path(scenarios.__file__).parent / "science-knowledge")
    endpoint = KnowledgeAnswerer(KnowledgeBase.load())
    counts: Counter[tuple[ItemKind, str]] = Counter()
    for id, item in ITEMS.items():
        asked = aloud(QUERIES[id].aloud) if spoken else QUERIES[id].text
        answer = endpoint.find([Message(Role.USER, asked)])
        if item.kind is ItemKind.CHOICE:
            letter = chosen(answer, item.options).letter
            right, none = letter == item.answer, letter is None
        else:
            right, none = holds(answer, item.answer, item.accept), "I do not know" in answer
        counts[item.kind, "right" if right else "none" if none else "wrong"] += 1
    return counts


@pytest.mark.parametrize("spoken", [False, True], ids=["written", "spoken"])
def test_the_reference_endpoint_knows_two_thirds_and_is_wrong_or_ignorant_of_the_rest(spoken: bool) -> None:
    counts = known(spoken)
    right = counts[ItemKind.CHOICE, "right"] + counts[ItemKind.OPEN, "right"]
    assert 0.6 <= right / len(ITEMS) <= 0.7
    assert counts[ItemKind.CHOICE, "right"] > counts[ItemKind.OPEN, "right"]
    assert all(counts[kind, "wrong"] >= 10 for kind in ItemKind)
    assert counts[ItemKind.OPEN, "none"] >= 10
