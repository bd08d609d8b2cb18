from __future__ import annotations

import pytest

from scoring.science.open_answer import holds


@pytest.mark.parametrize(
    ("answer", "key"),
    [
        ("There are eight of them.", "8"),
        ("It's 8.", "8"),
        ("It is 3.5 kilograms.", "3.5"),
        ("Three point five.", "3.5"),
        ("Minus eight degrees.", "minus eight"),
        ("From 7 to 8.", "8"),
        ("I'd say eight, point by point.", "8"),
        ("It is H two O.", "H2O"),
        ("Not glucagon but insulin.", "insulin"),
        ("That is 2-butanol.", "2-butanol"),
        # a sign belongs to its number, however it is written or said
        ("It is -1.", "-1"),
        ("It is \N{MINUS SIGN}1.", "\N{MINUS SIGN}1"),
        ("Minus one.", "\N{MINUS SIGN}1"),
        ("Negative one.", "-1"),
        ("It is -1.", "minus one"),
        ("From -2 to -1.", "-1"),
        ("About 5 %.", "5 percent"),
        ("Five per cent.", "5 %"),
        ("5 percent of 20.", "20"),
    ],
)
def test_a_key_that_is_said_is_held(answer: str, key: str) -> None:
    assert holds(answer, key)


@pytest.mark.parametrize(
    ("answer", "key"),
    [
        ("", "8"),
        ("I know.", "no"),
        ("It is not insulin.", "insulin"),
        ("Eighty.", "8"),
        # a part of a number is another number
        ("It is 3.5 kilograms.", "3"),
        ("Three point five.", "three"),
        ("It is 3.5 kilograms.", "5"),
        ("Minus eight.", "8"),
        ("It is -8 degrees.", "8"),
        ("It is \N{MINUS SIGN}8 degrees.", "8"),
        ("Eight million.", "8"),
        ("Negative eight.", "8"),
        ("Eight.", "-8"),
        ("Seven to eight, not -8.", "-8"),
        ("It is 8 %.", "8"),
        ("Eight per cent.", "8"),
        ("It is 8.", "8 %"),
    ],
)
def test_what_only_looks_like_the_key_is_not(answer: str, key: str) -> None:
    assert not holds(answer, key)


def test_a_number_that_stands_alone_later_counts() -> None:
    assert holds("Not 3.5 and not minus three: it is 3.", "3")


def test_any_accepted_wording_will_do() -> None:
    assert holds("It is adrenaline.", "epinephrine", ("adrenaline",))
