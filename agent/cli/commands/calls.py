"""Commands that hold calls."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent.cli import exits
from agent.cli.options import (
    DetectorOption,
    Json,
    MaxLateness,
    Out,
    RecogniserOption,
    TurnDetectorOption,
    VoiceOption,
)

app = typer.Typer()


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
    from agent.cli.runs.demo import demo as command
    from agent.cli.runs.request import EngineChoice

    choice = EngineChoice(voice, recogniser, detector, turn_detector, "")
    exits.leave(command(out, choice, max_lateness, json))


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
    from agent.cli.endpoints.serve import serve as command

    exits.leave(command(host, port, variant))


@app.command(epilog="Example:  viva doctor --json")
def doctor(json: Json = False) -> None:
    """Say what works on this machine, what is missing, and how to get it."""
    from agent.cli.doctor import doctor as command

    exits.leave(command(json))


@app.command(
    epilog="Example:  viva selftest --quick    Only some:  viva selftest --defect late --defect noise"
)
def selftest(
    quick: Annotated[bool, typer.Option("--quick", help="A few defects, one call each.")] = False,
    defect: Annotated[
        list[str] | None, typer.Option(help="Defect to plant; several may be given (default: all).")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(help="Calls for each defect (default: 10).", min=1, show_default=False)
    ] = None,
    begin: Annotated[int, typer.Option(help="The first seed.", min=0)] = 3000,
    wall_clock: Annotated[
        bool, typer.Option("--wall-clock", help="Also hold one call of each in real time.")
    ] = False,
    processes: Annotated[int, typer.Option(help="Processes that hold calls.", min=1)] = 2,
    recogniser: Annotated[
        str, typer.Option(help="What puts the replies into words, e.g. whisper:base, whisper:tiny.")
    ] = "whisper:base",
    out: Annotated[
        Path | None, typer.Option(help="Folder for the recordings (default: none kept).")
    ] = None,
    json: Json = False,
) -> None:
    """Plant defects in the reference endpoint and count how many are found: can the examiner be trusted?"""
    from agent.cli.selftest.selftest import SelftestRequest
    from agent.cli.selftest.selftest import selftest as command

    names = tuple(defect or ())
    exits.leave(
        command(SelftestRequest(names, seeds, begin, quick, wall_clock, processes, out, json, recogniser))
    )
