from __future__ import annotations

from pathlib import Path

import pytest

from scenarios.spoken.terms import Counts, CountsUnreadable, WordFrequencies, terms

COMMON = dict.fromkeys(("the", "gel", "of", "in", "and", "mail", "is"), 1000)


def test_what_occurs_less_than_ten_times_is_a_term() -> None:
    counts = Counts({**COMMON, "agarose": 9, "primer": 10})
    assert terms("The gel of agarose and the Primer and Taqase", counts) == ["agarose", "Taqase"]


def test_terms_are_taken_as_often_as_they_occur_in_their_own_case() -> None:
    assert terms("Agarose and agarose's gel", Counts({**COMMON, "s": 99})) == ["Agarose", "agarose"]


def test_numbers_abbreviations_letters_and_names_with_digits_are_no_terms() -> None:
    assert terms("the DNA of Cas9 in p53 is 1.5 x mRNA", Counts(COMMON)) == []


def test_items_of_several_words_are_found_whole() -> None:
    counts = Counts({**COMMON, "reverse transcriptase": 3, "reverse": 100, "transcriptase": 1})
    assert terms("the Reverse  transcriptase", counts) == ["transcriptase"]
    assert terms("the Reverse transcriptase", counts) == ["Reverse transcriptase"]


def test_a_lexicon_tells_misspellings_from_terms() -> None:
    assert terms("the agarose and agaorse", Counts(COMMON), lexicon={"agarose"}) == ["agarose"]


def test_word_frequencies_have_the_cut_that_answers_to_ten_occurrences() -> None:
    pytest.importorskip("wordfreq")
    rarity = WordFrequencies()
    words = ("electrospinning", "phosphoramidite", "perovskite", "mitochondria", "apoptosis")
    assert [rarity.is_rare(word) for word in words] == [True, True, False, False, False]
    assert terms("An electrospinning of mitochondria", rarity) == ["electrospinning"]


def test_a_counts_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "counts.tsv"
    file.write_text("The\t1000\n\nreverse  transcriptase\t3\n", encoding="utf-8")
    assert Counts.read(file).counts == {"the": 1000, "reverse transcriptase": 3}


@pytest.mark.parametrize("line", ["gel 3", "gel\tmany", "\t3", "gel\t-1", "gel\t"])
def test_a_bad_line_of_a_counts_file_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "counts.tsv"
    file.write_text(f"the\t1\n{line}\n", encoding="utf-8")
    with pytest.raises(CountsUnreadable, match=r"counts\.tsv:2: expected a term, a tab and a whole number"):
        Counts.read(file)


def test_a_counts_file_must_be_utf8(tmp_path: Path) -> None:
    (tmp_path / "counts.tsv").write_bytes(b"the\t1\ncaf\xe9\t1\n")
    with pytest.raises(CountsUnreadable, match=r"counts\.tsv:2: .*0xe9"):
        Counts.read(tmp_path / "counts.tsv")
