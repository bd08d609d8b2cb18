from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.behaviours import Filler, Hesitation, Restart
from user_sim.behaviours.clips import parts
from user_sim.behaviours.shaping import Shape, misfit, shaped
from user_sim.policy import Line, Pause


def as_said(text: str, *shapes: Shape, spoken: str = "") -> Line:
    return shaped(Line(text, spoken), shapes, ("um",), random.Random(0))


def restart(words: int) -> Restart:
    return Restart(id="r", kind="restart", words=words)


def filler(before: int, *phrases: str) -> Filler:
    return Filler(id="f", kind="filler", before_word=before, phrases=phrases or None)


def hesitation(after: int, seconds: float = 1.0, um: str | None = None) -> Hesitation:
    return Hesitation(id="h", kind="hesitation", after_word=after, pause_s=seconds, filler=um)


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("What is CRISPR?", 2, "What is, what is CRISPR?"),
        ("CRISPR, what is it?", 1, "CRISPR, CRISPR, what is it?"),
        ("I want to know.", 2, "I want, I want to know."),
        ("I'd like that.", 1, "I'd, I'd like that."),
    ],
)
def test_a_restart_says_the_first_words_twice(text: str, words: int, said: str) -> None:
    line = as_said(text, restart(words))
    assert (line.text, line.aloud) == (text, said)


def test_a_filler_stands_between_commas_and_begins_with_a_capital() -> None:
    assert as_said("What is it?", filler(1)).aloud == "Um, What is it?"
    assert as_said("What is it?", filler(3, "you know")).aloud == "What is, you know, it?"
    assert as_said("Well, what is it?", filler(2)).aloud == "Well, um, what is it?"


def test_words_are_counted_in_the_spoken_form() -> None:
    line = as_said("What is BRCA1?", hesitation(3), spoken="What is bracka one?")
    assert line.pauses == (Pause(3, 1.0),)
    assert [part.aloud for part in parts(line)] == ["What is bracka,", "one?"]


def test_the_filler_of_a_hesitation_comes_before_its_pause() -> None:
    line = as_said("What is CRISPR?", hesitation(2, 1.5, "um"))
    assert [part.aloud for part in parts(line)] == ["What is, um,", "CRISPR?"]


def test_word_numbers_are_those_of_the_line_as_written() -> None:
    line = as_said("What is the price?", restart(2), filler(3), hesitation(3))
    assert line.aloud == "What is, what is, um, the price?"
    assert [part.aloud for part in parts(line)] == ["What is, what is, um, the,", "price?"]


@pytest.mark.parametrize(
    ("line", "shape", "why"),
    [
        (Line("One two"), hesitation(2), "turn_too_short"),
        (Line("One two"), hesitation(1), ""),
        (Line("One two"), filler(3), "turn_too_short"),
        (Line("One two"), restart(3), "turn_too_short"),
        (Line("One two", audio="x.wav"), restart(1), "recorded_turn"),
    ],
)
def test_what_does_not_fit_says_why(line: Line, shape: Shape, why: str) -> None:
    assert misfit(line, shape) == why


@given(
    st.lists(st.sampled_from(["one", "two,", "three", "I", "DNA."]), min_size=2, max_size=8),
    st.data(),
)
def test_the_parts_of_a_shaped_line_are_its_words_in_order(words: list[str], data: st.DataObject) -> None:
    after = sorted(data.draw(st.sets(st.integers(1, len(words) - 1), min_size=1)))
    line = as_said(" ".join(words), *(hesitation(number, 0.1 * number) for number in after))
    assert [pause.seconds for pause in line.pauses] == [0.1 * number for number in after]
    said = " ".join(part.aloud for part in parts(line)).replace(",", "").split()
    assert said == " ".join(words).replace(",", "").split()
    assert len(parts(line)) == len(after) + 1
