"""Scores as tables in the terminal, readable from 80 columns on: fewer columns, not squeezed ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from scoring.report import figures
from scoring.report.dimensions import tallies
from scoring.report.figures import Group, group, groups, title
from scoring.report.marked import Cell, Row, rows
from scoring.report.safe import neutralise
from scoring.science.terminal import print_science
from scoring.score import EpisodeScores

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod
    from rich.table import Table
    from rich.text import Text

    from scoring.score import RunScores

EXCHANGES_SHOWN = 15
"""A run with more exchanges than this is shown in tables alone."""

WIDE = 104
"""Columns of a terminal from which tables show what is left out below."""

_COLUMNS = (
    ("latency", "response_latency", False),
    ("first byte", "first_byte", True),
    ("no reply", "unanswered_turns", False),
    ("cuts in", "endpoint_interruptions", False),
    ("WER user", "user_wer_heard", True),
    ("WER reply", "endpoint_wer_heard", False),
)
"""Heading, metric, and whether it needs a wide terminal."""

# readable on light and on dark backgrounds alike
_USER, _ENDPOINT, _GOOD, _WARN, _BAD = "color(32)", "color(29)", "color(29)", "color(130)", "color(160)"
_VERDICTS = {
    "complete": _GOOD,
    "partial": _WARN,
    "missing": _BAD,
    "wrong": _BAD,
    "good": _GOOD,
    "acceptable": _WARN,
    "bad": _BAD,
}


def print_report(scores: RunScores, console: Console | None = None) -> None:
    """Print a run: the exchanges of a short one, comparisons where there are several, every metric."""
    from rich.console import Console as RichConsole

    out = console or RichConsole(highlight=False)
    whole = group("all", scores.episodes)
    out.print(f"[bold]{_plain(scores.run)}[/bold]", soft_wrap=True, highlight=False)
    out.print(_summary(whole), highlight=False)
    if sum(len(episode.view.timeline.exchanges) for episode in scores.episodes) <= EXCHANGES_SHOWN:
        for episode in scores.episodes:
            out.print()
            _print_episode(episode, out)
    for heading, found in (
        ("endpoint", groups(scores.episodes, lambda episode: episode.endpoint)),
        ("scenario", groups(scores.episodes, lambda episode: episode.scenario)),
    ):
        if len(found) > 1:
            out.print()
            out.print(_comparison(heading, found, out.width))
    if whole.episodes > whole.void:
        out.print()
        out.print(_metrics(whole))
        for line in _verdict_lines(scores.episodes):
            out.print(line, highlight=False)
    print_science(scores.science, out)


def _summary(whole: Group) -> str:
    counted = whole.episodes - whole.void
    calls = f"{whole.episodes} {'call' if whole.episodes == 1 else 'calls'}: {whole.outcomes}"
    if not whole.void:
        return calls
    void = f"[{_WARN}]{whole.void} void[/], spoiled by our own side"
    return f"{calls}\n{void}: left out of the numbers, {counted} counted"


def _print_episode(episode: EpisodeScores, out: Console) -> None:
    """An episode as lines: who, words, latency, word errors, verdict."""
    info, view = episode.info, episode.view
    outcome = info.outcome.value.replace("_", " ")
    style = {"nobody": _GOOD, "endpoint": _BAD}.get(info.fault.value, _WARN)
    void = ", void" if info.outcome.void else ""
    out.print(
        f"[bold]{_plain(info.id)}[/bold]  [{style}]{outcome}{void}[/]  {_plain(info.endpoint.address)}",
        soft_wrap=True,
        highlight=False,
    )
    if info.reason and info.fault.value != "nobody":
        out.print(f"[dim]{_plain(info.reason)}[/dim]", highlight=False)
    lines = [cells for row in rows(view.timeline, view.texts, view.language) for cells in _exchange(row)]
    if lines:
        out.print(_exchanges(lines, out.width))


def _exchanges(lines: Sequence[tuple[Text, ...]], width: int) -> Table:
    """Empty columns are left out, times where room is scarce; the words give way to the rest."""
    headings = ("at", "side", "words", "latency", "WER", "verdict")
    widest = [max(cells[place].cell_len for cells in lines) for place in range(len(headings))]
    shown = [place for place, columns in enumerate(widest) if columns and (place or width >= WIDE)]
    others = (max(widest[place], len(headings[place])) + 3 for place in shown if headings[place] != "words")
    table = _table()
    for place in shown:
        right = headings[place] in ("latency", "WER")
        table.add_column(headings[place], no_wrap=True, justify="right" if right else "left")
    room = max(width - sum(others), 20)
    for cells in lines:
        cells[headings.index("words")].truncate(room, overflow="ellipsis")
        table.add_row(*(cells[place] for place in shown))
    return table


def _exchange(row: Row) -> Iterable[tuple[Text, ...]]:
    """Two lines: the user's words as intended, the reply as heard; with the errors in what was heard."""
    from rich.text import Text

    intended, _, asked = row.user
    heard = row.endpoint[2]
    words = Text(neutralise(intended.text))
    yield Text(row.user_at, "dim"), Text("user", _USER), words, Text(), _errors(asked), Text()
    words = Text(neutralise(heard.text))
    if heard.unscored:
        words = Text(heard.unscored.replace("_", " "), "italic")
    elif row.interrupted:
        words.append(" (cut)", "italic")
    latency = Text(row.latency if row.endpoint_at else "", _BAD if row.cut_in else "")
    verdicts = Text(" ").join(Text(v, _VERDICTS[v]) for _, v, _ in row.verdicts if v in _VERDICTS)
    yield (
        Text(row.endpoint_at, "dim"),
        Text("endpoint", _ENDPOINT),
        words,
        latency,
        _errors(heard),
        verdicts,
    )


def _errors(cell: Cell) -> Text:
    """Word errors of so many words, "2/22"; nothing where the text was not compared."""
    from rich.text import Text

    return Text(cell.errors.replace(" of ", "/"))


def _comparison(heading: str, found: Sequence[Group], width: int) -> Table:
    from rich.text import Text

    columns = [(name, metric) for name, metric, wide in _COLUMNS if width >= WIDE or not wide]
    table = _table()
    room = max(width - 9 - sum(len(name) + 4 for name, _ in columns), 16)
    table.add_column(heading, no_wrap=True)
    table.add_column("calls", justify="right", no_wrap=True)
    for name, _ in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for item in found:
        counted = item.episodes - item.void
        calls = f"{counted} of {item.episodes}" if item.void else str(counted)
        table.add_row(
            Text("\n".join(in_pieces(neutralise(item.name), room))),
            calls,
            *(item.text(metric) for _, metric in columns),
        )
    return table


def in_pieces(name: str, width: int) -> list[str]:
    """A long name on several lines, broken behind its signs; a word that is too long is shortened."""
    lines = [""]
    for piece in re.findall(r"[^/?&=\-.: ]*[/?&=\-.: ]*", name):
        if lines[-1] and len(lines[-1] + piece) > width:
            lines.append("")
        lines[-1] += piece if len(piece) <= width else piece[: width - 1] + "…"
    return lines


def _metrics(whole: Group) -> Table:
    table = _table()
    for name, least in (("metric", 24), ("value", 9), ("n", 4), ("spread", 0)):
        justify: JustifyMethod = "right" if name in ("value", "n") else "left"
        table.add_column(name, no_wrap=name != "spread", justify=justify, min_width=least)
    # causes are never broken: in a narrow terminal the spread takes two lines
    missing = any(figures.causes_text(result) for result in whole.metrics.values())
    table.add_column("unscored" if missing else "", min_width=14 if missing else 0)
    for number, (topic, names) in enumerate(figures.topics(whole.metrics).items()):
        if number:
            table.add_row()
        table.add_row(f"[bold]{topic}[/bold]")
        for name in names:
            result = whole.metrics[name]
            table.add_row(
                f"  {title(name)}",
                figures.value_text(result),
                str(result.n),
                figures.spread_text(result),
                figures.causes_text(result),
            )
    return table


def _verdict_lines(episodes: Sequence[EpisodeScores]) -> Iterable[str]:
    for found in figures.verdicts(episodes):
        labels = [f"[{_VERDICTS.get(label, 'default')}]{n} {label}[/]" for label, n in found.labels.items()]
        if found.unscored:
            labels.append(f"unscored: {figures.counts_text(found.unscored)}")
        yield f"[bold]verdicts[/bold]  {_plain(found.judge)}: {', '.join(labels)}"
    for tally in tallies(episode.path for episode in episodes if not episode.info.outcome.void):
        counts = tally.labels.most_common()
        labels = [f"[{_VERDICTS.get(label, 'default')}]{n} {_plain(label)}[/]" for label, n in counts]
        name = tally.dimension.replace("_", " ")
        yield f"[bold]{name}[/bold]  {_plain(tally.judge)}: {', '.join(labels)}"


def _table() -> Table:
    from rich import box
    from rich.table import Table as RichTable

    return RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")


def _plain(text: str) -> str:
    """Text of others, without markup or control characters."""
    from rich.markup import escape

    return escape(neutralise(text))
