"""`viva endpoint probe`: what does this endpoint do? One call, one sentence, one answer.

Exit codes: 0 it answered, whatever its problems; 1 it could not be reached, or no reply was heard; 2 the
address names no endpoint, or its key is not set; 3 it is our side that failed. The object of `--json` is
printed in all cases but the last.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.output import complain, print_json
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from agent.cli.runs.request import EngineChoice
    from agent.probe import Probed
    from agent.session import Engines
    from scoring.probe.finding import Finding
    from streams.endpoints.protocol import Endpoint


@dataclass(frozen=True, slots=True)
class ProbeRequest:
    """What was asked for.

    Attributes:
        say: The sentence; "" for our own.
        wait_s: How long a reply is waited for.
        out: Where the recording stays; None keeps none.
    """

    address: str
    engines: EngineChoice
    say: str = ""
    wait_s: float = 10.0
    language: str = "en"
    out: Path | None = None
    simulated: bool = False
    json: bool = False


class OurFailure(RuntimeError):
    """The call says nothing about the endpoint: it is ours that failed."""


def probe(request: ProbeRequest) -> int:
    """Call the endpoint and say what it does; returns the exit code."""
    from agent.cli.runs.plan import check_address
    from agent.cli.runs.run import load_engines
    from agent.connect import connect
    from recordings.errors import RecordingError
    from streams.endpoints.errors import EndpointError
    from streams.language.errors import LanguageError
    from streams.speech.interfaces import EngineMisnamed, SpeechError

    try:
        check_address(request.address, simulated=request.simulated)
        endpoint = connect(request.address, os.environ)
    except EndpointError as error:
        return _show(request, _unreached(error, None), exits.BAD_INPUT)
    except RecordingError as error:
        return complain(error, exits.BAD_INPUT)
    try:
        engines = load_engines(request.engines)
        with _folder(request.out) as folder:
            held = run_loop(_hold(request, endpoint, engines, folder), simulate=request.simulated)
            found = _found(endpoint, held, folder)
    except (LanguageError, EngineMisnamed) as error:
        return complain(error, exits.BAD_INPUT)
    except (SpeechError, OurFailure) as error:
        return complain(error, exits.OUR_FAILURE)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    except KeyboardInterrupt:
        sys.stderr.write("\nviva: interrupted\n")
        return exits.INTERRUPTED
    return _show(request, found, exits.PASS if found.answered else exits.GATE_FAILED)


@contextlib.contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="viva-probe-") as name:
        yield Path(name) / "probe"


async def _hold(request: ProbeRequest, endpoint: Endpoint, engines: Engines, folder: Path) -> Probed:
    from agent.probe import SENTENCE, probe_scenario
    from agent.probe import probe as call
    from agent.session import warm_up

    await warm_up(engines)
    sentence = request.say.strip() or SENTENCE
    return await call(endpoint, engines, folder, probe_scenario(sentence, request.wait_s, request.language))


def _found(endpoint: Endpoint, held: Probed, folder: Path) -> Finding:
    """What the call tells.

    Raises:
        OurFailure: Nothing, since it was spoiled by our side.
    """
    from recordings.format import Fault, Outcome
    from recordings.reader import Episode
    from scoring.probe.finding import finding
    from streams.endpoints.errors import EndpointError

    episode = Episode.load(folder)
    info, failure = episode.info, held.failure
    if isinstance(failure, EndpointError) and episode.events[0].kind != "session_started":
        return _unreached(failure, info.endpoint.protocol, _messages(info.endpoint.protocol, folder))
    limited = info.outcome is Outcome.RATE_LIMITED
    gave_up = info.outcome is Outcome.CANCELLED
    if info.outcome.void and not (limited or gave_up) and info.fault is not Fault.ENDPOINT:
        raise OurFailure(f"{endpoint.address}: {info.reason}")
    messages = _messages(info.endpoint.protocol, folder)
    return finding(episode, messages, pinged=held.pinged, pong_s=held.pong_s)


def _messages(protocol: str, folder: Path) -> dict[str, int] | None:
    """What was received, by name; None if there was no wire."""
    from agent.cli.endpoints.traffic import read_traffic
    from agent.cli.onlookers.message_names import count_names
    from recordings.raw import RAW

    path = folder / RAW
    if not path.is_file():
        return None
    received = (line.message for line in read_traffic(path) if line.direction == "received")
    return dict(count_names(protocol, received))


def _unreached(error: Exception, protocol: str | None, messages: dict[str, int] | None = None) -> Finding:
    from scoring.probe.finding import Finding

    return Finding(protocol=protocol, connected=False, events=messages or {}, problems=(str(error),))


def _show(request: ProbeRequest, found: Finding, code: int) -> int:
    from agent.cli.endpoints.probe_report import lines
    from streams.endpoints.secrets import redact_url

    if request.json:
        print_json(found.to_json())
    else:
        sys.stdout.write("\n".join(lines(redact_url(request.address), found)) + "\n")
        if request.out is not None and found.connected:
            sys.stderr.write(f"recording  {request.out}\n")
    return code
