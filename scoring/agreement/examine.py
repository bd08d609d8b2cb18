"""What can be said about some label sources: which examination fits what they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.agreement.audiojudge import Preferences
from scoring.agreement.compare import Comparison, compare
from scoring.agreement.judges import AgainstTruth, against_truth
from scoring.agreement.labels import LabelError, Labels, LabelSet, unswapped
from scoring.agreement.position import PositionReport, examine_position
from scoring.agreement.probes import DIMENSIONS, Fusion, Probes, probe
from scoring.agreement.raters import AgainstPeople, Raters, against_people, examine_raters
from scoring.agreement.sources import Source, Sources
from scoring.agreement.systems import BothOrders, Ranking, ensemble, rank


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sources, and which of them is right more often where a truth is known."""

    comparison: Comparison
    truth: AgainstTruth | None = None


Finding = Pair | AgainstPeople | Raters | PositionReport | Probes | Ranking


def examine(
    sources: Sequence[Source],
    *,
    declared: LabelSet | None = None,
    truth: Source | None = None,
    swapped: bool = False,
    both_orders: bool = False,
) -> Finding:
    """Examine sources by what they are.

    - two: the first is the reference; a source with several people is compared with the other as a judge
    - one with labels by two, or three and more sources: those among themselves
    - a judge in both orders: its preference for a place
    - preferences of people and a judge in both orders (or several, as an ensemble): a ranking of systems

    Args:
        sources: One or more.
        declared: The possible labels.
        truth: What two judges are compared with.
        swapped: The last source saw its items with the sides exchanged; its labels are turned back.
        both_orders: Two sources are one judge; the second is of the same items with the sides exchanged.

    Raises:
        LabelError: Nothing can be said about these sources.
    """
    labels = [source for source in sources if isinstance(source, Sources)]
    if both_orders:
        if len(labels) != len(sources) or len(labels) != 2 or truth or swapped or declared:
            found = "gives --both-orders with other than two plain sources"
            raise LabelError("the command", found, "Give the labels of one judge in each order.")
        ab, ba = (source.only for source in labels)
        return examine_position(ab, ba.as_swapped())
    if len(labels) == len(sources):
        people = [source for source in labels if source.relation == "people" and len(source.found) > 1]
        if len(people) == 1 and len(labels) == 2 and not (truth or swapped):
            (judge,) = (source.only for source in labels if source is not people[0])
            return against_people(people[0].found, judge, declared)
        together = len(labels) == 1 and labels[0].relation != "apart"
        each = list(labels[0].found) if together else [source.only for source in labels]
        return _labels(each, declared, truth, swapped)
    if truth or swapped or declared:
        raise LabelError(
            "the command",
            "gives --truth, --swapped, --labels or --ordered with a judge in both orders",
            "They are for sources with one label for an item.",
        )
    return _systems(sources)


def examine_probes(sources: Sequence[Source], fusion: Fusion, name: str) -> Probes:
    """What the overall verdicts of a judge rest on, or of a person: TRACE's P1 and P2.

    Args:
        sources: One, with labels of content, paralinguistics and voice quality by one judge.
        fusion: The policy that makes one label of three.
        name: Of the policy.

    Raises:
        LabelError: It is another source, or holds the labels of several.
    """
    source = sources[0]
    if len(sources) > 1 or not isinstance(source, Sources):
        raise LabelError("the command", "gives --probe with other than one plain source", "Name one judge.")
    by_dimension: dict[str, Labels] = {}
    for labels in source.found:
        dimension = next((d for d in DIMENSIONS if labels.name.rpartition("/")[2] == d), None)
        if dimension in by_dimension:
            raise LabelError(source.place, "holds labels by several", "Name one: PATH#PERSON.")
        if dimension is not None:
            by_dimension[dimension] = labels
    return probe(source.place, by_dimension, fusion, name)


def _labels(
    each: Sequence[Labels], declared: LabelSet | None, truth: Source | None, swapped: bool
) -> Finding:
    if len(each) < 2:
        raise LabelError(each[0].name, "is one source", "Agreement is between two: name another one.")
    if len(each) == 2:
        a, b = each
        if swapped:
            b = unswapped(b.as_swapped())
        contest = None
        if truth is not None:
            if not isinstance(truth, Sources):
                raise LabelError("the truth", "is no source with one label for an item")
            contest = against_truth(a, b, truth.only, declared)
        return Pair(compare(a, b, declared), contest)
    if truth or swapped:
        found = f"gives --truth or --swapped with {len(each)} sources"
        raise LabelError("the command", found, "They are for two.")
    return examine_raters(each, declared)


def _systems(sources: Sequence[Source]) -> Finding:
    judges = [source for source in sources if isinstance(source, BothOrders)]
    people = [source for source in sources if isinstance(source, Preferences)]
    if len(judges) == len(sources) == 1:
        return examine_position(judges[0].first, judges[0].second)
    if judges and len(people) == 1 and len(judges) + 1 == len(sources):
        return rank(people[0].found, judges[0] if len(judges) == 1 else ensemble(judges))
    raise LabelError(
        "the sources",
        "do not go together",
        "Give a judge in both orders, alone or with people's preferences; or else sources of `item,label`.",
    )
