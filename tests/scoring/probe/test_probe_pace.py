"""How an endpoint delivers its sound (`scoring.probe.pace`)."""

from __future__ import annotations

import pytest

from recordings.format import ReceivedPiece
from scoring.probe.pace import Delivered, delivered

RATE = 16000


def pieces(*times: float, seconds: float = 0.1) -> list[ReceivedPiece]:
    size = round(seconds * RATE)
    return [
        ReceivedPiece(t=t, item="a", offset=n * size, samples=size, start=n * size)
        for n, t in enumerate(times)
    ]


def test_sound_that_comes_at_once_is_a_burst_of_all_its_length() -> None:
    # thirty pieces of 0.1 s within one instant
    found = delivered(pieces(*[2.0] * 30), RATE)
    assert (found.pace, found.speed) == ("burst", None)
    assert found.ahead_s == pytest.approx(3.0)


def test_sound_that_is_made_faster_than_it_is_played_is_a_burst() -> None:
    # 0.1 s of sound every 20 ms: 30 pieces, the last after 29 x 0.02 = 0.58 s; 3.0 - 0.58 = 2.42
    found = delivered(pieces(*(2.0 + 0.02 * n for n in range(30))), RATE)
    assert found.pace == "burst"
    assert found.ahead_s == pytest.approx(2.42)
    assert found.speed == pytest.approx(5.0)


def test_sound_at_1x_is_in_real_time_and_a_little_jitter_changes_nothing() -> None:
    exact = delivered(pieces(*(0.1 * n for n in range(30))), RATE)
    assert exact.pace == "realtime"
    assert exact.ahead_s == pytest.approx(0.1)
    assert exact.speed == pytest.approx(1.0)
    jitter = delivered(pieces(*(0.1 * n + (0.15 if n % 7 == 0 else 0.0) for n in range(30))), RATE)
    assert jitter.pace == "realtime"


def test_a_head_start_and_then_1x_is_a_lead_of_that_length() -> None:
    # eight pieces at once, then one every 0.1 s: always 0.8 s ahead
    found = delivered(pieces(*[1.0] * 8, *(1.1 + 0.1 * n for n in range(22))), RATE)
    assert found.pace == "lead"
    assert found.ahead_s == pytest.approx(0.8)
    assert found.speed == pytest.approx(1.0)


def test_a_short_reply_tells_nothing_of_its_pace() -> None:
    assert delivered(pieces(1.0, 1.0, 1.0, 1.0), RATE) == Delivered("unknown")
    assert delivered([], RATE) == Delivered("unknown")


def test_a_clock_paces_steadily_and_a_maker_does_not() -> None:
    assert delivered(pieces(*(0.15 * n for n in range(20))), RATE).steady
    assert not delivered(pieces(*(0.01 * n * n for n in range(20))), RATE).steady
