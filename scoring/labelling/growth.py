"""How far people agree with each other, with themselves, and with a judge, while the labels come in.

The numbers are those of `viva agreement`: every measure with its interval, unscored items counted by cause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recordings.labels import pair_item
from scoring.agreement.battled import battle_sources
from scoring.agreement.compare import compare
from scoring.agreement.examine import Pair
from scoring.agreement.labels import Labels, LabelSet
from scoring.agreement.output import to_json
from scoring.agreement.rated import rated_sources
from scoring.agreement.raters import against_people, examine_raters
from scoring.labelling.answers import Asked, source
from scoring.labelling.contests import PERSON
from scoring.labelling.material import Material
from scoring.labelling.plan import Answers, Work
from scoring.labelling.protocol import COMPARISONS, RATINGS, Part

NO_JUDGE = "no_judge_has_rated_these"
ONE_PERSON = "only_one_person_has_labelled"
"""Causes for which there is nothing to compare yet."""


@dataclass(frozen=True, slots=True)
class Growth:
    """What people's labels are compared with.

    Attributes:
        judge: Name of the judge; "" takes the only one there is.
        battles: A store with a judge's verdicts on pairs, or None.
    """

    judge: str = ""
    battles: Path | None = None

    def report(self, work: Work, everybody: Mapping[str, Answers], material: Material) -> dict[str, Any]:
        """What can be said now: one entry for each part and dimension that anybody has labelled.

        Raises:
            LabelError: Ratings or battles cannot be read as labels.
            RecordingError: A file is damaged.
        """
        judges = {Part.ABSOLUTE: self._ratings(everybody, material), Part.RELATIVE: self._battles()}
        calls = {item: reply.call for item, reply in material.replies.items()}
        prompts = {pair_item(*match.items): match.prompt for match in material.matches}
        found = []
        for part, possible, clusters in (
            (Part.ABSOLUTE, RATINGS, calls),
            (Part.RELATIVE, COMPARISONS, prompts),
        ):
            for dimension in work.dimensions:
                people = _people(everybody, Asked(part, dimension), clusters)
                if people:
                    judge = self._chosen(judges[part], dimension)
                    again = _again(everybody, Asked(part, dimension, 2), people, clusters)
                    found.append(
                        {
                            "part": part.value,
                            "dimension": dimension,
                            **_entry(people, judge, again, possible),
                        }
                    )
        return {"labels": found}

    def _ratings(self, everybody: Mapping[str, Answers], material: Material) -> list[Labels]:
        """The judges' ratings of calls of which anything is labelled."""
        items = {key.item for given in everybody.values() for key in given if key.part is Part.ABSOLUTE}
        folders = {material.replies[item].episode for item in items if item in material.replies}
        return rated_sources(sorted(folders))

    def _battles(self) -> list[Labels]:
        """What judges, and not people, said of pairs."""
        if self.battles is None or not self.battles.is_file():
            return []
        found = battle_sources(self.battles, named=True)
        return [one for one in found if not one.name.startswith(PERSON)]

    def _chosen(self, judges: Sequence[Labels], dimension: str) -> Labels | None:
        """The judge that was named, or the only one."""
        fit = [one for one in judges if one.name.endswith(f"/{dimension}")]
        if self.judge:
            fit = [one for one in fit if one.name.partition("/")[0].partition("@")[0] == self.judge]
        return fit[0] if len(fit) == 1 else None


def _people(everybody: Mapping[str, Answers], asked: Asked, clusters: Mapping[str, str]) -> list[Labels]:
    """Everybody who was asked this."""
    found = (source(name, given, asked, clusters) for name, given in sorted(everybody.items()))
    return [labels for labels in found if labels.items]


def _again(
    everybody: Mapping[str, Answers], asked: Asked, people: Sequence[Labels], clusters: Mapping[str, str]
) -> list[tuple[Labels, Labels]]:
    """Both rounds of everybody who was asked a second time."""
    first = {labels.name: labels for labels in people}
    second = _people(everybody, asked, clusters)
    return [(first[labels.name], labels) for labels in second if labels.name in first]


def _entry(
    people: Sequence[Labels],
    judge: Labels | None,
    again: Sequence[tuple[Labels, Labels]],
    possible: LabelSet,
) -> dict[str, Any]:
    several = len(people) > 1
    return {
        "people": to_json(examine_raters(people, possible)) if several else {"undefined": ONE_PERSON},
        "judge": to_json(against_people(people, judge, possible)) if judge else {"undefined": NO_JUDGE},
        "again": [to_json(Pair(compare(one, two, possible))) for one, two in again],
        "given": {labels.name: len(labels.by_item) for labels in people},
        "unscored": {labels.name: dict(Counter(labels.unscored.values())) for labels in people},
    }
