from __future__ import annotations

import pytest

from scenarios.schema import Keywords
from scoring.science.open_answer import holds
from scoring.science.relevance import relevance

KEYWORDS = Keywords(
    core_entity=("CRISPR", "Cas9"),
    target_concept=("guide RNA",),
    knowledge_anchor=("double-strand break", "PAM"),
)


def test_any_keyword_is_enough_loosely_and_one_of_each_kind_strictly() -> None:
    found = relevance(KEYWORDS, "The guide R N A leads it.")
    assert (found.loose, found.strict) == (True, False)
    found = relevance(KEYWORDS, "Cas 9 follows the guide RNA and makes double strand breaks.")
    assert (found.loose, found.strict) == (True, True)
    assert found.found["knowledge_anchor"] == ("double-strand break",)


def test_an_answer_beside_the_subject_is_not_relevant() -> None:
    found = relevance(KEYWORDS, "I like spam and crisps.")
    assert (found.loose, found.strict) == (False, False)


def test_repeating_the_question_is_told_from_adding_to_it() -> None:
    asked = "What does the guide RNA do in CRISPR?"
    assert relevance(KEYWORDS, "You ask about the guide RNA in CRISPR.", asked).beyond_question is False
    assert relevance(KEYWORDS, "It leads Cas9.", asked).beyond_question is True
    assert relevance(Keywords(core_entity=("CRISPR",)), "CRISPR", asked).beyond_question is None


def test_a_kind_without_keywords_leaves_strictness_open() -> None:
    found = relevance(Keywords(core_entity=("neon",)), "neon")
    assert (found.loose, found.strict) == (True, None)
    assert relevance(Keywords(), "neon").loose is None


def test_a_keyword_of_one_or_two_letters_must_be_there_as_written() -> None:
    words = Keywords(core_entity=("pH", "K"))
    assert relevance(words, "The pH is low.").loose is True
    assert relevance(words, "the ph is low, ok").loose is False


@pytest.mark.parametrize("answer", ["", "...", "¿?"])
def test_an_answer_without_words_holds_nothing(answer: str) -> None:
    assert relevance(KEYWORDS, answer).loose is False


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It is photosynthesis.", True),
        ("No idea, I do not know.", False),
        ("It is not photosynthesis.", False),
        ("the photo synthesis", True),
    ],
)
def test_an_open_answer_holds_its_key_as_whole_words(answer: str, expected: bool) -> None:
    assert holds(answer, "photosynthesis") is expected


def test_no_is_not_in_know() -> None:
    assert holds("I know that", "no") is False
    assert holds("Ten degrees", "10 degrees", ("ten kelvin",)) is True
