"""Scores as tables in the terminal, readable from 80 columns on: fewer columns, not squeezed ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from scoring.digest.columns import Digest
from scoring.digest.make import digest_of
from scoring.report import figures
from scoring.report.figures import Group, group, groups, title
from scoring.report.marked import Cell, Row, rows
from scoring.report.repeats import repeats, sensitivity, sensitivity_lines
from scoring.report.safe import neutralise
from scoring.science.terminal import print_science
from scoring.score import METRICS, EpisodeScores

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

_COMPARED = [metric for metric in METRICS if metric.name in {name for _, name, _ in _COLUMNS}]
"""The metrics of these columns."""

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
    digest = scores.digest or digest_of(scores.episodes)
    whole = group("all", digest)
    out.print(f"[bold]{_plain(scores.run)}[/bold]", soft_wrap=True, highlight=False)
    out.print(_summary(whole), highlight=False)
    for line in sensitivity_lines(sensitivity(digest)):
        out.print(f"[bold]another user[/bold]  {_plain(line)}", highlight=False)
    if scores.usage.worth_telling:
        out.print(f"used: {_plain(str(scores.usage))}", highlight=False)
    if sum(row.exchanges for row in digest.rows) <= EXCHANGES_SHOWN:
        for episode in scores.episodes:
            out.print()
            _print_episode(episode, out)
    for heading, found in (
        ("endpoint", groups(digest, lambda row: row.endpoint, _COMPARED)),
        ("scenario", groups(digest, lambda row: row.scenario, _COMPARED)),
        *((name, groups(digest, key, _COMPARED)) for name, key in figures.crossed(digest)),
    ):
        if len(found) > 1:
            out.print()
            out.print(_comparison(heading, found, out.width))
    if whole.episodes > whole.void:
        out.print()
        out.print(_metrics(whole))
        for line in _verdict_lines(digest):
            out.print(line, highlight=False)
    _print_repeats(digest, out)
    print_science(scores.science, out)
    if scores.digest is not None and any(whole.metrics[name].n for name in figures.TOPICS["science"]):
        out.print(f"[dim]science: its tables are shown by viva science {_plain(scores.run)}[/dim]")


def _print_repeats(digest: Digest, out: Console) -> None:
    """What only repeats can tell."""
    from rich.text import Text

    found = repeats(digest)
    if found:
        table = _table()
        table.add_column("endpoint", no_wrap=True)
        for name in ("k", "pass@k", "pass^k", "scenarios"):
            table.add_column(name, justify="right", no_wrap=True)
        for one in found:
            for place, chance in enumerate(one.chances):
                whose = Text("" if place else "\n".join(in_pieces(neutralise(one.endpoint), 30)))
                cells = (figures.number(share, "ratio") for share in (chance.any, chance.every))
                table.add_row(whose, str(chance.k), *cells, str(chance.tasks))
        out.print(
            "\n[bold]repeats[/bold]  of k calls with a scenario, any passes (pass@k), all pass (pass^k)"
        )
        out.print(table)


def _summary(whole: Group) -> str:
    counted = whole.episodes - whole.void
    calls = f"{whole.episodes} {'call' if whole.episodes == 1 else 'calls'}: {whole.outcomes}"
    if not whole.void:
        return calls
    share = figures.number(whole.void / whole.episodes, "ratio")
    void = f"[{_WARN}]{whole.void} void ({share})[/], spoiled by our own side"
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


def _verdict_lines(digest: Digest) -> Iterable[str]:
    for found in figures.verdicts(digest):
        labels = [f"[{_VERDICTS.get(label, 'default')}]{n} {label}[/]" for label, n in found.labels.items()]
        if found.unscored:
            labels.append(f"unscored: {figures.counts_text(found.unscored)}")
        yield f"[bold]verdicts[/bold]  {_plain(found.judge)}: {', '.join(labels)}"
    for tally in figures.tallies(digest):
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
