"""Keywords that somebody else proposes: kept if they stand in the texts of their item, else dropped. Pure.

A language model types its keywords itself. Each must be found in question, answer, explanation or
reasoning, word for word whatever the case, and is written as it stands there; its weight is that of its
sources (5, 5, 3 and 2). The heaviest of each category are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from scenarios.keywords import WEIGHTS, Candidate, is_empty, word_spans
from scenarios.schema import Keywords

LONGEST = 5
"""Words of a keyword at most."""

SHORTEST = 2
"""Letters and digits of a keyword at least."""


_PARTS = frozenset('.,;:!?()[]"“”')
"""Signs that part what stands on either side: no keyword goes across them."""


class Dropped(StrEnum):
    """Why a proposed keyword is not kept."""

    NOT_TRACEABLE = "not_traceable"  # it stands in none of the texts
    EMPTY = "empty"  # nothing but function words, or a single letter
    TOO_LONG = "too_long"  # more a sentence than a word
    TWICE = "twice"  # it is there already
    BEYOND_MOST = "beyond_most"  # heavier ones are enough


@dataclass(frozen=True, slots=True)
class Traced:
    """What is left of proposed keywords.

    Attributes:
        kept: The heaviest of each category, as they stand in their texts.
        dropped: The others, by cause.
    """

    kept: tuple[Candidate, ...]
    dropped: Counter[Dropped]

    @property
    def only_reasoned(self) -> bool:
        """Whether one of them stands in the reasoning alone."""
        return any(one.sources == ("reasoning",) for one in self.kept)


def traced(proposed: Sequence[tuple[str, str]], texts: Mapping[str, str], most: int = 3) -> Traced:
    """Keep what can be traced.

    Args:
        proposed: Texts and categories (fields of `Keywords`).
        texts: By source, as of `scenarios.keywords.sources`.
        most: Of each category.
    """
    dropped: Counter[Dropped] = Counter()
    found: dict[str, Candidate] = {}
    for text, category in proposed:
        one = _found(text, category, texts)
        if isinstance(one, Dropped):
            dropped[one] += 1
        elif one.text.casefold() in found:
            dropped[Dropped.TWICE] += 1
        else:
            found[one.text.casefold()] = one
    kept: list[Candidate] = []
    for category in Keywords.model_fields:
        of_category = sorted(
            (one for one in found.values() if one.category == category), key=lambda one: -one.weight
        )
        kept += of_category[:most]
        if len(of_category) > most:
            dropped[Dropped.BEYOND_MOST] += len(of_category) - most
    return Traced(tuple(kept), dropped)


def _found(text: str, category: str, texts: Mapping[str, str]) -> Candidate | Dropped:
    wanted = [text[start:end].casefold() for start, end in word_spans(text)]
    if len(wanted) > LONGEST:
        return Dropped.TOO_LONG
    if sum(map(len, wanted)) < SHORTEST or all(map(is_empty, wanted)):
        return Dropped.EMPTY
    spelled = {source: _spelled(wanted, there) for source, there in texts.items()}
    held = tuple(source for source, found in spelled.items() if found)
    if not held:
        return Dropped.NOT_TRACEABLE
    return Candidate(spelled[held[0]], category, held, sum(WEIGHTS[source] for source in held))


def _spelled(wanted: Sequence[str], text: str) -> str:
    """Words as they stand together in a text; "" if they do not."""
    spans = word_spans(text)
    words = [text[start:end].casefold() for start, end in spans]
    for at in range(len(words) - len(wanted) + 1):
        there = spans[at : at + len(wanted)]
        gaps = (text[one[1] : other[0]] for one, other in pairwise(there))
        if words[at : at + len(wanted)] == list(wanted) and not any(set(gap) & _PARTS for gap in gaps):
            return " ".join(text[there[0][0] : there[-1][1]].split())
    return ""
