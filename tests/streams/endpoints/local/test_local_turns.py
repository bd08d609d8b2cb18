"""Finding turns by level: streams/endpoints/local/turns.py."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.audio import Samples
from streams.endpoints.local.turns import LONGEST_S, Began, Ended, TurnFinder

RATE = 16000
FRAME = RATE // 50


def track(*parts: tuple[float, float]) -> Samples:
    """Parts of (seconds, amplitude); the sign alternates, so that the RMS is the amplitude."""
    made = [amplitude * np.where(np.arange(round(s * RATE)) % 2, 1.0, -1.0) for s, amplitude in parts]
    return np.concatenate(made).astype(np.float32)


def found(samples: Samples, size: int = FRAME, **options: float) -> list[tuple[float, Began | Ended]]:
    """What is found, with the second at which it is."""
    finder = TurnFinder(RATE, **options)
    events = []
    for at in range(0, samples.size, size):
        part = samples[at : at + size]
        event = finder.push(part)
        if event is not None:
            events.append((round((at + part.size) / RATE, 6), event))
    return events


def test_a_turn_begins_after_60_ms_of_sound_and_ends_after_the_silence() -> None:
    events = found(track((1.0, 0), (1.0, 0.1), (2.0, 0)), silence_s=0.6)
    # 1.0 + 0.06; 2.0 + 0.6
    assert [(at, type(event)) for at, event in events] == [(1.06, Began), (2.6, Ended)]
    ended = events[1][1]
    assert isinstance(ended, Ended)
    # 0.2 s before the onset's 0.06 s, all of the second, and the silence that ended it
    assert ended.audio.size == round((0.2 + 1.0 + 0.6) * RATE)
    assert np.flatnonzero(ended.audio)[0] == round(0.2 * RATE)


@pytest.mark.parametrize(
    "parts",
    [
        [(0.5, 0), (0.04, 0.5), (1.0, 0)],  # a click
        [(0.5, 0), (1.0, 0.005), (1.0, 0)],  # -46 dBFS
        [(3.0, 0)],
    ],
)
def test_what_is_short_or_faint_is_no_turn(parts: list[tuple[float, float]]) -> None:
    assert found(track(*parts)) == []


def test_a_pause_shorter_than_the_silence_parts_no_turn() -> None:
    kinds = [type(event) for _, event in found(track((0.5, 0.1), (0.58, 0), (0.5, 0.1), (1.0, 0)))]
    assert kinds == [Began, Ended]


def test_a_turn_without_end_is_ended() -> None:
    ((_, began), (at, ended), *_) = found(track((LONGEST_S + 2, 0.1)))
    assert isinstance(began, Began) and isinstance(ended, Ended)
    assert at == pytest.approx(LONGEST_S, abs=0.1)


@given(st.lists(st.tuples(st.floats(0.02, 1.5), st.sampled_from([0.0, 0.1])), max_size=8))
def test_turns_begin_and_end_in_turn_and_hold_all_that_was_loud_within_them(
    parts: list[tuple[float, float]],
) -> None:
    events = [event for _, event in found(track(*parts, (1.0, 0.0)))]
    assert [type(event) for event in events] == [Began, Ended] * (len(events) // 2)
    loud = sum(int(np.count_nonzero(event.audio)) for event in events if isinstance(event, Ended))
    assert loud <= sum(round(s * RATE) for s, amplitude in parts if amplitude)
