"""Commands of suites: runs of many calls, compared and gated."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from agent.cli import exits
from agent.cli.judging.options import (
    JudgeCacheOption,
    JudgeLlmOption,
    JudgeOption,
    JudgeTokensOption,
    JudgeUsdOption,
)
from agent.cli.options import (
    DetectorOption,
    Json,
    LlmOption,
    MaxLateness,
    Out,
    RecogniserOption,
    TurnDetectorOption,
    VoiceOption,
)
from agent.cli.runs import options as run_options
from recordings.raw import RawLogging

app = typer.Typer()


class By(StrEnum):
    """What is compared within one run."""

    ENDPOINT = "endpoint"
    USER = "user"
    CONDITION = "condition"


@app.command(
    epilog='Example:  viva run demo --endpoint "openai+ws://127.0.0.1:8765/v1/realtime?model=x" --repeats 3'
)
def run(
    ctx: typer.Context,
    scenarios: run_options.Scenarios = None,
    endpoint: run_options.Endpoints = None,
    out: Out = None,
    resume: run_options.Resume = None,
    dry_run: run_options.DryRun = False,
    repeats: run_options.Repeats = None,
    only: run_options.Only = None,
    tag: run_options.Tags = None,
    domain: run_options.Domains = None,
    sample: run_options.Sample = None,
    sample_seed: run_options.SampleSeed = 0,
    condition: run_options.ConditionOption = None,
    user: run_options.UserOption = None,
    concurrency: run_options.Concurrency = 1,
    per_endpoint: run_options.PerEndpoint = None,
    starts_per_minute: run_options.StartsPerMinute = None,
    retries: run_options.Retries = 0,
    workers: run_options.Workers = None,
    on: run_options.On = "",
    budget_usd: run_options.BudgetUsd = None,
    budget_tokens: run_options.BudgetTokens = None,
    budget_minutes: run_options.BudgetMinutes = None,
    price: run_options.Price = None,
    simulated: Annotated[
        bool, typer.Option("--simulated", help="Faster than life; for in-process endpoints only.")
    ] = False,
    voice: VoiceOption = "default",
    recogniser: RecogniserOption = "default",
    detector: DetectorOption = "default",
    turn_detector: TurnDetectorOption = "default",
    llm: LlmOption = "",
    judge: JudgeOption = "rules",
    judge_llm: JudgeLlmOption = "",
    judge_cache: JudgeCacheOption = None,
    judge_tokens: JudgeTokensOption = None,
    judge_usd: JudgeUsdOption = None,
    max_lateness: MaxLateness = 250.0,
    raw_log: run_options.RawLog = RawLogging.OFF,
    python_tools: run_options.PythonTools = False,
    mqtt: run_options.Mqtt = "",
    mqtt_allow: run_options.MqttAllow = None,
    mic_input: run_options.MicInput = "",
    mic_output: run_options.MicOutput = "",
    otlp: run_options.Otlp = "",
    metrics_port: run_options.MetricsPort = None,
    no_report: run_options.NoReport = False,
    gate: run_options.Gate = False,
    baseline: run_options.Baseline = None,
    junit: run_options.Junit = None,
    summary: run_options.Summary = None,
    json: Json = False,
) -> None:
    """Call endpoints with every scenario, record the calls, and report on them; or go on with a run."""
    from agent.cli.runs.run import start

    given = [name for name in ctx.params if _on_the_command_line(ctx, name)]
    exits.leave(start(ctx.params, given))


@app.command(epilog="Example:  viva compare LAST_WEEK TODAY    Endpoints of one run:  viva compare RUN")
def compare(
    runs: Annotated[list[Path], typer.Argument(help="One run, whose endpoints are compared; or two runs.")],
    by: Annotated[By, typer.Option(help="What is compared within one run.")] = By.ENDPOINT,
    against: Annotated[
        str,
        typer.Option(help="What the others are compared with (default: the first).", show_default=False),
    ] = "",
    metric: Annotated[
        list[str] | None, typer.Option(help="Compare this; several may be given (default: the usual ones).")
    ] = None,
    json: Json = False,
) -> None:
    """Say which of two is better, on the same scenarios and seeds, and whether it is more than chance."""
    from agent.cli.runs.compare import CompareRequest
    from agent.cli.runs.compare import compare as command

    exits.leave(command(CompareRequest(tuple(runs), by.value, against, tuple(metric or ()), json)))


@app.command(epilog="Example:  viva gate RUN --baseline LAST_WEEK --junit gate.xml")
def gate(
    run: Annotated[Path, typer.Argument(help="The run to check.")],
    baseline: run_options.Baseline = None,
    junit: run_options.Junit = None,
    summary: run_options.Summary = None,
    json: Json = False,
) -> None:
    """Check a run: what its scenarios expect, the thresholds of viva.toml, and an earlier run."""
    from agent.cli.runs.gate import gate as command
    from agent.cli.runs.request import GateOptions

    exits.leave(command(run, GateOptions(True, baseline, junit, summary), json))


def _on_the_command_line(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
