"""Texts of turns as they are shown. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scenarios.spoken.terms import Rarity
from scoring.episode_view.model import Errors, ShownText, TextKind, Word
from scoring.episode_view.spans import LONGEST
from scoring.text import has_word_spaces
from scoring.text.marking import MarkedWord, compared, marked
from scoring.text.rates import Rate


@dataclass(frozen=True, slots=True)
class Writer:
    """Marks the words of one call.

    Attributes:
        language: Without spaces between its words nothing is marked.
        rarity: Says which words are terms.
        wanted: Terms that the scenario names.
    """

    language: str
    rarity: Rarity | None = None
    wanted: Sequence[str] = ()

    def plain(self, kind: TextKind, by: str, text: str | None, cause: str) -> ShownText:
        """A text that is compared with nothing."""
        if text is None:
            return ShownText(kind=kind, by=by, unscored=cause or "not_given")
        words = marked(text, self.rarity, self.wanted) if self._markable(text) else ()
        return ShownText(kind=kind, by=by, text=text, words=_words(words))

    def compared(
        self, kind: TextKind, by: str, text: str | None, references: Sequence[str], cause: str
    ) -> ShownText:
        """A text beside the forms of what it should be; without any it is shown as it is."""
        comparable = bool(references) and all(self._markable(form) for form in (*references, text or ""))
        if text is None or not comparable:
            return self.plain(kind, by, text, cause)
        found = compared(references, text, self.rarity, self.wanted)
        wrong = found.errors.errors or any(word.mark for word in found.words)
        return ShownText(
            kind=kind,
            by=by,
            text=text,
            words=_words(found.words) if wrong else (),
            errors=_errors(found.errors),
            terms=_errors(found.terms),
            abbreviations=_errors(found.abbreviations),
        )

    def _markable(self, text: str) -> bool:
        return has_word_spaces(self.language) and len(text) <= LONGEST


def _words(found: Iterable[MarkedWord]) -> tuple[Word, ...]:
    return tuple(Word(text=w.text, op=w.op, expected=w.expected, mark=w.mark) for w in found)


def _errors(rate: Rate | None) -> Errors | None:
    return Errors(wrong=rate.errors, of=rate.of) if rate is not None and (rate.of or rate.errors) else None
