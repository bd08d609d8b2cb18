"""What a call of the self-test shows: how fast audio came, and what does not count as slow."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring.selftest.detectors import findings
from scoring.selftest.readings import Readings, Tracks, read
from tests.scoring.duplex.test_yielding import seen
from tests.scoring.episodes import CallMaker, tone

RATE = 24000


def readings(call: CallMaker, folder: Path) -> Readings:
    return read(seen(call, folder), Tracks(call.user_track, call.endpoint_track, RATE), {}, "")


def delivered(piece_s: float, every_s: float | None) -> CallMaker:
    call = CallMaker(RATE, RATE, length=12.0).user(0.0, 1.0)
    return call.reply(2.0, tone(3.0, RATE), response="r0", piece_s=piece_s, every_s=every_s)


@pytest.mark.parametrize("share", [0.7, 0.85])
def test_audio_that_comes_below_its_own_pace_is_measured(tmp_path: Path, share: float) -> None:
    found = readings(delivered(0.02, 0.02 / share), tmp_path)
    assert found.speed == pytest.approx(share, abs=1e-6)
    assert findings(found)["falls_behind"] == pytest.approx(share, abs=1e-6)


@pytest.mark.parametrize(("piece_s", "every_s"), [(0.02, 0.02), (0.2, 0.1)])
def test_audio_at_its_pace_or_faster_does_not_fall_behind(
    tmp_path: Path, piece_s: float, every_s: float
) -> None:
    assert "falls_behind" not in findings(readings(delivered(piece_s, every_s), tmp_path))


def test_audio_that_comes_at_once_has_no_pace(tmp_path: Path) -> None:
    assert readings(delivered(0.2, None), tmp_path).speed is None


def test_a_speaker_that_pauses_is_not_slow(tmp_path: Path) -> None:
    # twice 1.2 s at its pace, with 0.9 s in between in which nothing is sent
    call = CallMaker(RATE, RATE, length=12.0).user(0.0, 1.0)
    call.reply(2.0, tone(1.2, RATE), response="r0", piece_s=0.02, every_s=0.02)
    call.reply(4.1, tone(1.2, RATE), response="r0", piece_s=0.02, every_s=0.02)
    found = readings(call, tmp_path)
    assert found.speed == pytest.approx(1.0)
    assert "falls_behind" not in findings(found)
