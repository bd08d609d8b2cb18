from __future__ import annotations

import pytest

from streams.speech.letters import letters_named


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("A T G C.", "@ T G C."),
        ("It reads A T G C.", "It reads @ T G C."),
        ("N A O H", "N @ O H"),
        ("What does A F P mean?", "What does @ F P mean?"),
        ("Vitamin A is found in carrots.", "Vitamin @ is found in carrots."),
        ("It is spelled A B.", "It is spelled @ B."),
        ("Yes. A 1 C is high.", "Yes. @ 1 C is high."),
        # the reader does it right by itself before a full stop or a colon
        ("D N A. Option A: helium", "D N A. Option A: helium"),
        # the article
        ("A guide RNA leads Cas9.", "A guide RNA leads Cas9."),
        ("It cuts. A T cell helps.", "It cuts. A T cell helps."),
        ('He said: "A gene is short."', 'He said: "A gene is short."'),
        ("Read A Tale of Two Cities.", "Read A Tale of Two Cities."),
        ("a T cell", "a T cell"),
        ("DNA is a molecule", "DNA is a molecule"),
    ],
)
def test_a_capital_a_that_is_a_letter_is_named(text: str, read: str) -> None:
    assert letters_named(text, "@") == read
