"""To which question a reply belongs, and what it gets wrong, by the rules judge. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scenarios.schema import Fact
from scoring.judge.contract import FactLabel
from scoring.judge.rules import RulesJudge
from scoring.selftest.numbers import mean, middle
from scoring.selftest.said import labels
from scoring.view import EpisodeView


class Judged:
    """What the rules judge says of every reply, with the facts of its question and of those before."""

    def __init__(self, view: EpisodeView, facts: Mapping[str, Sequence[Fact]]) -> None:
        self._judge = RulesJudge()
        self._asked: list[Sequence[Fact]] = []
        self._said: list[str] = []
        self._wrote: list[str] = []
        for texts in view.texts:
            if texts.intended in facts:
                self._asked.append(facts[texts.intended])
                self._said.append(texts.endpoint_said or "")
                self._wrote.append(texts.endpoint_text or "")

    def wrong(self, ending: str) -> float | None:
        """Share of the judged replies that contradict the fact whose id ends so.

        Where the endpoint sends its own text, that must contradict the fact as well: what only a recogniser
        heard, in a noisy voice, is its own mistake.
        """
        found: list[bool] = []
        for facts, said, wrote in zip(self._asked, self._said, self._wrote, strict=True):
            texts = [said, wrote] if wrote else [said]
            judged = [labels(self._judge, "", facts, text) for text in texts]
            found += [
                all(one[name] is FactLabel.CONTRADICTED for one in judged)
                for name in judged[0]
                if name.endswith(ending)
            ]
        return mean(float(wrong) for wrong in found)

    def behind(self) -> float | None:
        """How far back the question is that a reply answers; None if fewer than half answer another."""
        found = [self._distance(number) for number in range(len(self._asked))]
        others = [distance for distance in found if distance is not None]
        return middle(others) if others and 2 * len(others) >= len(found) else None

    def _distance(self, number: int) -> float | None:
        said = self._said[number]
        if self._states(self._asked[number], said):
            return None
        for back in range(1, number + 1):
            if self._states(self._asked[number - back], said):
                return float(back)
        return None

    def _states(self, facts: Sequence[Fact], said: str) -> bool:
        return FactLabel.STATED in labels(self._judge, "", facts, said).values()
