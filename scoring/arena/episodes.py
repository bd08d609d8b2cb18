"""Battles from recorded calls: two systems, the same scenario and seed, the same words of the user.

What the user said in both calls makes a battle: the replies to it are compared. Battles of one call share a
prompt in the store ("SCENARIO/SEED"), so that a bootstrap draws whole calls. What was asked of one system
only, because the conversations went apart, is counted and compared with nothing; so is a call that one of
the systems does not have. Void episodes, spoiled by our own side, take no part.
"""

from __future__ import annotations

import hashlib
import itertools
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recordings.labels import turn_item
from scoring.arena.battles import Battle, First, Label
from scoring.judge.cost import Cost, total
from scoring.judge.dimensions import DimensionJudge, Pair
from scoring.judge.fusion import Fusion, FusionChoice, FusionNotChosen
from scoring.judge.material import level_of, paired
from scoring.judge.pairwise import Orders, PairVerdict, compare
from scoring.judge.rate import Heard

_LABELS = {"1": Label.A, "2": Label.B, "both_good": Label.BOTH_GOOD, "both_bad": Label.BOTH_BAD}


@dataclass(frozen=True, slots=True)
class Match:
    """A pair to be judged, and whose replies it holds.

    Attributes:
        pair: `first` is of `system_a`.
        prompt: What is drawn together.
        calls: "RUN/EPISODE" of both sides.
        items: The turns that are compared, as people's labels name them.
        pack: Of the scenario, "" if it has none.
        fusion: The policy that the pack names, "" if it names none.
    """

    pair: Pair
    prompt: str
    system_a: str
    system_b: str
    calls: tuple[str, str]
    items: tuple[str, str]
    domain: str | None
    level: str | None
    pack: str = ""
    fusion: str = ""


@dataclass(frozen=True, slots=True)
class Matches:
    """All that can be compared, and what cannot, by cause."""

    found: tuple[Match, ...]
    left_out: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Judged:
    """A match and its verdict."""

    match: Match
    verdict: PairVerdict

    @property
    def battle(self) -> Battle:
        """As it goes into a store."""
        match, verdict = self.match, self.verdict
        label = None if verdict.overall.label is None else _LABELS[verdict.overall.label]
        a, b = match.pair.first.spoken.seconds, match.pair.second.spoken.seconds
        first = {Orders.AS_IS: First.A, Orders.SWAPPED: First.B, Orders.BOTH: First.BOTH}
        return Battle(
            id=self._id,
            prompt=match.prompt,
            system_a=match.system_a,
            system_b=match.system_b,
            first=first[verdict.orders],
            judge=f"{verdict.judge}@{verdict.version}",
            label=label,
            unscored=None if label is not None else verdict.overall.cause,
            evidence={
                "asked": match.pair.task.question.asked,
                "items": list(match.items),
                **verdict.to_json(),
            },
            domain=match.domain,
            level=match.level,
            duration_a_s=a or None,
            duration_b_s=b or None,
        )

    @property
    def _id(self) -> str:
        """The same for the same pair, judge and fusion: what is judged again does not count twice."""
        verdict, match = self.verdict, self.match
        parts = (
            match.pair.id,
            *sorted(map(" ".join, zip((match.system_a, match.system_b), match.calls, strict=True))),
            verdict.judge,
            str(verdict.version),
            verdict.fusion,
            verdict.orders.value,
        )
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def matches(calls: Mapping[str, Sequence[Heard]], *, seed: int = 0) -> Matches:
    """Pair the calls of systems.

    Args:
        calls: Episodes of each system.
        seed: Of which system of a pair comes first; it depends on the pair alone.
    """
    left_out: Counter[str] = Counter()
    by_system = {name: _by_call(heard, left_out) for name, heard in calls.items()}
    found: list[Match] = []
    for one, two in itertools.combinations(sorted(by_system), 2):
        keys = by_system[one].keys() & by_system[two].keys()
        lonely = len(by_system[one].keys() ^ by_system[two].keys())
        left_out["called_one_only"] += lonely
        for key in sorted(keys):
            found += _of_call((one, two), key, by_system, left_out, seed)
    return Matches(tuple(found), +left_out)


_Key = tuple[str, int, int]
"""Scenario, seed, and which of several calls with both."""


def _by_call(heard: Sequence[Heard], left_out: Counter[str]) -> dict[_Key, Heard]:
    found: dict[_Key, Heard] = {}
    repeats: Counter[tuple[str, int]] = Counter()
    for one in sorted(heard, key=lambda h: h.episode.info.id):
        info = one.episode.info
        if info.outcome.void:
            left_out["void_episode"] += 1
            continue
        base = (str(info.scenario.get("id", "")), info.seed)
        found[(*base, repeats[base])] = one
        repeats[base] += 1
    return found


def _of_call(
    names: tuple[str, str],
    key: _Key,
    by_system: Mapping[str, Mapping[_Key, Heard]],
    left_out: Counter[str],
    seed: int,
) -> Iterator[Match]:
    scenario, call_seed, repeat = key
    prompt = f"{scenario}/{call_seed}" + (f"/{repeat + 1}" if repeat else "")
    shuffled = list(names)
    random.Random(f"{seed} {prompt} {names}").shuffle(shuffled)  # noqa: S311 - which side is shown first
    a, b = (by_system[name][key] for name in shuffled)
    pairs = paired(a.replies, b.replies, prompt)
    left_out.update(pairs.unpaired)
    calls = (_name(a), _name(b))
    scenario_data: Mapping[str, Any] = a.episode.scenario
    domain = str(scenario_data.get("domain") or "") or None
    # a pack that has changed its mind between two calls has named none for both
    declared = a.episode.info.fusion if a.episode.info.fusion == b.episode.info.fusion else ""
    for pair, turns in zip(pairs.pairs, pairs.turns, strict=True):
        items = turn_item(a.episode.info, turns[0]), turn_item(b.episode.info, turns[1])
        yield Match(
            *(pair, prompt, shuffled[0], shuffled[1], calls, items, domain, level_of(a.episode)),
            pack=a.episode.info.pack,
            fusion=declared,
        )


def _name(heard: Heard) -> str:
    return f"{heard.episode.info.run}/{heard.episode.info.id}"


async def hold(
    found: Sequence[Match], judge: DimensionJudge, choice: FusionChoice, orders: Orders = Orders.AS_IS
) -> list[Judged]:
    """Have matches judged.

    Raises:
        FusionMisnamed: There is no such policy as a pack names.
        FusionNotChosen: Neither the choice nor the pack of a match names one; nothing is judged.
    """
    fusions = fusions_of(found, choice)
    return [
        Judged(match, await compare(judge, match.pair, fusion, orders))
        for match, fusion in zip(found, fusions, strict=True)
    ]


def fusions_of(found: Sequence[Match], choice: FusionChoice) -> list[Fusion]:
    """The policy for each match; see `hold` for what it raises."""
    lacking = [match.pack for match in found if not (choice.named or match.fusion or choice.default)]
    if lacking:
        raise FusionNotChosen(lacking)
    return [choice.of(match.pack, match.fusion) for match in found]


def estimate(found: Sequence[Match], judge: DimensionJudge, orders: Orders) -> Cost:
    """What judging these will take."""
    once = total(judge.estimate(match.pair) for match in found)
    return once + once if orders is Orders.BOTH else once
