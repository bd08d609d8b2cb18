"""Labels of items by one source: a person, a judge, a column of a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

FIRST, SECOND, TIE, BOTH_GOOD, BOTH_BAD = "1", "2", "tie", "both_good", "both_bad"
"""Labels of a comparison of two replies."""

WINNERS = frozenset({FIRST, SECOND, "a", "b"})
"""Labels that name a winner: by number (judges) or by letter (battles)."""

OVERALL = "overall"
"""What stands for all dimensions together, where others are named."""

PREFERENCES = WINNERS | {TIE, BOTH_GOOD, BOTH_BAD}

_OTHER_SIDE = {FIRST: SECOND, SECOND: FIRST, "a": "b", "b": "a"}
_SIDES = PREFERENCES | set(_OTHER_SIDE)

UNKNOWN_LABEL = "unknown_label"
"""Cause: a label outside the declared set; it is unscored, never taken for another label."""

MAX_LABELS = 100
"""More different labels than this are no labels but texts or numbers."""


class Order(StrEnum):
    """Which way round the items were shown, and what the labels' sides mean."""

    AS_IS = "as_is"
    SWAPPED = "swapped"  # sides exchanged, labels name them as shown
    UNSWAPPED = "unswapped"  # sides were exchanged, labels have been turned back


class LabelError(Exception):
    """Labels that cannot be compared.

    Attributes:
        place: The source.
        found: What is wrong with it.
        remedy: What to do.
    """

    def __init__(self, place: str, found: str, remedy: str = "") -> None:
        self.place, self.found, self.remedy = place, found, remedy
        super().__init__(place, found, remedy)

    def __str__(self) -> str:
        return f"{self.place}: {self.found}." + (f" {self.remedy}" if self.remedy else "")


@dataclass(frozen=True, slots=True)
class Labels:
    """What one source says about items.

    Attributes:
        name: The source, for people.
        by_item: Label of each item that has one.
        unscored: Cause for each item that the source knows and has no label for.
        order: Labels of swapped items are compared with nothing before `unswapped` has turned them, once.
        clusters: By item, what it is drawn together with in a bootstrap: the call that a turn is of.
    """

    name: str
    by_item: Mapping[str, str]
    unscored: Mapping[str, str] = field(default_factory=dict)
    order: Order = Order.AS_IS
    clusters: Mapping[str, str] = field(default_factory=dict)

    def __contains__(self, item: str) -> bool:
        return item in self.by_item or item in self.unscored

    @property
    def items(self) -> list[str]:
        """All that the source knows, labelled or not, in the order of their names."""
        return sorted((*self.by_item, *self.unscored))

    def as_swapped(self) -> Labels:
        """The same source, once it is known that its items were shown with the sides exchanged.

        Raises:
            LabelError: That was known already.
        """
        if self.order is not Order.AS_IS:
            raise LabelError(self.name, f"is known to be {self.order.value}", "Its labels are turned once.")
        return replace(self, order=Order.SWAPPED)


def other_side(label: str) -> str:
    """The label of the same judgement with the sides exchanged; a tie is its own."""
    return _OTHER_SIDE.get(label, label)


def unswapped(labels: Labels) -> Labels:
    """Labels of swapped items, turned to the sides as they are.

    Raises:
        LabelError: They are not of swapped items, or have been turned already.
    """
    if labels.order is not Order.SWAPPED:
        raise LabelError(labels.name, f"cannot be un-swapped: its order is {labels.order.value}")
    known = naming_sides(labels)
    turned = {item: other_side(label) for item, label in known.by_item.items()}
    return replace(known, by_item=turned, order=Order.UNSWAPPED)


def naming_sides(labels: Labels) -> Labels:
    """The source with every label unscored that is no preference between two sides.

    Which side "A" or "model_a" means cannot be told: it must not pass for its own mirror.
    """
    unknown = {item: UNKNOWN_LABEL for item, label in labels.by_item.items() if label not in _SIDES}
    kept = {item: label for item, label in labels.by_item.items() if item not in unknown}
    return replace(labels, by_item=kept, unscored={**labels.unscored, **unknown})


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The labels that are possible.

    Attributes:
        names: Each once; where they are ordered, from lowest to highest.
        ordered: Whether the distance between two places means something.
        declared: Whether somebody said what is possible, or it is only what was seen.
    """

    names: tuple[str, ...]
    ordered: bool = False
    declared: bool = True

    def __post_init__(self) -> None:
        twice = [name for name, count in Counter(self.names).items() if count > 1]
        if twice or "" in self.names or not self.names:
            found = f"names {twice[0]!r} twice" if twice else "holds no label, or an empty one"
            raise LabelError("the label set", found, "Write each label once: --labels good,bad")
        if len(self.names) > MAX_LABELS:
            raise LabelError(
                "the label set",
                f"holds {len(self.names)} different labels, at most {MAX_LABELS}",
                "Agreement is of labels from a small set, not of texts or measurements.",
            )


def label_set(sources: Iterable[Labels], declared: LabelSet | None = None) -> LabelSet | None:
    """The declared set, or the labels that any of the sources uses; None if they use none."""
    seen = {label for source in sources for label in source.by_item.values()}
    if declared is not None:
        return declared
    return LabelSet(tuple(sorted(seen)), declared=False) if seen else None


def within(labels: Labels, possible: LabelSet | None) -> Labels:
    """The source with unknown labels as unscored.

    Raises:
        LabelError: The labels name sides of swapped items; see `unswapped`.
    """
    if labels.order is Order.SWAPPED:
        raise LabelError(labels.name, "is of swapped items", "Un-swap its labels once, then compare.")
    if possible is None:
        return labels
    unknown = {item: UNKNOWN_LABEL for item, label in labels.by_item.items() if label not in possible.names}
    known = {item: label for item, label in labels.by_item.items() if item not in unknown}
    return replace(labels, by_item=known, unscored={**labels.unscored, **unknown})


def drawn_together(sources: Iterable[Labels], items: Sequence[str]) -> list[str] | None:
    """The cluster of each item, as the first source that knows one has it; else the item is its own.

    None if each item stands alone, or if all are of one cluster: what is told then is told of that one.
    """
    known: dict[str, str] = {}
    for source in sources:
        known = {**source.clusters, **known}
    found = [f"cluster {known[item]}" if item in known else f"item {item}" for item in items]
    return found if 1 < len(set(found)) < len(found) else None


@dataclass(frozen=True, slots=True)
class Shared:
    """Which items several sources have in common.

    Attributes:
        items: Labelled by all, in the order of their names.
        only: For each source, how many items no other one knows.
        unscored: For each source, causes of items that all know and it did not label.
    """

    items: tuple[str, ...]
    only: tuple[int, ...]
    unscored: tuple[Mapping[str, int], ...]


def shared(sources: Sequence[Labels]) -> Shared:
    """Sort items by who knows and who labelled them; none is left out."""
    known = [set(source.items) for source in sources]
    common = sorted(set.intersection(*known)) if known else []
    return Shared(
        items=tuple(item for item in common if all(item in source.by_item for source in sources)),
        only=tuple(
            sum(not any(item in other for other in (*known[:k], *known[k + 1 :])) for item in mine)
            for k, mine in enumerate(known)
        ),
        unscored=tuple(
            Counter(source.unscored[item] for item in common if item in source.unscored)
            for source in sources
        ),
    )
