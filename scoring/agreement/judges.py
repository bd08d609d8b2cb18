"""Two judges against a truth: which one is right more often, and is it more than chance?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.agreement.labels import Labels, LabelSet, drawn_together, label_set, within
from scoring.statistics.intervals import RESAMPLES
from scoring.statistics.paired import Difference, McNemar, mcnemar_of, paired_difference
from scoring.statistics.undefined import Undefined, or_none


@dataclass(frozen=True, slots=True)
class Contest:
    """Two judges on the same items, under a policy for missing labels.

    Attributes:
        n: Items.
        right_a: How many the first judge got right.
        right_b: How many the second got right.
        difference: Share right of the first minus that of the second, paired bootstrap over items, or
            over clusters where the sources have some.
        mcnemar: Test of the items that only one of them got right, as if they were independent.
    """

    n: int
    right_a: int
    right_b: int
    difference: Difference | Undefined
    mcnemar: McNemar | Undefined

    def to_json(self) -> dict[str, object]:
        """As printed."""
        difference, test = or_none(self.difference), or_none(self.mcnemar)
        interval = or_none(difference.interval) if difference else None
        return {
            "n": self.n,
            "accuracy_a": self.right_a / self.n if self.n else None,
            "accuracy_b": self.right_b / self.n if self.n else None,
            "difference": difference.value if difference else None,
            "difference_interval": interval.to_json() if interval else None,
            "only_a_right": test.b if test else None,
            "only_b_right": test.c if test else None,
            "mcnemar_p": test.p if test else None,
            "mcnemar_exact": test.exact if test else None,
        }


@dataclass(frozen=True, slots=True)
class AgainstTruth:
    """Both policies side by side.

    Attributes:
        truth: Its name.
        dropped: Over items that the truth and both judges labelled.
        counted_wrong: Over all items of the truth: a judge that has no label for one is wrong there.
    """

    truth: str
    dropped: Contest
    counted_wrong: Contest

    def to_json(self) -> dict[str, object]:
        """As printed."""
        return {
            "name": self.truth,
            "drop": self.dropped.to_json(),
            "count_as_wrong": self.counted_wrong.to_json(),
        }


def against_truth(
    a: Labels,
    b: Labels,
    truth: Labels,
    declared: LabelSet | None = None,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> AgainstTruth:
    """Compare two judges by what they get right.

    Raises:
        LabelError: A source is of swapped items, or they use too many different labels.
    """
    possible = label_set((a, b, truth), declared)
    a, b, truth = (within(source, possible) for source in (a, b, truth))
    all_items = sorted(truth.by_item)
    labelled = [item for item in all_items if item in a.by_item and item in b.by_item]

    def contest(items: Sequence[str]) -> Contest:
        right_a, right_b = ([s.by_item.get(item) == truth.by_item[item] for item in items] for s in (a, b))
        return Contest(
            n=len(items),
            right_a=sum(right_a),
            right_b=sum(right_b),
            difference=paired_difference(
                right_a, right_b, drawn_together((truth, a, b), items), seed=seed, resamples=resamples
            ),
            mcnemar=mcnemar_of(right_a, right_b) if items else Undefined("no_common_items"),
        )

    return AgainstTruth(truth.name, contest(labelled), contest(all_items))
