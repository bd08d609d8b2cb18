"""Calls with a real third-party server: Hugging Face speech-to-speech."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from agent.cli.runs.request import EngineChoice
from agent.cli.runs.run import load_engines
from agent.connect import connect
from agent.session import Session, SessionPlan, warm_up
from agent.suite.limits import RunLimits
from recordings.check import check
from recordings.format import EpisodeInfo, Flushed, Outcome, Side, UtteranceStarted
from recordings.reader import Episode
from scenarios.load import find, from_scenario
from scenarios.schema import Limits, Persona, Scenario, Turn
from scoring.score import RunScores, score
from streams.clock import run
from user_sim.policy import (
    Action,
    CallStarted,
    Ending,
    EndpointBegan,
    HangUp,
    Line,
    Percept,
    Say,
    Silence,
    TurnHeard,
)

ENGINES = EngineChoice("default", "default", "default", "default", "")


def address(url: str) -> str:
    return f"openai+{url}?model=peer&dialect=s2s"


def greeting() -> Scenario:
    return Scenario(
        id="warm-up",
        title="The server's first answer is slow",
        turns=(Turn(text="Hello there."),),
        limits=Limits(max_duration_s=40),
    )


async def call(url: str, plan: SessionPlan, folder: Path) -> EpisodeInfo:
    engines = load_engines(ENGINES)
    await warm_up(engines)
    info = await Session(plan, connect(address(url), os.environ), engines, folder).run()
    await asyncio.sleep(RunLimits().breath_s)  # the server holds one call at a time
    return info


@pytest.fixture(scope="module")
def calls(speech_to_speech: str, tmp_path_factory: pytest.TempPathFactory) -> RunScores:
    """The demo pack against the server, after a throw-away turn."""
    root = tmp_path_factory.mktemp("calls")

    async def hold() -> RunScores:
        await call(
            speech_to_speech, SessionPlan(id="w", scenario=from_scenario(greeting())), root / "warm" / "w"
        )
        for loaded in find("demo"):
            plan = SessionPlan(id=loaded.scenario.id, scenario=loaded)
            await call(speech_to_speech, plan, root / "run" / plan.id)
        return await score([root / "run"], load_engines(ENGINES).recogniser)

    return run(hold())


def test_every_call_of_the_demo_pack_is_held_to_its_end(calls: RunScores) -> None:
    episodes = calls.to_json()["episodes"]
    assert len(episodes) == 3
    assert {episode["outcome"] for episode in episodes} == {Outcome.COMPLETED.value}


def test_both_sides_understand_each_other(calls: RunScores) -> None:
    rows = [row for episode in calls.to_json()["episodes"] for row in episode["turns"]]
    heard = [row for row in rows if row["heard"] and row["endpoint_text"]]
    assert len(heard) >= 0.8 * len(rows)
    metrics = calls.to_json()["metrics"]
    # the endpoint's own words against what our ear made of its voice; the server's Whisper is `tiny`
    assert metrics["endpoint_wer_heard"]["value"] < 0.2
    assert metrics["user_wer_heard"]["value"] < 0.4


AUDIBLE = 50
"""Of 32768, -56 dBFS: a fricative at the end of a word stays below twice that for 70 ms."""


def test_latencies_agree_with_the_recorded_waveforms(calls: RunScores) -> None:
    """Independent of our own timeline: first and last loud samples of the two WAV files."""
    compared = 0
    for report in calls.to_json()["episodes"]:
        episode = Episode.load(Path(report["path"]))
        user, user_rate = episode.track("user")
        endpoint, endpoint_rate = episode.track("endpoint")
        for row in report["turns"]:
            if row["latency_ms"] is None or row["latency_ms"] < 0:
                continue
            begin = round(row["user_start_s"] * user_rate)
            end = round((row["user_end_s"] + 0.4) * user_rate)
            last_s = (begin + np.flatnonzero(np.abs(user[begin:end].astype(int)) > AUDIBLE)[-1]) / user_rate
            after = round(row["user_end_s"] * endpoint_rate)
            loud = np.flatnonzero(np.abs(endpoint[after:].astype(int)) > AUDIBLE)
            first_s = (after + loud[0]) / endpoint_rate
            assert row["latency_ms"] == pytest.approx((first_s - last_s) * 1000, abs=40)
            compared += 1
    assert compared >= 6


def test_the_recordings_are_whole(calls: RunScores) -> None:
    for report in calls.to_json()["episodes"]:
        assert check(Episode.load(Path(report["path"]))) == []


class BargeIn:
    """Asks something the server answers at length, and breaks in after a second of the answer."""

    def __init__(self) -> None:
        self.broke_in = False

    def observe(self, percept: Percept) -> Sequence[Action]:
        match percept:
            case CallStarted():
                return (Say(Line("Tell me everything that you like about long winters.")),)
            case EndpointBegan() if not self.broke_in:
                self.broke_in = True
                return (Say(Line("Wait, please stop. What are your opening hours?"), delay_s=1.0),)
            case TurnHeard() | Silence() if self.broke_in:
                return (HangUp(Ending.DONE),)
            case _:
                return ()

    def lines_ahead(self) -> Sequence[Line]:
        return ()


def test_a_barge_in_cuts_what_was_not_heard(speech_to_speech: str, tmp_path: Path) -> None:
    scenario = Scenario(
        id="barge-in",
        title="Breaks in",
        persona=Persona(patience_s=15),
        turns=(Turn(text="see the policy"),),
        limits=Limits(max_duration_s=60),
    )
    plan = SessionPlan(id="b", scenario=from_scenario(scenario), policy=BargeIn())
    info = run(call(speech_to_speech, plan, tmp_path / "b"))
    assert info.outcome is Outcome.COMPLETED
    episode = Episode.load(tmp_path / "b")
    second = [event for event in episode.events if isinstance(event, UtteranceStarted)][1]
    broke_in_s = second.audible_start / info.user_rate
    cuts = [event for event in episode.events if isinstance(event, Flushed) and event.items]
    assert cuts and cuts[0].t > broke_in_s
    # a burst endpoint had delivered it all: what was received of the cut reply and not heard was dropped
    assert any(received > heard for _, heard, received in cuts[0].items)
    cut_at = cuts[0].at
    endpoint, rate = episode.track("endpoint")
    assert not np.any(endpoint[cut_at : cut_at + rate // 10])
    assert check(episode) == []
    answer = [turn for turn in episode.turns if turn.side is Side.ENDPOINT][-1]
    assert answer.heard is not None and "friday" in answer.heard.lower()


def test_the_server_is_not_disturbed_by_our_reports(speech_to_speech: str, tmp_path: Path) -> None:
    plan = SessionPlan(id="t", scenario=from_scenario(greeting()))
    run(call(speech_to_speech, plan, tmp_path / "t"))
    episode = Episode.load(tmp_path / "t")
    unknown = [event for event in episode.events if event.kind == "unknown_message"]
    errors = [e for e in episode.events if e.kind == "noticed" and e.level == "error"]
    assert unknown == [] and errors == []
