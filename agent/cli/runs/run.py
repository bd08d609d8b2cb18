"""`viva run`: calls, live on the screen, recorded, scored and reported."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.configuration import ConfigurationError
from agent.cli.judging.judge import LiveJudges, make_judge, make_live
from agent.cli.output import complain
from agent.cli.runs.settings import Options, Unresumable
from streams.clock import run as run_loop
from streams.clock import utc_now

if TYPE_CHECKING:
    from agent.caller import Composer
    from agent.cli.onlookers.onlookers import Onlookers
    from agent.cli.runs.console import Screen
    from agent.cli.runs.request import EngineChoice, RunRequest
    from agent.session import Engines
    from agent.suite.budget import Prices, Spent
    from agent.suite.hold import Workplace
    from agent.suite.plan import Job
    from agent.suite.run import SuiteSettings
    from recordings.run import Run
    from scenarios.load import LoadedScenario
    from scenarios.schema import Scenario
    from scoring.judge.budget import Budget
    from scoring.judge.contract import Judge
    from streams.speech.interfaces import Recogniser


@dataclass(frozen=True, slots=True)
class Judging:
    """The live judges of a run: of facts, and the others, with the budget they share."""

    facts: Judge | None
    budget: Budget
    others: LiveJudges


@dataclass(frozen=True, slots=True)
class Ready:
    """All that a run needs, checked and loaded."""

    jobs: Sequence[Job]
    engines: Engines
    judging: Judging
    prices: Prices
    out: Path


def start(values: Mapping[str, Any], given: Sequence[str]) -> int:
    """`viva run` with its options, some of which stand on the command line; returns the exit code."""
    from agent.cli.runs.request import NobodyTakesOver, request_of
    from agent.cli.runs.terminating import terminated_as_interrupted
    from agent.cli.runs.working_copy import at_home
    from recordings.errors import RecordingError

    try:
        with terminated_as_interrupted(), at_home(values) as (values_here, lease):
            return run(replace(request_of(Options(values_here, given)), lease=lease))
    except (RecordingError, Unresumable, NobodyTakesOver) as error:
        return complain(error, exits.BAD_INPUT)


def run(request: RunRequest) -> int:
    """Hold a run; returns the exit code."""
    from agent.cli.onlookers.metrics import MetricsUnfit
    from agent.cli.runs.gate import check_gate
    from agent.cli.runs.plan import NothingNamed, planned, prices_of, show
    from agent.cli.runs.where import on_the_wall
    from agent.python_tools import PythonToolUnfit, check_allowed
    from agent.suite.budget import PriceMissing
    from agent.suite.hold import HolderUnfit
    from agent.suite.plan import NothingToCall, SameName
    from recordings.errors import RecordingError
    from scenarios.manners import MannerError
    from scenarios.problems import ScenarioError
    from scoring.compare.sides import NothingToCompare
    from scoring.judge.contract import JudgeUnfit
    from streams.devices.interfaces import DeviceMisnamed, DeviceMissing
    from streams.endpoints.errors import EndpointError
    from streams.events.address import BrokerInvalid
    from streams.events.commands import NotAllowable
    from streams.events.connection import BrokerMissing
    from streams.language.errors import LanguageError
    from streams.language.sentences import EncoderMissing
    from streams.speech.interfaces import EngineMisnamed, SpeechError

    try:
        check_gate(request.gate)
        request.looking_on.checked(os.environ)
        if request.sound is not None:
            request.sound.open()  # only looked for: it is opened when somebody takes over
        jobs = planned(request)
        check_allowed((job.scenario for job in jobs), allowed=request.python_tools)
        out = request.resume or request.out or default_folder(request.scenarios[0])
        prices = prices_of(request, jobs)
        if request.dry_run:
            _check(request, jobs)
            return show(request, jobs, prices, out)
        ready = _ready(request, jobs, prices, out)
    except (NothingNamed, NothingToCall, SameName, ScenarioError, MannerError, PriceMissing) as error:
        return complain(error, exits.BAD_INPUT)
    except (EndpointError, LanguageError, EngineMisnamed, RecordingError, JudgeUnfit) as error:
        return complain(error, exits.BAD_INPUT)
    except (ConfigurationError, PythonToolUnfit, BrokerInvalid, NotAllowable, DeviceMisnamed) as error:
        return complain(error, exits.BAD_INPUT)
    except (SpeechError, EncoderMissing, BrokerMissing, DeviceMissing) as error:
        return complain(error, exits.OUR_FAILURE)
    try:
        return run_loop(_hold(request, ready), simulate=not on_the_wall(request))
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    except (NothingToCompare, MetricsUnfit) as error:
        return complain(error, exits.BAD_INPUT)
    except (SpeechError, HolderUnfit) as error:  # SpeechError: of the judge's sentence model
        return complain(error, exits.OUR_FAILURE)
    except KeyboardInterrupt:
        sys.stderr.write("\nviva: interrupted\n")
        if (out / "run.json").exists():
            sys.stderr.write(f"viva: to look at what was recorded: viva report {out}\n")
            left = request.store or out
            sys.stderr.write(f"viva: to hold the calls that are left: viva run --resume {left}\n")
        return exits.INTERRUPTED


def default_folder(name: str) -> Path:
    """recordings/episodes/NAME-DATE in the working directory."""
    stem = Path(name).stem or "run"
    return Path("recordings/episodes") / f"{stem}-{utc_now():%Y%m%d-%H%M%S}"


def load_engines(choice: EngineChoice) -> Engines:
    """Make the user's voice and ears.

    Raises:
        SpeechError: An engine is not installed; says what to install.
        LanguageError: The language model's name is none, or its key is not set.
    """
    from agent.session import Engines
    from streams.speech import select
    from streams.speech.voice_cache import VoiceCache

    return Engines(
        voice=select.voice(choice.voice, os.environ),
        detector=select.detector(choice.detector),
        turn_detector=select.turn_detector(choice.turn_detector),
        recogniser=recogniser(choice.recogniser),
        composer=composer(choice.llm),
        cache=VoiceCache.default(),
    )


def recogniser(spec: str) -> Recogniser | None:
    """The recogniser that a spec names; "none" leaves what was heard unscored.

    Raises:
        SpeechError: It is not known or not installed.
    """
    from streams.speech import select

    return None if spec == "none" else select.recogniser(spec, os.environ)


def composer(llm: str) -> Composer | None:
    """What finds words for an LLM user; "" is none.

    Raises:
        LanguageError: The language model's name is none, or its key is not set.
    """
    if not llm:
        return None
    from streams.language.client import language_model
    from user_sim.wording import compose

    return functools.partial(compose, language_model(llm, os.environ))


def _ready(request: RunRequest, jobs: Sequence[Job], prices: Prices, out: Path) -> Ready:
    engines = load_engines(request.engines)
    _check(request, jobs)
    judge, budget = make_judge(request.judge, simulated=request.simulated)
    return Ready(jobs, engines, Judging(judge, budget, make_live(request.judge, budget)), prices, out)


def _check(request: RunRequest, jobs: Sequence[Job]) -> None:
    """What can be known to go wrong before anything is called."""
    from agent.cli.runs.plan import check_endpoints

    for job in jobs:
        check_user(job.scenario, request.engines.llm)
    check_endpoints(jobs, simulated=request.simulated)


def check_user(scenario: LoadedScenario, llm: str) -> None:
    """Whether the user of a scenario has what it needs.

    Raises:
        LanguageError: It is an LLM user, and no language model is named.
    """
    from scenarios.schema import PolicyKind
    from streams.language.errors import SpecInvalid

    if scenario.scenario.policy is PolicyKind.LLM and not llm:
        found = f"the user of {scenario.name} needs one"
        raise SpecInvalid(llm, found, "Add --llm http://HOST:PORT/v1#MODEL.")


async def _hold(request: RunRequest, ready: Ready) -> int:
    from agent.cli.onlookers.onlookers import Onlookers
    from agent.cli.runs.console import screen_for
    from agent.cli.runs.end import conclude
    from agent.cli.runs.where import holding, keep, reach, store_of
    from agent.cli.runs.working_copy import claim
    from agent.suite.manifest import manifest
    from agent.suite.run import hold_all
    from recordings.run import Run

    out = ready.out
    onlookers = held = None
    run = None if request.resume is None else Run.resume(out)  # first of all: another may hold it
    try:
        onlookers = Onlookers(request.looking_on, simulated=request.simulated)
        await _warm_up(request, ready, run)
        if run is None:
            reach(request)
            if request.lease is not None:
                await asyncio.to_thread(claim, request.lease)
            command = ("viva", *sys.argv[1:])
            run = Run.create(out, manifest(ready.jobs, out, command, request.settings))
        store = store_of(request)
        onlookers.begin(run)
        screen = screen_for(len(run.left), json=request.json)
        with screen:
            here = _workplace(request, ready, screen, onlookers)
            async with holding(request, here, ready.prices, store, out) as holder:
                settings = _settings(request, ready, screen, onlookers)
                held = await hold_all(run, ready.jobs, holder, settings)
    finally:
        if onlookers is not None:
            await onlookers.close(whole=held is not None and not held.not_held)
        if run is not None:
            run.close()
    code = await conclude(request, held, ready.engines.recogniser, out)
    return await keep(store, out, code)


async def _warm_up(request: RunRequest, ready: Ready, run: Run | None) -> None:
    """Load the models before the first call, and whatever else is to be there by then."""
    from agent.session import warm_up
    from streams.speech.interfaces import SpeechError

    if run is not None and not run.left:
        sys.stderr.write("all calls of this run are held\n")
        return
    sys.stderr.write("loading models ...\n")
    with contextlib.suppress(SpeechError):  # what fails here fails in the call, and there it is on record
        await warm_up(ready.engines)
    judge = ready.judging.facts
    if judge is not None and any(_gives_something_to_judge(job.scenario.scenario) for job in ready.jobs):
        await judge.warm_up()
    if request.before is not None:
        await asyncio.to_thread(request.before)


def _workplace(request: RunRequest, ready: Ready, screen: Screen, onlookers: Onlookers) -> Workplace:
    from agent.cli.runs.plan import cost_of
    from agent.connect import connect
    from agent.live_judge import LiveJudge
    from agent.suite.hold import Workplace

    judge, others = ready.judging.facts, ready.judging.others
    return Workplace(
        connect=lambda address: connect(address, os.environ),
        engines=onlookers.engines(ready.engines),
        audience=lambda job: onlookers.audience(job, screen.audience(job)),
        observers=lambda: onlookers.observers(
            (*(() if judge is None else (LiveJudge(judge),)), *others()),
        ),
        cost=functools.partial(cost_of, ready.prices),
        python_tools=request.python_tools,
        control=onlookers.control.control,
        transcribed=onlookers.transcribed,
        microphone=None if request.sound is None else request.sound.open,
    )


def _settings(request: RunRequest, ready: Ready, screen: Screen, onlookers: Onlookers) -> SuiteSettings:
    from agent.suite.budget import Spent
    from agent.suite.run import SuiteSettings

    judges = ready.judging.budget

    def also_spent() -> Spent:
        return Spent(tokens=judges.spent_tokens, usd=judges.spent_usd)

    return SuiteSettings(
        limits=request.limits,
        max_lateness_s=request.max_lateness_ms / 1000,
        raw_log=request.raw_log,
        budget=request.budget,
        stop=lambda: request.taken_over or ("the judge's budget is spent" if judges.spent else ""),
        also_spent=also_spent,
        told=onlookers.told(screen.told),
        brake=onlookers.control.brake,
        ended=onlookers.ended,
    )


def _gives_something_to_judge(scenario: Scenario) -> bool:
    from scenarios.schema import scenario_facts

    return bool(scenario_facts(scenario)) or any(turn.item for turn in scenario.turns)
