from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.spoken.terms import Counts
from scoring.text.rates import Rate, TextPair, TextRates, combined, compare

RARITY = Counts({"the": 100, "gel": 100, "runs": 100})

PAIRS = [
    TextPair("a", "the DNA gel runs", "the d n a gel ran"),
    TextPair("b", "", "peaceful silence"),
    TextPair("c", "", ""),
    TextPair("d", "the agarose gel", "", ("agarose", "gel")),
    TextPair("e", "?!", ""),
    TextPair("f", "the EDTA", "the EDTA", ()),
    TextPair("g", "我们今天去公园散步吧", "我们今天去公园散步"),
]


def test_every_rate_is_all_errors_over_all_that_could_be_wrong() -> None:
    rates = combined(compare(pair, RARITY) for pair in PAIRS)
    # a: 1 of 4; b: 2 of 0; d: 3 of 3; f: 0 of 2; c, e and g have none
    assert rates.wer == Rate(6, 9)
    # a: "thednagelruns" and "thednagelran"; b: 15 inserted; d: 13 lost; f: 7 right; g: 1 of 10 lost
    assert rates.cer == Rate(2 + 15 + 13 + 0 + 1, 13 + 0 + 13 + 7 + 10)
    assert rates.inserted_alone == 2
    assert rates.eer == rates.eer_unordered == Rate(2, 2)  # d names two terms and the rest has none
    assert (rates.aer_strict, rates.aer_loose) == (Rate(1, 2), Rate(0, 2))
    assert rates.unscored == {
        "empty_reference": 1,
        "empty_after_normalisation": 1,
        "script_without_word_spaces": 1,
        "no_terms": 5,
        "no_abbreviations": 5,
    }


def test_insertions_alone_are_their_number_and_nothing_at_all_is_no_value() -> None:  # D28
    assert combined([compare(PAIRS[1])]).wer.value == 2.0
    assert combined([compare(PAIRS[2])]).wer.value is None
    assert (
        combined([compare(TextPair("x", "hello world", "hello world")), compare(PAIRS[1])]).wer.value == 1.0
    )


def test_a_script_without_word_spaces_has_a_character_rate_alone() -> None:  # D32
    chinese = "\u6211\u4eec\u4eca\u5929\u53bb\u516c\u56ed\u6563\u6b65\u5427"
    pair = compare(TextPair("zh", chinese, chinese.replace("\u4eca", "\u6628").replace("\u6563", "\u8dd1")))
    rates = combined([pair])
    assert (rates.cer.value, rates.wer.value) == (0.2, None)
    assert pair.unscored == dict.fromkeys(("wer", "eer"), "script_without_word_spaces") | {
        "aer": "no_abbreviations"
    }


def test_without_a_frequency_list_nobody_knows_the_terms() -> None:
    errors = compare(TextPair("a", "the agarose gel", "the gel"))
    assert errors.terms is None
    assert errors.unscored["eer"] == "no_frequency_list"
    assert combined([errors]).eer.value is None


def test_terms_are_looked_for_where_a_pair_names_none() -> None:
    errors = compare(TextPair("a", "the agarose gel", "the aggro gel"), RARITY)
    assert errors.terms is not None
    assert (errors.terms.errors, errors.terms.terms) == (1, 1)


WORDS = st.lists(st.sampled_from(["the", "DNA", "agarose", "d", "n", "a", "ten", "10"]), max_size=6)
MANY = st.lists(st.tuples(WORDS, WORDS), max_size=8)


@given(MANY, st.randoms(use_true_random=False), st.integers(0, 8))
def test_neither_order_nor_chunks_change_a_rate(
    texts: list[tuple[list[str], list[str]]], chance: random.Random, cut: int
) -> None:
    pairs = [TextPair(n, " ".join(a), " ".join(b)) for n, (a, b) in enumerate(texts)]
    whole = combined(compare(pair, RARITY) for pair in pairs)
    chance.shuffle(pairs)
    chunks = [combined(compare(pair, RARITY) for pair in part) for part in (pairs[:cut], pairs[cut:])]
    assert sum(chunks, TextRates()) == whole
    assert whole.aer_loose.errors <= whole.aer_strict.errors
    assert whole.eer_unordered.errors <= whole.eer.errors


@pytest.mark.parametrize("text", ["", "the DNA of agarose at 5 mM", "é １ ½ 我们"])
def test_a_text_has_no_error_against_itself(text: str) -> None:
    rates = combined([compare(TextPair("a", text, text), RARITY)])
    assert not any((rates.wer.errors, rates.eer.errors, rates.aer_strict.errors))
