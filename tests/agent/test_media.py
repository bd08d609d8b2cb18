"""Ticks that come late: what is sent of them, what is noted, and when it is too late."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from recordings.format import Outcome, TickLate
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from tests.agent.calls import hold
from user_sim.policy import (
    Action,
    CallStarted,
    Ending,
    EndpointBegan,
    HangUp,
    Line,
    Percept,
    Say,
    TurnHeard,
)


class Stall:
    """Blocks the loop: in simulated time, by moving the clock.

    Args:
        listening: For so many seconds, when the endpoint begins to speak.
        speaking: The same, in the middle of the user's burst.
    """

    def __init__(self, listening: float = 0.0, speaking: float = 0.0) -> None:
        self.listening = listening
        self.speaking = speaking

    def observe(self, percept: Percept) -> Sequence[Action]:
        loop = asyncio.get_running_loop()
        if isinstance(percept, CallStarted):
            if self.speaking:
                loop.call_later(0.305, self._stall, self.speaking)
            return (Say(Line("hello")),)
        if isinstance(percept, EndpointBegan):
            self._stall(self.listening)
        return (HangUp(Ending.DONE),) if isinstance(percept, TurnHeard) else ()

    def _stall(self, seconds: float) -> None:
        asyncio.get_running_loop()._now += seconds  # type: ignore[attr-defined]

    def lines_ahead(self) -> Sequence[Line]:
        return ()


@pytest.mark.parametrize(
    ("stall", "skipped"),
    [
        # silence does not catch up: frames that are more than one frame late are not sent
        (Stall(listening=0.11), [True, True, True, True, False]),
        # speech does: every frame of it is sent, and noted as late
        (Stall(speaking=0.11), [False, False, False, False, False]),
    ],
    ids=["listening", "speaking"],
)
def test_a_stall_of_ours_is_on_record(stall: Stall, skipped: list[bool], tmp_path: Path) -> None:
    reply = FakeReply(pcm=tone(2.0), delay_s=0.6)
    call = hold(tmp_path, FakeEndpoint([reply]), policy=stall)
    late = [e for e in call.episode.events if isinstance(e, TickLate)]
    assert call.info.outcome is Outcome.COMPLETED
    assert call.info.lateness is not None and call.info.lateness.worst == pytest.approx(100, abs=20)
    assert [e.skipped for e in late] == skipped
    assert call.info.lateness.skipped == sum(skipped)


def test_a_stall_beyond_the_limit_makes_the_episode_void(tmp_path: Path) -> None:
    reply = FakeReply(pcm=tone(2.0), delay_s=0.6)
    call = hold(tmp_path, FakeEndpoint([reply]), policy=Stall(listening=0.5))
    assert call.info.outcome is Outcome.BEHIND_REAL_TIME and call.info.outcome.void
    assert "too busy" in call.info.reason
