"""`viva watch`: runs live in the terminal, from the broker alone."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.output import complain, print_json
from streams.events.address import Broker, BrokerInvalid, broker_at
from streams.events.connection import BrokerMissing, BrokerRefused, BrokerUnreachable, check_installed
from streams.events.messages import LevelsShown, Published
from streams.events.subscriber import forget, listen, look
from streams.events.topics import DELIVERIES, level
from streams.events.watching import RunSeen, Watch

if TYPE_CHECKING:
    from agent.cli.onlookers.watch_screen import WatchScreen

REDRAW_S = 0.2


@dataclass(frozen=True, slots=True)
class WatchRequest:
    """What `viva watch` was asked to do.

    Attributes:
        address: Of the broker, with the prefix.
        json: Each message as a line of JSON; of `once`, one object.
        once: Show what the broker keeps, and end.
        forget: Id of a run that the broker shall forget, or "".
    """

    address: str
    json: bool = False
    once: bool = False
    forget: str = ""


def watch(request: WatchRequest) -> int:
    """Watch until interrupted; returns the exit code."""
    try:
        broker = broker_at(request.address, os.environ)
        check_installed()
        # plain asyncio: nothing here needs the exact timers of a call
        return asyncio.run(_watch(broker, request))
    except (BrokerInvalid, BrokerRefused) as error:
        return complain(error, exits.BAD_INPUT)
    except (BrokerMissing, BrokerUnreachable) as error:
        return complain(error, exits.OUR_FAILURE)
    except KeyboardInterrupt:
        return exits.PASS


async def _watch(broker: Broker, request: WatchRequest) -> int:
    # many sittings of one run leave many calls on the broker, and all of them are to be forgotten
    seen = Watch(broker.prefix, sys.maxsize) if request.forget else Watch(broker.prefix)
    if request.once or request.forget:
        await look(broker, seen)
        return await _forget(broker, seen, request.forget) if request.forget else _show(seen, request)
    if request.json or not sys.stdout.isatty():
        await listen(broker, seen, _print_message if request.json else _print_line, _told)
    else:
        await _live(broker, seen)
    return exits.PASS


async def _live(broker: Broker, seen: Watch) -> None:
    from agent.cli.onlookers.watch_screen import WatchScreen

    with WatchScreen(broker, seen) as screen:
        drawing = asyncio.create_task(_redraw(screen))
        try:
            await listen(broker, seen, told=screen.told)
        finally:
            drawing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await drawing


async def _redraw(screen: WatchScreen) -> None:
    while True:
        screen.refresh()
        await asyncio.sleep(REDRAW_S)


def _told(trouble: BrokerUnreachable | None) -> None:
    """Say what is in the way, and go on trying; a password that is wrong stays wrong."""
    if isinstance(trouble, BrokerRefused):
        raise trouble
    sys.stderr.write("viva: watching\n" if trouble is None else f"viva: {trouble} Trying again.\n")


def _print_message(_: str, message: Published) -> None:
    sys.stdout.write(message.model_dump_json() + "\n")
    sys.stdout.flush()


def _print_line(_: str, message: Published) -> None:
    from agent.cli.onlookers.watch_screen import line_of

    if not isinstance(message, LevelsShown) and (line := line_of(message)) is not None:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def _show(seen: Watch, request: WatchRequest) -> int:
    from agent.cli.onlookers.watch_screen import lines_of

    if request.json:
        print_json({"runs": [_as_json(run) for run in seen.lines()]})
        return exits.PASS
    for run in seen.lines():
        sys.stdout.write("\n".join(lines_of(run)) + "\n")
    if not seen.runs:
        sys.stderr.write("no run has been published here\n")
    return exits.PASS


def _as_json(run: RunSeen) -> dict[str, Any]:
    states = {"presence": run.presence, "progress": run.progress, "loss": run.loss}
    return {
        "run": run.run,
        **{name: None if one is None else one.model_dump(mode="json") for name, one in states.items()},
        "sessions": [session.model_dump(mode="json") for session in run.sessions.values()],
    }


async def _forget(broker: Broker, seen: Watch, name: str) -> int:
    run = seen.runs.get(name)
    if run is None:
        known = ", ".join(sorted(seen.runs)) or "none"
        sys.stderr.write(f"viva: there is no run {name!r} at {broker}; there are: {known}\n")
        return exits.BAD_INPUT
    if run.presence is not None and run.presence.state == "online":
        sys.stderr.write(f"viva: the run {name!r} is still going on, and would publish it all again\n")
        return exits.BAD_INPUT
    await forget(broker, _kept_topics(broker, run))
    return exits.PASS


def _kept_topics(broker: Broker, run: RunSeen) -> list[str]:
    """Every topic under which a broker keeps something of a run; its presence last."""
    above = f"{broker.prefix}/{level(run.run)}"
    sessions = [f"{above}/{level(name)}/session" for name in run.sessions]
    kinds = [kind for kind, d in DELIVERIES.items() if d.retain and d.about == "run"]
    return [*sessions, *(f"{above}/{kind}" for kind in sorted(kinds, key="presence".__eq__))]
