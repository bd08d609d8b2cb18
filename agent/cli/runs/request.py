"""What `viva run` is asked to do, put together from its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agent.cli.judging.judge import JudgeOptions
from agent.cli.mic.sound import Sound
from agent.cli.onlookers.onlookers import OnlookerOptions
from agent.cli.runs.settings import Options
from agent.suite.budget import Budget
from agent.suite.limits import RunLimits
from agent.suite.plan import Choice
from recordings.raw import RawLogging
from recordings.run import load_run


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """The user's voice and ears, as named on the command line; "default" is the best that is installed."""

    voice: str
    recogniser: str
    detector: str
    turn_detector: str
    llm: str


@dataclass(frozen=True, slots=True)
class GateOptions:
    """What a gate reads and writes, beside the run.

    Attributes:
        closes: Whether a failed gate ends the command with exit code 1.
        baseline: An earlier run to compare with.
        junit: File for JUnit XML.
        summary: File for a summary in Markdown.
    """

    closes: bool = False
    baseline: Path | None = None
    junit: Path | None = None
    summary: Path | None = None

    def __bool__(self) -> bool:
        return self.closes or any((self.baseline, self.junit, self.summary))


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What `viva run` was asked to do.

    Attributes:
        scenarios: Names; none if a run is resumed.
        endpoints: Addresses; none if a run is resumed whose addresses hold no keys.
        conditions: Names of conditions in place of the scenarios' own.
        users: Users in place of the scenarios' own.
        prices: ADDRESS=USD for a minute of call.
        resume: Folder of a run to go on with.
        raw_log: What is kept of the raw traffic.
        python_tools: Scenarios may run Python functions beside them; never taken from a manifest.
        settings: What the manifest keeps of the options.
        before: Called once the user's models are loaded, before the first call; it may wait.
        judge: The live judge.
        looking_on: Who looks on besides the screen.
        sound: By what a person may take a call over; None if nobody may.
        workers: Processes that hold the calls; 0 is this one, None goes by cores and sessions at a time.
        on: Where else they are held: "ray", or "ray://HOST:PORT"; "" is this machine.
        store: URL where the run is kept, whose folder here is a working copy; or "".
    """

    scenarios: tuple[str, ...]
    endpoints: tuple[str, ...]
    out: Path | None
    engines: EngineChoice
    repeats: int | None = None
    simulated: bool = False
    max_lateness_ms: float = 250.0
    raw_log: RawLogging = RawLogging.OFF
    python_tools: bool = False
    json: bool = False
    choice: Choice = field(default_factory=Choice)
    conditions: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    limits: RunLimits = field(default_factory=RunLimits)
    budget: Budget = field(default_factory=Budget)
    prices: tuple[str, ...] = ()
    resume: Path | None = None
    dry_run: bool = False
    report: bool = True
    gate: GateOptions = field(default_factory=GateOptions)
    settings: Mapping[str, Any] = field(default_factory=dict)
    before: Callable[[], None] | None = None
    judge: JudgeOptions = field(default_factory=JudgeOptions)
    looking_on: OnlookerOptions = field(default_factory=OnlookerOptions)
    sound: Sound | None = None
    workers: int | None = None
    on: str = ""
    store: str = ""


def request_of(options: Options) -> RunRequest:
    """Put the options of one command together.

    Raises:
        RecordingError: The folder to resume holds no run, or an option of it must be named again.
        Unresumable: An option does not go with the run that is resumed.
    """
    resume: Path | None = options.values["resume"]
    if resume is not None:
        options = options.resumed(load_run(resume).settings, resume)
    v = options.values
    usd = v["judge_usd"]
    if usd is None and v["budget_usd"] is not None and "llm" in v["judge"]:
        usd = v["budget_usd"]  # so that a judge whose price is unknown is refused
    return RunRequest(
        scenarios=tuple(v["scenarios"] or ()),
        endpoints=_addresses(options, resume),
        out=v["out"],
        engines=EngineChoice(v["voice"], v["recogniser"], v["detector"], v["turn_detector"], v["llm"]),
        repeats=v["repeats"],
        simulated=v["simulated"],
        max_lateness_ms=v["max_lateness"],
        raw_log=RawLogging(v["raw_log"]),
        python_tools=v["python_tools"],
        json=v["json"],
        choice=Choice(
            tuple(v["only"] or ()),
            tuple(v["tag"] or ()),
            tuple(v["domain"] or ()),
            v["sample"],
            v["sample_seed"],
        ),
        conditions=tuple(v["condition"] or ()),
        users=tuple(v["user"] or ()),
        limits=RunLimits(v["concurrency"], v["per_endpoint"], v["starts_per_minute"], retries=v["retries"]),
        budget=Budget(v["budget_usd"], v["budget_tokens"], v["budget_minutes"]),
        prices=tuple(v["price"] or ()),
        resume=resume,
        dry_run=v["dry_run"],
        report=not v["no_report"],
        gate=GateOptions(v["gate"], _path(v["baseline"]), v["junit"], v["summary"]),
        settings=options.stored(),
        judge=JudgeOptions(v["judge"], v["judge_llm"], _path(v["judge_cache"]), v["judge_tokens"], usd),
        looking_on=(looking_on := _looking_on(v)),
        sound=Sound(v["mic_input"], v["mic_output"]) if looking_on.lets("take_over") else None,
        workers=v["workers"],
        on=v["on"],
    )


def _looking_on(v: Mapping[str, Any]) -> OnlookerOptions:
    return OnlookerOptions(v["mqtt"], tuple(v["mqtt_allow"] or ()), v["otlp"], v["metrics_port"])


def _addresses(options: Options, resume: Path | None) -> tuple[str, ...]:
    """A resumed run takes endpoints from the command line alone: viva.toml may name others by now."""
    if resume is not None and "endpoint" not in options.given:
        return ()
    return tuple(options.values["endpoint"] or ())


def _path(value: Any) -> Path | None:
    return None if value is None else Path(value)
