"""Commands for people who want to hear it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent.cli import exits
from agent.cli.options import Json
from agent.cli.studio.label_options import (
    AbOption,
    AgainOption,
    CompareWithOption,
    DimensionsOption,
    LabelOption,
    LabelsOption,
    OrderSeedOption,
    ReviewOption,
    StoreOption,
    TwiceOption,
)

app = typer.Typer()


@app.command(epilog="Example:  viva listen recordings/episodes/demo-20260101-120000")
def listen(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Episodes, runs, folders of runs; a grown pack (default: recordings/episodes, "
            "recordings/samples).",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            help="Port; 0 takes a free one (default: 8790, or the next that is free).",
            min=0,
            max=65535,
            show_default=False,
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on; others than this machine only if you say so.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    label: LabelOption = "",
    ab: AbOption = "",
    review: ReviewOption = "",
    dimensions: DimensionsOption = "",
    twice: TwiceOption = None,
    again: AgainOption = 0.0,
    judge: CompareWithOption = "",
    seed: OrderSeedOption = 0,
    labels: LabelsOption = None,
    store: StoreOption = Path("battles.jsonl"),
    mic: Annotated[
        str,
        typer.Option(help="Address of an endpoint to call by the page's microphone.", show_default=False),
    ] = "",
    mic_scenario: Annotated[
        str, typer.Option(help="Scenario of guided and co-pilot calls by the page's microphone.")
    ] = "",
    json: Json = False,
) -> None:
    """Listen to recorded calls, look at them, label them: the studio, a page served by this machine."""
    from agent.cli.studio.labelling import LabelRequest
    from agent.cli.studio.listen import ListenRequest
    from agent.cli.studio.listen import listen as command

    named = tuple(name.strip() for name in dimensions.split(",") if name.strip())
    labelling = LabelRequest(label, ab, review, named, twice, again, judge, seed, labels, store)
    calls = None
    if mic:
        from agent.cli.mic.page import page_calls

        calls = page_calls(mic, mic_scenario)
    exits.leave(command(ListenRequest(tuple(paths or ()), host, port, browser, json, labelling, calls)))
