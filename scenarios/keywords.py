"""Proposes keywords of a question of knowledge, each traceable to its sources (S3-Bench, Relevant Rate).

Candidates are runs of up to three words that carry meaning, from question, answer, explanation and
reasoning; a candidate weighs 5, 5, 3 and 2 for each of them that holds it. What the question names is a
core entity, what the answer names a target concept, what only explains a knowledge anchor. By rules, for
English; a person chooses among them. Or somebody else proposes, and what is not traceable is dropped. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from scenarios.schema import Item, Keywords

WEIGHTS: Mapping[str, int] = MappingProxyType(
    {"question": 5, "answer": 5, "explanation": 3, "reasoning": 2}
)
"""Weight of a source."""

MOST_WORDS, SHORTEST = 3, 3

_CATEGORIES = {
    "question": "core_entity",
    "answer": "target_concept",
    "explanation": "knowledge_anchor",
    "reasoning": "knowledge_anchor",
}
_PART = re.compile(r"[.,;:!?()\[\]\"“”]+(?:\s|$)|\s[–—-]\s|\(")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*[⁺⁻⁰-₉]*")
_EMPTY = frozenset(
    """a about after all also although an and another any are as at be because become becomes
    been before being between both but by call called can cannot cause causes could did do does
    during each either every first for from give given gives had happen happens has have her his
    how however if in into is it its just last like made main make makes many may me mean means
    might more most much must name needed no none not of off on one only or other our out over
    own per same say she should since so some such tell than that the their them then there
    these they this those through thus to too two under until up use used very was were what
    when where whether which while who whose why will with within without would you your""".split()  # noqa: SIM905
)
"""Words that name nothing."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A keyword that could be.

    Attributes:
        text: As it stands in the first of its sources.
        category: A field of `Keywords`.
        sources: Which of question, answer, explanation, reasoning hold it.
        weight: Sum of their weights.
    """

    text: str
    category: str
    sources: tuple[str, ...]
    weight: int


def sources(question: str, item: Item, reasoning: str = "") -> dict[str, str]:
    """The texts that a keyword can stand in; `reasoning` is taken where the item has none of its own."""
    return {
        "question": question,
        "answer": item.options.get(item.answer, item.answer),
        "explanation": item.explanation,
        "reasoning": item.reasoning or reasoning,
    }


def candidates(question: str, item: Item) -> list[Candidate]:
    """All candidates, the heaviest first; of equal weight the longer one, then that which stands first."""
    texts = sources(question, item)
    plain = {source: f" {' '.join(_words(text))} " for source, text in texts.items()}
    found: dict[str, Candidate] = {}
    for text in texts.values():
        for run in _runs(text):
            key = " ".join(_words(run))
            if key not in found:
                held = tuple(name for name in texts if f" {key} " in plain[name])
                weight = sum(WEIGHTS[name] for name in held)
                found[key] = Candidate(run, _CATEGORIES[held[0]], held, weight)
    return sorted(found.values(), key=lambda one: (-one.weight, -len(one.text.split())))


def propose(question: str, item: Item, most: int = 3) -> Keywords:
    """The keywords of `chosen`, by category."""
    return by_category(chosen(question, item, most))


def by_category(kept: Iterable[Candidate]) -> Keywords:
    """Candidates as they stand in a scenario."""
    found: dict[str, tuple[str, ...]] = {}
    for one in kept:
        found[one.category] = (*found.get(one.category, ()), one.text)
    return Keywords.model_validate(found)


def chosen(question: str, item: Item, most: int = 3) -> list[Candidate]:
    """The heaviest candidates of each category, at most `most`; none is a part of another."""
    found: list[Candidate] = []
    taken: list[str] = []
    for one in candidates(question, item):
        key = f" {one.text.casefold()} "
        of_category = sum(other.category == one.category for other in found)
        if of_category < most and not any(key in t or t in key for t in taken):
            found.append(one)
            taken.append(key)
    return found


def is_empty(word: str) -> bool:
    """Whether a word names nothing: a function word."""
    return word.casefold() in _EMPTY


def word_spans(text: str) -> list[tuple[int, int]]:
    """Where the words of a text stand."""
    return [found.span() for found in _WORD.finditer(text)]


def _runs(text: str) -> Iterator[str]:
    """Words that carry meaning, and stand together, up to three; as they are written."""
    for part in _PART.split(text):
        run: list[str] = []
        for word in [*_WORD.findall(part), "the"]:
            if not is_empty(word):
                run.append(word)
                continue
            if run and len(run) <= MOST_WORDS and len("".join(run)) >= SHORTEST:
                yield " ".join(run)
            run = []


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
