"""The leaderboard: every system's ratings, wins and losses, over all battles and over slices of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import fmean

from scoring.arena.battles import Battle, BattleSet, Label
from scoring.arena.bradley_terry import BradleyTerry, Rating, rate
from scoring.arena.elo import Elo, elo
from scoring.arena.outcomes import Covariate, outcomes
from scoring.statistics.intervals import RESAMPLES


class SliceBy(StrEnum):
    """What battles can be sliced by."""

    DOMAIN = "domain"
    LEVEL = "level"
    CONDITION = "condition"


@dataclass(frozen=True, slots=True)
class Request:
    """What is wanted of a leaderboard.

    Attributes:
        baseline: The system that the others are held against, or none.
        slice_by: What to slice by, or nothing.
        covariates: What else may decide a battle, and is to be taken out of the ratings.
        resamples: Bootstraps for the intervals.
        seed: Of bootstraps and shuffles.
    """

    baseline: str | None = None
    slice_by: SliceBy | None = None
    covariates: tuple[Covariate, ...] = ()
    resamples: int = RESAMPLES
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """Battles of one system, by how they ended for it; the three kinds of tie are apart."""

    wins: int = 0
    losses: int = 0
    tie: int = 0
    both_good: int = 0
    both_bad: int = 0

    @property
    def ties(self) -> int:
        """Of all three kinds."""
        return self.tie + self.both_good + self.both_bad

    @property
    def battles(self) -> int:
        """All of them."""
        return self.wins + self.losses + self.ties

    @property
    def win_rate(self) -> float | None:
        """(wins + ties / 2) / battles; None without battles."""
        return (self.wins + self.ties / 2) / self.battles if self.battles else None

    def to_json(self) -> dict[str, object]:
        """As `viva arena` prints it."""
        counts = ("wins", "losses", "ties", "both_good", "both_bad", "battles", "win_rate")
        return {name: getattr(self, name) for name in counts}


@dataclass(frozen=True, slots=True)
class Standing:
    """One system in a table.

    Attributes:
        bradley_terry: None without battles that count.
        elo: The same.
        against: Its battles with the baseline; None for the baseline itself, or without one.
    """

    system: str
    bradley_terry: Rating | None
    elo: Elo | None
    tally: Tally
    against: Tally | None = None

    def to_json(self) -> dict[str, object]:
        """As `viva arena` prints it."""
        found: dict[str, object] = {
            "bradley_terry": self.bradley_terry and self.bradley_terry.to_json(),
            "elo": self.elo and self.elo.rating,
            "elo_order_sd": self.elo and self.elo.order_sd,
            **self.tally.to_json(),
        }
        return found if self.against is None else {**found, "against_baseline": self.against.to_json()}


@dataclass(frozen=True, slots=True)
class Table:
    """Systems rated on some battles, best first; those without battles last.

    Attributes:
        name: What the battles have in common; "" for all.
        fit: The Bradley-Terry ratings as a whole.
        battles: How many have an outcome.
        prompts: On how many prompts.
        left_out: Battles that a covariate is not known of, by cause: they count for all but `fit`.
    """

    name: str
    standings: tuple[Standing, ...]
    fit: BradleyTerry
    battles: int
    prompts: int
    left_out: Counter[str]

    def to_json(self) -> dict[str, object]:
        """As `viva arena` prints it."""
        return {
            "systems": {standing.system: standing.to_json() for standing in self.standings},
            "connected": self.fit.connected,
            "ridge": self.fit.ridge,
            "battles": self.battles,
            "prompts": self.prompts,
            "resampled": self.fit.clusters,
            "resamples": self.fit.resamples,
            "covariates": {name.value: effect.to_json() for name, effect in self.fit.effects.items()},
        }


@dataclass(frozen=True, slots=True)
class Average:
    """The plain mean of a system's ratings over the slices in which it has battles."""

    bradley_terry: float
    elo: float
    slices: int

    def to_json(self) -> dict[str, object]:
        """As `viva arena` prints it."""
        return {"bradley_terry": self.bradley_terry, "elo": self.elo, "slices": self.slices}


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All that is said about some battles.

    Attributes:
        overall: Over all battles.
        slices: By the value of `request.slice_by`, each rated by itself, from 1000 anew.
        averages: Over the slices.
        request: What was wanted.
        found: The battles, and what was skipped.
    """

    overall: Table
    slices: tuple[Table, ...]
    averages: dict[str, Average]
    request: Request
    found: BattleSet = field(repr=False)

    @property
    def unscored(self) -> Counter[str]:
        """Battles without an outcome, or left out of the ratings, by cause."""
        return self.found.unscored + self.overall.left_out

    def to_json(self) -> dict[str, object]:
        """As `viva arena rate --json` prints it."""
        by = self.request.slice_by
        averages = {name: average.to_json() for name, average in self.averages.items()}
        tables = {table.name: table.to_json() for table in self.slices}
        sliced = {"slices": {"by": by.value, "tables": tables, "average": averages}} if by else {}
        return {
            **self.overall.to_json(),
            "unscored": dict(sorted(self.unscored.items())),
            "skipped": [line.to_json() for line in self.found.skipped],
            "corrected": self.found.corrected,
            "baseline": self.request.baseline,
            "seed": self.request.seed,
            **sliced,
        }


def leaderboard(found: BattleSet, request: Request) -> Leaderboard:
    """Rate the systems of a file of battles.

    Raises:
        ValueError: The baseline has no battle.
    """
    battles = found.scored
    if request.baseline and not any(request.baseline in battle.systems for battle in battles):
        known = ", ".join(found.systems)
        raise ValueError(f"the baseline {request.baseline!r} has no battle; systems are {known}")
    overall = _table("", battles, found.systems, request)
    slices = []
    if request.slice_by:
        # battles without the value (None) belong to no slice
        names = sorted({value for battle in battles if (value := getattr(battle, request.slice_by))})
        for name in names:
            inside = [battle for battle in battles if getattr(battle, request.slice_by) == name]
            slices.append(_table(name, inside, (), request))
    return Leaderboard(overall, tuple(slices), _averages(slices), request, found)


def tallies(battles: Sequence[Battle], baseline: str | None = None) -> dict[str, Tally]:
    """Each system's battles with an outcome, or only those against the baseline."""
    met = Counter((battle.system_a, battle.system_b, battle.label) for battle in battles)
    counts: Counter[tuple[str, str]] = Counter()
    for (one, other, label), times in met.items():
        for own, against, won in ((one, other, Label.A), (other, one, Label.B)):
            if label is not None and baseline in (None, against):
                tied = label not in (Label.A, Label.B)
                counts[own, label if tied else "wins" if label is won else "losses"] += times
    names = ("wins", "losses", Label.TIE, Label.BOTH_GOOD, Label.BOTH_BAD)
    systems = {system for system, _ in counts}
    return {system: Tally(*(counts[system, name] for name in names)) for system in systems}


def _table(name: str, battles: Sequence[Battle], systems: Sequence[str], request: Request) -> Table:
    plain, _ = outcomes(battles)
    arranged, left_out = outcomes(battles, request.covariates) if request.covariates else (plain, Counter())
    fit = rate(arranged, resamples=request.resamples, seed=request.seed)
    running = elo(plain, seed=request.seed)
    own = tallies(battles)
    against = tallies(battles, request.baseline) if request.baseline else {}
    rest = sorted({*systems, *plain.systems} - set(fit.ratings))
    standings = [
        Standing(
            system,
            fit.ratings.get(system),
            running.get(system),
            own.get(system, Tally()),
            against.get(system, Tally()) if request.baseline not in (None, system) else None,
        )
        for system in (*fit.ratings, *rest)
    ]
    return Table(name, tuple(standings), fit, len(plain.first), plain.prompts, left_out)


def _averages(slices: Sequence[Table]) -> dict[str, Average]:
    found: dict[str, list[tuple[float, float]]] = {}
    for table in slices:
        for standing in table.standings:
            if standing.bradley_terry and standing.elo:
                ratings = standing.bradley_terry.rating, standing.elo.rating
                found.setdefault(standing.system, []).append(ratings)
    averages = {
        system: Average(fmean(row[0] for row in rows), fmean(row[1] for row in rows), len(rows))
        for system, rows in found.items()
    }
    return dict(sorted(averages.items(), key=lambda item: -item[1].bradley_terry))
