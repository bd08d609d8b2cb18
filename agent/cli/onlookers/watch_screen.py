"""Runs as `viva watch` shows them: panels on a terminal, lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.text import Text

from agent.cli.runs.call_view import CallView, Line, clock_text, ending
from agent.cli.runs.console import LEAST_ROWS, LiveArea, more_calls
from agent.cli.runs.panel import BAD, GOOD, WARN, panel
from agent.observers import Levels
from agent.suite.progress import span
from recordings.format import Outcome, VerdictGiven
from scoring.report.safe import neutralise
from streams.audio import FULL_SCALE
from streams.events.address import Broker
from streams.events.connection import BrokerRefused, BrokerUnreachable
from streams.events.messages import (
    LevelsShown,
    Loss,
    Note,
    Presence,
    Progress,
    Published,
    SessionState,
    TurnSpoken,
    VerdictSpoken,
)
from streams.events.watching import RunSeen, Watch

ENDED_SHOWN = 5
"""Ended calls of a run that are shown, the last ones."""


class WatchScreen(LiveArea):
    """The live area: every run, and a panel for each of its calls as far as there is room."""

    def __init__(self, broker: Broker, watch: Watch, console: Console | None = None) -> None:
        self._broker = broker
        self._watch = watch
        self._trouble = "connecting ..."
        super().__init__(console or Console(highlight=False))

    def told(self, trouble: BrokerUnreachable | None) -> None:
        """Show why there is no connection; a password that is wrong stays wrong."""
        if isinstance(trouble, BrokerRefused):
            raise trouble
        self._trouble = "" if trouble is None else f"{trouble} Trying again."

    def render(self) -> RenderableType:
        """The live area: it fits the terminal. Titles go first, then warnings, calls, ended calls."""
        runs = list(self._watch.lines())
        top = [_one_row(Text(self._trouble, WARN))] if self._trouble else []
        if not runs and not self._trouble:
            top = [_one_row(Text(f"no run has been published at {self._broker} yet", "dim"))]
        room = self._console.height - 1 - len(top)
        shown = runs if len(runs) <= room else runs[: max(room - 1, 0)]
        more = len(runs) - len(shown)
        below = [_one_row(Text(f"and {more} more run{'s' if more > 1 else ''}", "dim"))] if more else []
        return Group(*top, *self._runs(shown, room - len(shown) - len(below)), *below)

    def _runs(self, runs: Sequence[RunSeen], room: int) -> Iterator[RenderableType]:
        """Runs whose titles fit, and what else there is room for."""
        online = [run for run in runs if run.online]
        warnings, room = _dealt([_warnings(run) for run in online], room)
        live = sum(len(run.live) for run in online)
        ended, room = _dealt([_ended_calls(run) for run in online], room, reserve=live * LEAST_ROWS)
        rows = max(room // max(live, 1), LEAST_ROWS)
        known = {run.run: both for run, *both in zip(online, warnings, ended, strict=True)}
        for run in runs:
            yield _one_row(_title(run))
            for lines in known.get(run.run, ()):
                yield from lines
            calls = run.live
            fits = len(calls) if len(calls) * rows <= room else max((room - 1) // rows, 0)
            for call in calls[:fits]:
                yield panel(view_of(call, run.levels.get(call.episode)), self._console.width, rows)
            room -= fits * rows
            if fits < len(calls) and room > 0:
                yield more_calls(len(calls) - fits)
                room -= 1


def _dealt(lots: Sequence[Sequence[Text]], room: int, reserve: int = 0) -> tuple[list[list[Text]], int]:
    """Of each lot the last lines that there is room for beyond the reserve; and the room that is left."""
    dealt: list[list[Text]] = []
    for lines in lots:
        fitting = min(len(lines), max(room - reserve, 0))
        dealt.append([_one_row(line) for line in lines[len(lines) - fitting :]])
        room -= fitting
    return dealt, room


def view_of(state: SessionState, levels: LevelsShown | None = None) -> CallView:
    """A call that is known from the broker, as the screen of a call has it."""
    view = CallView(neutralise(state.episode), neutralise(state.endpoint))
    view.endpoint_speaking = state.endpoint_speaks
    view.latencies = [] if state.median_latency_ms is None else [state.median_latency_ms]
    view.outcome, view.reason = _outcome(state), neutralise(state.reason)
    for line in state.lines:
        given = {
            judge: VerdictGiven(t=line.t, turn=0, judge=neutralise(judge), label=neutralise(label))
            for judge, label in line.verdicts.items()
        }
        side, text = neutralise(line.side), neutralise(line.text)
        view.lines.append(Line(line.t, side, text, line.latency_ms, given, line.note))
    view.levels = Levels(t=state.t)
    if levels is not None:
        view.levels = Levels(_peak(levels.user_db), _peak(levels.endpoint_db), levels.t)
    return view


def lines_of(run: RunSeen) -> Iterator[str]:
    """What is known of a run, as lines."""
    for line in (_title(run), *_warnings(run), *_ended_calls(run)):
        yield line.plain
    for call in run.live:
        said = call.lines[-1].text if call.lines else ""
        yield f"  {neutralise(call.episode)}  {clock_text(call.t)}  {call.state}  {neutralise(said)}"


def line_of(message: Published) -> str | None:
    """One message as a line; None if it is shown by others."""
    text = _text_of(message)
    if text is None:
        return None
    place = "  ".join(part for part in (message.run, message.episode) if part)
    return neutralise(f"{place}  {text}")


def _one_row(line: Text) -> Text:
    line.no_wrap, line.overflow = True, "ellipsis"
    return line


def _text_of(message: Published) -> str | None:
    match message:
        case Presence():
            return message.state
        case Progress():
            return _progress(message)
        case Loss():
            return _loss(message)
        case TurnSpoken():
            said = "(not understood)" if message.text is None else message.text
            return f"{clock_text(message.start_s)}  {message.side:<8}  {said}"
        case VerdictSpoken(label=str(label)):
            return f"turn {message.turn}  verdict   {message.judge}: {label}"
        case Note():
            return f"{clock_text(message.t)}  {message.by:<8}  {message.code}: {message.message}"
        case SessionState(state="ended"):
            return _ended(message)
        case _:
            return None


def _title(run: RunSeen) -> Text:
    presence = "unknown" if run.presence is None else run.presence.state
    style = {"online": GOOD, "lost": BAD}.get(presence, "dim")
    title = Text.assemble((neutralise(run.run), "bold"), "  ", (presence, style))
    if run.progress is not None:
        title.append(f"  {_progress(run.progress)}")
    return title


def _warnings(run: RunSeen) -> list[Text]:
    found = [] if run.loss is None else [Text(f"  {_loss(run.loss)}", WARN)]
    if run.unreadable:
        found.append(Text(f"  {run.unreadable} messages are of no version that is known here", WARN))
    return found


def _ended_calls(run: RunSeen) -> list[Text]:
    return [
        Text(f"  {neutralise(call.episode)}  {neutralise(_ended(call))}", "dim")
        for call in run.ended[-ENDED_SHOWN:]
    ]


def _progress(progress: Progress) -> str:
    parts = [f"{progress.state}: {progress.done} of {progress.total} calls"]
    if progress.live:
        parts.append(f"{progress.live} under way")
    if progress.void:
        parts.append(f"{progress.void} void")
    if progress.left_s is not None and progress.done < progress.total:
        parts.append(f"{span(progress.left_s)} left")
    return ", ".join(parts)


def _loss(loss: Loss) -> str:
    kinds = ", ".join(f"{number} {neutralise(kind)}" for kind, number in sorted(loss.dropped.items()))
    return f"events lost: {kinds}"


def _ended(state: SessionState) -> str:
    outcome = _outcome(state)
    text = neutralise(state.outcome or "ended") if outcome is None else ending(outcome, state.reason)
    return text if state.median_latency_ms is None else f"{text}  median {state.median_latency_ms:.0f} ms"


def _outcome(state: SessionState) -> Outcome | None:
    """None while it goes on, and of an outcome that a later vivavoce knows."""
    return Outcome(state.outcome) if state.outcome in {outcome.value for outcome in Outcome} else None


def _peak(db: float | None) -> int:
    return 0 if db is None else round(FULL_SCALE * 10 ** (db / 20))
