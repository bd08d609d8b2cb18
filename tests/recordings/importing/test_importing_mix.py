from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recordings.format import Side
from recordings.importing.mix import Message, parts_of, taken_apart

CALL = [
    Message(Side.ENDPOINT, "Hello, how can I help?"),
    Message(Side.USER, "A table for four on Friday, please."),
    Message(Side.ENDPOINT, "Let me check. Friday at seven works."),
    Message(Side.USER, "Thank you, goodbye."),
]


def test_stretches_go_to_the_messages_whose_words_they_have() -> None:
    heard = ["hello how can i help", "a table for four", "on friday please", "let me check"]
    heard += ["friday at 7 works", "thank you goodbye"]
    assert parts_of(heard, CALL) == [0, 1, 1, 2, 2, 3]


def test_the_order_decides_where_words_do_not() -> None:
    twice = [Message(Side.USER, "yes"), Message(Side.ENDPOINT, "sure?"), Message(Side.USER, "yes")]
    assert parts_of(["yes", "sure", "yes"], twice) == [0, 1, 2]


def test_what_is_like_no_message_is_nobody_s() -> None:
    assert parts_of(["hello how can i help", "", "weather in france"], CALL) == [0, None, None]
    assert parts_of(["anything"], []) == [None]
    assert parts_of([], CALL) == []


words = st.lists(st.sampled_from("abcd"), max_size=4).map(" ".join)


@given(st.lists(words, max_size=4), st.lists(words, min_size=1, max_size=4))
def test_no_other_order_has_more_words_in_common(heard: list[str], said: list[str]) -> None:
    messages = [Message(Side.USER, text) for text in said]
    found = parts_of(heard, messages)

    def common(one: str, other: str) -> int:
        return sum(min(one.split().count(word), other.split().count(word)) for word in set(one.split()))

    kept = [number for number in found if number is not None]
    assert kept == sorted(kept)
    # an exhaustive search over all assignments that keep the order
    best = max(
        sum(common(one, said[number]) for one, number in zip(heard, numbers, strict=True))
        for numbers in product(range(len(said)), repeat=len(heard))
        if list(numbers) == sorted(numbers)
    )
    mine = sum(common(one, said[n]) for one, n in zip(heard, found, strict=True) if n is not None)
    weak = sum(len(one.split()) / 2 for one, n in zip(heard, found, strict=True) if n is None)
    assert best - weak <= mine <= best


def test_each_side_is_silent_where_the_other_speaks() -> None:
    pcm = np.arange(1, 101, dtype=np.int16)
    user, endpoint, said = taken_apart(pcm, [(10, 20), (30, 40), (45, 50), (60, 70)], [0, 1, 1, None], CALL)
    assert np.flatnonzero(endpoint).tolist() == list(range(10, 20))
    assert np.flatnonzero(user).tolist() == [*range(30, 40), *range(45, 50)]
    assert user[30] == pcm[30]
    assert [(one.side, one.start, one.end, one.text) for one in said] == [
        (Side.ENDPOINT, 10, 20, CALL[0].text),
        (Side.USER, 30, 50, CALL[1].text),
    ]
