"""The command line. Commands import what they need when they run: `viva --help` must answer at once."""

from __future__ import annotations

import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer

from agent.cli import configuration, exits

app = typer.Typer(
    name="viva",
    help="Examine voice models by live voice.\n\nA simulated user calls a streaming voice endpoint and "
    "talks with it, live, in audio; every turn is heard, timed and transcribed; the call is recorded.",
    epilog="Start with:  viva demo    Your own:  viva run demo --endpoint openai+ws://HOST:PORT/PATH",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
scenarios_app = typer.Typer(
    help="List, check and start scenarios.", no_args_is_help=True, rich_markup_mode=None
)
models_app = typer.Typer(
    help="The speech models: list, verify, fetch.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(scenarios_app, name="scenarios")
app.add_typer(models_app, name="models")

Json = Annotated[
    bool, typer.Option("--json", help="One JSON object on standard output; all else on standard error.")
]
Out = Annotated[
    Path | None,
    typer.Option(help="Folder of the run (default: recordings/episodes/NAME-DATE).", show_default=False),
]
VoiceOption = Annotated[
    str, typer.Option(help="The user's voice, e.g. piper, openai:tts-1@alloy.", envvar="VIVA_VOICE")
]
RecogniserOption = Annotated[
    str,
    typer.Option(
        help="What the user hears with, e.g. whisper:base, whisper:tiny, none.", envvar="VIVA_RECOGNISER"
    ),
]
DetectorOption = Annotated[
    str, typer.Option(help="Speech activity: silero or energy.", envvar="VIVA_DETECTOR")
]
TurnDetectorOption = Annotated[
    str,
    typer.Option(help="End of turn: smart-turn, or none for silence alone.", envvar="VIVA_TURN_DETECTOR"),
]
LlmOption = Annotated[
    str,
    typer.Option(
        help="Language model of an LLM user, e.g. http://127.0.0.1:8095/v1#NAME.", envvar="VIVA_LLM"
    ),
]
MaxLateness = Annotated[
    float, typer.Option(help="A 20 ms tick later than this (ms) makes an episode void.", min=20)
]


@app.command(epilog="Example:  viva demo --out /tmp/demo")
def demo(
    out: Out = None,
    voice: VoiceOption = "default",
    recogniser: RecogniserOption = "default",
    detector: DetectorOption = "default",
    turn_detector: TurnDetectorOption = "default",
    max_lateness: MaxLateness = 250.0,
    json: Json = False,
) -> None:
    """Hold three short dialogues with the reference endpoint, live, and report on them."""
    from agent.cli.demo import demo as command
    from agent.cli.run import EngineChoice

    choice = EngineChoice(voice, recogniser, detector, turn_detector, "")
    exits.leave(command(out, choice, max_lateness, json))


@app.command(
    epilog='Example:  viva run demo --endpoint "openai+ws://127.0.0.1:8765/v1/realtime?model=x" --repeats 3'
)
def run(
    scenarios: Annotated[
        list[str], typer.Argument(help="Packs or scenarios: a shipped name, a file or a folder.")
    ],
    endpoint: Annotated[
        list[str],
        typer.Option(
            help="Address of an endpoint; several may be given (see README).", envvar="VIVA_ENDPOINT"
        ),
    ],
    out: Out = None,
    repeats: Annotated[
        int | None, typer.Option(help="Calls per scenario (default: the scenario's own).", min=1)
    ] = None,
    concurrency: Annotated[int, typer.Option(help="Sessions at the same time.", min=1)] = 1,
    simulated: Annotated[
        bool, typer.Option("--simulated", help="Faster than life; for in-process endpoints only.")
    ] = False,
    voice: VoiceOption = "default",
    recogniser: RecogniserOption = "default",
    detector: DetectorOption = "default",
    turn_detector: TurnDetectorOption = "default",
    llm: LlmOption = "",
    max_lateness: MaxLateness = 250.0,
    json: Json = False,
) -> None:
    """Call an endpoint with every scenario, record the calls, and report on them."""
    from agent.cli.run import EngineChoice, RunRequest
    from agent.cli.run import run as command

    choice = EngineChoice(voice, recogniser, detector, turn_detector, llm)
    request = RunRequest(
        tuple(scenarios), tuple(endpoint), out, repeats, concurrency, simulated, choice, max_lateness, json
    )
    exits.leave(command(request))


@app.command(epilog="Example:  viva score recordings/episodes/demo-20260101-120000 --json")
def score(
    paths: Annotated[list[Path], typer.Argument(help="Episodes, runs, or folders of runs.")],
    recogniser: RecogniserOption = "default",
    json: Json = False,
) -> None:
    """Measure recorded episodes again: any time, on any machine, with today's metrics."""
    from agent.cli.score import score as command

    exits.leave(command(paths, recogniser, json))


@app.command(epilog="Example:  viva report recordings/episodes/demo-20260101-120000 --html report.html")
def report(
    paths: Annotated[list[Path], typer.Argument(help="Episodes, runs, or folders of runs.")],
    html: Annotated[Path | None, typer.Option(help="Write one self-contained HTML file.")] = None,
    json: Json = False,
) -> None:
    """Show scores: in the terminal, as JSON, or as one HTML file with timelines to listen to."""
    from agent.cli.score import report as command

    exits.leave(command(paths, html, json))


@app.command(epilog="Example:  viva serve --port 8765")
def serve(
    host: Annotated[
        str, typer.Option(help="Address to listen on; loopback unless you say otherwise.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.", min=0, max=65535)] = 8765,
    variant: Annotated[
        str, typer.Option(help="Defaults for every session, as a query string (see README).")
    ] = "",
) -> None:
    """Serve the reference endpoint: a small voice assistant that speaks OpenAI Realtime."""
    from agent.cli.serve import serve as command

    exits.leave(command(host, port, variant))


@app.command(epilog="Example:  viva doctor --json")
def doctor(json: Json = False) -> None:
    """Say what works on this machine, what is missing, and how to get it."""
    from agent.cli.doctor import doctor as command

    exits.leave(command(json))


@scenarios_app.command("list", epilog="Example:  viva scenarios list demo")
def scenarios_list(
    packs: Annotated[
        list[str] | None, typer.Argument(help="Packs (default: all that are shipped).")
    ] = None,
    json: Json = False,
) -> None:
    """List packs and their scenarios."""
    from agent.cli.scenarios import list_scenarios

    exits.leave(list_scenarios(packs or [], json))


@scenarios_app.command("check", epilog="Example:  viva scenarios check my-pack/")
def scenarios_check(
    paths: Annotated[list[str], typer.Argument(help="Scenario files or pack folders.")], json: Json = False
) -> None:
    """Check scenario files; every problem with its file, line, and remedy."""
    from agent.cli.scenarios import check

    exits.leave(check(paths, json))


@scenarios_app.command("schema", epilog="Example:  viva scenarios schema > scenario.schema.json")
def scenarios_schema() -> None:
    """Print the JSON Schema of a scenario, for editors."""
    from agent.cli.scenarios import schema

    exits.leave(schema())


@scenarios_app.command("new", epilog="Example:  viva scenarios new my-pack/hello.yaml --policy adaptive")
def scenarios_new(
    path: Annotated[Path, typer.Argument(help="File to write; it must not exist.")],
    policy: Annotated[str, typer.Option(help="scripted, adaptive or llm.")] = "scripted",
) -> None:
    """Write a commented scenario to start from."""
    from agent.cli.scenarios import new

    exits.leave(new(path, policy))


@models_app.command("list", epilog="Example:  viva models list")
def models_list(json: Json = False) -> None:
    """List the speech models: what is here, what could be, size, licence and origin."""
    from agent.cli.models import list_models

    exits.leave(list_models(json))


@models_app.command("verify", epilog="Example:  viva models verify whisper-base")
def models_verify(
    names: Annotated[list[str] | None, typer.Argument(help="Models (default: all that are here).")] = None,
    json: Json = False,
) -> None:
    """Compare every file of a model with its pinned SHA-256."""
    from agent.cli.models import verify

    exits.leave(verify(names or [], json))


@models_app.command("fetch", epilog="Example:  viva models fetch whisper-small")
def models_fetch(names: Annotated[list[str], typer.Argument(help="Models to fetch.")]) -> None:
    """Download a model from the hub."""
    from agent.cli.models import fetch

    exits.leave(fetch(names))


def main() -> None:
    """Entry point of `viva`."""
    try:
        defaults = configuration.defaults(Path("viva.toml"), app)
    except configuration.ConfigurationError as error:
        sys.stderr.write(f"viva: {error}\n")
        raise SystemExit(exits.BAD_INPUT) from None
    try:
        app(prog_name="viva", default_map=defaults)
    except Exception:  # noqa: BLE001 - a fault of ours is exit code 3, not Python's 1, which is a gate's
        traceback.print_exc()
        sys.stderr.write("viva: this is a fault of vivavoce. Please report it with the lines above.\n")
        raise SystemExit(exits.OUR_FAILURE) from None


if __name__ == "__main__":
    main()
