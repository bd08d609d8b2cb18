"""From three labels to one: explicit policies with versions, chosen by name, never guessed.

A command names a policy, or else the pack of the scenario does (`fusion` in its manifest).

A comparison is labelled in content, paralinguistics and voice quality; each label is `1`, `2`, `both_good`
or `both_bad`. A single reply counts as one that is compared with its like. Two of the policies are those of
TRACE (arXiv 2601.13742): content first, for talk that is about something, and the acceptability cap, for
talk whose manner is part of the task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from scoring.agreement.labels import BOTH_BAD, BOTH_GOOD, FIRST, SECOND
from scoring.judge.contract import JudgeUnfit
from scoring.judge.dimensions import NOT_ASKED, Dimension, Labelled, Rating

LABELS = (FIRST, SECOND, BOTH_GOOD, BOTH_BAD)
"""The declared set of labels of a comparison."""

_ACCEPTABLE = {
    FIRST: (True, False),
    SECOND: (False, True),
    BOTH_GOOD: (True, True),
    BOTH_BAD: (False, False),
}
_LABEL = {sides: label for label, sides in _ACCEPTABLE.items()}

Rule = Callable[[str, str, str], str]
"""Content, paralinguistics and voice quality to the overall label; all of `LABELS`."""


class UnknownLabel(ValueError):
    """A label outside the declared set: whatever it was to mean, it is none of them."""

    def __init__(self, label: str) -> None:
        self.label = label
        super().__init__(f"label {label!r}, expected one of {', '.join(LABELS)}")


def rating_min(*labels: str) -> str:
    """Which sides are acceptable by every label (a winner alone is acceptable).

    Raises:
        UnknownLabel: A label is none of the four.
    """
    sides = [_ACCEPTABLE[_known(label)] for label in labels]
    return _LABEL[all(first for first, _ in sides), all(second for _, second in sides)]


def content_first(content: str, paralinguistics: str, voice_quality: str) -> str:
    """The first winner in the order of the arguments; without one, whether the content is good.

    If neither content nor paralinguistics of either side is acceptable, voice quality decides nothing.

    Raises:
        UnknownLabel: A label is none of the four.
    """
    order = [_known(label) for label in (content, paralinguistics, voice_quality)]
    if content == paralinguistics == BOTH_BAD:
        return BOTH_BAD
    tie = BOTH_GOOD if content == BOTH_GOOD else BOTH_BAD
    return next((label for label in order if label in (FIRST, SECOND)), tie)


def acceptability_cap(content: str, paralinguistics: str, voice_quality: str) -> str:
    """The first winner, or else the content's label; but only who is acceptable in the first two can win.

    Voice quality decides only where content and paralinguistics of both sides are good.

    Raises:
        UnknownLabel: A label is none of the four.
    """
    order = [_known(label) for label in (content, paralinguistics, voice_quality)]
    first = next((label for label in order if label in (FIRST, SECOND)), content)
    return rating_min(first, rating_min(content, paralinguistics))


def majority(content: str, paralinguistics: str, voice_quality: str) -> str:
    """The label that two of the three share; if all differ, the content's.

    Raises:
        UnknownLabel: A label is none of the four.
    """
    counts = Counter(_known(label) for label in (content, paralinguistics, voice_quality))
    label, count = counts.most_common(1)[0]
    return label if count > 1 else content


def _known(label: str) -> str:
    if label not in LABELS:
        raise UnknownLabel(label)
    return label


@dataclass(frozen=True, slots=True)
class Fusion:
    """A policy.

    Attributes:
        version: Raised whenever an outcome changes.
    """

    name: str
    version: int
    rule: Rule

    def __str__(self) -> str:
        """As in manifests and evidence: "content-first@1"."""
        return f"{self.name}@{self.version}"

    def rate(self, ratings: Mapping[Dimension, Labelled]) -> Labelled:
        """The overall rating of one reply.

        `bad` if the policy finds two such replies `both_bad`; else `good` if every dimension is, and
        `acceptable` if one is not. A dimension that the task does not ask for is no fault; if another one
        is unscored, so is the whole.
        """
        for dimension, found in ratings.items():
            if found.label is None and found.cause != NOT_ASKED:
                return Labelled(None, f"{dimension.value}:{found.cause}")
        given = {dimension: Rating(found.label) for dimension, found in ratings.items() if found.label}
        if not given:
            return Labelled(None, NOT_ASKED)
        sides = (
            BOTH_BAD if given.get(dimension) is Rating.BAD else BOTH_GOOD
            for dimension in (Dimension.CONTENT, Dimension.PARALINGUISTICS, Dimension.VOICE_QUALITY)
        )
        whole = Rating.GOOD if set(given.values()) == {Rating.GOOD} else Rating.ACCEPTABLE
        found_bad = self.rule(*sides) == BOTH_BAD
        reason = ", ".join(f"{d.value} {r.value}" for d, r in given.items())
        return Labelled(Rating.BAD.value if found_bad else whole.value, reason=f"{self} of {reason}")

    def fuse(self, labels: Mapping[Dimension, Labelled]) -> Labelled:
        """The overall label; unscored if a dimension is, or has a label outside the set."""
        given: list[str] = []
        for dimension in (Dimension.CONTENT, Dimension.PARALINGUISTICS, Dimension.VOICE_QUALITY):
            found = labels[dimension]
            if found.label is None:
                return Labelled(None, f"{dimension.value}:{found.cause}")
            if found.label not in LABELS:
                return Labelled(None, f"{dimension.value}:label_unknown")
            given.append(found.label)
        return Labelled(self.rule(*given), reason=f"{self.name} of {', '.join(given)}")


FUSIONS: Mapping[str, Fusion] = {
    fusion.name: fusion
    for fusion in (
        Fusion("content-first", 1, content_first),
        Fusion("acceptability-cap", 1, acceptability_cap),
        Fusion("majority", 1, majority),
        Fusion("rating-min", 1, rating_min),
    )
}
"""The policies by name."""


WORST = FUSIONS["rating-min"]
"""Of single replies where neither command nor pack names a policy: no dimension's fault is hidden."""


class FusionMisnamed(JudgeUnfit):
    """A policy that is not known."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"fusion {name!r}: there is no such policy. Known: {', '.join(map(str, _all()))}.")


class FusionNotChosen(JudgeUnfit):
    """Neither the command nor the pack says how labels become one, and nobody guesses."""

    def __init__(self, packs: Iterable[str]) -> None:
        self.packs = tuple(sorted(set(packs)))
        named = ", ".join(pack or "a scenario without a pack" for pack in self.packs)
        super().__init__(
            f"fusion: {named} named no policy when it was called. Say --fusion NAME ({', '.join(FUSIONS)}),"
            " or write `fusion` into its pack.yaml before calling."
        )


def _all() -> Iterable[Fusion]:
    return FUSIONS.values()


def fusion_named(name: str) -> Fusion:
    """A policy by its name, with its version ("content-first@1") or without.

    Raises:
        FusionMisnamed: There is none, or not of that version.
    """
    for fusion in _all():
        if name in (fusion.name, str(fusion)):
            return fusion
    raise FusionMisnamed(name)


@dataclass(frozen=True, slots=True)
class FusionChoice:
    """What a command says of the policy.

    Attributes:
        named: Its name; "" leaves it to the pack of each scenario.
        default: Of packs that name none; None has none.
    """

    named: str = ""
    default: Fusion | None = None

    def __post_init__(self) -> None:
        if self.named:
            fusion_named(self.named)

    def of(self, pack: str, declared: str) -> Fusion:
        """The policy for a scenario.

        Args:
            pack: Name of its pack, "" if it has none.
            declared: What that names, "" for nothing.

        Raises:
            FusionMisnamed: There is no such policy.
            FusionNotChosen: Nobody names one.
        """
        if self.named or declared:
            return fusion_named(self.named or declared)
        if self.default is None:
            raise FusionNotChosen([pack])
        return self.default
