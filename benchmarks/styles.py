"""Voices and styles: are they what they claim, can a recogniser follow them, and how fast are they made?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from agent.cli.packs.voice_check import RESYNTHESIS, UNTOUCHED, Row, examine
from agent.cli.packs.voices import row_json
from streams.clock import run
from streams.speech import select

BEGIN, END = "<!-- voices and styles -->", "<!-- end of voices and styles -->"


def check() -> dict[str, Any]:
    """Twelve sentences in every manner: Piper speaks, Whisper base hears."""

    async def rows() -> list[Row]:
        voice, recogniser = select.voice("default"), select.recogniser("whisper:base")
        return [row async for row in examine(voice, recogniser)]

    return summary([row_json(row) for row in run(rows())])


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of the page; `rows` are those of `viva voices --check --json`."""
    wer = {row["name"]: row["wer"] for row in rows}
    voiced = [row["name"] for row in rows if row["kind"] != "reference" and row["name"] != "whispering"]
    worst = max(voiced, key=lambda name: wer[name])
    styles = [row for row in rows if row["kind"] == "style"]
    return {
        "untouched_wer": wer[UNTOUCHED],
        "resynthesis_wer": wer[RESYNTHESIS],
        "worst_wer": wer[worst],
        "worst": worst,
        "whispering_wer": wer["whispering"],
        "styles_within_bands": sum(trait_fits(row) for row in styles),
        "styles": len(styles),
        "times_real_time": median(row["times_real_time"] for row in rows if row["kind"] == "voice"),
        "by_style": rows,
    }


def trait_fits(row: Mapping[str, Any]) -> bool:
    """Whether everything measured of a style lies within its bands."""
    return all(trait["fits"] for trait in row["traits"].values())


def write_table(page: Path, result: Mapping[str, Any]) -> None:
    """Put what every manner does, and how it is understood, between the page's markers."""
    traits = ("duration", "pitch", "range", "level", "voicing")
    lines = [
        f"| manner | WER | {' | '.join(traits)} | what is heard of CRISPR-Cas9, BRCA1 and p53 |",
        f"| --- | --- |{' --- |' * len(traits)} --- |",
    ]
    for row in result["by_style"]:
        cells = [_cell(row["traits"].get(trait)) for trait in traits]
        lines.append(f"| {row['name']} | {row['wer']:.1%} | {' | '.join(cells)} | {row['names_heard']} |")
    text = page.read_text()
    head, rest = text.split(BEGIN)
    table = "\n".join(lines)
    page.write_text(f"{head}{BEGIN}\n\n{table}\n\n{END}{rest.split(END)[1]}")


def _cell(trait: Mapping[str, Any] | None) -> str:
    if trait is None or trait["measured"] is None:
        return ""
    low, high = trait["band"]
    return f"{trait['measured']:.2f} ({low:g} to {high:g})"
