from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.text.aer import abbreviation_errors


@pytest.mark.parametrize(
    ("reference", "hypothesis", "strict", "loose", "total"),
    [
        ("the DNA", "the DNA", 0, 0, 1),
        ("the DNA", "the d n a", 1, 0, 1),
        ("the DNA", "the D. N. A.", 1, 0, 1),
        ("the DNA", "the dna", 1, 0, 1),
        ("the DNA", "the BADNAME", 1, 1, 1),
        ("the DNA", "the DNAs", 1, 1, 1),
        ("the mRNA", "the MRNA", 1, 0, 1),
        ("the mRNA", "the m RNA", 1, 0, 1),
        ("H2O", "H two O", 1, 0, 1),
        ("H₂O", "H2O", 0, 0, 1),
        ("ＤＮＡ", "DNA", 0, 0, 1),
        ("DNA and DNA", "DNA and the gene", 1, 1, 2),
        ("the IL-6", "the IL six", 0, 0, 1),
        ("no abbreviation", "DNA", 0, 0, 0),
        ("", "", 0, 0, 0),
        ("DNA", "", 1, 1, 1),
        # a span takes nothing that another abbreviation has as it is
        ("ABC then AB", "AB C then ABC", 0, 0, 2),
    ],
)
def test_abbreviations_are_counted_by_occurrence(
    reference: str, hypothesis: str, strict: int, loose: int, total: int
) -> None:
    found = abbreviation_errors(reference, hypothesis)
    assert (found.strict, found.loose, found.abbreviations) == (strict, loose, total)


def test_spoken_digits_can_be_left_out_of_the_loose_rule() -> None:
    assert abbreviation_errors("H2O", "H two O", spoken_digits=False).loose == 1
    assert abbreviation_errors("H2O", "H 2 O", spoken_digits=False).loose == 0


TEXT = st.lists(st.sampled_from(["AB", "ABC", "C", "ab", "aB", "a", "b", "two", "B2"]), max_size=7)


@given(TEXT.map(" ".join), TEXT.map(" ".join), st.booleans())
def test_the_strict_error_is_never_below_the_loose_one(
    reference: str, hypothesis: str, spoken_digits: bool
) -> None:
    found = abbreviation_errors(reference, hypothesis, spoken_digits=spoken_digits)
    assert 0 <= found.loose <= found.strict <= found.abbreviations
    assert abbreviation_errors(reference, reference).strict == 0
