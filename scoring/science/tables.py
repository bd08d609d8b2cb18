"""The tables of science as rows of text, for the terminal and the HTML report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from scoring.science.contrasts import Contrast
from scoring.science.dialogue import LEVELS, DialogueScores, Share
from scoring.science.marks import MEASURES
from scoring.science.run import DialogueTable, Science
from scoring.science.shown import NOTHING, TextTable, between, causes, decimal, percent, plain
from scoring.science.stage_coupling import ALL, Coupled
from scoring.science.stages import Cell, Row, StageTable
from scoring.statistics.undefined import Undefined

_STAGE_COLUMNS = (
    "questions",
    "stage",
    "measure",
    "value",
    "95 % interval",
    "as wrong",
    "n",
    "chance",
    "unscored",
)


def tables(science: Science) -> list[TextTable]:
    """Every table that has something to show."""
    found: list[TextTable] = []
    for table in science.stages:
        found.append(_stage_rows(table))
        found += _heat_rows(table)
    if science.dialogues:
        found.append(_dialogue_rows(science.dialogues))
        found += [_confusion_rows(table) for table in science.dialogues if table.scores.confusion]
    for part, pairs in groupby(science.coupling, lambda pair: pair.part):
        found.append(_coupling_rows(part, list(pairs)))
    if science.contrasts:
        found.append(_contrast_rows(science.contrasts))
    return found


def _stage_rows(table: StageTable) -> TextTable:
    rows: list[tuple[str, ...]] = []
    for name, row in _named_rows(table):
        for measure in (MEASURES[m] for m in MEASURES if m in row):
            cell = row[measure.name]
            rows.append(
                (
                    name,
                    measure.stage.value,
                    measure.title,
                    percent(cell.value),
                    between(cell.interval),
                    percent(cell.as_wrong),
                    str(cell.n),
                    percent(cell.chance) if cell.chance else "",
                    causes(cell.unscored),
                )
            )
    return TextTable(
        f"{_system(table)}: {table.questions} questions by stage",
        _STAGE_COLUMNS,
        tuple(rows),
        "WER, EER and AER are errors: lower is better. The rest are shares: higher is better."
        " As wrong: with what is unscored counted as wrong, instead of left out.",
        heads=2,
    )


def _named_rows(table: StageTable) -> Iterable[tuple[str, Row]]:
    """All questions, then by feature; domains are in the heat map."""
    yield "all", table.whole
    if set(table.by_feature) != {"none"}:
        for name, row in table.by_feature.items():
            yield plain(name), row


def _heat_rows(table: StageTable) -> Iterable[TextTable]:
    for name, found in table.heat.items():
        features = sorted({feature for row in found.values() for feature in row})
        if len(found) * len(features) < 2:
            continue
        measure = MEASURES[name]
        cells = [[row.get(feature) for feature in features] for row in found.values()]
        yield TextTable(
            f"{_system(table)}: {measure.stage.value}, {measure.title} by domain and feature",
            ("domain", *map(plain, features)),
            tuple(
                (plain(domain), *("" if c is None else f"{percent(c.value)} ({c.n})" for c in row))
                for domain, row in zip(found, cells, strict=True)
            ),
            "Number of questions in brackets.",
            shades=tuple((None, *(_shade(c, measure.higher) for c in row)) for row in cells),
        )


def _shade(cell: Cell | None, higher: bool) -> int | None:
    if cell is None or cell.value is None:
        return None
    good = cell.value if higher else 1 - min(cell.value, 1.0)
    return round(10 * good)


def _dialogue_rows(found: Sequence[DialogueTable]) -> TextTable:
    rows = []
    for table in found:
        scores = table.scores
        rows += [
            (table.system, name, value, interval, wrong, n, unscored)
            for name, value, interval, wrong, n, unscored in _dialogue_lines(scores)
        ]
    judges = sorted({judge for table in found for judge in table.judges})
    guessers = sorted({guesser for table in found for guesser in table.guessers})
    return TextTable(
        "dialogues",
        ("system", "score", "value", "95 % interval", "as wrong", "n", "unscored"),
        tuple(rows),
        f"Facts judged by {', '.join(judges)}; level guessed by {', '.join(guessers)}.",
    )


def _dialogue_lines(scores: DialogueScores) -> Iterable[tuple[str, ...]]:
    for name, share in (
        ("factuality, loose", scores.loose),
        ("factuality, strict", scores.strict),
        ("audience adaptation", scores.adaptation),
    ):
        yield _share_line(name, share)
    for name, mean in (
        ("distance of guesses, tiers", scores.distance),
        ("distance of wrong guesses, tiers", scores.distance_wrong),
        ("turns, mean", scores.turns),
    ):
        yield name, decimal(mean.value), between(mean.interval, 1, 2), "", str(mean.n), ""
    yield _share_line("completed within 8 turns", scores.within)
    yield _share_line("never completed", scores.never)


def _share_line(name: str, share: Share) -> tuple[str, ...]:
    return (
        name,
        percent(share.value),
        between(share.interval),
        percent(share.as_wrong),
        str(share.n),
        causes(share.unscored),
    )


def _confusion_rows(table: DialogueTable) -> TextTable:
    confusion = table.scores.confusion
    return TextTable(
        f"{table.system}: the user's level, and across what was guessed from the replies",
        ("level", *(level.value for level in LEVELS)),
        tuple((a.value, *(str(confusion.get((a, b), 0)) for b in LEVELS)) for a in LEVELS),
    )


def _coupling_rows(part: str, found: Sequence[Coupled]) -> TextTable:
    return TextTable(
        "coupling of stages" if part == ALL else f"coupling of stages, questions with {plain(part)}",
        (
            *("stages", "by", "systems", "Spearman", "p", "r\N{SUPERSCRIPT TWO}"),
            *("odds ratio", "of items", "95 % interval", "n"),
        ),
        tuple(_coupled(pair) for pair in found),
        "Each stage turned so that higher is better. Odds ratio: systems split at the median, 0.5 added to"
        " each cell; of items: pooled over systems (Mantel-Haenszel). A few systems prove nothing.",
    )


def _coupled(pair: Coupled) -> tuple[str, ...]:
    rho, r2, split, items = pair.systems.rho, pair.systems.r2, pair.systems.split, pair.items
    return (
        f"{pair.first.value}, {pair.second.value}",
        pair.error,
        str(pair.systems.n),
        plain(rho.cause) if isinstance(rho, Undefined) else decimal(rho.value),
        "" if isinstance(rho, Undefined) else f"{rho.p:.3f}",
        NOTHING if isinstance(r2, Undefined) else f"{r2:.2f}",
        NOTHING if isinstance(split, Undefined) else f"{split.odds_ratio:.2f}",
        plain(items.cause) if isinstance(items, Undefined) else f"{items.odds_ratio:.2f}",
        "" if isinstance(items, Undefined) else between(items.interval, 1, 2),
        "" if isinstance(items, Undefined) else str(items.n),
    )


_CONTRASTS = {
    "speech_text": "speech \N{MINUS SIGN} text",
    "choice_open": "choice \N{MINUS SIGN} open",
    "abbreviation_full_name": "abbreviation \N{MINUS SIGN} full name",
}


def _contrast_rows(found: Sequence[Contrast]) -> TextTable:
    return TextTable(
        "contrasts, on the same items",
        (
            *("contrast", "of", "first", "second", "difference"),
            *("95 % interval", "as wrong", "n", "unscored"),
        ),
        tuple(
            (
                _CONTRASTS.get(one.name, plain(one.name)),
                one.first if one.first == one.second else f"{one.first}, {one.second}",
                percent(one.dropped.first),
                percent(one.dropped.second),
                percent(one.dropped.difference),
                between(one.dropped.interval),
                percent(one.as_wrong.difference),
                str(one.dropped.n),
                causes(one.unscored),
            )
            for one in found
        ),
        "Shares of right answers; the interval draws items, with both sides.",
    )


def _system(table: StageTable) -> str:
    return f"{table.system} (text)" if table.condition == "text" else table.system
