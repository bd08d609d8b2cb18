"""Questions that are known by their wording, such as a quiz has them. Pure; tolerant to ASR spellings."""

from __future__ import annotations

from rapidfuzz import fuzz, process

from streams.reference.words import words

_ALIKE = 84
"""Likeness of spelling (0 to 100) from which a question is the one that is known."""


class Verbatim:
    """Answers by the question's wording."""

    def __init__(self) -> None:
        self._answers: dict[str, str] = {}

    def add(self, question: str, answer: str) -> None:
        """Learn an answer."""
        self._answers[" ".join(words(question))] = answer

    def answer(self, text: str) -> str | None:
        """The answer to the question that is most alike, or None if none is alike."""
        said = " ".join(words(text))
        best = process.extractOne(said, self._answers.keys(), scorer=fuzz.ratio, score_cutoff=_ALIKE)
        return None if best is None else self._answers[best[0]]
