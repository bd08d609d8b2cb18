"""From a question as a recogniser wrote it to comparable words."""

from __future__ import annotations

import re

_DIGITS = {"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
_DIGITS |= {"six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10"}

# words that say nothing about the subject of a question
_FILLERS = """
    a about actually continue detail details elaborate expand pardon repeat
    again all also am an and any anything are as at be been being bit but by can
    could did do does doing done dont else exactly explain for from get give go going good great had
    has have hello hey hi how i id if im in interesting into is it its ive just know lets like
    little many may maybe me mean more much my nice no not now of oh ok okay on or our please
    question quickly quite really right say see should so some something sorry still such sure tell
    than thank thanks that thats the their them then there these they thing things think this those
    to too um understand up us very want was we well were what whats when where which who why will
    wish with wonder would yes you your youre yourself
    check expected follow helps hm knew love missed obviously said through worried
"""


def words(text: str) -> list[str]:
    """Lower-case words without punctuation or plural s; spoken digits become digits."""
    plain = re.sub(r"['’]", "", text.lower())
    return [_singular(_DIGITS.get(word, word)) for word in re.findall(r"[^\W_]+", plain)]


def content(found: list[str]) -> list[str]:
    """The words that say what a question is about."""
    return [word for word in found if word not in _EMPTY]


def _singular(word: str) -> str:
    return (
        word[:-1]
        if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
        else word
    )


_EMPTY = frozenset(words(_FILLERS))
