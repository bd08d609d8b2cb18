"""When a process gets its next call."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.suite.pressure import CALM_S, LONGEST_S, RAMP_S, Pressure


def test_calls_begin_one_after_the_other() -> None:
    pressure = Pressure()
    assert pressure.wait(10.0) == 0
    pressure.began(10.0)
    assert pressure.wait(10.0) == pytest.approx(RAMP_S)
    assert pressure.wait(10.0 + RAMP_S) == 0


def test_a_process_that_is_late_gets_its_next_call_when_it_is_calm_again() -> None:
    pressure = Pressure()
    pressure.note(10.0, 5.1)  # later than 5 ms
    assert pressure.wait(10.5) == 10.0 + CALM_S - 10.5
    pressure.note(11.0, 20.0)
    assert pressure.wait(11.0) == CALM_S
    pressure.note(12.0, 4.9)
    assert pressure.wait(13.0) == 0


def test_a_process_that_is_never_calm_gets_a_call_after_half_a_minute_all_the_same() -> None:
    pressure, now = Pressure(), 0.0
    while pressure.wait(now) > 0 or now == 0.0:
        pressure.note(now, 50.0)
        now += 0.5
        assert now <= LONGEST_S + 1
    assert now >= LONGEST_S
    pressure.began(now)
    pressure.note(now, 50.0)
    assert pressure.wait(now) == CALM_S  # and then waits again


@given(st.lists(st.tuples(st.floats(0, 3), st.floats(0, 20), st.booleans()), max_size=60))
def test_nobody_waits_longer_than_half_a_minute_whatever_happens(
    steps: list[tuple[float, float, bool]],
) -> None:
    pressure, now, since = Pressure(), 0.0, 0.0
    for step, late, begins in steps:
        now += step
        pressure.note(now, late)
        wait = pressure.wait(now)
        assert 0 <= wait <= CALM_S + 1e-9
        if wait == 0:
            since = now
            if begins:
                pressure.began(now)
        assert now - since <= LONGEST_S + 3 + RAMP_S
