"""What a person sees during their call: what to say, what was said and heard, verdicts, levels."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from agent.cli.runs.call_view import CallView, clock_text
from agent.cli.runs.call_view import Line as Shown
from agent.observers import Audience, Levels
from agent.person import Person
from recordings import format as record
from scenarios.items import query
from scenarios.schema import Scenario
from scoring.report.safe import neutralise
from streams.audio import dbfs
from user_sim.person import Mode

METER_CELLS = 12
METER_FLOOR_DBFS = -60.0


def agenda(scenario: Scenario) -> list[str]:
    """The turns or aspects of a scenario, in order."""
    turns = [query(turn).text for turn in scenario.turns]
    return [*turns, *(f"{aspect.id}: {aspect.question.text}" for aspect in scenario.aspects)]


def meter(peak: int) -> str:
    """A peak as a bar from -60 to 0 dBFS."""
    filled = round((max(dbfs(peak), METER_FLOOR_DBFS) / -METER_FLOOR_DBFS + 1) * METER_CELLS)
    return "#" * filled + "." * (METER_CELLS - filled)


class MicScreen(Audience):
    """Lines on standard error; on a terminal, meters in the last line."""

    def __init__(self, view: CallView, *, live: bool) -> None:
        self._view = view
        self._live = live

    def event(self, event: record.Event) -> None:
        """Note an event, and show what it means for the person."""
        line = self._view.take(event)
        match event:
            case record.SessionStarted():
                self._write(event.t, "connected", "speak when you like")
            case record.LineProposed(text=text, label=label, spoken=spoken):
                doing = "say" if spoken else "ask about"
                self._write(event.t, doing, f"{neutralise(text)}  [{label}]")
            case record.VerdictGiven(label=label, judge=judge, reason=reason) if label is not None:
                because = f" ({neutralise(reason)})" if reason else ""
                self._write(event.t, "verdict", f"{judge}: {label}{because}")
            case record.VerdictGiven():
                pass  # there was nothing to judge
            case record.DeviceTrouble(fault=fault, seconds=seconds) if abs(seconds) >= 0.02 or not seconds:
                self._write(event.t, "device", f"{fault}, {seconds * 1000:.0f} ms")
            case _:
                if line is not None:
                    self._line(line)

    def _line(self, line: Shown) -> None:
        latency = f"  [{line.latency_ms:.0f} ms]" if line.latency_ms is not None else ""
        side = "you" if line.side == "user" else line.side
        self._write(line.t, side, f"{line.text}{latency}")

    def _write(self, t: float, side: str, text: str) -> None:
        clear = "\r\033[K" if self._live else ""
        sys.stderr.write(f"{clear}{clock_text(t)}  {side:<9}  {text}\n")
        sys.stderr.flush()

    def turn(self, turn: record.Turn) -> None:
        """Turns are shown as they are said and heard."""

    def levels(self, levels: Levels) -> None:
        """Move the meters."""
        if self._live:
            you, endpoint = meter(levels.user), meter(levels.endpoint)
            sys.stderr.write(f"\r{clock_text(levels.t)}  you {you}  endpoint {endpoint}")
            sys.stderr.flush()


@contextlib.contextmanager
def screen(scenario: Scenario, person: Person, endpoint: str, *, json: bool) -> Iterator[Audience]:
    """The screen of one call, with what stands on it before."""
    live = sys.stderr.isatty() and not json
    sys.stderr.write(f"calling {neutralise(endpoint)}; wear headphones\n")
    if person.mode is not Mode.FREE:
        sys.stderr.write(f"{neutralise(scenario.title)}\n")
    if person.mode is Mode.GUIDED:
        for number, step in enumerate(agenda(scenario), start=1):
            sys.stderr.write(f"  {number}. {neutralise(step)}\n")
    yield MicScreen(CallView(scenario.id, endpoint), live=live)
    if live:
        sys.stderr.write("\r\033[K")
