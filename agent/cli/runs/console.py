"""The live view of a run: who speaks, meters, transcript, latencies, verdicts; plain lines elsewhere.

Drawing happens in a thread of its own that only reads; the media path just notes what happened.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from agent.cli.runs.call_view import CallView, Line, clock_text
from agent.cli.runs.panel import panel
from agent.observers import Audience, Levels
from recordings import format as record
from scoring.report.safe import neutralise

if TYPE_CHECKING:
    from agent.suite.plan import Job
    from agent.suite.progress import Standing

LEAST_ROWS = 5
"""Rows of a panel, however many calls there are at once."""


class View(Audience):
    """One call's audience: keeps its view, and hands new lines on."""

    def __init__(self, view: CallView, screen: Screen) -> None:
        self._view = view
        self._screen = screen

    def event(self, event: record.Event) -> None:
        """Note an event."""
        line = self._view.take(event)
        if isinstance(event, record.VerdictGiven):
            self._screen.verdict(self._view, event)
        elif line is not None:
            self._screen.line(self._view, line)

    def turn(self, turn: record.Turn) -> None:
        """The transcript shows turns as they end; the record has them whole."""

    def levels(self, levels: Levels) -> None:
        """Note the meters."""
        self._view.levels = levels


class Places:
    """Numbers of calls, as they begin; one that is held again keeps its own."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def of(self, job: Job) -> int:
        """The number of a call, from 1."""
        return self._numbers.setdefault(job.id, len(self._numbers) + 1)


class Screen(Protocol):
    """Where a run is shown."""

    def audience(self, job: Job) -> Audience:
        """The audience of one job."""

    def line(self, view: CallView, line: Line) -> None:
        """A call has a new line."""

    def verdict(self, view: CallView, verdict: record.VerdictGiven) -> None:
        """A line of the endpoint was judged."""

    def told(self, standing: Standing) -> None:
        """A call has ended: how far the run has come."""

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
        self._places = Places()

    def told(self, standing: Standing) -> None:
        """Print how far the run has come."""
        if standing.total > 1:
            sys.stderr.write(f"{standing}\n")

    def audience(self, job: Job) -> Audience:
        """The audience of one job."""
        sys.stderr.write(f"[{self._places.of(job)}/{self._jobs}] {job.id}  {job.shown}\n")
        return View(CallView(job.id, job.shown), self)

    def line(self, view: CallView, line: Line) -> None:
        """Print a line."""
        latency = f"  [{line.latency_ms:.0f} ms]" if line.latency_ms is not None else ""
        self._write(view, line.t, line.side, f"{line.text}{latency}")

    def verdict(self, view: CallView, verdict: record.VerdictGiven) -> None:
        """Print a verdict, unless there was nothing to judge."""
        if verdict.label is not None:
            reason = f" ({verdict.reason})" if verdict.reason else ""
            self._write(view, verdict.t, "verdict", f"{verdict.judge}: {verdict.label}{neutralise(reason)}")

    def _write(self, view: CallView, t: float, side: str, text: str) -> None:
        name = f"{view.name}  " if self._jobs > 1 else ""
        sys.stderr.write(f"{name}{clock_text(t)}  {side:<8}  {text}\n")
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


class LiveArea(ABC):
    """A part of the terminal that is drawn over itself as long as it is entered.

    Args:
        console: The terminal.
        per_second: How often it is drawn, in a thread of its own; 0 leaves that to whoever calls `refresh`.
    """

    def __init__(self, console: Console, per_second: float = 0.0) -> None:
        self._console = console
        self._live = Live(
            get_renderable=self.render,
            console=console,
            auto_refresh=per_second > 0,
            refresh_per_second=per_second or 1.0,
        )

    @abstractmethod
    def render(self) -> RenderableType:
        """What is drawn; it must fit the terminal."""

    def refresh(self) -> None:
        """Draw what is known by now."""
        self._live.refresh()

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()


class LiveScreen(LiveArea):
    """A live panel per call that is under way; panels of ended calls scroll up and stay."""

    def __init__(self, jobs: int, console: Console | None = None) -> None:
        self._jobs = jobs
        self._places = Places()
        self._views: list[CallView] = []
        self._standing = ""
        super().__init__(console or Console(stderr=True, highlight=False), per_second=8)

    def audience(self, job: Job) -> Audience:
        """The audience of one job."""
        place = f"{self._places.of(job)}/{self._jobs}" if self._jobs > 1 else ""
        view = CallView(job.id, job.shown, place)
        self._views.append(view)
        return View(view, self)

    def line(self, view: CallView, line: Line) -> None:
        """Calls that have ended leave the live area and scroll up as text."""
        if line.side == "end":
            self._views.remove(view)
            self._live.console.print(panel(view, self._console.width))

    def verdict(self, view: CallView, verdict: record.VerdictGiven) -> None:
        """The panel shows it when it is drawn next."""

    def told(self, standing: Standing) -> None:
        """Shown below the calls."""
        self._standing = str(standing) if standing.total > 1 else ""

    def render(self) -> RenderableType:
        """The live area: it fits the terminal, so that it can be drawn over itself."""
        views = list(self._views)
        below = [Text(self._standing, "dim", no_wrap=True, overflow="ellipsis")] if self._standing else []
        room = self._console.height - 1 - len(below)
        shown = views if len(views) * LEAST_ROWS <= room else views[: max((room - 1) // LEAST_ROWS, 0)]
        if len(shown) < len(views):
            room -= 1
            below.insert(0, more_calls(len(views) - len(shown)))
        rows = max(room // max(len(shown), 1), LEAST_ROWS)
        return Group(*(panel(view, self._console.width, rows) for view in shown), *below)


def more_calls(number: int) -> Text:
    """What stands for calls that there is no room for."""
    calls = "call" if number == 1 else "calls"
    return Text(f"  and {number} more {calls} under way", "dim", no_wrap=True, overflow="ellipsis")


def screen_for(jobs: int, *, json: bool) -> Screen:
    """Live panels on a terminal, plain lines elsewhere; for so many calls."""
    if sys.stderr.isatty() and not json:
        return LiveScreen(jobs)
    return PlainScreen(jobs)
