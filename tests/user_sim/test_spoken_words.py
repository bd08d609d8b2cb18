from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from user_sim.spoken import SpokenWords, spoken_words

SPOKEN = [
    ("How does it work?", "How does it work?"),
    ('"How does it work?"', "How does it work?"),
    ("“How?”", "How?"),
    ("Alex: How does it work?", "How does it work?"),
    ("**Caller:** How?", "How?"),
    ("*sighs* And what about RNA?", "And what about RNA?"),
    ("Okay. *pauses for a moment* What is it?", "Okay. What is it?"),
    ("(laughs) Really?", "Really?"),
    ("Really? (laughs)", "Really?"),
    ("[laughing softly] Really?", "Really?"),
    ("<sigh> Really?", "Really?"),
    ("That is *really* odd.", "That is really odd."),
    ("That is **really** odd.", "That is really odd."),
    ("What is the gene (BRCA1) for?", "What is the gene (BRCA1) for?"),
    ("- First, how?\n- Then, why?", "First, how? Then, why?"),
    ("# Question\nWhy?", "Question Why?"),
    ("1. Why?", "Why?"),
    ("It is 1.5 metres.", "It is 1.5 metres."),
    ("`Cas9` is an enzyme?", "Cas9 is an enzyme?"),
    ("See [the page](http://x.org/a_b).", "See the page."),
    ("Why?\nAssistant: Because.\nUser: I see.", "Why?"),
    ("I said 'no'.", "I said 'no'."),
    ("snake_case_name", "snake_case_name"),
    ("*sighs*", ""),
    ("...", ""),
    ("", ""),
]


@pytest.mark.parametrize(("written", "text"), SPOKEN)
def test_only_what_a_person_would_say_is_left(written: str, text: str) -> None:
    assert spoken_words(written, "Alex") == SpokenWords(text, ends=False)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("[END]", ""),
        ("Thank you, goodbye. [END]", "Thank you, goodbye."),
        ("Thank you, goodbye.\n[end]", "Thank you, goodbye."),
        ('"Thank you, goodbye. [END]"', "Thank you, goodbye."),
        ("Goodbye. **[END]**", "Goodbye."),
        ("Goodbye. [END]\nThey said: more", "Goodbye."),
    ],
)
def test_the_end_token_ends_the_call(written: str, text: str) -> None:
    assert spoken_words(written, "Alex") == SpokenWords(text, ends=True)


def test_an_end_token_inside_a_line_does_not_end_the_call() -> None:
    assert spoken_words("Do you say [END] now?", "Alex") == SpokenWords("Do you say now?", ends=False)


@given(st.text(alphabet="aB1*_`[]()\"' \n.!#-:", max_size=40))
def test_what_is_spoken_stays_the_same_when_cleaned_again_or_gets_shorter(written: str) -> None:
    text = spoken_words(written, "Alex").text
    assert len(spoken_words(text, "Alex").text) <= len(text) <= len(written)
    assert text == text.strip()
