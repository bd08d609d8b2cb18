from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.text import normalise, tokens, word_errors
from scoring.text.normaliser import paired_tokens

SAME = [
    # D30: spelled letters
    ("my code is d n a seven", "my code is DNA seven"),
    ("x q 7 z", "XQ7Z"),
    ("A-B-3-9", "a b three nine"),
    ("J. R. R. Tolkien", "JRR Tolkien"),
    ("it's O.K.", "it is okay"),
    ("a D N A test", "a DNA test"),
    ("what is A T P", "what is ATP"),
    ("the I D card", "the ID card"),
    ("three A M", "3 a.m."),
    ("two R N A's", "2 RNAs"),
    # D31: numbers
    ("thirty six", "36"),
    ("twenty two", "22"),
    ("one hundred twenty three", "123"),
    ("one hundred and five people", "105 people"),
    ("twenty twenty four", "2024"),
    ("nineteen eighty four", "1984"),
    ("nineteen oh five", "1905"),
    ("two thousand and five", "2005"),
    ("five five five oh one two three", "555-0123"),
    ("zero zero four two", "0042"),
    ("call 555 0199", "call (555) 0199"),
    ("three thirty p m", "3:30 p.m."),
    ("five dollars and fifty cents", "$5.50"),
    ("one dollar", "$1"),
    ("three million dollars", "$3 million"),
    ("two point five million", "2.5 million"),
    ("2,500,000", "2.5 million"),
    ("a hundred", "100"),
    ("ten", "10"),
    ("two point oh", "2.0"),
    ("point zero five", ".05"),
    ("zero point zero five", "0.05"),
    ("twenty-first century", "21st century"),
    ("twenty second", "22nd"),
    ("a thirty second delay", "a 30 second delay"),
    ("the nineteen nineties", "the 1990s"),
    ("one third", "1/3"),
    ("two thirds", "⅔"),
    ("two and a half", "2½"),
    ("five to ten", "5–10"),
    ("five to ten", "5-10"),
    ("٣٤", "34"),
    # D32: Unicode
    ("I don’t know him", "I do not know him"),
    ("café", "cafe\u0301"),
    ("２３ apples", "23 apples"),
    # signs, formulas, units
    ("ten to the minus three", "10⁻³"),
    ("ten to the eighth", "10⁸"),
    ("three point five times ten to the power of eight", "3.5×10^8"),
    ("x squared", "x²"),
    ("H two O", "H₂O"),
    ("calcium two plus", "calcium²⁺"),
    ("five millimolar E D T A", "5 mM EDTA"),
    ("minus eighty degrees Celsius", "−80 °C"),
    ("minus 5", "-5"),
    ("a five millilitre tube", "a 5-mL tube"),
    ("five per cent", "5%"),
    ("T N F alpha", "TNF-α"),
    ("p less than 0.05", "p < 0.05"),
    ("five prime A T G C three prime", "5′-ATGC-3′"),
    ("M over Z", "m/z"),
    ("I L six", "IL-6"),
    # spelling
    ("the defence of coloured centres", "the defense of colored centers"),
    ("he analysed haemoglobin and sulphate", "he analyzed hemoglobin and sulfate"),
    ("organisations modelled oestrogen", "organizations modeled estrogen"),
    ("we can't, they're, it's", "we cannot they are it is"),
    ("chain-mail", "chain mail"),
]

DIFFERENT = [
    ("0042", "42"),
    ("555-0123", "555-123"),
    ("36", "306"),
    ("10⁸", "108"),
    ("10²", "102"),
    ("1/3", "13"),
    ("3.5", "35"),
    ("we're", "were"),
    ("surprise", "surprize"),
    ("four", "for"),
    ("mitochondria", "mitochondrion"),
    ("chain mail", "chainmail"),
    ("a DNA test", "a DMA test"),
    ("3 pm", "3 picometres"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_ways_of_writing_the_same_are_no_error_either_way(left: str, right: str) -> None:
    assert word_errors(left, right).errors == 0
    assert word_errors(right, left).errors == 0


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_what_sounds_otherwise_is_an_error_either_way(left: str, right: str) -> None:
    assert word_errors(left, right).errors >= 1
    assert word_errors(right, left).errors >= 1


@pytest.mark.parametrize("text", [text for pair in SAME + DIFFERENT for text in pair])
def test_a_normalised_text_is_normalised(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


def test_a_number_is_one_word_and_a_wrong_digit_one_error() -> None:
    assert tokens("I have ten apples") == ["i", "have", "10", "apples"]
    errors = word_errors("call five five five oh one two three", "call 555-0124")
    assert (errors.errors, errors.reference_words) == (1, 2)


@pytest.mark.parametrize("text", ["[laughs] hello (again)", "<i>hello</i>", "{a: 1}"])
def test_what_stands_in_brackets_stays(text: str) -> None:
    assert all(word in normalise(text) for word in ("laughs", "hello", "again", "1") if word in text)


def test_other_scripts_keep_their_letters() -> None:
    assert normalise("Ελληνικά κείμενα") == "ελληνικά κείμενα"
    assert normalise("प्राचीन") != normalise("प्राचिन")
    assert normalise("Übergröße") == "übergrösse"


SPELLED = st.lists(st.sampled_from(["a", "i", "d", "n", "dna", "an", "7", "is", "and", "id"]), max_size=8)


@given(SPELLED, SPELLED)
def test_the_same_rules_hold_for_both_sides(left: list[str], right: list[str]) -> None:
    one, other = " ".join(left), " ".join(right)
    assert paired_tokens(one, other) == paired_tokens(other, one)[::-1]
    assert word_errors(one, other).errors == word_errors(other, one).errors
    assert word_errors(one, one).errors == 0


NUMBERISH = (
    "one oh two ten twenty first second half third thirds hundred thousand million and point a 5 0 0042 3.5"
    " 2nd 21st 1990s nineties $5.50 10⁻³ ½ - % x to the power of m cents dollars"
)


@given(st.lists(st.sampled_from(NUMBERISH.split()), max_size=7).map(" ".join))
def test_whatever_numbers_stand_together_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)
