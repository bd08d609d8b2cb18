from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.text.eer import TermErrors
from scoring.text.rates import TextPair, compare


def term_errors(reference: str, hypothesis: str, terms: Iterable[str]) -> TermErrors:
    found = compare(TextPair("", reference, hypothesis, tuple(terms))).terms
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("reference", "hypothesis", "terms", "errors", "unordered", "total"),
    [
        ("the gel of agarose", "the jell of agarose", ["gel", "agarose"], 1, 1, 2),
        ("the gel of agarose", "the gel of agarose", [], 0, 0, 0),
        ("", "gel", ["gel"], 0, 0, 0),
        ("gel", "", ["gel"], 1, 1, 1),
        # something inserted inside a term of two words
        ("we use gene therapy", "we use gene uh therapy", ["gene therapy"], 1, 1, 1),
        # an insertion beside it is no error of the term
        ("we use gene therapy", "we use the gene therapy", ["gene therapy"], 0, 0, 1),
        # it recurs: heard once of two times
        ("gel and gel", "gel and well", ["gel"], 1, 1, 2),
        # heard, but elsewhere: the alignment misses it, the unordered count does not
        ("gel then agarose", "agarose then gel", ["gel", "agarose"], 2, 0, 2),
        # the longest term wins, and its words are not counted again
        ("gene therapy and a gene", "gene therapy and a gene", ["gene", "gene therapy"], 0, 0, 2),
        # hyphens, case and spelling are no errors; a plural is one
        ("Chain-mail fibre", "chain mail fiber", ["chain-mail", "FIBRE"], 0, 0, 2),
        ("one electrode", "one electrodes", ["electrode"], 1, 1, 1),
        # one letter is a term as any other
        ("the k value", "the kay value", ["k"], 1, 1, 1),
    ],
)
def test_terms_are_counted_by_occurrence(
    reference: str, hypothesis: str, terms: list[str], errors: int, unordered: int, total: int
) -> None:
    found = term_errors(reference, hypothesis, terms)
    assert (found.errors, found.unordered, found.terms) == (errors, unordered, total)


def test_terms_that_are_not_in_the_reference_are_named() -> None:
    assert term_errors("a gel", "a gel", ["gel", "agarose", "?!"]).absent == ("agarose", "?!")


TEXT = st.lists(st.sampled_from(["gene", "therapy", "gel", "uh"]), max_size=8).map(" ".join)
TERMS = st.permutations(["gene", "gene therapy", "gel"])


@given(TEXT, TEXT, TERMS)
def test_the_unordered_count_finds_at_least_what_the_alignment_finds(
    reference: str, hypothesis: str, terms: list[str]
) -> None:
    found = term_errors(reference, hypothesis, terms)
    assert 0 <= found.unordered <= found.errors <= found.terms
    again = term_errors(reference, hypothesis, sorted(terms))  # their order does not matter
    assert (found.errors, found.unordered, found.terms) == (again.errors, again.unordered, again.terms)
    assert term_errors(reference, reference, terms).errors == 0
