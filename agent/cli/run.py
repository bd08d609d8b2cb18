"""`viva run`: calls, live on the screen, recorded, scored and reported."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.judge import JudgeOptions, LiveJudges, make_judge, make_live
from agent.cli.output import complain, print_json
from streams.clock import run as run_loop
from streams.clock import utc_now

if TYPE_CHECKING:
    from agent.session import Engines
    from agent.suite import Held, Job
    from scenarios.schema import Scenario
    from scoring.judge.budget import Budget
    from scoring.judge.contract import Judge
    from streams.speech.interfaces import Recogniser


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """The user's voice and ears, as named on the command line; "default" is the best that is installed."""

    voice: str
    recogniser: str
    detector: str
    turn_detector: str
    llm: str


@dataclass(frozen=True, slots=True)
class Judging:
    """The live judges of a run: of facts, and the others, with the budget they share."""

    facts: Judge | None
    budget: Budget
    others: LiveJudges


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What `viva run` was asked to do.

    Attributes:
        before: Called once the user's models are loaded, before the first call; it may wait.
        judge: The live judge.
    """

    scenarios: tuple[str, ...]
    endpoints: tuple[str, ...]
    out: Path | None
    repeats: int | None
    concurrency: int
    simulated: bool
    engines: EngineChoice
    max_lateness_ms: float
    json: bool
    before: Callable[[], None] | None = None
    judge: JudgeOptions = field(default_factory=JudgeOptions)


def run(request: RunRequest) -> int:
    """Hold a run; returns the exit code."""
    from agent.suite import SameName, plan
    from recordings.errors import RecordingError
    from scenarios.load import find
    from scenarios.problems import ScenarioError
    from scoring.judge.contract import JudgeUnfit
    from streams.endpoints.errors import EndpointError
    from streams.language.errors import LanguageError
    from streams.language.sentences import EncoderMissing
    from streams.speech.interfaces import EngineMisnamed, SpeechError

    try:
        loaded = [scenario for name in request.scenarios for scenario in find(name)]
        jobs = plan(loaded, request.endpoints, request.repeats)
        _check_language_model(jobs, request.engines.llm)
        engines = load_engines(request.engines)
        _check_endpoints(request)
        judge, budget = make_judge(request.judge, simulated=request.simulated)
        judging = Judging(judge, budget, make_live(request.judge, budget))
    except (ScenarioError, SameName, EndpointError, LanguageError, EngineMisnamed) as error:
        return complain(error, exits.BAD_INPUT)
    except (RecordingError, JudgeUnfit) as error:
        return complain(error, exits.BAD_INPUT)
    except (SpeechError, EncoderMissing) as error:
        return complain(error, exits.OUR_FAILURE)
    out = request.out or default_folder(request.scenarios[0])
    try:
        return run_loop(_hold(request, jobs, engines, judging, out), simulate=request.simulated)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    except SpeechError as error:  # of the judge's sentence model
        return complain(error, exits.OUR_FAILURE)
    except KeyboardInterrupt:
        sys.stderr.write(
            f"\nviva: interrupted. What was recorded is in {out}; look at it with: viva report {out}\n"
        )
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

    composer = None
    if choice.llm:
        from streams.language.client import language_model
        from user_sim.wording import compose

        composer = functools.partial(compose, language_model(choice.llm, os.environ))
    return Engines(
        voice=select.voice(choice.voice, os.environ),
        detector=select.detector(choice.detector),
        turn_detector=select.turn_detector(choice.turn_detector),
        recogniser=recogniser(choice.recogniser),
        composer=composer,
        cache=VoiceCache.default(),
    )


def recogniser(spec: str) -> Recogniser | None:
    """The recogniser that a spec names; "none" leaves what was heard unscored.

    Raises:
        SpeechError: It is not known or not installed.
    """
    from streams.speech import select

    return None if spec == "none" else select.recogniser(spec, os.environ)


def _check_language_model(jobs: Sequence[Job], llm: str) -> None:
    from scenarios.schema import PolicyKind
    from streams.language.errors import SpecInvalid

    for job in jobs:
        if job.scenario.scenario.policy is PolicyKind.LLM and not llm:
            raise SpecInvalid(
                llm, f"the user of {job.scenario.name} needs one", "Add --llm http://HOST:PORT/v1#MODEL."
            )


def _check_endpoints(request: RunRequest) -> None:
    from agent.connect import connect, in_process
    from streams.endpoints.errors import AddressInvalid

    for address in request.endpoints:
        connect(address, os.environ)
        if request.simulated and not in_process(address):
            raise AddressInvalid(
                address,
                "a remote endpoint lives in real time and cannot be called in simulated time",
                "Leave out --simulated, or call reference://, fake:// or replay:",
            )


async def _hold(
    request: RunRequest,
    jobs: Sequence[Job],
    engines: Engines,
    judging: Judging,
    out: Path,
) -> int:
    from agent.cli.console import screen_for
    from agent.connect import connect
    from agent.live_judge import LiveJudge
    from agent.session import warm_up
    from agent.suite import SuiteSettings, run_suite
    from streams.speech.interfaces import SpeechError

    judge = judging.facts
    settings = SuiteSettings(
        concurrency=request.concurrency,
        max_lateness_s=request.max_lateness_ms / 1000,
        command=("viva", *sys.argv[1:]),
        observers=lambda: (*(() if judge is None else (LiveJudge(judge),)), *judging.others()),
        stop=lambda: "the judge's budget is spent" if judging.budget.spent else "",
    )
    sys.stderr.write("loading models ...\n")
    with contextlib.suppress(SpeechError):  # what fails here fails in the call, and there it is on record
        await warm_up(engines)
    if judge is not None and any(_gives_something_to_judge(job.scenario.scenario) for job in jobs):
        await judge.warm_up()
    if request.before is not None:
        await asyncio.to_thread(request.before)
    screen = screen_for(jobs, json=request.json)
    with screen:
        held = await run_suite(
            jobs, lambda address: connect(address, os.environ), engines, out, settings, screen.audience
        )
    try:
        await _report(request, held, engines, out)
    finally:
        _own_up(held)
    return _exit_code(held)


async def _report(request: RunRequest, held: Held, engines: Engines, out: Path) -> None:
    from scoring.report.html import write_html
    from scoring.report.terminal import print_report
    from scoring.score import RunScores, combine, score

    sys.stderr.write("scoring ...\n")
    scores = RunScores(str(out), (), combine(()))
    if held.episodes:
        folders = [out / info.id for info in held.episodes]  # `out` may hold older runs beside this one
        scores = replace(await score(folders, engines.recogniser), run=str(out))
    if request.json:
        print_json(scores.to_json())
    else:
        print_report(scores)
    sys.stderr.write(f"\nrecordings  {out}\n")
    page = out / "report.html"
    await asyncio.to_thread(write_html, scores, page)
    sys.stderr.write(f"report      {page}\n")


def _own_up(held: Held) -> None:
    """Say last of all which calls do not count, and why; many calls with one cause are one line."""
    from scoring.report.safe import neutralise

    names: dict[str, list[str]] = {}
    for info in held.episodes:
        if info.outcome.void:
            names.setdefault(f"void ({info.outcome.value}): {info.reason}", []).append(info.id)
    for failure in held.failures:
        names.setdefault(f"not recorded to its end: {failure.reason}", []).append(failure.job.id)
    for left in held.not_held:
        names.setdefault(f"not held: {left.reason}", []).append(left.job.id)
    for cause, ids in names.items():
        which = ids[0] if len(ids) == 1 else f"{len(ids)} calls ({ids[0]}, ...)"
        sys.stderr.write(f"viva: {which}: {neutralise(cause)}\n")


def _exit_code(held: Held) -> int:
    from recordings.format import Outcome

    outcomes = {info.outcome for info in held.episodes}
    if (
        held.failures
        or held.not_held
        or any(o.void and o is not Outcome.SCENARIO_INVALID for o in outcomes)
    ):
        return exits.OUR_FAILURE
    return exits.BAD_INPUT if Outcome.SCENARIO_INVALID in outcomes else exits.PASS


def _gives_something_to_judge(scenario: Scenario) -> bool:
    from scenarios.schema import scenario_facts

    return bool(scenario_facts(scenario)) or any(turn.item for turn in scenario.turns)
