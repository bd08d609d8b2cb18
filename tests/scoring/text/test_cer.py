from __future__ import annotations

import jiwer
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.text import character_errors, fewest_character_errors, normalise


@pytest.mark.parametrize(
    ("reference", "hypothesis", "errors", "characters"),
    [
        # D32 (e): ten characters, two of them wrong: .2
        ("我们今天去公园散步吧", "我们昨天去公园跑步吧", 2, 10),
        # D32 (d): one vowel sign of seven code points
        ("प्राचीन", "प्राचिन", 1, 7),
        ("caf\u00e9", "cafe\u0301", 0, 4),
        # spaces are no characters
        ("chain mail", "chainmail", 0, 9),
        ("the cat", "The cats.", 1, 6),
        ("thirty six", "36", 0, 2),
        ("", "peace", 5, 0),
        ("peace", "", 5, 5),
        ("", "", 0, 0),
        ("?!", "", 0, 0),
    ],
)
def test_characters_are_compared_after_normalising(
    reference: str, hypothesis: str, errors: int, characters: int
) -> None:
    found = character_errors(reference, hypothesis)
    assert (found.errors, found.characters) == (errors, characters)


def test_the_rate_may_exceed_1_and_is_the_number_of_insertions_without_a_reference() -> None:
    assert character_errors("no", "nonsense").rate == 3.0
    assert character_errors("", "peace").rate == 5.0
    assert character_errors("", "").rate == 0.0


def test_the_nearest_of_several_forms_counts() -> None:
    found = fewest_character_errors(("bracka one", "BRCA1"), "BRCA 1")
    assert (found.errors, found.characters) == (0, 5)


WORDS = st.lists(st.sampled_from(["cat", "dog", "sat", "on", "mats"]), min_size=1, max_size=8).map(" ".join)


@given(WORDS, WORDS)
def test_the_edits_are_as_few_as_an_independent_count_says(reference: str, hypothesis: str) -> None:
    theirs = jiwer.cer(reference.replace(" ", ""), hypothesis.replace(" ", ""))
    assert character_errors(reference, hypothesis).rate == pytest.approx(theirs)


@given(st.text(max_size=30))
def test_a_text_has_no_errors_against_itself(text: str) -> None:
    found = character_errors(text, text)
    assert (found.errors, found.characters) == (0, len(normalise(text).replace(" ", "")))
