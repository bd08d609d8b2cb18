"""Texts with their word errors marked, for the transcript tables. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.report.figures import clock, number
from scoring.text import Op, fewest_errors, has_word_spaces
from scoring.texts import Texts
from scoring.timeline import Exchange, Timeline


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is shown.

    Attributes:
        op: What happened to it.
        text: The word, or for a deletion the word that is missing.
        expected: For a substitution, what it should have been.
    """

    op: str
    text: str
    expected: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A text in the table: plain, or word by word where there are errors, or why there is none."""

    text: str = ""
    words: tuple[Word, ...] = ()
    errors: str = ""
    unscored: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One exchange of the table.

    Attributes:
        user_s: Where the user begins, in seconds.
        endpoint_s: Where the reply begins; None if there is none.
        verdicts: Judge, label (or "unscored: cause"), reason.
    """

    number: int
    user_s: float
    endpoint_s: float | None
    user_at: str
    endpoint_at: str
    latency: str
    cut_in: bool
    interrupted: bool
    user: tuple[Cell, Cell, Cell]
    endpoint: tuple[Cell, Cell, Cell]
    verdicts: tuple[tuple[str, str, str], ...]


def rows(timeline: Timeline, texts: Sequence[Texts], language: str) -> list[Row]:
    """The table of an episode: for each exchange what was intended, said and heard, on both sides."""
    spaced = has_word_spaces(language)
    return [
        _row(timeline, exchange, own, spaced)
        for exchange, own in zip(timeline.exchanges, texts, strict=True)
    ]


def _row(timeline: Timeline, exchange: Exchange, texts: Texts, spaced: bool) -> Row:
    forms = (texts.intended, texts.aloud) if spaced and texts.intended else ()
    own = (texts.endpoint_text,) if spaced and texts.endpoint_text else ()
    missing = texts.unscored
    return Row(
        number=exchange.index + 1,
        user_s=timeline.seconds(exchange.user.start),
        endpoint_s=timeline.seconds(exchange.reply[0].start) if exchange.reply else None,
        user_at=clock(timeline.seconds(exchange.user.start)),
        endpoint_at=clock(timeline.seconds(exchange.reply[0].start)) if exchange.reply else "",
        latency=(
            exchange.unanswered.replace("_", " ")
            if exchange.latency is None
            else number(timeline.milliseconds(exchange.latency), "ms")
        ),
        cut_in=exchange.latency is not None and exchange.latency < 0,
        interrupted=exchange.interrupted,
        user=(
            Cell(texts.intended),
            _compared(texts.said, forms, missing.get("said", "")),
            _compared(texts.endpoint_heard_user, forms, missing.get("endpoint_heard_user", "")),
        ),
        endpoint=(
            Cell(texts.endpoint_text or "", unscored=missing.get("endpoint_text", "")),
            _compared(texts.endpoint_said, own, missing.get("endpoint_said", "")),
            _compared(texts.heard, () if exchange.interrupted else own, missing.get("heard", "")),
        ),
        verdicts=tuple((v.judge, v.label or f"unscored: {v.unscored}", v.reason) for v in texts.verdicts),
    )


def _compared(text: str | None, references: Sequence[str], cause: str) -> Cell:
    if text is None:
        return Cell(unscored=cause)
    if not references:
        return Cell(text)
    found = fewest_errors(references, text)
    if not found.errors:
        return Cell(text, errors=f"0 of {found.reference_words}")
    words = tuple(
        Word(step.op.value, step.hypothesis or step.reference or "", _expected(step.op, step.reference))
        for step in found.alignment
    )
    return Cell(text, words, f"{found.errors} of {found.reference_words}")


def _expected(op: Op, reference: str | None) -> str:
    return reference or "" if op is Op.SUBSTITUTION else ""
