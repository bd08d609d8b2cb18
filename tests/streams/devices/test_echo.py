from __future__ import annotations

import numpy as np
import pytest

from streams.audio import Samples
from streams.devices.echo import EchoWatch, find_echo
from tests.streams.devices.sounds import speech_like

RATE = 8000


def test_delay_and_level_of_an_echo_are_found() -> None:
    played = speech_like(1.1, RATE)
    captured = np.concatenate([np.zeros(960, np.float32), played])[-4000 - 960 : -960]
    captured *= 10 ** (-30 / 20)
    echo = find_echo(played, captured, RATE)  # 120 ms later, 30 dB softer
    assert echo is not None
    assert echo.delay_s == pytest.approx(0.12, abs=1 / RATE)
    assert echo.gain_db == pytest.approx(-30, abs=0.1)
    assert echo.correlation == pytest.approx(1.0, abs=1e-6)


def test_an_offset_of_the_microphone_changes_nothing() -> None:  # D16
    played = speech_like(1.1, RATE)
    captured = np.concatenate([np.zeros(960, np.float32), played])[-4000 - 960 : -960]
    captured *= 0.1
    plain, offset = (find_echo(played, captured + np.float32(level), RATE) for level in (0.0, 0.02))
    assert plain is not None and offset is not None
    assert offset.delay_s == plain.delay_s
    # an offset twice as strong as the echo itself: 0.02 against an RMS of 0.01
    assert offset.correlation == pytest.approx(plain.correlation, abs=1e-5)
    assert offset.gain_db == pytest.approx(plain.gain_db, abs=1e-3)
    assert find_echo(played, np.full(4000, 0.02, np.float32), RATE) is None


@pytest.mark.parametrize("seed", range(20))
def test_somebody_else_speaking_is_no_echo(seed: int) -> None:
    echo = find_echo(speech_like(1.1, RATE, seed + 1), speech_like(0.5, RATE, seed + 100), RATE)
    assert echo is not None and echo.correlation < 0.45


def test_nothing_is_said_of_silence() -> None:
    quiet, loud = np.zeros(8800, np.float32), speech_like(1.1, RATE)
    assert find_echo(quiet, loud[:4000], RATE) is None
    assert find_echo(loud, quiet[:4000], RATE) is None
    assert find_echo(np.full(8800, 0.1, np.float32), loud[:4000], RATE) is None  # an offset alone


def watch(played: Samples, captured: Samples, rate: int = 16000) -> tuple[EchoWatch, Samples]:
    """The captured track as the ear gets it: silence where it is an echo."""
    echo, frame, left = EchoWatch(rate, rate), rate // 50, captured.copy()
    for begin in range(0, played.size - frame + 1, frame):
        piece = slice(begin, begin + frame)
        if echo.push(captured[piece], played[piece]):
            left[piece] = 0
    return echo, left


def leaking(rate: int = 16000) -> tuple[Samples, Samples]:
    """The endpoint at 2.0 to 8.0 s, and its sound in the microphone 120 ms later, 30 dB softer (D41)."""
    played = np.zeros(12 * rate, np.float32)
    played[2 * rate : 8 * rate] = speech_like(6.0, rate, seed=3)
    captured = np.zeros_like(played)
    delay = round(0.12 * rate)
    captured[delay:] = played[:-delay] * 10 ** (-30 / 20)
    return played, captured


def seconds_with_sound(track: Samples, rate: int = 16000) -> list[tuple[float, float]]:
    loud = np.abs(track.reshape(-1, rate // 50)).max(axis=1) > 0.003
    edges = np.flatnonzero(np.diff(np.r_[0, loud.astype(int), 0]))
    return [(a / 50, b / 50) for a, b in edges.reshape(-1, 2) if b - a > 5]


def test_the_endpoint_in_the_microphone_is_silence_and_the_person_is_not() -> None:
    rate = 16000
    played, captured = leaking()
    captured[9 * rate : 10 * rate] += speech_like(1.0, rate, seed=9)
    echo, left = watch(played, captured)
    assert echo.echo is not None and echo.echo.delay_s == pytest.approx(0.12, abs=0.001)
    assert echo.echo.gain_db == pytest.approx(-30, abs=1)
    # until the echo is known, half a second of it passes; afterwards the person alone is left
    assert [span for span in seconds_with_sound(left) if span[0] > 2.7] == [(9.0, 10.0)]


def test_a_person_who_speaks_over_the_leak_is_heard() -> None:
    rate = 16000
    played, captured = leaking()
    captured[5 * rate : 6 * rate] += speech_like(1.0, rate, seed=9)
    _, left = watch(played, captured)
    spans = [span for span in seconds_with_sound(left) if span[0] > 2.7]
    assert spans[0][0] == pytest.approx(5.0, abs=0.04) and spans[-1][1] == pytest.approx(6.0, abs=0.04)


def test_a_stretch_that_is_echo_is_explained_and_one_that_is_not_is_not() -> None:
    played, captured = leaking()
    echo, _ = watch(played[: 4 * 16000], captured[: 4 * 16000])
    assert echo.explained(0.5) > 0.99 and echo.explained(0.3, ago_s=0.5) > 0.99
    echo, _ = watch(played[: 4 * 16000], speech_like(4.0, 16000, seed=77))
    assert echo.explained(0.5) < 0.5
