"""A judge that is not shown whole families of the blueprint, for ablations."""

from __future__ import annotations

from scoring.blueprint.record import GROUPS
from scoring.judge.cost import Cost
from scoring.judge.dimensions import DimensionJudge, Item, Pair, Verdict
from scoring.judge.material import FamilyUnknown, withheld


class Withholding:
    """Another judge, without some of what it would see of either side.

    Args:
        judge: The judge.
        families: Of `blueprint.record.GROUPS`. Without "transcript" a language model is not shown the words
            either; the facts judge of the rules reads them all the same.

    Raises:
        FamilyUnknown: One of the families is none.
    """

    def __init__(self, judge: DimensionJudge, families: frozenset[str]) -> None:
        for name in families:
            if name not in GROUPS:
                raise FamilyUnknown(name)
        self._judge = judge
        self._families = families
        self.name = f"{judge.name} without {', '.join(sorted(families))}"
        self.version = judge.version

    async def warm_up(self) -> None:
        """That of the judge."""
        await self._judge.warm_up()

    async def rate(self, item: Item) -> Verdict:
        """See `DimensionJudge.rate`."""
        return await self._judge.rate(withheld(item, self._families))

    async def compare(self, pair: Pair) -> Verdict:
        """See `DimensionJudge.compare`."""
        return await self._judge.compare(withheld(pair, self._families))

    def estimate(self, asked: Item | Pair) -> Cost:
        """See `DimensionJudge.estimate`."""
        return self._judge.estimate(withheld(asked, self._families))
