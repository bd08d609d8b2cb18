"""`viva scenarios`: packs and scenario files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent.cli import exits
from agent.cli.judging.options import DryRunOption
from agent.cli.options import Json, RecogniserOption, VoiceOption

TokensOption = Annotated[int | None, typer.Option(help="Budget in tokens.", min=1, show_default=False)]
UsdOption = Annotated[float | None, typer.Option(help="Budget in US dollars.", min=0, show_default=False)]
FloorOption = Annotated[
    float,
    typer.Option(help="The least P.808 score of a line; 0 leaves quality unmeasured.", min=0, max=5),
]

app = typer.Typer(help="List, check and start scenarios.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list", epilog="Example:  viva scenarios list demo")
def scenarios_list(
    packs: Annotated[
        list[str] | None, typer.Argument(help="Packs (default: all that are shipped).")
    ] = None,
    json: Json = False,
) -> None:
    """List packs and their scenarios."""
    from agent.cli.packs.scenarios import list_scenarios

    exits.leave(list_scenarios(packs or [], json))


@app.command("check", epilog="Example:  viva scenarios check my-pack/")
def scenarios_check(
    paths: Annotated[list[str], typer.Argument(help="Scenario files or pack folders.")], json: Json = False
) -> None:
    """Check scenario files; every problem with its file, line, and remedy."""
    from agent.cli.packs.scenarios import check

    exits.leave(check(paths, json))


@app.command("schema", epilog="Example:  viva scenarios schema > scenario.schema.json")
def scenarios_schema() -> None:
    """Print the JSON Schema of a scenario, for editors."""
    from agent.cli.packs.scenarios import schema

    exits.leave(schema())


@app.command("new", epilog="Example:  viva scenarios new my-pack/hello.yaml --policy adaptive")
def scenarios_new(
    path: Annotated[Path, typer.Argument(help="File to write; it must not exist.")],
    policy: Annotated[str, typer.Option(help="scripted, adaptive or llm.")] = "scripted",
) -> None:
    """Write a commented scenario to start from."""
    from agent.cli.packs.scenarios import new

    exits.leave(new(path, policy))


@app.command("verify", epilog="Example:  viva scenarios verify my-pack/ --limit 20")
def scenarios_verify(
    packs: Annotated[list[str], typer.Argument(help="Packs, scenarios of them, or files.")],
    voice: VoiceOption = "default",
    recogniser: RecogniserOption = "default",
    floor: FloorOption = 3.5,
    limit: Annotated[int, typer.Option(help="Only so many queries; 0 takes all.", min=0)] = 0,
    out: Annotated[Path, typer.Option(help="File to write.")] = Path("verify.json"),
    json: Json = False,
) -> None:
    """Speak every query, transcribe it, compare; exits with 1 if a person must look at one."""
    from agent.cli.packs.verify import VerifyRequest, verify

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
    from agent.cli.exchange.pack import import_pack

    exits.leave(import_pack(format, file, out, limit, json))


@app.command(
    "grow",
    epilog="Example:  viva scenarios grow expression --out more --count 100 --llm http://127.0.0.1:8095/v1#NAME",
)
def scenarios_grow(
    seeds: Annotated[list[str], typer.Argument(help="Packs, scenarios of them, or files to grow from.")],
    out: Annotated[Path, typer.Option(help="Folder of the new pack; asking again goes on with it.")],
    count: Annotated[int, typer.Option(help="Scenarios that it should have.", min=1)],
    llm: Annotated[
        str,
        typer.Option(help="Language model, e.g. http://127.0.0.1:8095/v1#NAME.", envvar="VIVA_GROW_LLM"),
    ],
    seed: Annotated[int, typer.Option(help="Of every choice.")] = 0,
    shots: Annotated[int, typer.Option(help="Examples in a question.", min=1, max=20)] = 4,
    temperature: Annotated[float, typer.Option(help="Of the model.", min=0, max=2)] = 0.7,
    tries: Annotated[
        int, typer.Option(help="Questions for each scenario, on average, before giving up.", min=1)
    ] = 5,
    similar: Annotated[
        float, typer.Option(help="Similarity from which two prompts are the same.", min=0, max=1)
    ] = 0.8,
    sample: Annotated[
        int, typer.Option(help="Scenarios, drawn at random, that a person should check.", min=0)
    ] = 50,
    licence: Annotated[str, typer.Option(help="Of the new pack (default: that of the seeds).")] = "",
    voice: VoiceOption = "default",
    recogniser: RecogniserOption = "default",
    floor: FloorOption = 3.5,
    cache: Annotated[
        Path | None, typer.Option(help="Folder of the answers (default: OUT/answers).", show_default=False)
    ] = None,
    tokens: TokensOption = None,
    usd: UsdOption = None,
    dry_run: DryRunOption = False,
    json: Json = False,
) -> None:
    """Grow a pack of expression scenarios: a language model writes new ones after examples.

    Each is checked as a scenario, against all others, and by ear; what fails is kept out and counted.
    """
    from agent.cli.packs.grow import GrowRequest, grow
    from agent.cli.packs.grow_loop import Recipe

    recipe = Recipe(count, seed, shots, tries, similar, temperature)
    request = GrowRequest(
        seeds,
        out,
        recipe,
        llm,
        licence,
        sample,
        voice,
        recogniser,
        floor,
        cache,
        tokens,
        usd,
        dry_run,
        json,
    )
    exits.leave(grow(request))


@app.command("review", epilog="Example:  viva scenarios review more --take-out")
def scenarios_review(
    file: Annotated[Path, typer.Argument(help="A grown pack, or the review.jsonl in it.")],
    take_out: Annotated[
        bool, typer.Option("--take-out", help="Take what is not consistent out of the pack, for good.")
    ] = False,
    json: Json = False,
) -> None:
    """Say how consistent level and manner of a grown pack are, by people's answers to a sample.

    They answer in the studio (viva listen PACK --review NAME), or fill in review.jsonl by hand.
    """
    from agent.cli.packs.grow_review import review

    exits.leave(review(file, take_out, json))


@app.command("keywords", epilog="Example:  viva scenarios keywords science-knowledge/cherenkov-open")
def scenarios_keywords(
    packs: Annotated[list[str], typer.Argument(help="Packs, scenarios of them, or files.")],
    most: Annotated[int, typer.Option(help="At most so many of a category.", min=1)] = 3,
    llm: Annotated[
        str,
        typer.Option(
            help="Language model that proposes, e.g. http://127.0.0.1:8095/v1#NAME (default: rules).",
            envvar="VIVA_KEYWORDS_LLM",
        ),
    ] = "",
    write: Annotated[
        bool, typer.Option("--write", help="Put them into the files, beside what stands there.")
    ] = False,
    cache: Annotated[
        Path | None, typer.Option(help="Folder where the model's answers are kept.", show_default=False)
    ] = None,
    tokens: TokensOption = None,
    usd: UsdOption = None,
    json: Json = False,
) -> None:
    """Propose keywords for questions of knowledge, each with its sources, as YAML to paste or in the files.

    An item that has keywords keeps them.
    """
    from agent.cli.judging.keywords import KeywordsRequest, keywords

    exits.leave(keywords(KeywordsRequest(packs, most, write, llm, cache, tokens, usd, json)))
