from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.text import Op, corpus_rate, fewest_errors, has_word_spaces, normalise, word_errors

LONG = "i would like to change my flight to the tenth of march please"


@pytest.mark.parametrize(
    ("reference", "hypothesis", "rate", "words"),
    [  # D28
        ("", "", 0.0, 0),
        ("", "peaceful silence", 2.0, 0),
        ("hello", "", 1.0, 1),
        ("mm-hmm", "mm-hmm", 0.0, 2),
        ("fries", "no fry", 2.0, 1),
    ],
)
def test_empty_texts_and_rates_above_one(reference: str, hypothesis: str, rate: float, words: int) -> None:
    errors = word_errors(reference, hypothesis)
    assert (errors.rate, errors.reference_words) == (rate, words)


def test_an_empty_reference_counts_its_insertions_in_the_corpus() -> None:  # D28: 1 error, 2 words
    assert corpus_rate([word_errors("hello world", "hello world"), word_errors("", "done")]) == 0.5
    assert corpus_rate([]) == 0.0


def test_a_text_without_words_is_noted() -> None:
    assert word_errors("?!", "").emptied
    assert not word_errors("", "").emptied


def test_the_corpus_rate_is_all_errors_over_all_words() -> None:  # D29: 1 of 14, not (1 + 0) / 2
    assert corpus_rate([word_errors("yes", "yeah"), word_errors(LONG, LONG)]) == 1 / 14


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [  # D30
        ("my code is d n a seven", "my code is DNA seven"),
        ("x q 7 z", "XQ7Z"),
        ("A-B-3-9", "a b 3 9"),
        ("J. R. R. Tolkien", "JRR Tolkien"),
        ("T. V.", "TV"),
        ("it's O.K.", "it's OK"),
        ("A.I. today", "ai today"),
        ("the U.S. army", "the US army"),
        ("at 3 p.m.", "at 3 pm"),
    ],
)
def test_spelled_letters_and_acronyms_are_one(reference: str, hypothesis: str) -> None:
    assert word_errors(reference, hypothesis).errors == 0
    assert word_errors(hypothesis, reference).errors == 0


def test_a_wrong_letter_costs_one_error() -> None:  # D30
    assert word_errors("my code is DNA seven", "my code is d m a seven").errors == 1


@pytest.mark.parametrize("text", ["i am a b student", "plan a is a go", "vitamin d i take"])
def test_words_of_one_letter_stay_words(text: str) -> None:  # D30
    assert normalise(text) == text


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [  # D32 a to c
        ("I don’t know him", "i don't know him"),
        ("café", "cafe\N{COMBINING ACUTE ACCENT}"),
        ("２３ apples", "23 apples"),
        ("'Hello', she said.", "hello she said"),
        ("state-of-the-art", "state of the art"),
        ("1,000 dollars", "1000 dollars"),
        ("call (555) 0199", "call 555 0199"),
        ("soft\N{SOFT HYPHEN}ware", "software"),
    ],
)
def test_ways_of_writing_are_no_errors(reference: str, hypothesis: str) -> None:
    assert word_errors(reference, hypothesis).errors == 0


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [("0042", "42"), ("555-0123", "555-123"), ("36", "306"), ("3.5", "35"), ("we're", "were")],
)
def test_digits_and_apostrophes_are_never_lost(reference: str, hypothesis: str) -> None:  # D31
    assert word_errors(reference, hypothesis).errors >= 1


def test_a_vowel_sign_is_part_of_its_word() -> None:  # D32 (d): 1 of 1
    errors = word_errors("प्राचीन", "प्राचिन")
    assert (errors.errors, errors.reference_words) == (1, 1)


def test_languages_without_word_spaces_are_known() -> None:  # D32 (e)
    assert not has_word_spaces("zh-CN")
    assert has_word_spaces("en-GB")


def test_the_alignment_names_every_word() -> None:
    errors = word_errors("the cat sat down", "a cat sat right down now")
    assert [(word.op, word.reference, word.hypothesis) for word in errors.alignment] == [
        (Op.SUBSTITUTION, "the", "a"),
        (Op.HIT, "cat", "cat"),
        (Op.HIT, "sat", "sat"),
        (Op.INSERTION, None, "right"),
        (Op.HIT, "down", "down"),
        (Op.INSERTION, None, "now"),
    ]
    assert (errors.substitutions, errors.deletions, errors.insertions, errors.hits) == (1, 0, 2, 3)


def test_the_nearest_of_several_forms_counts() -> None:
    assert fewest_errors(("BRCA1 gene", "bracka one gene"), "bracka one gene").errors == 0


@given(st.text(max_size=60))
def test_normalising_twice_changes_nothing_and_loses_no_digit(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert sum(c in "0123456789" for c in once) >= sum(c in "0123456789" for c in text)


WORDS = st.lists(st.sampled_from(["cat", "dog", "sat", "on", "mat"]), max_size=8).map(" ".join)


@given(WORDS, WORDS)
def test_counts_add_up(reference: str, hypothesis: str) -> None:
    errors = word_errors(reference, hypothesis)
    assert errors.hits + errors.substitutions + errors.deletions == errors.reference_words
    assert errors.hits + errors.substitutions + errors.insertions == len(hypothesis.split())
    assert word_errors(reference, reference).errors == 0
