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
    # contractions are their words
    ("can't be seen", "It cannot be seen."),
    ("cannot be seen", "It can't be seen."),
    ("can not be seen", "it cant be seen"),
    ("does not cut", "It doesn’t cut."),
    ("doesn't cut", "it doesnt cut"),
    ("won't react", "It will not react."),
    ("isn't only", "It is not only a gas."),
    # signs are their words
    ("5 %", "about five percent"),
    ("5 percent", "5%"),
    ("5 percent", "five per cent"),
    ("-70", "minus seventy millivolts"),
    ("minus 70", "\N{MINUS SIGN}70 mV"),
    ("10", "5-10 volts"),
    ("non-polar", "a nonpolar solvent"),
    ("nonpolar", "a non polar solvent"),
    ("gas", "a non-toxic gas"),
    ("gas", "the gas is non-toxic"),
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
    # no negator of the phrase may be lost
    ("the two series are not convergent", "The two series are convergent."),
    ("resistances are not equal in series", "The resistances are equal in series."),
    ("cannot be distinguished", "It can be distinguished."),
    ("without any resistance", "with any resistance"),
    ("5 %", "It is 5."),
    ("percent", "a per centimetre value"),
    ("-70", "It is 70."),
    ("minus 10", "5-10 volts"),
    ("minus 19", "COVID-19"),
    ("non-polar", "a polar solvent"),
    ("polar", "a nonpolar solvent"),
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
    ("toxic", "The gas is non-toxic."),
    ("polar", "a non polar solvent"),
    ("polar solvent", "a non-polar solvent"),
    ("cuts", "It can not cut."),
    ("cuts", "it wont cut"),
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
