"""`viva scenarios verify`: every query of a pack is spoken, transcribed and compared."""

from __future__ import annotations

import json as json_text
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.output import complain, print_json
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from agent.cli.packs.spoken_queries import Bench
    from scenarios.basics import Say
    from scenarios.load import LoadedScenario
    from scenarios.problems import Place
    from scoring.verify import Checked

FILE = "verify.json"
"""What is written, unless another name is given."""


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """What was asked for.

    Attributes:
        packs: Packs, scenarios of them, or files.
        floor: The least P.808; 0 leaves quality unmeasured.
        limit: Only so many queries; 0 takes all.
        out: The file to write.
    """

    packs: list[str]
    voice: str = "default"
    recogniser: str = "default"
    floor: float = 3.5
    limit: int = 0
    out: Path = Path(FILE)
    json: bool = False


def verify(request: VerifyRequest) -> int:
    """Check the packs; 1 if a person must look at a query."""
    from scenarios.load import find
    from scenarios.problems import ScenarioError
    from scoring.verify import summary, worst_first
    from streams.speech.interfaces import EngineMisnamed, SpeechError

    try:
        loaded = [one for name in request.packs for one in find(name)]
        bench = make_bench(request.voice, request.recogniser, request.floor)
        checked = run_loop(check_all(loaded, bench, request.limit))
        report = {
            "packs": request.packs,
            "voice": bench.voice.identity.name,
            "recogniser": bench.recogniser.identity.name,
            "floor": request.floor,
            **summary(checked),
            "look_at": [one.to_json() for one in worst_first(checked)],
        }
        whole = {**report, "queries_checked": [one.to_json() for one in checked]}
        request.out.write_text(
            json_text.dumps(whole, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    except (ScenarioError, EngineMisnamed) as error:
        return complain(error, exits.BAD_INPUT)
    except SpeechError as error:
        return complain(error, exits.OUR_FAILURE)
    except OSError as error:
        return complain(error, exits.for_disk(error))
    if request.json:
        print_json(report)
    else:
        _print(report, request.out)
    return exits.GATE_FAILED if report["to_look_at"] else exits.PASS


def make_bench(voice: str, recogniser: str, floor: float) -> Bench:
    """The engines; with a floor of 0 quality is not measured.

    Raises:
        SpeechError: One is not installed.
    """
    from agent.cli.packs.spoken_queries import Bench
    from streams.audio import Samples
    from streams.speech import select
    from streams.speech.dnsmos import Dnsmos
    from streams.speech.voice_cache import VoiceCache

    dnsmos = Dnsmos() if floor else None

    def p808(samples: Samples) -> float:
        assert dnsmos is not None
        return dnsmos.score(samples).p808

    return Bench(
        select.voice(voice, os.environ),
        select.recogniser(recogniser, os.environ),
        p808 if dnsmos else None,
        VoiceCache.default(),
        floor,
    )


def queries(loaded: Sequence[LoadedScenario]) -> Iterator[tuple[LoadedScenario, Place, Say]]:
    """Everything that is said in scenarios, options read aloud."""
    from scenarios.items import query
    from scenarios.lines import lines
    from scenarios.schema import Turn

    for one in loaded:
        for place, say in lines(one.scenario):
            yield one, place, query(say) if isinstance(say, Turn) else say


async def check_all(loaded: Sequence[LoadedScenario], bench: Bench, limit: int = 0) -> list[Checked]:
    """All queries one after the other, each with a line of progress."""
    from agent.cli.packs.spoken_queries import check

    wanted = list(queries(loaded))[: limit or None]
    checked = []
    for number, (one, place, say) in enumerate(wanted, 1):
        found = await check(one, place, say, bench)
        checked.append(found)
        look = ", ".join(found.looks) or "good"
        sys.stderr.write(f"[{number}/{len(wanted)}] {found.scenario} {found.place}  {look}\n")
    return checked


def _print(report: dict[str, Any], out: Path) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from scoring.report.safe import neutralise

    table = Table("query", "look at", "written", "heard", "differences", "P.808", box=None)
    for row in report["look_at"]:
        clear = (f"{d['wanted'] or '-'} / {d['heard'] or '-'}" for d in row["differences"] if d["clear"])
        quality = "" if row["p808"] is None else f"{row['p808']:.2f}"
        cells = (row["text"], row["heard"] or row["unscored"] or "", "; ".join(clear), quality)
        name = f"{row['scenario']} {row['place']}"
        table.add_row(name, ", ".join(row["look"]), *(Text(neutralise(cell)) for cell in cells))
    console = Console()
    console.print(table)
    wer = "" if report["wer"] is None else f", word errors {report['wer']:.1%}"
    console.print(f"{report['to_look_at']} of {report['queries']} queries to look at{wer}; all in {out}")
