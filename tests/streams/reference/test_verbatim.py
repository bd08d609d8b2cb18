"""Questions that are known by their wording."""

from __future__ import annotations

import pytest

from streams.reference.verbatim import Verbatim


@pytest.fixture
def quiz() -> Verbatim:
    known = Verbatim()
    known.add("Which enzyme unwinds the double helix? A: primase, B: helicase.", "The answer is B.")
    known.add("Which enzyme unwinds the double helix?", "It is helicase.")
    known.add("At −70 °C, what is frozen?", "Water is.")
    known.add("At minus seventy degrees Celsius, what is frozen?", "Water is.")
    return known


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("which enzyme unwinds the double helix", "It is helicase."),
        ("which enzime unwinds a double helix", "It is helicase."),
        ("which enzyme unwinds the double helix, a premise, b helicase", "The answer is B."),
        ("at minus seventy degrees celsius what is frozen", "Water is."),
        ("At -70 °C what is frozen?", "Water is."),
    ],
)
def test_a_question_is_found_by_its_wording_in_spite_of_a_recogniser(
    quiz: Verbatim, asked: str, answer: str
) -> None:
    assert quiz.answer(asked) == answer


@pytest.mark.parametrize("asked", ["", "Which enzyme joins the ends?", "What is the double helix?"])
def test_another_question_is_not_known(quiz: Verbatim, asked: str) -> None:
    assert quiz.answer(asked) is None
