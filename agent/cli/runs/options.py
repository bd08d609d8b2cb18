"""Options of `viva run` that plan a run and hold it; those of the user and the judge stand with theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from recordings.raw import RawLogging

Scenarios = Annotated[
    list[str] | None,
    typer.Argument(help="Packs or scenarios: a shipped name, a file or a folder.", show_default=False),
]
Endpoints = Annotated[
    list[str] | None,
    typer.Option(
        "--endpoint",
        help="Address of an endpoint; several may be given (see README).",
        envvar="VIVA_ENDPOINT",
        show_default=False,
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        help="Go on with the run in this folder, as it was begun; what is done is not held again.",
        show_default=False,
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show the plan, the hours and the price; call nobody.")
]
Repeats = Annotated[
    int | None,
    typer.Option(help="Calls per scenario (default: the scenario's own).", min=1, show_default=False),
]
Only = Annotated[
    list[str] | None,
    typer.Option(help="Scenarios whose id fits a pattern, e.g. 'barge-*'; several may be given."),
]
Tags = Annotated[
    list[str] | None, typer.Option("--tag", help="Scenarios with this tag; several may be given.")
]
Domains = Annotated[
    list[str] | None, typer.Option("--domain", help="Scenarios of this domain; several may be given.")
]
Sample = Annotated[
    int | None, typer.Option(help="Draw so many of the scenarios.", min=1, show_default=False)
]
SampleSeed = Annotated[int, typer.Option(help="Of the draw; the same seed draws the same.")]
ConditionOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Room and line in place of the scenarios' own: clean, as-written, or a YAML file. Of several, "
        "every scenario is held under each."
    ),
]
UserOption = Annotated[
    list[str] | None,
    typer.Option(
        help="Who calls in place of the scenarios' own user, as 'VOICE' or 'VOICE, STYLE' (`viva voices`), "
        "or as-written. Of several, every scenario is held with each."
    ),
]
Concurrency = Annotated[int, typer.Option(help="Sessions at the same time.", min=1)]
PerEndpoint = Annotated[
    int | None, typer.Option(help="Sessions with one endpoint at a time.", min=1, show_default=False)
]
StartsPerMinute = Annotated[
    float | None,
    typer.Option(help="Calls that begin with one endpoint in a minute.", min=0.01, show_default=False),
]
Retries = Annotated[
    int,
    typer.Option(help="Hold a call again that was void, so often at most; every try is kept.", min=0),
]
BudgetUsd = Annotated[
    float | None,
    typer.Option(help="US dollars after which no call begins; needs a --price.", min=0, show_default=False),
]
BudgetTokens = Annotated[
    int | None,
    typer.Option(
        help="Tokens, as they are reported, after which no call begins.", min=1, show_default=False
    ),
]
BudgetMinutes = Annotated[
    float | None,
    typer.Option(help="Minutes of call after which no call begins.", min=0, show_default=False),
]
Price = Annotated[
    list[str] | None,
    typer.Option(help="ADDRESS=USD for a minute of call with an endpoint; several may be given."),
]
RawLog = Annotated[
    RawLogging,
    typer.Option(help="Keep what goes over the wire in raw.jsonl: messages without the sound, or all."),
]
PythonTools = Annotated[
    bool,
    typer.Option(
        "--python-tools",
        help="Let scenarios run the Python functions beside them as tools (docs/tools.md).",
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        help="Processes for the calls; 0 holds them in this one (default: by cores, --concurrency).",
        min=0,
        show_default=False,
    ),
]
On = Annotated[
    str,
    typer.Option(
        help="Hold the calls on a Ray cluster: ray (of this machine), or ray://HEAD:10001 (docs/scale.md).",
        show_default=False,
    ),
]
Mqtt = Annotated[
    str,
    typer.Option(
        help="Publish the run as it goes on: mqtt://BROKER:PORT/PREFIX, or mqtts:// (docs/events.md).",
        envvar="VIVA_MQTT",
        show_default=False,
    ),
]
MqttAllow = Annotated[
    list[str] | None,
    typer.Option(
        help="Commands over MQTT to obey: pause (and resume), stop, say, take_over (and give_back); "
        "several may be given, or with commas (default: none)."
    ),
]
MicInput = Annotated[
    str,
    typer.Option(
        help="Microphone by which a person takes a call over (--mqtt-allow take_over): a part of its name.",
        show_default=False,
    ),
]
MicOutput = Annotated[
    str, typer.Option(help="Likewise: a part of the name of their ear.", show_default=False)
]
Otlp = Annotated[
    str,
    typer.Option(
        help="Send spans to an OpenTelemetry collector, e.g. http://127.0.0.1:4318.",
        envvar="OTEL_EXPORTER_OTLP_ENDPOINT",
        show_default=False,
    ),
]
MetricsPort = Annotated[
    int | None,
    typer.Option(
        help="Serve metrics for Prometheus on this port of 127.0.0.1; 0 takes a free one.",
        min=0,
        max=65535,
        show_default=False,
    ),
]
NoReport = Annotated[
    bool,
    typer.Option(
        "--no-report", help="Hold the calls only; `viva score` and `viva report` can be run later."
    ),
]
Gate = Annotated[
    bool,
    typer.Option(
        "--gate",
        help="End with exit code 1 if the run misses expectations, thresholds of viva.toml, or --baseline.",
    ),
]
Baseline = Annotated[
    Path | None,
    typer.Option(
        help="An earlier run, or its digest.npz alone: what got worse since fails the gate.",
        show_default=False,
    ),
]
Junit = Annotated[
    Path | None, typer.Option(help="Write the gate as JUnit XML into this file.", show_default=False)
]
Summary = Annotated[
    Path | None, typer.Option(help="Write a summary in Markdown into this file.", show_default=False)
]
