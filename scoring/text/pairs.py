"""Pairs of texts as JSON lines, and their rates as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from scoring.text.normaliser import NORMALISER
from scoring.text.rates import PairErrors, Rate, TextPair, TextRates


class PairUnreadable(ValueError):
    """A line that is not a pair of texts."""

    def __init__(self, source: str, line: int, found: str, expected: str) -> None:
        self.source = source
        self.line = line
        self.found = found
        self.expected = expected
        super().__init__(f"{source}:{line}: found {found}, expected {expected}")


def utf8_lines(data: bytes, source: str) -> list[str]:
    """The lines of a file.

    Raises:
        PairUnreadable: They are not UTF-8.
    """
    try:
        return data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise PairUnreadable(source, line, f"the byte 0x{data[error.start]:02x}", "UTF-8") from error


def read_pairs(lines: Iterable[str], source: str) -> Iterator[TextPair]:
    """Pairs of texts from lines of `{"id", "reference", "hypothesis", "terms"?}`; empty ones are left out.

    Args:
        lines: JSON objects; other keys may stand in them.
        source: Name of the file, for messages.

    Raises:
        PairUnreadable: With file, line, what was found and what was expected.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _pair(line, source, number)


def rates_to_json(total: TextRates, pairs: Iterable[PairErrors]) -> dict[str, Any]:
    """The rates over all pairs, and each pair's own."""
    return {
        "normaliser": NORMALISER,
        "wer": {**_rate(total.wer, "words"), "insertions_without_reference": total.inserted_alone},
        "cer": _rate(total.cer, "characters"),
        "eer": {**_rate(total.eer, "terms"), "unordered": _rate(total.eer_unordered, "terms")},
        "aer_strict": _rate(total.aer_strict, "abbreviations"),
        "aer_loose": _rate(total.aer_loose, "abbreviations"),
        "unscored": dict(sorted(total.unscored.items())),
        "items": [_item(pair) for pair in pairs],
    }


def _rate(rate: Rate, what: str) -> dict[str, Any]:
    return {"value": rate.value, "errors": rate.errors, what: rate.of}


def _item(pair: PairErrors) -> dict[str, Any]:
    words, found, short = pair.words, pair.terms, pair.abbreviations
    item: dict[str, Any] = {
        "id": pair.id,
        "wer": None if "wer" in pair.unscored else words.rate,
        "words": words.reference_words,
        "substitutions": words.substitutions,
        "deletions": words.deletions,
        "insertions": words.insertions,
        "cer": None if "cer" in pair.unscored else pair.characters.rate,
        "eer": Rate(found.errors, found.terms).value if found else None,
        "eer_unordered": Rate(found.unordered, found.terms).value if found else None,
        "aer_strict": Rate(short.strict, short.abbreviations).value,
        "aer_loose": Rate(short.loose, short.abbreviations).value,
    }
    if pair.unscored:
        item["unscored"] = dict(pair.unscored)
    if words.emptied:
        item["note"] = "empty_after_normalisation"
    if found and found.absent:
        item["terms_not_in_reference"] = list(found.absent)
    return item


def _pair(line: str, source: str, number: int) -> TextPair:
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        raise PairUnreadable(source, number, f"no JSON ({error})", "one JSON object a line") from error
    if not isinstance(data, dict):
        raise PairUnreadable(source, number, type(data).__name__, "a JSON object")
    name = data.get("id")
    if isinstance(name, bool) or not isinstance(name, str | int):
        raise PairUnreadable(source, number, _found(data, "id"), "a text or a whole number")
    for key in ("reference", "hypothesis"):
        if not isinstance(data.get(key), str):
            raise PairUnreadable(source, number, _found(data, key), "a text; an empty one is allowed")
    terms = data.get("terms")
    if terms is not None and not (isinstance(terms, list) and all(isinstance(t, str) for t in terms)):
        raise PairUnreadable(source, number, _found(data, "terms"), "a list of texts")
    return TextPair(name, data["reference"], data["hypothesis"], None if terms is None else tuple(terms))


def _found(data: dict[str, Any], key: str) -> str:
    return f"{key}: {json.dumps(data[key])[:60]}" if key in data else f"no {key}"
