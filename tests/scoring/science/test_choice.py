from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.science.choice import Rule, chosen

OPTIONS = {"A": "helium", "B": "neon", "C": "liquid helium", "D": "argon gas"}

DECIDED = [
    ("The answer is B.", "B", Rule.SAID),
    ("the answer is b", "B", Rule.SAID),
    ("Answer: C", "C", Rule.SAID),
    ("I would choose option (D), because it is heavier.", "D", Rule.SAID),
    ("The correct answer is option B, neon.", "B", Rule.SAID),
    ("option bee", "B", Rule.SAID),
    ("The letter see.", "C", Rule.SAID),
    ("That would be choice dee.", "D", Rule.SAID),
    ("B is the correct one.", "B", Rule.SAID),
    ("It is light.\nAnswer: A", "A", Rule.SAID),
    ("The answer is A. No, wait, the answer is B.", "B", Rule.SAID),
    ("The answer is A, sorry, B.", "B", Rule.SAID),
    ("It is B.", "B", Rule.SAID),
    ("Hm, I'd say C, since it is cold.", "C", Rule.SAID),
    ("It's A. No, it's D.", "D", Rule.SAID),
    ("I'd go with option B, not option A.", "B", Rule.SAID),
    ("Not option A. It is not the letter B either, so option D.", "D", Rule.SAID),
    ("B", "B", Rule.LONE_LETTER),
    ("b.", "B", Rule.LONE_LETTER),
    (" (C) ", "C", Rule.LONE_LETTER),
    ("That is neon, of course.", "B", Rule.OPTION_TEXT),
    ("I think it is liquid helium.", "C", Rule.OPTION_TEXT),  # holds "helium", which is option A
    ("It is not neon but argon gas.", "D", Rule.OPTION_TEXT),
    ("I am not sure, but neon.", "B", Rule.OPTION_TEXT),
]

UNDECIDED = [
    ("", "no_answer"),
    ("   ", "no_answer"),
    ("I am afraid I do not know.", "no_choice"),
    ("A noble gas does not react.", "no_choice"),  # "a" is an article
    ("The answer is a bit complicated.", "no_choice"),
    ("I see the point, and it will be hard.", "no_choice"),  # spelled letters without a cue
    ("Either option A or option B.", "two_choices"),
    ("Both neon and argon gas.", "two_choices"),
    ("The answer is Z.", "no_choice"),
    ("It is a gas.", "no_choice"),
    ("It is B cells that do it.", "no_choice"),  # the letter goes on
    ("It is A, or it is B.", "two_choices"),
    ("Definitely not option A.", "no_choice"),  # what is denied is not chosen
    ("It isn't option B.", "no_choice"),
    ("It is certainly not neon.", "no_choice"),
    ("Neither neon nor argon gas.", "no_choice"),
    ("Knowing neons is no answer", "no_choice"),  # no word of it is "neon"
]


@pytest.mark.parametrize(("answer", "letter", "rule"), DECIDED)
def test_a_choice_that_is_said_is_read(answer: str, letter: str, rule: Rule) -> None:
    found = chosen(answer, OPTIONS)
    assert (found.letter, found.rule) == (letter, rule)


@pytest.mark.parametrize(("answer", "cause"), UNDECIDED)
def test_what_does_not_decide_is_never_guessed(answer: str, cause: str) -> None:
    found = chosen(answer, OPTIONS)
    assert (found.letter, found.cause) == (None, cause)


def test_options_of_the_same_text_decide_nothing() -> None:
    assert chosen("The answer is A", {"A": "Neon", "B": "neon."}).cause == "options_alike"


def test_a_letter_that_is_the_text_of_an_option_is_not_read_as_the_letter_of_another() -> None:
    symbols = {"A": "N", "B": "He", "C": "A", "D": "Ne"}
    assert chosen("It is A.", symbols).letter == "C"
    assert chosen("It is a gas.", symbols).cause == "no_choice"


@given(st.text(max_size=60))
def test_any_text_gives_one_of_the_letters_or_a_cause(answer: str) -> None:
    found = chosen(answer, OPTIONS)
    assert (found.letter in OPTIONS) != (found.letter is None and found.cause != "")
    assert chosen(answer, OPTIONS) == found


@given(st.permutations(list(OPTIONS.items())))
def test_the_order_of_the_options_does_not_matter(items: list[tuple[str, str]]) -> None:
    for answer, letter, _ in DECIDED:
        assert chosen(answer, dict(items)).letter == letter
