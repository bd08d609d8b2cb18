from __future__ import annotations

import numpy as np
import pytest

from scenarios.schema import PolicyKind
from streams.audio import to_pcm16
from user_sim.person import FreeTalk, Mode, edges, free_scenario, policy_for, role_of, was_said
from user_sim.policy import CallStarted, Role


@pytest.mark.parametrize(
    ("text", "seconds", "over_s", "role"),
    [
        ("Tell me about tides.", 2.0, None, Role.TURN),
        ("Yes.", 0.4, None, Role.TURN),  # an answer, since nobody else speaks
        ("Mm-hm.", 0.4, 2.0, Role.BACKCHANNEL),
        ("Oh, I see, right.", 1.1, 2.0, Role.BACKCHANNEL),
        ("Yes yes yes yes", 1.3, 2.0, Role.BARGE_IN),  # too long to be one
        ("No, wait.", 0.6, 2.0, Role.BARGE_IN),
        ("", 0.5, 2.0, Role.BARGE_IN),  # nobody knows what was said
        ("No, wait.", 0.6, 0.1, Role.TURN),  # both begin at the same time
    ],
)
def test_what_words_were_for(text: str, seconds: float, over_s: float | None, role: Role) -> None:
    assert role_of(text, seconds, over_s) is role


@pytest.mark.parametrize(
    ("text", "part", "whole"),
    [
        ("What causes the tides of the sea?", True, True),
        ("what causes tides of the sea", True, True),  # 6 of 6 and of 7 words
        ("what causes the", True, False),  # a part of it: the rest may follow
        ("so what about the weather then", False, False),  # 2 of 6 words
        ("", True, False),  # not understood: nobody can say that it was something else
    ],
)
def test_whether_a_line_was_said(text: str, part: bool, whole: bool) -> None:
    assert was_said("What causes the tides of the sea?", text) == (part, whole)


@pytest.mark.parametrize("noise", [0.0, 0.002])
def test_edges_are_the_first_and_last_audible_sample_in_a_quiet_room_and_a_noisy_one(noise: float) -> None:
    rate = 16000
    t = np.arange(2 * rate) / rate
    track = np.random.default_rng(1).standard_normal(t.size) * noise
    speech = (t >= 0.8) & (t < 1.2)
    track[speech] += 0.3 * np.cos(2 * np.pi * 400 * (t[speech] - 0.8))
    # the detector knows them to 30 ms
    start, end = edges(to_pcm16(track), rate, round(0.83 * rate), round(1.17 * rate))
    assert start == pytest.approx(0.8 * rate, abs=0.003 * rate)
    assert end == pytest.approx(1.2 * rate, abs=0.003 * rate)


def test_free_talk_is_led_by_nobody() -> None:
    scenario = free_scenario("de")
    policy = policy_for(Mode.FREE, scenario, 0)
    assert isinstance(policy, FreeTalk) and scenario.policy is PolicyKind.LLM and scenario.language == "de"
    assert policy.observe(CallStarted()) == () and policy.lines_ahead() == ()
