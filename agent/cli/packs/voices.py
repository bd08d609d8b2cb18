"""`viva voices`: who can speak and how; measured, recognised, written to files."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.output import complain, print_json
from scenarios.manners import STYLES, VOICES, Manner
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from rich.table import Table

    from agent.cli.packs.voice_check import Row
    from streams.speech.interfaces import Recogniser, Speech, Voice

SAMPLE = "Well, I have thought about it, and I would like to keep the old one, if that is possible."


def voices(check: bool, out: Path | None, voice: str, recogniser: str, json: bool) -> int:
    """List voices and styles; with `check` measure them, with `out` write a sample of each.

    Returns:
        1 if a style is outside its bands or a manner is much less intelligible than the plain resynthesis.
    """
    from streams.speech import select
    from streams.speech.interfaces import EngineMisnamed, SpeechError

    report: dict[str, Any] = {"voices": _listed(VOICES), "styles": _listed(STYLES)}
    try:
        if out is not None:
            report["samples"] = run_loop(_write(select.voice(voice, os.environ), out))
        rows: list[Row] = []
        if check:
            ears = None if recogniser == "none" else select.recogniser(recogniser, os.environ)
            rows = run_loop(_check(select.voice(voice, os.environ), ears, quiet=json))
            report["check"] = [row_json(row) for row in rows]
    except EngineMisnamed as error:
        return complain(error, exits.BAD_INPUT)
    except SpeechError as error:
        return complain(error, exits.OUR_FAILURE)
    except OSError as error:
        return complain(error, exits.for_disk(error))
    if json:
        print_json(report)
    elif not check and out is None:
        _print_list()
    return exits.PASS if all(row.passes for row in rows) else exits.GATE_FAILED


def row_json(row: Row) -> dict[str, Any]:
    """A row as plain values."""
    return {
        "name": row.name,
        "kind": row.kind,
        "passes": row.passes,
        "wer": None if row.wer is None else round(row.wer, 4),
        "words": row.words,
        "names_heard": row.names,
        "times_real_time": round(row.speed, 1),
        "traits": {
            check.trait: {
                "measured": None if check.measured is None else round(check.measured, 3),
                "band": list(check.band),
                "fits": check.fits,
            }
            for check in row.checks
        },
    }


def _listed(manners: Mapping[str, Manner]) -> list[dict[str, Any]]:
    return [{"name": name, "spec": str(manner), **asdict(manner)} for name, manner in manners.items()]


def _print_list() -> None:
    from rich.console import Console
    from rich.table import Table

    for kind, manners in (("voice", VOICES), ("style", STYLES)):
        table = Table(kind, "what it does to the machine's voice", box=None)
        for name, manner in manners.items():
            table.add_row(name, str(manner) or "nothing")
        Console().print(table, "")


async def _write(voice: Voice, out: Path) -> list[str]:
    """A WAV of every voice and style; returns their paths."""
    from streams.speech import workers

    speech = await voice.speak(SAMPLE)
    paths = []
    for kind, manners in (("voice", VOICES), ("style", STYLES)):
        for name, manner in manners.items():
            path = out / f"{kind}-{name}.wav"
            await workers.run(_write_one, speech, manner, path, kind="tts")
            sys.stderr.write(f"{path}\n")
            paths.append(str(path))
    return paths


def _write_one(speech: Speech, manner: Manner, path: Path) -> None:
    import soundfile

    from streams.audio import to_pcm
    from user_sim.manner.spoken import in_manner

    pcm = in_manner(speech, manner, speech.rate)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        soundfile.write(file, to_pcm(pcm), speech.rate, format="WAV")


async def _check(voice: Voice, recogniser: Recogniser | None, *, quiet: bool) -> list[Row]:
    from rich.console import Console

    from agent.cli.packs.voice_check import examine

    rows = []
    async for row in examine(voice, recogniser):
        rows.append(row)
        sys.stderr.write(f"{row.kind} {row.name} {'' if row.passes else 'FAILS'}\n")
    if not quiet:
        Console().print(_table(rows))
    return rows


def _table(rows: list[Row]) -> Table:
    from rich.table import Table

    traits = ("duration", "pitch", "range", "level", "voicing")
    table = Table("", "WER", *traits, "names, as heard", box=None)
    for row in rows:
        found = {check.trait: check for check in row.checks}
        cells = []
        for trait in traits:
            check = found.get(trait)
            value = "" if check is None or check.measured is None else f"{check.measured:.2f}"
            cells.append(value if check is None or check.fits else f"[red]{value} not in {check.band}[/]")
        wer = "" if row.wer is None else f"{row.wer:.1%}"
        table.add_row(row.name, wer if row.intelligible else f"[red]{wer}[/]", *cells, row.names or "")
    return table
