"""Questions of public sets as calls: SciKnowEval, PubMedQA, VocalBench, Big Bench. Pure.

Each question becomes a scenario with one turn and its item. What cannot be asked by voice is left out, and
counted by cause.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from scenarios.schema import Item, ItemKind, Limits, Scenario, Turn

LETTERS = "ABCDEFGHIJ"
MOST_WORDS = 120
"""A longer question cannot be asked in one turn."""


class ImportUnreadable(ValueError):
    """A file that is not of the format it was said to be."""

    def __init__(self, file: Path, found: str, expected: str) -> None:
        self.file = file
        self.found = found
        self.expected = expected
        super().__init__(f"{file}: found {found}, expected {expected}")


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a file.

    Attributes:
        scenarios: In the order of the file.
        left_out: Questions that were not taken, by cause.
    """

    scenarios: tuple[Scenario, ...]
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Question:
    """A question as it was read; `cause` says why it cannot be asked."""

    id: str
    text: str
    answer: str
    options: Mapping[str, str] = field(default_factory=dict)
    domain: str = ""
    explanation: str = ""
    source: str = ""
    terms: tuple[str, ...] = ()
    cause: str = ""


_Read = Callable[[Path], Iterator[_Question]]


def read(format: str, file: Path) -> Imported:
    """The questions of a file.

    Args:
        format: One of `FORMATS`.
        file: JSON, or for SciKnowEval one JSON object a line.

    Raises:
        ImportUnreadable: It is not of that format, or none of its questions can be asked.
        OSError: It cannot be read.
    """
    made: dict[str, Scenario] = {}
    left_out: Counter[str] = Counter()
    try:
        for question in FORMATS[format](file):
            cause, scenario = _scenario(format, question)
            if scenario is not None and scenario.id in made:
                cause, scenario = "id_twice", None
            if scenario is None:
                left_out[cause] += 1
            else:
                made[scenario.id] = scenario
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ImportUnreadable(file, f"no JSON ({error})", f"a file of {format}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise ImportUnreadable(file, f"another structure ({error})", f"a file of {format}") from error
    if not made:
        found = f"no question that can be asked ({dict(left_out)})"
        raise ImportUnreadable(file, found, f"questions of {format}")
    return Imported(tuple(made.values()), dict(left_out))


def _scenario(format: str, question: _Question) -> tuple[str, Scenario | None]:
    """The scenario, or the cause why there is none."""
    if question.cause:
        return question.cause, None
    if not question.text or not question.answer:
        return "empty", None
    if len(question.text.split()) > MOST_WORDS:
        return "too_long", None
    kind = ItemKind.CHOICE if question.options else ItemKind.OPEN
    try:
        item = Item(
            kind=kind,
            options=dict(question.options),
            answer=question.answer,
            explanation=question.explanation,
            source=question.source,
            terms=question.terms,
        )
        slug = re.sub(r"[^a-z0-9]+", "-", f"{format}-{question.id}".casefold()).strip("-")
        return "", Scenario(
            id=slug,
            title=" ".join(question.text.split())[:80],
            domain=question.domain,
            limits=Limits(max_turns=3, max_duration_s=120),
            turns=(Turn(text=question.text, item=item),),
            tags=(format,),
        )
    except ValidationError:
        return "not_an_item", None


def _sciknoweval(file: Path) -> Iterator[_Question]:
    for number, text in enumerate(file.read_text(encoding="utf-8").split("\n"), 1):
        if text.strip():
            row = json.loads(text)
            yield _Question(
                id=str(row.get("id", number)),
                text=row["question"].strip(),
                options=row["options"],
                answer=row["answer"],
                domain=row.get("domain", "").casefold(),
                source="SciKnowEval",
                terms=tuple(row.get("abbreviations", ())),
            )


def _pubmedqa(file: Path) -> Iterator[_Question]:
    """Yes, no or maybe; the abstract is not read aloud."""
    for id, row in _json(file).items():
        yield _Question(
            id=id,
            text=row["QUESTION"].strip(),
            options={"A": "yes", "B": "no", "C": "maybe"},
            answer={"yes": "A", "no": "B", "maybe": "C"}.get(row["final_decision"], ""),
            domain="medicine",
            explanation=row.get("LONG_ANSWER", ""),
            source=f"PubMed {id}",
        )


def _vocalbench(file: Path) -> Iterator[_Question]:
    for row in _json(file):
        yield _Question(
            id=row["Qid"],
            text=row["Question"].strip(),
            answer=row["Answer"].strip(),
            domain=row.get("Topic", row.get("Category", "")).casefold(),
            source=f"VocalBench ({row['Source']})",
        )


def _bigbench(file: Path) -> Iterator[_Question]:
    """A task of Big-Bench Hard, as Big Bench Audio voices it; yes or no is a choice as well."""
    for number, row in enumerate(_json(file)["examples"], 1):
        text, _, listed = row["input"].partition("\nOptions:")
        target = row["target"].strip()
        if not listed and target.casefold() in ("yes", "no"):
            listed = "\n- Yes\n- No"
        options, key, cause = _listed(listed, target)
        yield _Question(
            id=f"{file.stem}-{number}",
            text=text.removeprefix("Question:").strip(),
            options=options,
            answer=key if listed else target,
            domain="reasoning",
            source=f"BIG-Bench Hard, {file.stem}",
            cause=cause,
        )


def _listed(listed: str, target: str) -> tuple[dict[str, str], str, str]:
    """Options of a task, the right one's letter, and why they cannot be had.

    They are lines "- text", the target a text, or lines "(A) text", the target "(A)".
    """
    texts = [one.strip() for one in re.findall(r"^- (.*)$", listed, re.MULTILINE)]
    lettered = {
        letter: one.strip() for letter, one in re.findall(r"^\(([A-Z])\) (.*)$", listed, re.MULTILINE)
    }
    if listed and not (texts or lettered):
        return {}, "", "options_unreadable"
    if max(len(texts), len(lettered)) > len(LETTERS):
        return {}, "", "too_many_options"
    if lettered:
        key = target.strip("()")
        return lettered, key if key in lettered else "", ""
    options = dict(zip(LETTERS, texts, strict=False))
    key = next((letter for letter, one in options.items() if one.casefold() == target.casefold()), "")
    return options, key, ""


def _json(file: Path) -> Any:
    return json.loads(file.read_text(encoding="utf-8"))


FORMATS: Mapping[str, _Read] = MappingProxyType(
    {"sciknoweval": _sciknoweval, "pubmedqa": _pubmedqa, "vocalbench": _vocalbench, "bigbench": _bigbench}
)
"""Readers by the name of the set."""

LICENCES: Mapping[str, str] = MappingProxyType(
    {"sciknoweval": "MIT", "pubmedqa": "MIT", "vocalbench": "Apache-2.0", "bigbench": "MIT"}
)
"""Licences of the sets as they are published; single sources in them may have another."""
