"""A call as a panel of the live view: transcript, latencies, verdicts, meters."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from agent.cli.runs.call_view import CallView, Line, clock_text, ending
from recordings.format import VerdictGiven
from streams.audio import dbfs

METER_FLOOR_DB = -54.0
"""Peaks below are shown as nothing."""

NARROW = 76
"""Columns below which latencies and verdicts stand behind the words instead of beside them."""

# chosen to be readable on light and on dark backgrounds alike
USER, ENDPOINT, GOOD, WARN, BAD = "color(32)", "color(29)", "color(29)", "color(130)", "color(160)"

_SIDES = {"user": USER, "endpoint": ENDPOINT}
_VERDICTS = {"complete": GOOD, "partial": WARN, "missing": BAD, "wrong": f"bold {BAD}"}
_FRAME = 4
_TIME, _SIDE, _TAIL = 7, 9, 19


class Meter:
    """A level as a bar as wide as there is room, up to 30 columns."""

    def __init__(self, level: int, style: str) -> None:
        self._level = level
        self._style = style

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        yield Text(meter_text(self._level, min(options.max_width, 30)), style=self._style, no_wrap=True)


def meter_text(level: int, width: int) -> str:
    """A peak, 0 to 32768, on a scale of decibels from METER_FLOOR_DB to full scale."""
    share = 1 - max(dbfs(level), METER_FLOOR_DB) / METER_FLOOR_DB
    filled = round(min(max(share, 0.0), 1.0) * width)
    return "█" * filled + "·" * (width - filled)


def panel(view: CallView, width: int, rows: int | None = None) -> Panel:
    """One call as a panel.

    Args:
        view: The call.
        width: Columns of the terminal.
        rows: Rows that the panel may take; None shows every line that is remembered.
    """
    lines = [line for line in view.lines if line.side != "end"]
    if view.pending is not None:
        lines.append(view.pending)
    if rows is not None:
        lines = _latest(lines, width, rows - 3)
    title = Text.assemble((view.place + "  " if view.place else "", "dim"), (view.name, "bold"))
    title.append(f"  {view.endpoint}", style="dim")
    title.truncate(max(width - 6, 1), overflow="ellipsis")
    footer = _footer(view, width)
    body = Group(_transcript(lines, width), footer) if lines else footer
    return Panel(body, title=title, title_align="left", border_style=_border(view), width=width)


def _transcript(lines: list[Line], width: int) -> Table:
    table = Table.grid(padding=(0, 1), expand=True)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    if width >= NARROW:
        table.add_column(no_wrap=True, justify="right")
        table.add_column(no_wrap=True, min_width=8)
    for line in lines:
        text = Text(line.text, style=_text_style(line))
        latency, verdicts = _latency(line), _verdicts(line)
        if width >= NARROW:
            tail = [latency, verdicts]
        else:
            tail = []
            for part in (latency, verdicts):
                if part:
                    text = Text.assemble(text, "  ", part)
        table.add_row(clock_text(line.t), Text(line.side, style=_SIDES.get(line.side, WARN)), text, *tail)
    return table


def _latest(lines: list[Line], width: int, rows: int) -> list[Line]:
    """The last lines that fit into so many rows; at least one."""
    room = width - _FRAME - _TIME - _SIDE - (_TAIL if width >= NARROW else 0)
    fitting: list[Line] = []
    for line in reversed(lines):
        tail = "" if width >= NARROW else f"  {_latency(line)}  {_verdicts(line)}"
        rows -= max(len(textwrap.wrap(line.text + tail, max(room, 8))), 1)
        if rows < 0 and fitting:
            break
        fitting.append(line)
    return fitting[::-1]


def _text_style(line: Line) -> str:
    if not line.note:
        return ""
    return "dim italic" if line.side == "endpoint" and line.text.endswith("…") else f"italic {WARN}"


def _latency(line: Line) -> Text:
    return Text("" if line.latency_ms is None else f"{line.latency_ms:.0f} ms", style="bold")


def _verdicts(line: Line) -> Text:
    given = [verdict for verdict in line.verdicts.values() if verdict.label is not None]
    return Text(" ").join(_verdict(verdict, alone=len(given) == 1) for verdict in given)


def _verdict(verdict: VerdictGiven, *, alone: bool) -> Text:
    label = verdict.label or ""
    return Text(label if alone else f"{verdict.judge} {label}", style=_VERDICTS.get(label, ""))


def _border(view: CallView) -> str:
    if view.outcome is None:
        return USER
    if view.outcome.void:
        return WARN
    return GOOD if view.outcome.fault.value == "nobody" else BAD


def _footer(view: CallView, width: int) -> RenderableType:
    if view.outcome is not None:
        ended = Text(ending(view.outcome, view.reason), style=f"bold {_border(view)}")
        return Text.assemble(ended, (_median(view), "dim"))
    meters = Table.grid(padding=(0, 1), expand=True)
    for ratio in (0, 0, 1, 0, 1, 0):
        meters.add_column(ratio=ratio or None, no_wrap=True)
    meters.add_row(
        Text(clock_text(view.levels.t), style="dim"),
        Text("user", style=USER),
        Meter(view.levels.user, USER),
        Text("endpoint", style=f"bold {ENDPOINT}" if view.endpoint_speaking else ENDPOINT),
        Meter(view.levels.endpoint, ENDPOINT),
        Text(_median(view).strip() if width >= NARROW else "", style="dim"),
    )
    return meters


def _median(view: CallView) -> str:
    median = view.median_latency_ms
    return "" if median is None else f"  median {median:.0f} ms"
