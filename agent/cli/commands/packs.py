"""`viva scenarios`: packs and scenario files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent.cli import exits
from agent.cli.options import Json, RecogniserOption, VoiceOption

app = typer.Typer(help="List, check and start scenarios.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list", epilog="Example:  viva scenarios list demo")
def scenarios_list(
    packs: Annotated[
        list[str] | None, typer.Argument(help="Packs (default: all that are shipped).")
    ] = None,
    json: Json = False,
) -> None:
    """List packs and their scenarios."""
    from agent.cli.scenarios import list_scenarios

    exits.leave(list_scenarios(packs or [], json))


@app.command("check", epilog="Example:  viva scenarios check my-pack/")
def scenarios_check(
    paths: Annotated[list[str], typer.Argument(help="Scenario files or pack folders.")], json: Json = False
) -> None:
    """Check scenario files; every problem with its file, line, and remedy."""
    from agent.cli.scenarios import check

    exits.leave(check(paths, json))


@app.command("schema", epilog="Example:  viva scenarios schema > scenario.schema.json")
def scenarios_schema() -> None:
    """Print the JSON Schema of a scenario, for editors."""
    from agent.cli.scenarios import schema

    exits.leave(schema())


@app.command("new", epilog="Example:  viva scenarios new my-pack/hello.yaml --policy adaptive")
def scenarios_new(
    path: Annotated[Path, typer.Argument(help="File to write; it must not exist.")],
    policy: Annotated[str, typer.Option(help="scripted, adaptive or llm.")] = "scripted",
) -> None:
    """Write a commented scenario to start from."""
    from agent.cli.scenarios import new

    exits.leave(new(path, policy))


@app.command("verify", epilog="Example:  viva scenarios verify my-pack/ --limit 20")
def scenarios_verify(
    packs: Annotated[list[str], typer.Argument(help="Packs, scenarios of them, or files.")],
    voice: VoiceOption = "default",
    recogniser: RecogniserOption = "default",
    floor: Annotated[
        float,
        typer.Option(help="The least P.808 score of a query; 0 leaves quality unmeasured.", min=0, max=5),
    ] = 3.5,
    limit: Annotated[int, typer.Option(help="Only so many queries; 0 takes all.", min=0)] = 0,
    out: Annotated[Path, typer.Option(help="File to write.")] = Path("verify.json"),
    json: Json = False,
) -> None:
    """Speak every query, transcribe it, compare; exits with 1 if a person must look at one."""
    from agent.cli.verify import VerifyRequest, verify

    exits.leave(verify(VerifyRequest(packs, voice, recogniser, floor, limit, out, json)))


@app.command("import", epilog="Example:  viva scenarios import pubmedqa ori_pqal.json --out pubmedqa-pack")
def scenarios_import(
    format: Annotated[str, typer.Argument(help="sciknoweval, pubmedqa, vocalbench or bigbench.")],
    file: Annotated[Path, typer.Argument(help="A file of the public set.")],
    out: Annotated[Path, typer.Option(help="Folder of the new pack; it must not exist.")],
    limit: Annotated[int, typer.Option(help="Only so many questions; 0 takes all.", min=0)] = 0,
    json: Json = False,
) -> None:
    """Make a pack of the questions of a public set; what cannot be asked is left out and counted."""
    from agent.cli.import_pack import import_pack

    exits.leave(import_pack(format, file, out, limit, json))


@app.command("keywords", epilog="Example:  viva scenarios keywords science-knowledge/cherenkov-open")
def scenarios_keywords(
    packs: Annotated[list[str], typer.Argument(help="Packs, scenarios of them, or files.")],
    most: Annotated[int, typer.Option(help="At most so many of a category.", min=1)] = 3,
    json: Json = False,
) -> None:
    """Propose keywords for questions of knowledge, each with its sources, as YAML to paste."""
    from agent.cli.scenarios import keywords

    exits.leave(keywords(packs, most, json))
