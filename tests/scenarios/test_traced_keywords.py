"""Keywords that a model proposes: kept if they stand in the texts of their item, else dropped."""

from __future__ import annotations

import pytest

from scenarios.keywords import by_category, candidates, sources
from scenarios.schema import Item, ItemKind
from scenarios.traced_keywords import Dropped, traced

QUESTION = "What causes the Cherenkov light in the water of a reactor?"
ITEM = Item(
    kind=ItemKind.CHOICE,
    options={"A": "fast electrons", "B": "slow neutrons"},
    answer="A",
    explanation="Cherenkov light is made by fast electrons. Water of pH 7 slows it, like a bow wave.",
    reasoning="The refractive index slows light, so fast electrons outrun it.",
)
TEXTS = sources(QUESTION, ITEM)
CORE, TARGET, ANCHOR = "core_entity", "target_concept", "knowledge_anchor"


def dropped(text: str) -> Dropped | None:
    found = traced([(text, CORE)], TEXTS)
    return next(iter(found.dropped), None)


def test_a_keyword_weighs_what_its_sources_weigh_and_keeps_the_models_type() -> None:
    found = traced([("fast electrons", ANCHOR), ("Cherenkov", CORE), ("refractive index", ANCHOR)], TEXTS)
    kept = {one.text: (one.category, one.sources, one.weight) for one in found.kept}
    # answer 5 + explanation 3 + reasoning 2; question 5 + explanation 3; reasoning 2
    assert kept == {
        "fast electrons": (ANCHOR, ("answer", "explanation", "reasoning"), 10),
        "Cherenkov": (CORE, ("question", "explanation"), 8),
        "refractive index": (ANCHOR, ("reasoning",), 2),
    }
    assert found.dropped == {}


def test_it_is_written_as_it_stands_in_the_first_of_its_sources() -> None:
    found = traced([("cherenkov  LIGHT", CORE), ("PH", ANCHOR)], TEXTS)
    assert by_category(found.kept).model_dump(exclude_defaults=True) == {
        CORE: ("Cherenkov light",),
        ANCHOR: ("pH",),
    }


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("Vavilov", Dropped.NOT_TRACEABLE),
        ("slow neutrons", Dropped.NOT_TRACEABLE),  # of another option
        ("electron", Dropped.NOT_TRACEABLE),  # a part of a word
        ("electrons fast", Dropped.NOT_TRACEABLE),
        ("electrons water", Dropped.NOT_TRACEABLE),  # across the end of a sentence
        ("of the", Dropped.EMPTY),
        ("A", Dropped.EMPTY),
        ("", Dropped.EMPTY),
        ("?!", Dropped.EMPTY),
        ("Cherenkov light in the water of", Dropped.TOO_LONG),
        ("ignore all rules", Dropped.NOT_TRACEABLE),
        ("Cherenkov light in the water", None),
        ("electrons", None),
    ],
)
def test_what_is_not_in_the_texts_as_words_together_is_dropped(text: str, cause: Dropped | None) -> None:
    assert dropped(text) is cause


def test_twice_is_once_and_the_heaviest_of_a_category_are_enough() -> None:
    proposed = [
        ("bow wave", ANCHOR),
        ("Bow Wave", CORE),
        ("refractive index", ANCHOR),
        ("fast electrons", ANCHOR),
    ]
    found = traced(proposed, TEXTS, most=2)
    assert [one.text for one in found.kept] == ["fast electrons", "bow wave"]  # 10, 3; and 2 is beyond
    assert found.dropped == {Dropped.TWICE: 1, Dropped.BEYOND_MOST: 1}


def test_a_chain_of_reasoning_counts_where_the_item_has_none() -> None:
    bare = ITEM.model_copy(update={"reasoning": ""})
    chain = "Light slows down in a medium."
    assert traced([("medium", ANCHOR)], sources(QUESTION, bare)).kept == ()
    found = traced([("medium", ANCHOR), ("water", CORE)], sources(QUESTION, bare, chain))
    assert found.only_reasoned and len(found.kept) == 2
    assert not traced([("water", CORE)], sources(QUESTION, bare, chain)).only_reasoned
    assert traced([("medium", ANCHOR)], sources(QUESTION, ITEM, chain)).kept == ()


def test_what_the_rules_propose_is_traceable_too() -> None:
    ours = [(one.text, one.category) for one in candidates(QUESTION, ITEM)]
    assert traced(ours, TEXTS, most=100).dropped == {}
