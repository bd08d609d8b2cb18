from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.facts.matching import find, tokens

STATED = [
    ("cuts", "It cuts DNA."),
    ("cut", "It CUTS DNA."),
    ("genes", "one gene"),
    ("boxes", "a box"),
    ("batteries", "the battery"),
    ("Cas9", "the cas 9 enzyme"),
    ("cas 9", "the Cas-nine enzyme"),
    ("Cas9", "Kas9 and CAS NINE"),
    ("H2O", "h two o"),
    ("guide RNA", "a guide R N A"),
    ("guide R.N.A.", "the guide RNAs"),
    ("CRISPR", "this is crisper"),
    ("phosphoramidite", "phosphoramadite chemistry"),
    ("electrospinning", "electro spining"),
    ("double-strand break", "a double strand brake, I mean break: double strand break"),
    ("1953", "in nineteen fifty three"),
    ("1953", "in 1953"),
    ("205", "two hundred and five genes"),
    ("100", "about a hundred"),
    ("2 million", "two million"),
    ("10,000", "ten thousand"),
    ("3.14", "three point one four"),
    ("doesn't cut", "It doesn’t cut."),
    ("does not cut", "It does not cut."),
    ("ﬁnite", "finite"),
    ("cafe\u0301", "caf\u00e9"),
    ("cuts the DNA", "cuts DNA"),
    ("细胞", "这是细胞。"),
    ("cuts", "It not only cuts DNA"),
    ("cuts", "No, it cuts DNA."),
    ("cuts", "no it cuts dna"),
    ("RNA", "It is not a protein but an RNA."),
    ("cuts", "It does not bind. It cuts."),
]

UNSTATED = [
    ("cuts", "It copies DNA."),
    ("cut", "a cute enzyme"),
    ("gene", "general"),
    ("methane", "ethane"),
    ("saturated", "unsaturated"),
    ("reversible", "irreversible"),
    ("intracellular", "intercellular"),
    ("hypertension", "hypotension"),
    ("microscopic", "macroscopic"),
    ("abduction", "adduction"),
    ("phosphate", "phosphite"),
    ("chlorine", "chloride"),
    ("messenger RNA", "messenger DNA"),
    ("polymerase 2", "polymerase 3"),
    ("BRCA1", "BRCA2"),
    ("1953", "nineteen fifty four"),
    ("guide RNA", ""),
]

NEGATED = [
    ("cuts", "It does not cut DNA."),
    ("cuts", "It doesn't really cut DNA."),
    ("cuts", "it doesnt cut"),
    ("cuts", "It never cuts."),
    ("guide RNA", "It works without any guide RNA."),
    ("guide RNA", "There is no guide RNA."),
    ("protein", "RNA rather than protein"),
    ("protein", "RNA instead of a protein"),
    ("protein", "It is not a protein but an RNA."),
    ("DNA", "Neither RNA nor DNA."),
]


@pytest.mark.parametrize(("phrase", "heard"), STATED)
def test_a_phrase_is_found_in_spite_of_the_recogniser(phrase: str, heard: str) -> None:
    match = find(phrase, tokens(heard))
    assert match is not None and not match.negated


@pytest.mark.parametrize(("phrase", "heard"), UNSTATED)
def test_another_word_is_not_the_phrase(phrase: str, heard: str) -> None:
    assert find(phrase, tokens(heard)) is None


@pytest.mark.parametrize(("phrase", "heard"), NEGATED)
def test_a_negated_phrase_is_found_as_negated(phrase: str, heard: str) -> None:
    match = find(phrase, tokens(heard))
    assert match is not None and match.negated


def test_a_match_names_the_characters_of_the_original_text() -> None:
    heard = "Well, “Cas – nine” cuts."
    match = find("cas9", tokens(heard))
    assert match is not None
    assert heard[match.start : match.end] == "Cas – nine"


@given(st.text(max_size=60))
def test_every_text_has_tokens_with_places_in_order(text: str) -> None:
    places = [(token.start, token.end) for token in tokens(text)]
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert places == sorted(places)


@given(
    st.lists(
        st.sampled_from(
            ["the", "gene", "cas9", "not", "nine", "hundred", "and", "DNA", "R", "N", "3.5", ","]
        ),
        max_size=9,
    )
)
def test_a_text_that_says_anything_holds_itself(words: list[str]) -> None:
    text = " ".join(words)
    found = find(text, tokens(text))
    assert (found is not None) == bool(tokens(text))
