"""What a call of the self-test shows: how fast audio came, and what does not count as slow."""

from __future__ import annotations

from pathlib import Path

import pytest

from recordings.format import Flushed, Role
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


def test_talking_into_a_pause_and_into_words_are_two_things(tmp_path: Path) -> None:
    call = CallMaker(RATE, RATE, length=14.0).user(0.0, 4.0, pauses=[(1.0, 2.5)])
    into_pause = readings(call.reply(1.4, tone(0.5, RATE), response="r0"), tmp_path / "pause")
    assert into_pause.cut_in_s == pytest.approx(0.4, abs=1e-4)
    assert into_pause.talk_over_s is None
    call = CallMaker(RATE, RATE, length=14.0).user(0.0, 4.0)
    into_words = readings(call.reply(1.4, tone(0.5, RATE), response="r0"), tmp_path / "words")
    assert into_words.cut_in_s is None
    assert into_words.talk_over_s == pytest.approx(1.4, abs=1e-4)


def test_stopping_for_a_nod_is_read_from_its_first_sample(tmp_path: Path) -> None:
    call = CallMaker(RATE, RATE, length=12.0).user(0.0, 1.0)
    call.reply(1.5, tone(5.0, RATE), response="r0").user(3.0, 3.3, "mm-hm", role=Role.BACKCHANNEL)
    assert readings(call, tmp_path / "deaf").mm_hm_stop_s is None
    call.flush(3.2).note(Flushed(t=3.2, by="endpoint", at=76800, items=(("item", 40800, 120000),)))
    assert readings(call, tmp_path / "stops").mm_hm_stop_s == pytest.approx(0.2, abs=1e-4)


def test_who_falls_silent_for_good_has_answered_so_many_turns(tmp_path: Path) -> None:
    call = CallMaker(RATE, RATE, length=120.0)
    for number in range(4):
        call.user(25.0 * number, 25.0 * number + 1.0)
        if number < 2:
            call.reply(25.0 * number + 2.0, tone(1.0, RATE), response=f"r{number}", item=f"i{number}")
    assert readings(call, tmp_path).answered == 2
