"""`viva selftest`: does the examiner find what is wrong, and nothing else?"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.output import complain, print_json
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from agent.cli.selftest.call import Call, Order
    from agent.selftest.plan import Trial
    from scoring.selftest.table import Result

QUICK_SEEDS = 1
QUICK_CONTROLS = 1
LIVE_SEEDS = 1
LIVE_CONTROLS = 2


class UnknownDefect(ValueError):
    """A name that is no defect's; says which there are."""


@dataclass(frozen=True, slots=True)
class SelftestRequest:
    """What `viva selftest` was asked to do.

    Attributes:
        defects: Names of the defects to plant; none is all.
        seeds: Calls for each of them; None is as usual.
        begin: The first seed.
        wall_clock: Also hold some of the calls in real time.
        processes: How many hold calls at the same time.
        out: Where the recordings are kept; None keeps none.
    """

    defects: tuple[str, ...] = ()
    seeds: int | None = None
    begin: int = 3000
    quick: bool = False
    wall_clock: bool = False
    processes: int = 2
    out: Path | None = None
    json: bool = False
    recogniser: str = "whisper:base"


def selftest(request: SelftestRequest) -> int:
    """Hold the calls, examine them, tell; returns the exit code."""
    from recordings.errors import RecordingError
    from scoring.selftest.table import tabulate
    from streams.speech.interfaces import SpeechError

    try:
        plan = planned(request)
        with _folder(request.out) as folder:
            calls = hold_all(request, plan, folder)
    except UnknownDefect as error:
        return complain(error, exits.BAD_INPUT)
    except SpeechError as error:
        return complain(error, exits.OUR_FAILURE)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    result = tabulate(call.examined for call in calls)
    if request.json:
        print_json({**result.to_json(), "calls": _effort(calls)})
    else:
        _print(result, calls)
    if result.void:
        return exits.OUR_FAILURE
    return exits.GATE_FAILED if result.shortfalls else exits.PASS


def planned(request: SelftestRequest) -> list[Trial]:
    """All calls of a request.

    Raises:
        UnknownDefect: One of its defects is none.
    """
    from agent.selftest.plan import CONTROLS, DOSES, QUICK, SEEDS, trials

    known = {defect.value: defect for defect in DOSES}
    for name in request.defects:
        if name not in known:
            raise UnknownDefect(f"{name!r} is no defect of the self-test. Known are {', '.join(known)}.")
    only = tuple(known[name] for name in request.defects) or (QUICK if request.quick else ())
    seeds = request.seeds or (QUICK_SEEDS if request.quick else SEEDS)
    controls = QUICK_CONTROLS if request.quick else min(CONTROLS, 5 * seeds)
    plan = list(trials(seeds, controls, only, begin=request.begin))
    if request.wall_clock:
        plan += trials(LIVE_SEEDS, LIVE_CONTROLS, only, begin=request.begin, wall_clock=True)
    return plan


@contextlib.contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        yield out
    else:
        with tempfile.TemporaryDirectory(prefix="viva-selftest-") as folder:
            yield Path(folder)


def hold_all(request: SelftestRequest, plan: Sequence[Trial], folder: Path) -> list[Call]:
    """Every call of the plan, in its order."""
    from agent.cli.selftest.call import Order

    orders = [Order(trial, folder, request.out is not None, request.recogniser) for trial in plan]
    simulated = [order for order in orders if not order.trial.wall_clock]
    live = [order for order in orders if order.trial.wall_clock]
    with _progress(len(orders)) as step:
        calls = _work(simulated, min(request.processes, len(simulated)), step)
        return calls + _work(live, 1, step)  # alone, so that no other call makes its ticks late


def _work(orders: Sequence[Order], processes: int, step: Callable[[Call], None]) -> list[Call]:
    from agent.cli.selftest.call import work
    from scoring.process_pool import process_pool

    calls: list[Call] = []
    with contextlib.ExitStack() as stack:
        results: Iterator[Call] = map(work, orders)
        if processes > 1:
            _prepare(orders[0])
            results = stack.enter_context(process_pool(processes)).map(work, orders)
        for call in results:
            calls.append(call)
            step(call)
    return calls


def _prepare(order: Order) -> None:
    """Speak all sentences before there are several processes, so that each is spoken once."""
    from agent.selftest.hold import rehearse

    run_loop(rehearse(order.voice), simulate=True)


@contextlib.contextmanager
def _progress(total: int) -> Iterator[Callable[[Call], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("calls", total=total)
        yield lambda call: bar.update(task, advance=1, description=call.examined.planted or "control")


def _effort(calls: Sequence[Call]) -> dict[str, float]:
    return {
        "held": len(calls),
        "seconds_of_calls": round(sum(call.seconds for call in calls), 1),
        "transcribed": sum(call.transcribed for call in calls),
        "spoken": sum(call.spoken for call in calls),
    }


def _print(result: Result, calls: Sequence[Call]) -> None:
    from rich.console import Console

    from scoring.selftest.terminal import render

    Console(highlight=False).print(render(result))
    for shortfall in result.shortfalls:
        sys.stdout.write(f"missed: {shortfall}\n")
    effort = _effort(calls)
    sys.stderr.write(
        f"{effort['held']:g} calls of {effort['seconds_of_calls'] / 60:.0f} minutes; "
        f"{effort['transcribed']:g} replies transcribed anew, {effort['spoken']:g} sentences spoken anew\n"
    )
