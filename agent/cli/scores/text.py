"""`viva text`: error rates of pairs of texts, and how a text is said aloud."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.output import complain, print_json

if TYPE_CHECKING:
    from scenarios.spoken.terms import Rarity
    from scoring.text.rates import TextPair, TextRates


@dataclass(frozen=True, slots=True)
class TextRequest:
    """What was asked for.

    Attributes:
        pairs: File of pairs, "-" for standard input, or "".
        say: A text to say aloud, or None.
        counts: File of words and their occurrences.
        lexicon: File of names and how they are said.
        spoken_digits: The loose rule takes "H two O" for H2O.
    """

    pairs: str = ""
    say: str | None = None
    counts: Path | None = None
    lexicon: Path | None = None
    spoken_digits: bool = True
    json: bool = False


def text(request: TextRequest) -> int:
    """Compare pairs, or say a text."""
    if bool(request.pairs) == (request.say is not None):
        return complain(ValueError("give either a file of pairs or --say TEXT"), exits.BAD_INPUT)
    return _say(request, request.say) if request.say is not None else _compare(request)


def _say(request: TextRequest, written: str) -> int:
    from scenarios.problems import ScenarioError
    from scenarios.spoken.lexicon import Lexicon
    from scenarios.spoken.verbalise import verbalise

    try:
        lexicon = Lexicon.shipped()
        if request.lexicon is not None:
            lexicon = lexicon.extended(request.lexicon)
    except ScenarioError as error:
        return complain(error, exits.BAD_INPUT)
    spoken = verbalise(written, lexicon)
    if request.json:
        print_json({"text": written, "spoken": spoken})
    else:
        sys.stdout.write(f"{spoken}\n")
    return exits.PASS


def _compare(request: TextRequest) -> int:
    from scenarios.spoken.terms import Counts, CountsUnreadable
    from scoring.text.pairs import PairUnreadable, rates_to_json, read_pairs, utf8_lines
    from scoring.text.rates import combined, compare

    source = "standard input" if request.pairs == "-" else request.pairs
    try:
        data = sys.stdin.buffer.read() if request.pairs == "-" else Path(source).read_bytes()
        pairs = list(read_pairs(utf8_lines(data, source), source))
        rarity = Counts.read(request.counts) if request.counts else _word_frequencies(pairs)
    except (PairUnreadable, CountsUnreadable, OSError) as error:
        return complain(error, exits.BAD_INPUT)
    found = [compare(pair, rarity, spoken_digits=request.spoken_digits) for pair in pairs]
    total = combined(found)
    if request.json:
        print_json(rates_to_json(total, found))
    else:
        _print_table(len(found), total)
    return exits.PASS


def _word_frequencies(pairs: Iterable[TextPair]) -> Rarity | None:
    """The package `wordfreq`, where it is needed and installed."""
    from importlib.util import find_spec

    from scenarios.spoken.terms import WordFrequencies

    needed = any(pair.terms is None for pair in pairs)
    return WordFrequencies() if needed and find_spec("wordfreq") else None


def _print_table(pairs: int, total: TextRates) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("rate", "errors", "of", "value", box=None, title=f"{pairs} pairs")
    for name, rate, what in (
        ("WER", total.wer, "words"),
        ("CER", total.cer, "characters"),
        ("EER", total.eer, "terms"),
        ("EER unordered", total.eer_unordered, "terms"),
        ("AER strict", total.aer_strict, "abbreviations"),
        ("AER loose", total.aer_loose, "abbreviations"),
    ):
        value = "unscored" if rate.value is None else f"{100 * rate.value:.2f} %"
        table.add_row(name, str(rate.errors), f"{rate.of} {what}", value)
    console = Console()
    console.print(table)
    for cause, count in sorted(total.unscored.items()):
        console.print(f"unscored: {count} {cause.replace('_', ' ')}")
