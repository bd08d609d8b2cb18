"""What an overall verdict rests on: the dimensions are changed, fused again, and the outcomes counted.

The probes of TRACE (arXiv 2601.13742), for the labels of any judge under any fusion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scoring.agreement.labels import BOTH_GOOD, WINNERS
from scoring.statistics.intervals import Interval, wilson
from scoring.statistics.undefined import Undefined


@dataclass(frozen=True, slots=True)
class Dimensions:
    """A judge's labels of one comparison: "1", "2", "both_good" or "both_bad" each."""

    content: str
    paralinguistics: str
    voice_quality: str


Fusion = Callable[[str, str, str], str]
"""Content, paralinguistics and voice quality to the overall label."""


@dataclass(frozen=True, slots=True)
class Share:
    """So many of n items, with Wilson's interval."""

    count: int
    n: int

    @property
    def value(self) -> float | Undefined:
        """Of n."""
        return self.count / self.n if self.n else Undefined("no_items")

    @property
    def interval(self) -> Interval | Undefined:
        """Of the value."""
        return wilson(self.count, self.n)


@dataclass(frozen=True, slots=True)
class ContentTie:
    """P1: who decides when the content of both replies is good.

    Attributes:
        paralinguistics: The verdict has a winner, and so has this dimension.
        voice_quality: The verdict has a winner, and of the two dimensions only this one has.
        still_tie: The verdict has no winner.
        other: The verdict has a winner that neither dimension explains.
    """

    paralinguistics: Share
    voice_quality: Share
    still_tie: Share
    other: Share


@dataclass(frozen=True, slots=True)
class Flips:
    """P2: how often the verdict changes when one dimension becomes "both_good"."""

    content: Share
    paralinguistics: Share
    voice_quality: Share


def content_tie(items: Sequence[Dimensions], fusion: Fusion) -> ContentTie:
    """P1 on the labels of a judge."""
    found = Counter(_resolver(item, fusion) for item in items)
    names = ("paralinguistics", "voice_quality", "still_tie", "other")
    return ContentTie(*(Share(found[name], len(items)) for name in names))


def flips(items: Sequence[Dimensions], fusion: Fusion) -> Flips:
    """P2 on the labels of a judge."""
    content = paralinguistics = voice_quality = 0
    for item in items:
        c, p, v = item.content, item.paralinguistics, item.voice_quality
        before = fusion(c, p, v)
        content += fusion(BOTH_GOOD, p, v) != before
        paralinguistics += fusion(c, BOTH_GOOD, v) != before
        voice_quality += fusion(c, p, BOTH_GOOD) != before
    n = len(items)
    return Flips(Share(content, n), Share(paralinguistics, n), Share(voice_quality, n))


def _resolver(item: Dimensions, fusion: Fusion) -> str:
    fused = fusion(BOTH_GOOD, item.paralinguistics, item.voice_quality)
    if fused not in WINNERS:
        return "still_tie"
    if item.paralinguistics in WINNERS:
        return "paralinguistics"
    return "voice_quality" if item.voice_quality in WINNERS else "other"
