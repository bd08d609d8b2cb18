"""What an overall verdict rests on: the dimensions are changed, fused again, and the outcomes counted.

The probes of TRACE (arXiv 2601.13742), for the labels of any judge under any fusion.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from scoring.agreement.labels import (
    BOTH_BAD,
    BOTH_GOOD,
    FIRST,
    SECOND,
    WINNERS,
    LabelError,
    Labels,
    LabelSet,
    drawn_together,
    within,
)
from scoring.statistics.intervals import Interval, share_interval
from scoring.statistics.undefined import Undefined, or_none

CONTENT, PARALINGUISTICS, VOICE_QUALITY = "content", "paralinguistics", "voice_quality"

DIMENSIONS = (CONTENT, PARALINGUISTICS, VOICE_QUALITY)
"""What is labelled, in the order in which a fusion takes it."""

POSSIBLE = LabelSet((FIRST, SECOND, BOTH_GOOD, BOTH_BAD))
"""The labels that a fusion knows."""


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
    """So many of n items, with the interval of the share; see `share_interval`."""

    count: int
    n: int
    interval: Interval | Undefined

    @property
    def value(self) -> float | Undefined:
        """Of n."""
        return self.count / self.n if self.n else Undefined("no_items")

    def to_json(self) -> dict[str, object]:
        """As printed."""
        interval = or_none(self.interval)
        return {
            "count": self.count,
            "share": or_none(self.value),
            "interval": interval.to_json() if interval else None,
        }


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


@dataclass(frozen=True, slots=True)
class Probes:
    """Both probes on a judge's labels.

    Attributes:
        n: Comparisons with a label in every dimension.
        unscored: Of the others, by dimension and cause, the first that is missing ("content:no_json").
    """

    judge: str
    fusion: str
    n: int
    unscored: Mapping[str, int]
    content_tie: ContentTie
    flips: Flips

    @property
    def shares(self) -> dict[str, dict[str, Share]]:
        """Of P1 and P2, by name."""
        tie, flip = self.content_tie, self.flips
        resolvers = (PARALINGUISTICS, VOICE_QUALITY, "still_tie", "other")
        return {
            "content_tie": {name: getattr(tie, name) for name in resolvers},
            "flips": {name: getattr(flip, name) for name in DIMENSIONS},
        }

    def to_json(self) -> dict[str, object]:
        """As printed."""
        shares = {
            probe: {name: share.to_json() for name, share in found.items()}
            for probe, found in self.shares.items()
        }
        return {
            "kind": "probes",
            "judge": self.judge,
            "fusion": self.fusion,
            "n": self.n,
            "unscored": dict(sorted(self.unscored.items())),
            **shares,
        }


def probe(judge: str, labels: Mapping[str, Labels], fusion: Fusion, name: str) -> Probes:
    """P1 and P2 on the labels of a judge, or of people.

    Args:
        judge: Its name.
        labels: By dimension, all of `DIMENSIONS`.
        fusion: The policy.
        name: Of the policy.

    Raises:
        LabelError: A dimension is missing, or its labels are of swapped items.
    """
    lacking = [dimension for dimension in DIMENSIONS if dimension not in labels]
    if lacking:
        remedy = f"The probes need labels of {', '.join(DIMENSIONS)}."
        raise LabelError(judge, f"holds no labels of {', '.join(lacking)}", remedy)
    sources = [within(labels[dimension], POSSIBLE) for dimension in DIMENSIONS]
    complete: list[str] = []
    unscored: Counter[str] = Counter()
    for item in sorted({item for source in sources for item in source.items}):
        cause = _missing(item, sources)
        if cause:
            unscored[cause] += 1
        else:
            complete.append(item)
    items = [Dimensions(*(source.by_item[item] for source in sources)) for item in complete]
    clusters = drawn_together(sources, complete)
    return Probes(
        judge=judge,
        fusion=name,
        n=len(items),
        unscored=unscored,
        content_tie=content_tie(items, fusion, clusters),
        flips=flips(items, fusion, clusters),
    )


def _missing(item: str, sources: Sequence[Labels]) -> str:
    for dimension, source in zip(DIMENSIONS, sources, strict=True):
        if item not in source.by_item:
            return f"{dimension}:{source.unscored.get(item, 'not_labelled')}"
    return ""


def content_tie(
    items: Sequence[Dimensions], fusion: Fusion, clusters: Sequence[Hashable] | None = None
) -> ContentTie:
    """P1 on the labels of a judge; items of one cluster belong together."""
    found = [_resolver(item, fusion) for item in items]
    names = (PARALINGUISTICS, VOICE_QUALITY, "still_tie", "other")
    return ContentTie(*(_share([one == name for one in found], clusters) for name in names))


def flips(items: Sequence[Dimensions], fusion: Fusion, clusters: Sequence[Hashable] | None = None) -> Flips:
    """P2 on the labels of a judge; items of one cluster belong together."""
    flipped: dict[str, list[bool]] = {dimension: [] for dimension in DIMENSIONS}
    for item in items:
        c, p, v = item.content, item.paralinguistics, item.voice_quality
        before = fusion(c, p, v)
        flipped[CONTENT].append(fusion(BOTH_GOOD, p, v) != before)
        flipped[PARALINGUISTICS].append(fusion(c, BOTH_GOOD, v) != before)
        flipped[VOICE_QUALITY].append(fusion(c, p, BOTH_GOOD) != before)
    return Flips(*(_share(flipped[dimension], clusters) for dimension in DIMENSIONS))


def _share(outcomes: Sequence[bool], clusters: Sequence[Hashable] | None) -> Share:
    return Share(sum(outcomes), len(outcomes), share_interval(outcomes, clusters))


def _resolver(item: Dimensions, fusion: Fusion) -> str:
    fused = fusion(BOTH_GOOD, item.paralinguistics, item.voice_quality)
    if fused not in WINNERS:
        return "still_tie"
    if item.paralinguistics in WINNERS:
        return PARALINGUISTICS
    return VOICE_QUALITY if item.voice_quality in WINNERS else "other"
