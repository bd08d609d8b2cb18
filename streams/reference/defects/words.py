"""Defects of what is said. Pure and seeded."""

from __future__ import annotations

import random
from collections.abc import Collection


def drop_words(sentence: str, share: float, seed: str, keep: Collection[str] = ()) -> str:
    """Leave out a share of a sentence's words, one at least; never all of them.

    The first and the last word stay, and so do those of `keep`: what is left still sounds like a sentence,
    and what becomes of its facts is another defect.

    Args:
        sentence: Words with spaces between them.
        share: 0 to 1, of all words.
        seed: Chooses which.
        keep: Words that stay, without punctuation.
    """
    words = sentence.split()
    spared = {word.strip(".,;:!?") for phrase in keep for word in phrase.split()}
    loose = [i for i in range(1, len(words) - 1) if words[i].strip(".,;:!?") not in spared]
    count = min(max(1, round(share * len(words))), len(loose))
    gone = set(random.Random(seed).sample(loose, count))  # noqa: S311 (no secret)
    return " ".join(word for i, word in enumerate(words) if i not in gone)


def is_chosen(number: int, share: float, seed: int) -> bool:
    """Whether the n-th of many is among a share of them; which begin the count depends on the seed.

    Of any 1/share in a row exactly one is chosen, so that a short call has its part as well.
    """
    place = number + random.Random(seed).random() / share  # noqa: S311 (no secret)
    return int((place + 1) * share) > int(place * share)
