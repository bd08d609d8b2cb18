"""What was heard of a query against what is written: spelling is nobody's mistake, other words are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scenarios.spoken.verbalise import verbalise
from scoring.verify import Checked, Look, compare, summary, worst_first


def clear(text: str, heard: str) -> list[tuple[str, str]]:
    return [(one.wanted, one.heard) for one in compare(text, heard, verbalise).clear]


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("Why does Cherenkov light shine?", "Why does cherenkoff light shine?"),
        ("Is 5 mM EDTA a lot?", "is five millimolar E D T A a lot"),
        ("How does CRISPR-Cas9 work?", "How does crisper cas nine work?"),
        ("What is the charge of Na⁺?", "What is charge of Na plus?"),
        ("At 20 °C?", "At twenty degree Celsius?"),
        ("What colour is it?", "What color is it?"),
    ],
)
def test_the_same_words_in_another_spelling_need_no_look(text: str, heard: str) -> None:
    assert clear(text, heard) == []


@pytest.mark.parametrize(
    ("text", "heard", "found"),
    [
        (
            "Why is light deflected by a star?",
            "Why is light deflated by a star?",
            ("deflected", "deflated"),
        ),
        ("Is 5 mM a high concentration?", "is 5 mm high concentration.", ("millimolar a", "millimeters")),
        (
            "What does the enzyme ligase join?",
            "What does the enzyme leak gasy join?",
            ("ligase", "leak gasy"),
        ),
        ("At −80 °C?", "At 80 degrees Celsius?", ("minus", "")),
        ("How does an MRI scanner see?", "How does an emory scanner see?", ("mri", "emory")),
        ("Take CO2 away.", "Take KO2 away.", ("co", "ko")),
        ("Chapter 12?", "Chapter 20?", ("12", "20")),
    ],
)
def test_other_words_numbers_and_letters_are_looked_at(
    text: str, heard: str, found: tuple[str, str]
) -> None:
    assert clear(text, heard) == [found]


def made(text: str, heard: str = "", p808: float | None = 4.0) -> Checked:
    found = compare(text, heard, verbalise) if heard else None
    return Checked("pack/one", "turns[0]", text, text, heard, found, p808)


def test_each_reason_to_look_has_its_name() -> None:
    assert made("The red house.", "the red house").looks == ()
    assert made("The red house.", "the green house").looks == (Look.WORDS,)
    assert made("The red house.", "the red house", p808=3.49).looks == (Look.QUALITY,)
    assert made("The red house.", "the red house", p808=3.5).looks == ()
    assert made("The red house.", "the red house", p808=None).looks == ()
    assert made("The red house.").looks == (Look.SILENT,)
    failed = replace(made("The red house."), cause="voice: no such voice")
    assert failed.looks == (Look.FAILED,)
    assert failed.to_json()["unscored"] == "voice: no such voice"


def test_the_worst_comes_first_and_the_sums_are_over_all() -> None:
    good = made("The red house.", "the red house")
    little = made("The red house.", "the rod house")
    much = made("The red house.", "a green elephant")
    failed = replace(made("The red house."), cause="it broke")
    assert worst_first([good, little, much, failed]) == [failed, much, little]
    total = summary([good, little, much, failed])
    # 0 of 3, 1 of 3, 3 of 3 words are wrong: 4 of 9
    assert (total["words"], total["wer"]) == (9, 0.4444)
    assert (total["queries"], total["to_look_at"], total["by_cause"]["words"]) == (4, 3, 2)
    assert total["p808_mean"] == 4.0


def test_a_spoken_form_written_by_hand_is_not_what_is_compared_with() -> None:
    wrong = replace(
        made("Why is light deflected?", "why is light deflated"), spoken="Why is light deflated?"
    )
    assert wrong.looks == (Look.WORDS,)
