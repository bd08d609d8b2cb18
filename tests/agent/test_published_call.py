"""A call as it is published, and as `viva watch` shows it again."""

from __future__ import annotations

import io
import itertools
from pathlib import Path
from typing import Literal, TypeVar

import pytest
from rich.console import Console

from agent.cli.onlookers.published_call import PublishedCall
from agent.cli.onlookers.publishing import Publishing
from agent.cli.onlookers.watch_screen import WatchScreen, line_of, lines_of, view_of
from agent.cli.runs.control import RunControl
from agent.observers import Levels
from agent.session import Engines
from agent.suite.hold import Order, Workplace, hold
from agent.suite.plan import Job
from agent.suite.progress import Standing
from recordings.format import Noticed, Outcome, SessionStarted, VerdictGiven
from recordings.reader import Episode
from scenarios.load import from_scenario
from streams import clock
from streams.endpoints.errors import ConnectFailed, EndpointError
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.events.address import Broker
from streams.events.coding import encode
from streams.events.messages import (
    Header,
    Latency,
    LevelsShown,
    Loss,
    Note,
    Presence,
    Progress,
    SessionState,
    TurnSpoken,
    VerdictSpoken,
)
from streams.events.topics import topic_of
from streams.events.watching import Watch
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ScriptedRecogniser, ToneVoice
from tests.agent.calls import scripted

M = TypeVar("M", bound=Header)

JOB = Job("the call", from_scenario(scripted(2)), "pcm+ws://host/x?key=secret", 0, 0)


def published(tmp_path: Path, refuses: EndpointError | None = None) -> tuple[list[Header], Episode]:
    """A whole call in simulated time."""
    put: list[Header] = []
    engines = Engines(ToneVoice(0.2), EnergyDetector(), recogniser=ScriptedRecogniser(["one", "two"]))
    replies = [FakeReply(pcm=tone(0.3), delay_s=0.2)] * 2
    here = Workplace(
        connect=lambda _: FakeEndpoint(replies, refuses=refuses),
        engines=engines,
        audience=lambda job: PublishedCall(job, put.append),
    )
    clock.run(hold(Order(JOB, "run", tmp_path / "call"), here), simulate=True)
    return put, Episode.load(tmp_path / "call")


def of(kind: type[M], messages: list[Header]) -> list[M]:
    return [message for message in messages if isinstance(message, kind)]


def test_what_is_published_of_a_call_is_what_is_recorded_of_it(tmp_path: Path) -> None:
    put, episode = published(tmp_path)
    turns = [(one.side, one.text, one.start_s, one.end_s) for one in of(TurnSpoken, put)]
    recorded = [
        (turn.side.value, turn.intended if turn.side == "user" else turn.heard, turn.start_s, turn.end_s)
        for turn in episode.turns
    ]
    assert [said for *said, _, _ in turns] == [said for *said, _, _ in recorded]
    assert [at for *_, a, b in turns for at in (a, b)] == pytest.approx(
        [at for *_, a, b in recorded for at in (a, b)],
        abs=5e-4,  # published in whole ms
    )
    user, endpoint = (
        [turn for turn in episode.turns if turn.side == side] for side in ("user", "endpoint")
    )
    latencies = [(b.start_s - a.end_s) * 1000 for a, b in zip(user, endpoint, strict=True)]
    assert [one.latency_ms for one in of(Latency, put)] == pytest.approx(latencies, abs=1e-3)
    assert {message.episode for message in put} == {"the call"}
    assert not any(b"secret" in encode(message) for message in put)


def test_levels_come_five_times_a_second(tmp_path: Path) -> None:
    put, episode = published(tmp_path)
    times = [one.t for one in of(LevelsShown, put)]
    assert times[0] == 0.1
    assert {round(b - a, 3) for a, b in itertools.pairwise(times)} == {0.2}
    assert times[-1] == pytest.approx(episode.info.duration_s, abs=0.2)
    silent = [one for one in of(LevelsShown, put) if one.user_db is None]
    assert silent and len(silent) < len(times)


def test_the_last_state_holds_all_that_a_screen_shows(tmp_path: Path) -> None:
    put, _ = published(tmp_path)
    states = of(SessionState, put)
    assert [states[0].state, states[1].state, states[-1].state] == ["calling", "talking", "ended"]
    last = states[-1]
    assert (last.outcome, last.fault, last.replies) == ("completed", "nobody", 2)
    assert [(line.side, line.text) for line in last.lines] == [
        ("user", "question 0"),
        ("endpoint", "one"),
        ("user", "question 1"),
        ("endpoint", "two"),
    ]
    assert last.lines[1].latency_ms == of(Latency, put)[0].latency_ms
    assert put[-1] is last


def test_a_call_that_could_not_be_made_has_ended(tmp_path: Path) -> None:
    put, _ = published(tmp_path, ConnectFailed("pcm+ws://host", "nothing listens"))
    assert [one.state for one in of(SessionState, put)] == ["calling", "ended"]
    last = of(SessionState, put)[-1]
    assert (last.outcome, last.t) == ("connect_failed", 0.0)
    assert "nothing listens" in last.reason


def test_verdicts_and_notices_are_published_as_they_come() -> None:
    put: list[Header] = []
    call = PublishedCall(JOB, put.append)
    call.event(SessionStarted(t=0, user_rate=16000, endpoint_rate=16000))
    call.event(VerdictGiven(t=1, turn=1, judge="rules", unscored="timeout"))
    call.event(Noticed(t=2, level="warning", code="slow", message="hurry \x1b[2J"))
    call.event(Noticed(t=2, level="info", code="hm", message="nothing"))
    call.levels(Levels(32768, 0, 1.0))
    assert [(one.judge, one.unscored) for one in of(VerdictSpoken, put)] == [("rules", "timeout")]
    assert [one.code for one in of(Note, put)] == ["slow"]
    assert [(one.user_db, one.endpoint_db) for one in of(LevelsShown, put)] == [(0.0, None)]
    line = line_of(of(Note, put)[0])
    assert line is not None and "\x1b" not in line  # an endpoint steers no terminal


def test_progress_counts_calls_as_they_begin_and_end() -> None:
    put: list[Header] = []
    control = RunControl()
    run = Publishing(put.append, control, total=3, done=1, endpoints=("pcm+ws://host",))
    call = run.audience(JOB)
    call.event(SessionStarted(t=0, user_rate=16000, endpoint_rate=16000))
    control.brake.pause()
    run.changed()
    control.brake.stop("enough")
    run.changed()
    run.told(Standing(3, 2, 1, 60.0))
    run.over()
    found = [(one.state, one.done, one.void, one.live) for one in of(Progress, put)]
    assert found == [
        ("running", 1, 0, 0),
        ("running", 1, 0, 1),
        ("paused", 1, 0, 1),
        ("stopping", 1, 0, 1),
        ("stopping", 2, 1, 1),
        ("ended", 2, 1, 1),
    ]


def watched(messages: list[Header]) -> Watch:
    watch = Watch("viva")
    for seq, message in enumerate([Presence(state="online"), *messages], start=1):
        stamped = message.model_copy(update={"run": "run", "source": "s", "seq": seq})
        watch.take(topic_of("viva", stamped), encode(stamped))
    return watch


def shown(watch: Watch, height: int = 30) -> str:
    out = io.StringIO()
    console = Console(file=out, width=100, height=height, force_terminal=False)
    console.print(WatchScreen(Broker("host", 1, "viva"), watch, console).render())
    return out.getvalue()


def test_a_watched_call_looks_as_it_does_where_it_is_held(tmp_path: Path) -> None:
    put, _ = published(tmp_path)
    reply = next(n for n, one in enumerate(put) if isinstance(one, SessionState) and len(one.lines) == 3)
    watch = watched([Progress(total=1, live=1), *put[: reply + 1]])
    text = shown(watch)
    assert "running: 0 of 1 calls, 1 under way" in text
    for words in ("the call", "question 0", "one", "question 1", "ms"):
        assert words in text
    whole = watched(put)
    assert "the call  completed" in shown(whole)
    assert "completed" in "\n".join(lines_of(whole.runs["run"]))


def test_many_calls_fit_a_small_terminal() -> None:
    calls: list[Header] = [SessionState(episode=f"e{n}", state="talking") for n in range(50)]
    text = shown(watched(calls), height=24)
    assert len(text.splitlines()) <= 24
    assert "more calls under way" in text


def several(runs: int, live: int, ended: int, state: Literal["online", "ended"] = "online") -> Watch:
    """Runs with calls under way, and calls that have ended."""
    watch = Watch("viva")
    for number in range(runs):
        messages: list[Header] = [Presence(state=state), Progress(total=99, live=live)]
        messages += [Loss(dropped={"levels": 5}), Loss(dropped={"levels": 6})]
        over = {"state": "ended", "outcome": "completed"}
        messages += [SessionState(episode=f"e{n}", **over) for n in range(ended)]
        messages += [SessionState(episode=f"l{n}", state="talking") for n in range(live)]
        for seq, message in enumerate(messages, start=1):
            stamped = message.model_copy(
                update={"run": f"run-{number}", "source": "s", "seq": seq, "at": f"2026-01-{number + 1:02}"}
            )
            watch.take(topic_of("viva", stamped), encode(stamped))
    return watch


@pytest.mark.parametrize("height", [3, 6, 12, 24])
@pytest.mark.parametrize(
    ("runs", "live", "ended"), [(1, 1, 9), (2, 1, 5), (3, 2, 5), (12, 1, 5), (31, 0, 5)]
)
def test_many_runs_fit_a_small_terminal(height: int, runs: int, live: int, ended: int) -> None:
    assert len(shown(several(runs, live, ended), height).splitlines()) <= height


def test_a_call_under_way_goes_before_calls_that_have_ended() -> None:
    text = shown(several(3, 2, 5), height=24)
    assert text.count("run-") == 3 and text.count("events lost") == 3
    assert "l0" in text and "e4" not in text
    assert "e4  completed" in shown(several(3, 2, 5), height=60)


def test_of_runs_that_are_over_the_last_are_shown() -> None:
    text = shown(several(20, 0, 3, "ended"), height=10)
    assert text.splitlines()[1].startswith("run-19  ended") and "and 13 more runs" in text


def test_an_outcome_of_a_later_release_is_shown_as_it_is() -> None:
    state = SessionState(episode="e", state="ended", outcome="struck_by_lightning", fault="nature")
    assert view_of(state).outcome is None
    assert "struck_by_lightning" in shown(watched([state]))


def test_an_outcome_of_today_is_known_again() -> None:
    assert (
        view_of(SessionState(episode="e", state="ended", outcome="completed")).outcome is Outcome.COMPLETED
    )
