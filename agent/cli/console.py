"""The live view of a run: who speaks, meters, transcript, latencies, verdicts; plain lines elsewhere.

Drawing happens in a thread of its own that only reads snapshots; the media path just notes what happened.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from agent.observers import Audience, Levels
from recordings import format as record
from streams.audio import dbfs

if TYPE_CHECKING:
    from agent.suite import Job

LINES = 12
"""Transcript lines on the screen per call."""

METER_WIDTH = 24
METER_FLOOR_DB = -54.0


@dataclass(slots=True)
class Line:
    """One line of the live transcript."""

    t: float
    side: str
    text: str
    latency_ms: float | None = None
    verdict: str = ""
    note: bool = False


@dataclass(slots=True)
class CallView:
    """What the screen knows of one call; a state machine over its events."""

    name: str
    endpoint: str
    lines: deque[Line] = field(default_factory=lambda: deque(maxlen=200))
    levels: Levels = field(default_factory=Levels)
    endpoint_speaking: bool = False
    user_rate: int = 0
    endpoint_rate: int = 0
    user_end_s: float | None = None
    reply_start_s: float | None = None
    outcome: record.Outcome | None = None
    reason: str = ""
    latencies: list[float] = field(default_factory=list)
    turns: dict[int, Line] = field(default_factory=dict)

    def take(self, event: record.Event) -> Line | None:
        """Note an event; returns the line it made, if it made one."""
        match event:
            case record.SessionStarted():
                self.user_rate, self.endpoint_rate = event.user_rate, event.endpoint_rate
            case record.UtteranceStarted():
                self.user_end_s, self.reply_start_s = event.audible_end / self.user_rate, None
                return self._line(Line(event.t, "user", event.text))
            case record.HeardSpeech(edge=edge, at=at):
                self.endpoint_speaking = edge == "start"
                if self.endpoint_speaking and self.reply_start_s is None:
                    self.reply_start_s = at / self.endpoint_rate
            case record.TurnEnded():
                return self._heard(event)
            case record.VerdictGiven():
                self._verdict(event)
            case record.Flushed(items=items) if items:
                return self._line(Line(event.t, "endpoint", "playback cut", note=True))
            case record.Noticed(level=level, code=code, message=message) if level != "info":
                return self._line(Line(event.t, event.by, f"{code}: {message}", note=True))
            case record.SessionEnded(outcome=outcome, reason=reason):
                self.outcome, self.reason = outcome, reason
                return self._line(Line(event.t, "end", f"{outcome.value}: {reason}", note=True))
            case _:
                pass
        return None

    def _line(self, line: Line) -> Line:
        self.lines.append(line)
        return line

    def _heard(self, event: record.TurnEnded) -> Line:
        latency = None
        start = event.start / self.endpoint_rate
        if self.user_end_s is not None:
            latency = (start - self.user_end_s) * 1000
            self.latencies.append(latency)
            self.user_end_s = None
        text = event.heard if event.heard is not None else "(not understood)"
        line = self._line(Line(start, "endpoint", text, latency))
        self.turns[event.turn] = line
        return line

    def _verdict(self, event: record.VerdictGiven) -> None:
        line = self.turns.get(event.turn)
        if line is not None and event.label is not None:
            line.verdict = event.label


class View(Audience):
    """One call's audience: keeps its view, and hands new lines on."""

    def __init__(self, view: CallView, screen: Screen) -> None:
        self._view = view
        self._screen = screen

    def event(self, event: record.Event) -> None:
        """Note an event."""
        line = self._view.take(event)
        if line is not None:
            self._screen.line(self._view, line)

    def turn(self, turn: record.Turn) -> None:
        """The transcript shows turns as they end; the record has them whole."""

    def levels(self, levels: Levels) -> None:
        """Note the meters."""
        self._view.levels = levels


class Screen(Protocol):
    """Where a run is shown."""

    def audience(self, job: Job) -> Audience:
        """The audience of one job."""

    def line(self, view: CallView, line: Line) -> None:
        """A call has a new line."""

    def __enter__(self) -> Screen:
        """Begin to show."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop showing."""


class PlainScreen:
    """Lines on standard error, for logs and pipes."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._begun = 0

    def audience(self, job: Job) -> Audience:
        """The audience of one job."""
        self._begun += 1
        sys.stderr.write(f"[{self._begun}/{self._jobs}] {job.id}  {job.endpoint}\n")
        return View(CallView(job.id, job.endpoint), self)

    def line(self, view: CallView, line: Line) -> None:
        """Print a line."""
        latency = f"  [{line.latency_ms:.0f} ms]" if line.latency_ms is not None else ""
        name = f"{view.name}  " if self._jobs > 1 else ""
        sys.stderr.write(f"{name}{clock_text(line.t)}  {line.side:<8}  {line.text}{latency}\n")
        sys.stderr.flush()

    def __enter__(self) -> PlainScreen:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        return None


class LiveScreen:
    """A live panel per call that is under way, the last one staying when the run is over."""

    def __init__(self, jobs: int, console: Console | None = None) -> None:
        self._jobs = jobs
        self._views: list[CallView] = []
        self._console = console or Console(stderr=True)
        self._live = Live(get_renderable=self.render, console=self._console, refresh_per_second=6)

    def audience(self, job: Job) -> Audience:
        """The audience of one job."""
        view = CallView(job.id, job.endpoint)
        self._views.append(view)
        return View(view, self)

    def line(self, view: CallView, line: Line) -> None:
        """Calls that have ended leave the live area and scroll up as text."""
        if line.side == "end":
            self._live.console.print(panel(view, len(view.lines)))
            self._views.remove(view)

    def render(self) -> RenderableType:
        """The live area."""
        return Group(*(panel(view, LINES) for view in list(self._views)))

    def __enter__(self) -> LiveScreen:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()


def screen_for(jobs: Sequence[Job], *, json: bool) -> Screen:
    """Live panels on a terminal, plain lines elsewhere."""
    if sys.stderr.isatty() and not json:
        return LiveScreen(len(jobs))
    return PlainScreen(len(jobs))


def panel(view: CallView, lines: int) -> Panel:
    """One call as a panel."""
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    table.add_column(justify="right", no_wrap=True)
    for line in list(view.lines)[-lines:]:
        if line.side == "end":
            continue
        style = {"user": "cyan", "endpoint": "green"}.get(line.side, "yellow")
        latency = f"{line.latency_ms:.0f} ms" if line.latency_ms is not None else ""
        tail = Text(latency, style="bold")
        if line.verdict:
            tail.append(f"  {line.verdict}", style=_VERDICT_STYLES.get(line.verdict, ""))
        text = Text(line.text, style="italic yellow" if line.note else "")
        table.add_row(clock_text(line.t), Text(line.side, style=style), text, tail)
    title = Text.assemble((view.name, "bold"), "  ", (view.endpoint, "dim"))
    return Panel(Group(table, _footer(view)), title=title, title_align="left", border_style=_border(view))


_VERDICT_STYLES = {"complete": "green", "partial": "yellow", "missing": "red", "wrong": "bold red"}


def _border(view: CallView) -> str:
    if view.outcome is None:
        return "blue"
    return "yellow" if view.outcome.void else "green"


def _footer(view: CallView) -> Text:
    if view.outcome is not None:
        return Text(f"{view.outcome.value}: {view.reason}", style="bold")
    footer = Text(f"{clock_text(view.levels.t)}  ")
    footer.append("user ", style="cyan")
    footer.append(_meter(view.levels.user), style="cyan")
    footer.append("  endpoint ", style="green")
    footer.append("speaks" if view.endpoint_speaking else "      ", style="bold green")
    if view.latencies:
        ordered = sorted(view.latencies)
        footer.append(f"   median latency {ordered[len(ordered) // 2]:.0f} ms", style="dim")
    return footer


def _meter(level: int) -> str:
    share = 1 - max(dbfs(level), METER_FLOOR_DB) / METER_FLOOR_DB
    filled = round(min(max(share, 0.0), 1.0) * METER_WIDTH)
    return "█" * filled + "·" * (METER_WIDTH - filled)


def clock_text(seconds: float) -> str:
    """Session time as m:ss.d."""
    minutes, rest = divmod(round(seconds * 10), 600)
    return f"{minutes}:{rest // 10:02d}.{rest % 10}"
