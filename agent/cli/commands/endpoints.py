"""`viva endpoint`: what an endpoint does, and descriptions of endpoints in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent.cli import exits
from agent.cli.options import (
    DetectorOption,
    Json,
    RecogniserOption,
    TurnDetectorOption,
    VoiceOption,
)

app = typer.Typer(help="Look into endpoints and their files.", no_args_is_help=True, rich_markup_mode=None)


@app.command("probe", epilog="Example:  viva endpoint probe openai+ws://127.0.0.1:8765/v1/realtime --json")
def endpoint_probe(
    url: Annotated[str, typer.Argument(help="Address of the endpoint (see README).")],
    say: Annotated[
        str,
        typer.Option(help="The sentence to say (default: Hello, can you hear me?).", show_default=False),
    ] = "",
    wait: Annotated[float, typer.Option(help="Seconds to wait for a reply.", min=0.5, max=300)] = 10.0,
    language: Annotated[str, typer.Option(help="Language of the sentence and the reply.")] = "en",
    out: Annotated[
        Path | None,
        typer.Option(help="Keep the recording, with all messages, in this folder.", show_default=False),
    ] = None,
    voice: VoiceOption = "default",
    recogniser: RecogniserOption = "default",
    detector: DetectorOption = "default",
    turn_detector: TurnDetectorOption = "default",
    simulated: Annotated[
        bool, typer.Option("--simulated", help="Simulated time; for endpoints in this process.")
    ] = False,
    json: Json = False,
) -> None:
    """Say one sentence to an endpoint, and tell what it does: formats, pace, latency, events, problems.

    Exits with 1 if it cannot be reached or no reply is heard, with 2 if the address or its key is amiss.
    """
    from agent.cli.endpoints.probe import ProbeRequest, probe
    from agent.cli.runs.request import EngineChoice

    choice = EngineChoice(voice, recogniser, detector, turn_detector, "")
    exits.leave(probe(ProbeRequest(url, choice, say, wait, language, out, simulated, json)))


@app.command("check", epilog='Example:  viva endpoint check "my.yaml?rate=16000" --traffic raw.jsonl')
def endpoint_check(
    file: Annotated[
        str,
        typer.Argument(help="A file, also as FILE?NAME=VALUE, or the name of a vendor."),
    ],
    traffic: Annotated[
        Path | None, typer.Option(help="Recorded messages (raw.jsonl): say what the file makes of each.")
    ] = None,
    json: Json = False,
) -> None:
    """Check the file of an endpoint; exits with 1 if it does not explain every recorded message."""
    from agent.cli.endpoints.check import check

    exits.leave(check(file, traffic, json))


@app.command("schema", epilog="Example:  viva endpoint schema > endpoint.schema.json")
def endpoint_schema() -> None:
    """Print the JSON Schema of such a file, for editors."""
    from agent.cli.endpoints.check import schema

    exits.leave(schema())
