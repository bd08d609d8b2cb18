"""Calls with a real third-party bot: a Pipecat cascade, by Pipecat's own protocol and by Twilio's.

The bot sometimes does not answer, as when its recogniser makes nothing of telephone sound: it is to be
understood, not to be good. It asks for no marks: those are proved by `tests/agent/test_marks_in_calls.py`,
and by streamdouble.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agent.cli.runs.run import load_engines
from agent.connect import connect
from agent.session import Session, SessionPlan, warm_up
from recordings.check import check
from recordings.format import EpisodeInfo, Flushed, Outcome, UtteranceStarted
from recordings.reader import Episode
from scenarios.load import from_scenario
from scenarios.schema import Limits, Persona, Scenario, Turn
from scoring.score import RunScores, score
from streams.clock import run
from tests.peers.test_speech_to_speech import ENGINES, BargeIn

ROUTES = {"pipecat": "pipecat+ws://{}/ws", "twilio": "twilio+ws://{}/twilio"}

LOADED_MACHINE_S = 1.0
"""The bot's models share the machine with ours: ticks may be later than in a measurement."""


def scenario(*texts: str) -> Scenario:
    return Scenario(
        id="call",
        title="Two questions",
        persona=Persona(patience_s=20),
        turns=tuple(Turn(text=text) for text in texts),
        limits=Limits(max_duration_s=90),
    )


async def call(address: str, folder: Path, *texts: str, **more: Any) -> EpisodeInfo:
    engines = load_engines(ENGINES)
    await warm_up(engines)
    plan = SessionPlan(
        id=folder.name,
        scenario=from_scenario(scenario(*texts)),
        max_lateness_s=LOADED_MACHINE_S,
        **more,
    )
    return await Session(plan, connect(address, os.environ), engines, folder).run()


@dataclass(frozen=True, slots=True)
class Held:
    """A call by one of the routes, and its scores."""

    route: str
    episode: Episode
    scores: RunScores

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The user's turns and their answers."""
        rows: list[dict[str, Any]] = self.scores.to_json()["episodes"][0]["turns"]
        return rows

    def seen(self, kind: str) -> list[Any]:
        return [event for event in self.episode.events if event.kind == kind]


@pytest.fixture(scope="module", params=sorted(ROUTES))
def held(
    request: pytest.FixtureRequest, pipecat_bot: str, tmp_path_factory: pytest.TempPathFactory
) -> Held:
    root = tmp_path_factory.mktemp(request.param)

    async def main() -> RunScores:
        address = ROUTES[request.param].format(pipecat_bot)
        questions = ("Hello, what are your opening hours?", "And what does the basic plan cost?")
        await call(address, root / "call", *questions)
        return await score([root], load_engines(ENGINES).recogniser)

    scores = run(main())
    return Held(request.param, Episode.load(root / "call"), scores)


def test_a_call_is_held_to_its_end_and_its_recording_is_whole(held: Held) -> None:
    assert held.episode.info.outcome in (Outcome.COMPLETED, Outcome.ENDPOINT_SILENT)
    assert check(held.episode) == []


def test_the_bot_is_understood_message_by_message(held: Held) -> None:
    assert held.seen("unknown_message") == []
    assert [notice for notice in held.seen("noticed") if notice.code == "protocol_violation"] == []


def test_questions_are_answered_and_timed(held: Held) -> None:
    answered = [row for row in held.rows if row["latency_ms"] is not None]
    assert answered and all(row["latency_ms"] > 0 and row["heard"] for row in answered)


def test_latency_is_the_sum_of_its_parts(held: Held) -> None:
    """First byte + time in our queue + leading silence; real-time delivery leaves the queue empty."""
    metrics = held.scores.to_json()["metrics"]
    whole = metrics["response_latency"]["value"]
    parts = metrics["first_byte"]["value"], metrics["leading_silence"]["value"]
    assert metrics["response_latency"]["n"] == metrics["first_byte"]["n"] >= 1
    assert sum(parts) == pytest.approx(whole, abs=80)
    assert parts[1] < 500


def test_each_reply_is_an_item_of_its_own(held: Held) -> None:
    items = [piece.item for piece in held.episode.received]
    assert len(set(items)) >= sum(row["latency_ms"] is not None for row in held.rows)
    # one after the other: an item that has given way does not come back
    order = [item for item, before in zip(items, [None, *items], strict=False) if item != before]
    assert len(order) == len(set(order))


def test_what_pipecat_tells_beside_the_audio_is_in_the_record(held: Held) -> None:
    if held.route != "pipecat":
        pytest.skip("Twilio's protocol has audio, marks and keys only")
    assert {event.status for event in held.seen("response_finished")} <= {"completed", "cancelled"}
    assert held.seen("endpoint_user_text") and held.seen("endpoint_text")
    edges = [event.edge for event in held.seen("endpoint_user_speech")]
    assert edges[:2] == ["start", "stop"]
    units = {event.unit for event in held.seen("usage_reported")}
    assert units == {"tokens", "characters", "seconds"}


@pytest.mark.parametrize("route", sorted(ROUTES))
def test_an_interruption_is_yielded_to(route: str, pipecat_bot: str, tmp_path: Path) -> None:
    address = ROUTES[route].format(pipecat_bot)
    info = run(call(address, tmp_path / "b", "see the policy", policy=BargeIn()))
    assert info.outcome in (Outcome.COMPLETED, Outcome.ENDPOINT_SILENT)
    episode = Episode.load(tmp_path / "b")
    second = [event for event in episode.events if isinstance(event, UtteranceStarted)][1]
    broke_in_s = second.audible_start / info.user_rate
    # the bot says "drop it" at every start of a turn: the one that counts comes after we broke in
    cut = next(e for e in episode.events if isinstance(e, Flushed) and e.t > broke_in_s)
    endpoint, rate = episode.track("endpoint")
    # a piece of 40 ms may slip out behind it; Twilio would play it
    quiet_from = cut.at + rate // 20
    assert not np.any(endpoint[quiet_from : quiet_from + rate // 5])
    assert check(episode) == []
    # there was a voice to yield: the reply that we broke into was heard
    assert np.any(endpoint[: round(broke_in_s * rate)])


def test_keys_and_text_reach_a_bot_that_says_it_takes_them(pipecat_bot: str) -> None:
    """RTVI refuses what it does not know with `error-response`; it refuses nothing of ours."""

    async def main() -> list[str]:
        endpoint = connect(ROUTES["pipecat"].format(pipecat_bot), os.environ)
        await endpoint.open()
        await endpoint.dtmf("5")
        await endpoint.text("What does the basic plan cost?")
        said: list[str] = []
        async with asyncio.timeout(60):
            async for event in endpoint.events():
                kind = type(event).__name__
                code = getattr(event, "code", None)
                said.append(f"{kind} {code}" if kind == "Notice" else kind)
                if kind == "ResponseEnded":
                    break
        await endpoint.cancel()
        await endpoint.close()
        return said

    said = run(main())
    assert "Notice error-response" not in said
    assert "AudioReceived" in said and "TextReceived" in said
