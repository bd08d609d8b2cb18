"""Relevant Rate (S3-Bench): does an answer hold the words that belong to its subject? Pure.

*Loose*: any keyword of the item is in the answer. *Strict*: at least one of each of the three
categories, core entity, target concept and knowledge anchor. Keywords are found as facts are: whole
words, plurals folded, spelled letters joined, but spelt right ("crisps" are no CRISPR); what is said in the
negative still is on the subject. A keyword of one or two letters must be there as written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scenarios.facts.matching import Token, tokens
from scenarios.schema import Keywords

CATEGORIES = ("core_entity", "target_concept", "knowledge_anchor")

EXACT_LETTERS = 2
"""Keywords up to this length are words of many texts: they must have the case in which they are written."""

NO_CATEGORY = "category_without_keywords"
ONLY_OF_THE_QUESTION = "keywords_only_of_the_question"


@dataclass(frozen=True, slots=True)
class Relevance:
    """Which keywords an answer holds.

    Attributes:
        found: By category.
        loose: Any of them; None if the item has no keywords.
        strict: One of each category; None if a category has none.
        beyond_question: Any that the question did not hold already; None if all are in the question.
    """

    found: Mapping[str, tuple[str, ...]]
    loose: bool | None
    strict: bool | None
    beyond_question: bool | None


def relevance(keywords: Keywords, answer: str, question: str = "") -> Relevance:
    """Look for an item's keywords in an answer.

    Args:
        keywords: Of the item.
        answer: As it was heard or written; "" holds nothing.
        question: What was asked: an answer that only repeats its words is relevant by the letter alone.
    """
    given: dict[str, tuple[str, ...]] = {name: getattr(keywords, name) for name in CATEGORIES}
    heard, asked = tokens(answer), tokens(question)
    found = {name: tuple(_held(words, answer, heard)) for name, words in given.items()}
    new = [word for words in given.values() for word in words if not list(_held([word], question, asked))]
    return Relevance(
        found=found,
        loose=any(found.values()) if keywords else None,
        strict=all(found.values()) if all(given.values()) else None,
        beyond_question=any(_held(new, answer, heard)) if new else None,
    )


def _held(words: Iterable[str], text: str, parsed: list[Token]) -> Iterable[str]:
    for word in words:
        if len(word) <= EXACT_LETTERS:
            if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text):
                yield word
        elif _said(word, parsed):
            yield word


def _said(word: str, parsed: list[Token]) -> bool:
    """Whether neighbouring tokens are a keyword's, whatever the spaces between."""
    wanted = "".join(token.form for token in tokens(word))
    for begin in range(len(parsed)):
        heard = ""
        for token in parsed[begin:]:
            heard += token.form
            if heard == wanted:
                return bool(wanted)
            if not wanted.startswith(heard):
                break
    return False
