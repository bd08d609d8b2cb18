"""Texts with their word errors marked, for the transcript tables. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.report.figures import clock, number
from scoring.text import has_word_spaces
from scoring.text.marking import MarkedWord, compared
from scoring.texts import Texts
from scoring.timeline import Exchange, Timeline


@dataclass(frozen=True, slots=True)
class Cell:
    """A text in the table: plain, or word by word where there are errors, or why there is none."""

    text: str = ""
    words: tuple[MarkedWord, ...] = ()
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
    found = compared(references, text)
    wrong, words = found.errors.errors, found.errors.of
    return Cell(text, found.words if wrong else (), f"{wrong} of {words}")
