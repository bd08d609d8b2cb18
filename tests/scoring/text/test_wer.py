from __future__ import annotations

import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.text import word_errors
from scoring.text.wer import is_written_with_spaces

WORDS = st.lists(st.sampled_from(["cat", "dog", "sat", "on", "mat"]), min_size=1, max_size=10).map(" ".join)


@given(WORDS, WORDS)
def test_the_edits_are_as_few_as_an_independent_count_says(reference: str, hypothesis: str) -> None:
    ours, theirs = word_errors(reference, hypothesis), jiwer.process_words(reference, hypothesis)
    assert ours.errors == theirs.substitutions + theirs.deletions + theirs.insertions
    assert ours.rate == pytest.approx(theirs.wer)
    assert ours.hits + ours.substitutions + ours.deletions == ours.reference_words


@given(st.text(max_size=40))
def test_a_text_has_no_errors_against_itself(text: str) -> None:
    assert word_errors(text, text).errors == 0


@pytest.mark.parametrize(
    ("text", "spaced"),
    [
        ("hello", True),
        ("", True),
        ("प्राचीन भारत", True),
        ("我们今天去公园散步吧", False),
        ("the word 公园 is Chinese", True),
        ("สวัสดี", False),
    ],
)
def test_scripts_without_word_spaces_are_known_by_their_letters(text: str, spaced: bool) -> None:
    assert is_written_with_spaces(text) is spaced
