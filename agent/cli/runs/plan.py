"""The plan of `viva run`: made, taken up again, or only shown."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.output import print_json
from agent.cli.runs.foreseen import foreseen
from agent.connect import connect, in_process
from agent.episode_info import version
from agent.suite.budget import PriceMissing, Prices
from agent.suite.estimate import Estimate, estimate, held_before
from agent.suite.manifest import jobs_of
from agent.suite.plan import Job, choose, plan
from agent.suite.progress import span
from agent.suite.variants import AS_WRITTEN, condition, user
from recordings.run import load_run
from scenarios.load import find
from streams.endpoints.errors import AddressInvalid
from streams.endpoints.secrets import redact_url

if TYPE_CHECKING:
    from agent.cli.runs.request import RunRequest
    from recordings.format import EpisodeInfo, UsageReported

SHOWN = 20
"""Entries of a plan that are shown one by one."""


class NothingNamed(ValueError):
    """No scenario or no endpoint was named."""


def planned(request: RunRequest) -> list[Job]:
    """The whole plan: a new one, or that of the run that is resumed.

    Raises:
        NothingNamed: There is nothing to plan.
        ScenarioError: A scenario or condition cannot be used.
        MannerError: A user cannot be had.
        NothingToCall: The filters leave no scenario.
        SameName: Two scenarios cannot be told apart.
        RecordingError: The folder holds no run that can be resumed.
    """
    if request.resume is not None:
        info = load_run(request.resume)
        if info.vivavoce != version():
            begun = info.vivavoce or "an unknown version"
            sys.stderr.write(
                f"viva: {request.resume} was begun with vivavoce {begun}, and goes on with {version()}: "
                "what examines may have changed in between (CHANGELOG.md)\n"
            )
        return jobs_of(request.resume, info, request.endpoints)
    if not request.scenarios:
        raise NothingNamed("Missing argument 'SCENARIOS...': name a pack or a scenario, or --resume RUN.")
    if not request.endpoints:
        raise NothingNamed("Missing option '--endpoint': name the address of an endpoint.")
    loaded = [scenario for name in request.scenarios for scenario in find(name)]
    conditions = [condition(name) for name in dict.fromkeys(request.conditions)] or [AS_WRITTEN]
    users = [user(spec) for spec in dict.fromkeys(request.users)] or [AS_WRITTEN]
    chosen = choose(loaded, request.choice)
    return plan(chosen, request.endpoints, request.repeats, conditions, users)


def check_endpoints(jobs: Iterable[Job], *, simulated: bool) -> None:
    """See that every endpoint of a plan can be made.

    Raises:
        EndpointError: An address names no endpoint, its key is missing, or it lives in another time.
    """
    for address in dict.fromkeys(job.endpoint for job in jobs):
        connect(address, os.environ)
        check_address(address, simulated=simulated)


def check_address(address: str, *, simulated: bool) -> None:
    """See that an endpoint lives in the time of the call.

    Raises:
        AddressInvalid: It does not.
    """
    if simulated and not in_process(address):
        raise AddressInvalid(
            redact_url(address),
            "a remote endpoint lives in real time and cannot be called in simulated time",
            "Leave out --simulated, or call reference://, fake:// or replay:",
        )


def prices_of(request: RunRequest, jobs: Iterable[Job]) -> Prices:
    """The prices that were named; an endpoint in this process costs nothing.

    Raises:
        PriceMissing: One is not a price of an endpoint of the plan; or there is a budget in money, and an
            endpoint without a price.
    """
    shown = {job.shown: job.endpoint for job in jobs}
    found = {name: 0.0 for name, address in shown.items() if in_process(address)}
    for given in request.prices:
        name, _, text = given.rpartition("=")
        name = redact_url(name)
        if name not in shown:
            raise PriceMissing(f"--price {given}: expected ADDRESS=USD, with one of {', '.join(shown)}")
        try:
            found[name] = float(text)
        except ValueError:
            found[name] = math.nan
        if not 0 <= found[name] < math.inf:
            raise PriceMissing(f"--price {given}: expected a number of US dollars for a minute of call")
    unknown = [name for name in shown if name not in found and not _has_a_price_list(shown[name])]
    if request.budget.usd is not None and unknown:
        raise PriceMissing(
            f"a budget in US dollars cannot be kept: {', '.join(sorted(unknown))} has no known price. "
            "Name it with --price ADDRESS=USD (for a minute of call), or give a budget in minutes."
        )
    return Prices(found)


def cost_of(prices: Prices, info: EpisodeInfo, reports: Sequence[UsageReported]) -> float | None:
    """US dollars of a call: by the price that was named, or by its vendor's list; None if unknown."""
    from scoring.usage import session_usage

    named = prices.of(info.endpoint.address, info.duration_s / 60)
    return session_usage(info, reports).usd if named is None else named


def _has_a_price_list(address: str) -> bool:
    """Whether it is a vendor's own address, and the vendor's prices are known."""
    from streams.language.session_prices import vendor

    own = "+" not in address.partition(":")[0]
    return own and vendor(connect(address, os.environ).capabilities.protocol) is not None


def show(request: RunRequest, jobs: Sequence[Job], prices: Prices, out: Path) -> int:
    """Show what would be held, how long it takes and what it costs; returns the exit code."""
    if request.resume is not None:
        left = {episode.id for episode in load_run(request.resume).episodes if episode.left}
        jobs = [job for job in jobs if job.id in left]
    likely = foreseen(prices, ((job.shown, job.endpoint) for job in jobs), out.parent)
    found = estimate(jobs, request.limits, likely, held_before(out.parent))
    if request.json:
        entries = [
            {
                "id": job.id,
                "scenario": job.scenario.name,
                "endpoint": job.shown,
                "condition": job.condition,
                "user": job.user,
                "repeat": job.repeat,
                "seed": job.seed,
            }
            for job in jobs
        ]
        print_json({"run": str(out), "estimate": found.to_json(), "plan": entries})
    else:
        _print(jobs, found, request.limits.concurrency)
    return exits.PASS


def _print(jobs: Sequence[Job], found: Estimate, concurrency: int) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    out = Console(highlight=False)
    table = Table("episode", "seed", "endpoint")
    for job in jobs[:SHOWN]:
        table.add_row(Text(job.id), str(job.seed), Text(job.shown))
    out.print(table)
    if len(jobs) > SHOWN:
        out.print(f"... and {len(jobs) - SHOWN} more (all of them: --json)")
    out.print(f"\n{len(jobs)} {'call' if len(jobs) == 1 else 'calls'}, {concurrency} at a time")
    for share in found.shares:
        known = "" if share.minutes is None else f"about {span(60 * share.minutes)}, "
        out.print(
            f"  {share.calls} with {share.endpoint}: {known}at most {span(60 * share.at_most_minutes)} of "
            f"call; {_money(share.usd, share.at_most_usd)}",
            markup=False,
        )
    expected = _unknown(found.known, len(jobs)) if found.seconds is None else span(found.seconds)
    out.print(f"time: {expected}; at most {span(found.at_most_seconds)}")


def _unknown(known: int, calls: int) -> str:
    if not known:
        return "unknown, no such calls were held before"
    return f"unknown, {calls - known} of {calls} are such as were never held before"


def _money(expected: float | None, most: float | None) -> str:
    if most is None:
        return "price unknown"
    about = "" if expected is None else f"about {expected:.2f}, "
    return f"{about}at most {most:.2f} US dollars"
