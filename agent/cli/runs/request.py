"""What `viva run` is asked to do, put together from its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.cli.judging.judge import JudgeOptions
from agent.cli.mic.sound import Sound
from agent.cli.onlookers.onlookers import OnlookerOptions
from agent.cli.runs.settings import Options, flag
from agent.suite.budget import Budget
from agent.suite.limits import RunLimits
from agent.suite.plan import Choice
from recordings.raw import RawLogging
from recordings.run import load_run

if TYPE_CHECKING:
    from recordings.lease import Lease


class NobodyTakesOver(ValueError):
    """A device is named for a person who takes a call over, and nobody can.

    Args:
        option: That names it.
        remedy: What lets a person take over.
    """

    def __init__(self, option: str, remedy: str) -> None:
        found = f"{option} is for a person who takes a call over, and nobody can in this run"
        super().__init__(f"{found}. {remedy}, or leave {option} out (docs/microphone.md).")


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
        sound: By what a person may take a call over; None if nobody can.
        workers: Processes that hold the calls; 0 is this one, None goes by cores and sessions at a time.
        on: Where else they are held: "ray", or "ray://HOST:PORT"; "" is this machine.
        lease: Of the URL where the run is kept, whose folder here is a working copy; None if it has none.
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
    lease: Lease | None = None

    @property
    def store(self) -> str:
        """URL where the run is kept, or ""."""
        return "" if self.lease is None else self.lease.url

    @property
    def taken_over(self) -> str:
        """Who took the run at its URL over, in words; "" if nobody did."""
        return "" if self.lease is None else self.lease.lost


def request_of(options: Options) -> RunRequest:
    """Put the options of one command together.

    Raises:
        RecordingError: The folder to resume holds no run, or an option of it must be named again.
        Unresumable: An option does not go with the run that is resumed.
        NobodyTakesOver: The command line names a microphone or an ear, and nobody can take a call over.
    """
    resume: Path | None = options.values["resume"]
    if resume is not None:
        options = options.resumed(load_run(resume).settings, resume)
    v = options.values
    usd = v["judge_usd"]
    if usd is None and v["budget_usd"] is not None and "llm" in v["judge"]:
        usd = v["budget_usd"]  # so that a judge whose price is unknown is refused
    request = RunRequest(
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
        looking_on=_looking_on(v),
        workers=v["workers"],
        on=v["on"],
    )
    return replace(request, sound=_sound(options, request))


def _looking_on(v: Mapping[str, Any]) -> OnlookerOptions:
    return OnlookerOptions(v["mqtt"], tuple(v["mqtt_allow"] or ()), v["otlp"], v["metrics_port"])


def _sound(options: Options, request: RunRequest) -> Sound | None:
    """By what a person may take a call over; None if nobody can, and then it must not be named either."""
    from agent.cli.runs.where import workers_for

    v = options.values
    remedy = ""
    if not request.looking_on.lets("take_over"):
        broker = "" if v["mqtt"] else "--mqtt mqtt://BROKER/PREFIX and "
        remedy = f"Add {broker}--mqtt-allow take_over"
    elif request.simulated:
        remedy = "Leave --simulated out"
    elif request.on:
        remedy = "Leave --on out"
    elif workers_for(request):
        remedy = "Add --workers 0"
    if not remedy:
        return Sound(v["mic_input"], v["mic_output"])
    for name in ("mic_input", "mic_output"):
        if v[name] and name in options.given:  # viva.toml may name those of a machine, whatever is run
            raise NobodyTakesOver(flag(name), remedy)
    return None


def _addresses(options: Options, resume: Path | None) -> tuple[str, ...]:
    """A resumed run takes endpoints from the command line alone: viva.toml may name others by now."""
    if resume is not None and "endpoint" not in options.given:
        return ()
    return tuple(options.values["endpoint"] or ())


def _path(value: Any) -> Path | None:
    return None if value is None else Path(value)
