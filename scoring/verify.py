"""Is a query heard as it is written? The construction loop of S3-Bench: speak, transcribe, compare. Pure.

A recogniser spells as it likes ("Cherenkoff"), so that words alone tell little. Differences are sorted:
those in spelling, where both sides sound alike or only an article is lost, and clear ones, which a person
must look at. What is compared is the written text, and both sides as our rules say them; never a spoken
form that somebody wrote by hand, which may be the very mistake that is looked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any

from scoring.text import AlignedWord, Op, WordErrors, tokens, word_errors

FLOOR_P808 = 3.5
"""The least quality of a query (S3-Bench asks for it of DNSMOS Pro)."""

_SMALL = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "at",
        "by",
        "for",
        "in",
        "is",
        "it",
        "of",
        "on",
        "or",
        "that",
        "the",
        "to",
        "was",
    ]
)
"""Words that recognisers lose and invent."""

_SOUNDS = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("ph", "f"), ("ch|ck|[cq]", "k"), ("x", "ks"), ("z", "s"), ("y", "i"), ("[gk]h", "k"), ("v", "f"),
        ("w", "u"), (r"([a-z])\1+", r"\1"), ("s$", ""), ("e$", ""),
    )
)  # fmt: skip


class Look(StrEnum):
    """Why a person must look at a query."""

    WORDS = "words"  # other words were heard
    QUALITY = "quality"  # below the floor
    SILENT = "silent"  # nothing was heard
    FAILED = "failed"  # it could not be spoken, transcribed or scored


@dataclass(frozen=True, slots=True)
class Difference:
    """Words that were heard instead of others; either side may be empty.

    Attributes:
        clear: They sound different: more than another spelling.
    """

    wanted: str
    heard: str
    clear: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """A text against what was heard of it, in the forms that agree best."""

    errors: WordErrors
    differences: tuple[Difference, ...]

    @property
    def clear(self) -> tuple[Difference, ...]:
        """Those that a person must look at."""
        return tuple(one for one in self.differences if one.clear)

    @property
    def weight(self) -> int:
        """Letters of the clear differences."""
        return sum(max(len(one.wanted), len(one.heard)) for one in self.clear)


@dataclass(frozen=True, slots=True)
class Checked:
    """One query as it was heard.

    Attributes:
        scenario: Name of the scenario.
        place: Where it stands in it ("turns[0]").
        text: As written.
        spoken: What was said aloud.
        heard: Its transcript; "" if nothing was heard.
        comparison: None if it was not heard or could not be.
        p808: Quality by DNSMOS P.808, 1 to 5; None if it was not measured.
        cause: Why it could not be checked, or "".
        floor: The least quality.
    """

    scenario: str
    place: str
    text: str
    spoken: str = ""
    heard: str = ""
    comparison: Comparison | None = None
    p808: float | None = None
    cause: str = ""
    floor: float = FLOOR_P808

    @property
    def looks(self) -> tuple[Look, ...]:
        """Why a person must look at it; empty if nobody must."""
        if self.cause:
            return (Look.FAILED,)
        reasons = []
        if not self.heard:
            reasons.append(Look.SILENT)
        if self.comparison is not None and self.comparison.clear:
            reasons.append(Look.WORDS)
        if self.p808 is not None and self.p808 < self.floor:
            reasons.append(Look.QUALITY)
        return tuple(reasons)

    def to_json(self) -> dict[str, Any]:
        """As in `verify.json`."""
        found = self.comparison
        return {
            "scenario": self.scenario,
            "place": self.place,
            "text": self.text,
            "spoken": self.spoken,
            "heard": self.heard,
            "look": [look.value for look in self.looks],
            "errors": None if found is None else found.errors.errors,
            "words": None if found is None else found.errors.reference_words,
            "differences": []
            if found is None
            else [{"wanted": d.wanted, "heard": d.heard, "clear": d.clear} for d in found.differences],
            "p808": None if self.p808 is None else round(self.p808, 3),
            "unscored": self.cause or None,
        }


def compare(text: str, heard: str, aloud: Callable[[str], str] = str) -> Comparison:
    """The comparison that leaves the least to look at, of both sides as written and as said.

    Args:
        text: As written.
        heard: The transcript.
        aloud: How a text is said by our rules.
    """
    wanted, found = (text, aloud(text)), (heard, aloud(heard))
    spelled = " ".join(word for word in text.split() if sum(map(str.isupper, word)) > 1)
    strict = frozenset(word for word in tokens(spelled) if not word.isdecimal())
    made = [_compared(one, other, strict) for one in wanted for other in found]
    return min(made, key=lambda one: (one.weight, one.errors.rate))


def worst_first(checked: Sequence[Checked]) -> list[Checked]:
    """What a person must look at: failures, silence, the most letters heard wrongly, the lowest quality."""
    return sorted((one for one in checked if one.looks), key=_severity)


def summary(checked: Sequence[Checked]) -> dict[str, Any]:
    """Counts by cause, word errors over all queries, and the mean quality."""
    compared = [one.comparison.errors for one in checked if one.comparison is not None]
    qualities = [one.p808 for one in checked if one.p808 is not None]
    words = sum(one.reference_words for one in compared)
    return {
        "queries": len(checked),
        "to_look_at": sum(bool(one.looks) for one in checked),
        "by_cause": {look.value: sum(look in one.looks for one in checked) for look in Look},
        "words": words,
        "wer": round(sum(one.errors for one in compared) / words, 4) if words else None,
        "p808_mean": round(sum(qualities) / len(qualities), 3) if qualities else None,
    }


def _severity(one: Checked) -> tuple[bool, bool, int, float, str, str]:
    weight = one.comparison.weight if one.comparison else 0
    return (not one.cause, bool(one.heard), -weight, one.p808 or 5.0, one.scenario, one.place)


def _compared(wanted: str, heard: str, strict: frozenset[str]) -> Comparison:
    errors = word_errors(wanted, heard)
    found = tuple(
        Difference(" ".join(left), " ".join(right), _clear(left, right, strict))
        for left, right in _stretches(errors.alignment)
    )
    return Comparison(errors, found)


def _stretches(alignment: Sequence[AlignedWord]) -> Iterator[tuple[list[str], list[str]]]:
    """Neighbouring words that were not heard as they are, together."""
    for hit, words in groupby(alignment, key=lambda word: word.op is Op.HIT):
        if not hit:
            group = list(words)
            yield [w.reference for w in group if w.reference], [w.hypothesis for w in group if w.hypothesis]


def _clear(left: Sequence[str], right: Sequence[str], strict: frozenset[str]) -> bool:
    """Whether words differ in more than their spelling; letters said one by one have no other spelling."""
    if _SMALL.issuperset([*left, *right]):
        return False
    one, other = "".join(left), "".join(right)
    if not strict.isdisjoint(left) or any(len(word) == 1 for word in left):
        return one != other
    return _sounds(one) != _sounds(other)


def _sounds(word: str) -> str:
    """A rough key of how words sound: consonants that sound alike are one; vowels and digits stay.

    So near that "deflated" is not "deflected"; what a last s may change ("degrees") is left out.
    """
    for pattern, sound in _SOUNDS:
        word = pattern.sub(sound, word)
    return word
