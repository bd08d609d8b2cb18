from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.spoken.terms import Counts
from scoring.text import Op, fewest_errors
from scoring.text.marking import Mark, compared, marked
from scoring.text.rates import Rate

RARE = Counts(dict.fromkeys(["what", "does", "the", "in", "cell", "do", "a", "is", "of", "and"], 100))
"""Every other word is a term."""

WORDS = ["the", "a", "cell", "DNA", "ribosome", "ribosomes", "BRCA1", "does", "5", "mM"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=9)


def test_a_text_without_terms_has_no_words_of_its_own() -> None:
    assert marked("What does the cell do?", RARE) == ()


def test_terms_and_abbreviations_are_marked_where_they_stand() -> None:
    found = marked("What does the ribosome do in DNA?", RARE)
    assert [(word.text, word.mark) for word in found] == [
        ("What", None),
        ("does", None),
        ("the", None),
        ("ribosome", Mark.TERM),
        ("do", None),
        ("in", None),
        ("DNA?", Mark.ABBREVIATION),
    ]


def test_terms_that_the_scenario_names_are_marked_without_a_frequency_list() -> None:
    assert [word.text for word in marked("the cell wall", None, ["cell wall"]) if word.mark] == [
        "cell",
        "wall",
    ]


def test_a_lost_term_is_marked_on_the_word_that_took_its_place() -> None:
    found = compared(["the ribosome in DNA"], "the rib zone in DNA", RARE)
    assert [(w.text, w.op, w.expected, w.mark) for w in found.words] == [
        ("the", Op.HIT, "", None),
        ("rib", Op.INSERTION, "", None),
        ("zone", Op.SUBSTITUTION, "ribosome", Mark.TERM),
        ("in", Op.HIT, "", None),
        ("dna", Op.HIT, "", Mark.ABBREVIATION),
    ]
    # 2 edits of 4 words; 1 of 1 term; 0 of 1 abbreviation
    assert (found.errors, found.terms, found.abbreviations) == (Rate(2, 4), Rate(1, 1), Rate(0, 1))


def test_the_nearest_form_counts_and_abbreviations_are_those_of_the_written_one() -> None:
    found = compared(["BRCA1 is a gene", "bracka one is a gene"], "bracka one is a gene")
    assert found.errors == Rate(0, 5)
    assert found.abbreviations == Rate(1, 1)
    assert found.terms is None  # nobody can say which words are terms


def test_there_must_be_something_to_compare_with() -> None:
    with pytest.raises(ValueError, match="empty"):
        compared([], "anything")


@given(reference=TEXTS, hypothesis=TEXTS)
def test_word_errors_are_those_of_the_metric(reference: list[str], hypothesis: list[str]) -> None:
    said, heard = " ".join(reference), " ".join(hypothesis)
    found, metric = compared([said], heard, RARE), fewest_errors([said], heard)
    assert found.errors == Rate(metric.errors, metric.reference_words)
    assert sum(word.op is not Op.HIT for word in found.words) == metric.errors
