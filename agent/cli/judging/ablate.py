"""`viva judge ablate`: the same items judged again with one thing changed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.judging.trace import TraceOptions, guarded, make, matches_of, spent_code, tell_estimate
from agent.cli.output import print_json
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from scoring.agreement.labels import Labels
    from scoring.agreement.probes import Probes
    from scoring.judge.ablate import Asked, Effect, Outcome, Setup
    from scoring.judge.budget import Budget
    from scoring.judge.rate import Heard


@dataclass(frozen=True, slots=True)
class AblateRequest:
    """What is to be changed, one thing at a time.

    Attributes:
        runs: With several systems in them their replies are compared, else each is rated.
        base: How it is judged without a change.
        families: Families of the blueprint to withhold, each by itself.
        fusions: Other policies.
        judges: Other judges.
        orders: Other orders.
        truth: File of overall labels (`item,label`) that are held for right; None has none.
    """

    runs: tuple[str, ...]
    base: TraceOptions
    families: tuple[str, ...] = ()
    fusions: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()
    truth: Path | None = None
    seed: int = 0

    @property
    def unfused(self) -> TraceOptions:
        """The base without its policy: that goes with the items, since it may be that of their packs."""
        return replace(self.base, fusion="")

    @property
    def variants(self) -> dict[str, TraceOptions]:
        """What each change makes of the base, by what it is called; without any, every family."""
        from scoring.blueprint.record import GROUPS

        base, given = self.unfused, (self.families, self.fusions, self.judges, self.orders)
        families = self.families if any(given) else GROUPS
        return {
            **{f"without {name}": replace(base, without=tuple({*base.without, name})) for name in families},
            **{f"fusion {name}": replace(base, fusion=name) for name in self.fusions},
            **{
                f"judge {name}": replace(base, judge=replace(base.judge, judge=name))
                for name in self.judges
            },
            **{f"order {name}": replace(base, orders=name) for name in self.orders},
        }


def ablate(request: AblateRequest) -> int:
    """Judge, judge again with each change, and print what differs."""
    return guarded(lambda: run_loop(_ablate(request)))


async def _ablate(request: AblateRequest) -> int:
    from scoring.judge.ablate import effects, judge_all, probes
    from scoring.judge.select import budget_of

    budget = budget_of(request.base.judge.choice)
    base = _setup("base", request.unfused, budget)
    setups = [_setup(name, options, budget) for name, options in request.variants.items()]
    truth = _truth(request.truth)
    asked, opened = await _asked(request)
    if request.base.dry_run:
        return _tell_estimate(asked, opened, [base, *setups], request.base.json)
    await base.judge.warm_up()
    outcome = await judge_all(asked, base)
    found: dict[str, Mapping[str, Effect]] = {}
    outcomes = [outcome]
    for setup in setups:
        await setup.judge.warm_up()
        outcomes.append(await judge_all(asked, setup))
        found[setup.name] = effects(asked, outcome, outcomes[-1], truth, seed=request.seed)
    probed = {
        setup.name: one
        for setup, outcome in zip([base, *setups], outcomes, strict=True)
        if (one := probes(asked, setup, outcome)) is not None
    }
    _tell(outcomes, found, probed, len(asked), request.base.json)
    return spent_code(budget) if asked else exits.BAD_INPUT


def _setup(name: str, options: TraceOptions, budget: Budget) -> Setup:
    from scoring.judge.ablate import Setup
    from scoring.judge.fusion import fusion_named
    from scoring.judge.pairwise import orders_named

    fusion = fusion_named(options.fusion) if options.fusion else None
    return Setup(name, make(options, budget), fusion, orders_named(options.orders))


def _truth(path: Path | None) -> Labels | None:
    from scoring.agreement.labels import LabelError
    from scoring.agreement.sources import Sources, load

    if path is None:
        return None
    found = load(str(path))
    if not isinstance(found, Sources):
        raise LabelError(str(path), "is no source with one label for an item")
    return found.only


async def _asked(request: AblateRequest) -> tuple[list[Asked], list[Heard]]:
    """Pairs if the runs are of several systems, else single replies; each with its policy."""
    from scoring.arena.episodes import fusions_of
    from scoring.judge.ablate import Asked
    from scoring.judge.fusion import WORST, FusionChoice
    from scoring.judge.rate import fusion_of

    named = request.base.fusion
    FusionChoice(named)  # a misnamed policy must not cost the making of blueprints
    found, opened = await matches_of(request.runs, request.base)
    if found.found:
        fusions = fusions_of(found.found, FusionChoice(named))
        return [
            Asked(
                replace(m.pair, id=f"{m.pair.id} {m.system_a} {m.system_b}"),
                m.prompt,
                fusion,
                turned=m.system_a > m.system_b,
            )
            for m, fusion in zip(found.found, fusions, strict=True)
        ], opened
    return [
        Asked(
            replace(reply.item, id=f"{heard.episode.info.run}/{reply.item.id}"),
            str(heard.episode.path),
            fusion_of(heard, FusionChoice(named, WORST)),
        )
        for heard in opened
        for reply in heard.replies
    ], opened


def _tell_estimate(
    asked: Sequence[Asked], opened: Sequence[Heard], setups: Sequence[Setup], json: bool
) -> int:
    from scoring.judge.ablate import estimate
    from scoring.judge.cost import total
    from scoring.judge.rate import preparing

    return tell_estimate(preparing(opened) + total(estimate(asked, setup) for setup in setups), json)


def _tell(
    outcomes: Sequence[Outcome],
    found: Mapping[str, Mapping[str, Effect]],
    probed: Mapping[str, Probes],
    items: int,
    json: bool,
) -> None:
    from scoring.judge.cost import total

    spent = total(outcome.cost for outcome in outcomes)
    if json:
        changes = {
            name: {of: effect.to_json() for of, effect in each.items()} for name, each in found.items()
        }
        rests_on = {name: one.to_json() for name, one in probed.items()}
        print_json({"items": items, "changes": changes, "probes": rests_on, "cost": spent.to_json()})
        return
    _print_effects(found)
    if probed:
        from scoring.agreement.terminal import print_probes

        print_probes(probed)
    sys.stdout.write(f"{items} items, took {spent}\n")


def _print_effects(found: Mapping[str, Mapping[str, Effect]]) -> None:
    """A line to each dimension of each change, within 80 columns; what was not labelled stands below."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from scoring.report.safe import neutralise
    from scoring.statistics.undefined import or_none

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for name in ("change", "labels of", "n", "changed", "difference", "95 % interval"):
        text = name in ("change", "labels of")
        table.add_column(name, justify="left" if text else "right", no_wrap=name != "change")
    lacking = []
    for name, each in found.items():
        for place, (of, effect) in enumerate(each.items()):
            difference = or_none(effect.difference)
            interval = or_none(difference.interval) if difference else None
            cells = (
                "" if place else name,
                of.replace("_", " "),
                str(effect.n),
                str(effect.changed),
                f"{difference.value:+.3f}" if difference else "–",
                f"{interval.low:+.3f} to {interval.high:+.3f}" if interval else "–",
            )
            table.add_row(*(Text(neutralise(cell)) for cell in cells), end_section=place == len(each) - 1)
            causes = ", ".join(f"{count} {cause}" for cause, count in sorted(effect.unscored.items()))
            lacking += [f"unscored {name}, {of}: {causes}"] if causes else []
    console = Console(highlight=False)
    console.print(table)
    for line in lacking:
        console.print(Text(neutralise(line.replace("_", " "))))
