"""Runs as `viva watch` shows them: panels on a terminal, lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.text import Text

from agent.cli.runs.call_view import CallView, Line, clock_text, ending
from agent.cli.runs.console import LEAST_ROWS, LiveArea
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
        """The live area: it fits the terminal."""
        width, runs = self._console.width, list(self._watch.lines())
        heads = [(run, [_one_row(line) for line in _head(run)]) for run in runs]
        heads = [(run, head if run.online else head[:1]) for run, head in heads]
        room = self._console.height - 2 - sum(len(head) for _, head in heads) - bool(self._trouble)
        parts: list[RenderableType] = [Text(self._trouble, WARN)] if self._trouble else []
        live = sum(len(run.live) for run in runs)
        rows = max(room // max(live, 1), LEAST_ROWS)
        for run, head in heads:
            parts += head
            shown = run.live[: max(room // rows, 0)]
            room -= len(shown) * rows
            parts += [panel(view_of(call, run.levels.get(call.episode)), width, rows) for call in shown]
            if len(shown) < len(run.live):
                parts.append(Text(f"  and {len(run.live) - len(shown)} more calls under way", "dim"))
        if not runs and not self._trouble:
            parts.append(Text(f"no run has been published at {self._broker} yet", "dim"))
        return Group(*parts)


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
    for head in _head(run):
        yield head.plain
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


def _head(run: RunSeen) -> Iterator[Text]:
    presence = "unknown" if run.presence is None else run.presence.state
    style = {"online": GOOD, "lost": BAD}.get(presence, "dim")
    title = Text.assemble((neutralise(run.run), "bold"), "  ", (presence, style))
    if run.progress is not None:
        title.append(f"  {_progress(run.progress)}")
    yield title
    if run.loss is not None:
        yield Text(f"  {_loss(run.loss)}", WARN)
    if run.unreadable:
        yield Text(f"  {run.unreadable} messages are of no version that is known here", WARN)
    for call in run.ended[-ENDED_SHOWN:]:
        yield Text(f"  {neutralise(call.episode)}  {neutralise(_ended(call))}", "dim")


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
