"""Commands of the event bus: runs of other processes, seen and spoken to through a broker."""

from __future__ import annotations

from typing import Annotated

import typer

from agent.cli import exits
from agent.cli.options import Json

app = typer.Typer()

Address = Annotated[
    str,
    typer.Argument(
        help="The broker and the prefix: mqtt://BROKER:PORT/PREFIX, or mqtts:// for TLS. User and password "
        "come from VIVA_MQTT_USER and VIVA_MQTT_PASSWORD."
    ),
]


@app.command(epilog="Example:  viva watch mqtt://127.0.0.1:1883/vivavoce")
def watch(
    broker: Address,
    once: Annotated[bool, typer.Option("--once", help="Show what is known now, and end.")] = False,
    forget: Annotated[
        str,
        typer.Option(help="Have the broker forget a run that is over, by its id.", show_default=False),
    ] = "",
    json: Annotated[
        bool,
        typer.Option("--json", help="One JSON object a line, each message as it comes; of --once, one."),
    ] = False,
) -> None:
    """Show runs live, wherever they are held, from what they publish with `viva run --mqtt`."""
    from agent.cli.onlookers.watch import WatchRequest
    from agent.cli.onlookers.watch import watch as command

    exits.leave(command(WatchRequest(broker, json, once, forget)))


@app.command(
    epilog="Example:  viva tell mqtt://127.0.0.1:1883/vivavoce RUN pause    "
    "viva tell mqtt://127.0.0.1:1883/vivavoce RUN say --episode crispr --text 'And what does it cost?'"
)
def tell(
    broker: Address,
    run: Annotated[str, typer.Argument(help="Id of the run, as `viva watch` shows it.")],
    command: Annotated[str, typer.Argument(help="pause, resume, stop, say, take_over or give_back.")],
    episode: Annotated[str, typer.Option(help="Of which call; say, take_over and give_back need it.")] = "",
    text: Annotated[str, typer.Option(help="What the user shall say next.")] = "",
    json: Json = False,
) -> None:
    """Send a command to a run that is going on; it obeys those that its --mqtt-allow names."""
    from agent.cli.onlookers.tell import tell as work

    exits.leave(work(broker, run, command, episode, text, json=json))
