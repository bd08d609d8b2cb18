"""`viva mic`: a person takes the call."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.judging.judge import JudgeOptions, make_judge, make_live
from agent.cli.mic.sound import Sound
from agent.cli.output import complain
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from agent.cli.runs.request import EngineChoice
    from agent.person import Person
    from agent.session import Engines
    from recordings.format import EpisodeInfo
    from scenarios.load import LoadedScenario
    from scoring.judge.contract import Judge
    from streams.devices.interfaces import Device
    from streams.endpoints.protocol import Endpoint

EPISODE = "call"
"""Name of the episode's folder."""


@dataclass(frozen=True, slots=True)
class MicRequest:
    """What was asked for; see `viva mic --help`."""

    endpoint: str
    scenario: str
    mode: str
    sound: Sound
    engines: EngineChoice
    judge: JudgeOptions
    push_to_talk: bool = False
    seconds: float | None = None
    max_lateness_s: float = 0.25
    out: Path | None = None
    json: bool = False


def call(request: MicRequest) -> int:
    """Hold the call, score it; returns the exit code."""
    from agent.cli.runs.run import check_user, default_folder
    from agent.connect import connect
    from recordings.errors import RecordingError
    from scenarios.problems import ScenarioError
    from scoring.judge.contract import JudgeUnfit
    from streams.devices.interfaces import DeviceError, DeviceMisnamed
    from streams.endpoints.errors import EndpointError
    from streams.language.errors import LanguageError
    from streams.language.sentences import EncoderMissing
    from streams.speech.interfaces import EngineMisnamed, SpeechError

    if not request.endpoint:
        return complain(ValueError("Missing argument 'ENDPOINT': name its address."), exits.BAD_INPUT)
    led = request.mode != "free"
    if led and not request.scenario:
        found = f"--mode {request.mode} goes by a scenario: name one with --scenario."
        return complain(ValueError(found), exits.BAD_INPUT)
    out = request.out or default_folder("mic")
    try:
        scenario = scenario_named(request.scenario)
        if led:
            check_user(scenario, request.engines.llm)
        endpoint = connect(request.endpoint, os.environ)
        device = request.sound.open()
        engines = ears(request.engines)
        judge, budget = make_judge(request.judge)
        others = make_live(request.judge, budget)
    except (EndpointError, ScenarioError, RecordingError, JudgeUnfit, LanguageError) as error:
        return complain(error, exits.BAD_INPUT)
    except (EngineMisnamed, DeviceMisnamed) as error:
        return complain(error, exits.BAD_INPUT)
    except (DeviceError, SpeechError, EncoderMissing) as error:
        return complain(error, exits.OUR_FAILURE)
    held = functools.partial(_hold, request, scenario, endpoint, device, engines, judge, others, out)
    try:
        return run_loop(held())
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    except SpeechError as error:
        return complain(error, exits.OUR_FAILURE)
    except KeyboardInterrupt:
        sys.stderr.write("\nviva: interrupted\n")
        return exits.INTERRUPTED


def scenario_named(name: str) -> LoadedScenario:
    """The scenario to go by, one alone; "" is free talk.

    Raises:
        ScenarioError: It cannot be used.
    """
    from scenarios.load import find, from_scenario
    from user_sim.person import free_scenario

    return next(iter(find(name))) if name else from_scenario(free_scenario())


def ears(choice: EngineChoice) -> Engines:
    """The ears, and nobody's voice.

    Raises:
        SpeechError: An engine is not installed.
        LanguageError: The language model's name is none, or its key is not set.
    """
    from agent.cli.runs.run import composer, recogniser
    from agent.person import NoVoice
    from agent.session import Engines
    from streams.speech import select

    return Engines(
        voice=NoVoice(),
        detector=select.detector(choice.detector),
        turn_detector=select.turn_detector(choice.turn_detector),
        recogniser=recogniser(choice.recogniser),
        composer=composer(choice.llm),
    )


async def _hold(
    request: MicRequest,
    scenario: LoadedScenario,
    endpoint: Endpoint,
    device: Device,
    engines: Engines,
    judge: Judge | None,
    others: Callable[[], Any],
    out: Path,
) -> int:
    from agent.cli.mic.end import conclude
    from agent.cli.mic.keys import keys
    from agent.cli.mic.screen import screen
    from agent.live_judge import LiveJudge
    from agent.person import Person
    from agent.session import Session, SessionPlan
    from user_sim.person import Mode

    sys.stderr.write("loading models ...\n")
    await load(engines, judge)
    person = Person(device, engines.detector, engines.recogniser, Mode(request.mode), request.push_to_talk)
    observers = (*(() if judge is None else (LiveJudge(judge),)), *others())
    plan = SessionPlan(
        id=EPISODE,
        scenario=scenario,
        observers=observers,
        person=person,
        max_lateness_s=request.max_lateness_s,
    )
    with screen(scenario.scenario, person, request.endpoint, json=request.json) as audience:
        session = Session(plan, endpoint, engines, out / EPISODE, audience)
        with keys(person, push_to_talk=request.push_to_talk):
            info = await _until_hung_up(session.run(), person, request.seconds)
    return await conclude(info, out, engines.recogniser, json=request.json)


async def _until_hung_up(call: Any, person: Person, seconds: float | None) -> EpisodeInfo:
    """The first Ctrl+C hangs up, the second breaks off."""
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(call)

    def interrupted() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        if not person.hang_up():
            task.cancel()

    loop.add_signal_handler(signal.SIGINT, interrupted)
    timer = None if seconds is None else loop.call_later(seconds, person.hang_up)
    try:
        info: EpisodeInfo = await task
        return info
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        if timer is not None:
            timer.cancel()


async def load(engines: Engines, judge: Judge | None) -> None:
    """Load the models before the call."""
    from agent.engines import warm_up
    from streams.speech.interfaces import SpeechError

    with contextlib.suppress(SpeechError):  # what fails here fails in the call, and there it is on record
        await warm_up(engines, speaks=False)
    if judge is not None:
        await judge.warm_up()
