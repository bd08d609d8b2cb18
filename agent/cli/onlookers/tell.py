"""`viva tell`: a command to a run of another process, and its answer."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys

from pydantic import ValidationError

from agent.cli import exits
from agent.cli.output import complain, print_json
from scoring.report.safe import neutralise
from streams.events.address import BrokerInvalid, broker_at
from streams.events.commands import as_named
from streams.events.connection import BrokerMissing, BrokerRefused, BrokerUnreachable, check_installed
from streams.events.messages import Ack, Command
from streams.events.subscriber import ask


def tell(address: str, run: str, name: str, episode: str, text: str, *, json: bool) -> int:
    """Send a command and wait for its answer; returns the exit code."""
    try:
        broker = broker_at(address, os.environ)
        check_installed()
        values = {"id": secrets.token_hex(8), "name": as_named(name), "episode": episode, "text": text}
        command = Command.model_validate(values)
        answer = asyncio.run(ask(broker, run, command))
    except ValidationError as error:
        problem = error.errors()[0]
        sys.stderr.write(f"viva: {problem['loc'][0]}: {problem['msg']}\n")
        return exits.BAD_INPUT
    except (BrokerInvalid, BrokerRefused) as error:
        return complain(error, exits.BAD_INPUT)
    except (BrokerMissing, BrokerUnreachable) as error:
        return complain(error, exits.OUR_FAILURE)
    if answer is None:
        sys.stderr.write(f"viva: no run {run!r} answers at {broker}: it is over, or takes no commands\n")
        return exits.OUR_FAILURE
    _show(answer, json=json)
    return exits.PASS if answer.status == "done" else exits.BAD_INPUT


def _show(answer: Ack, *, json: bool) -> None:
    if json:
        print_json(answer.model_dump(mode="json"))
    else:
        sys.stdout.write(neutralise(f"{answer.status.replace('_', ' ')}: {answer.reason}") + "\n")
