from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from streams.devices.clock_map import ClockMap


@given(
    drift=st.floats(-500, 500),
    blocks=st.lists(st.integers(100, 2000), min_size=3, max_size=60),
    start=st.floats(0, 1000),
)
def test_a_steady_clock_is_known_exactly_after_a_while(
    drift: float, blocks: list[int], start: float
) -> None:
    pace = 48000 * (1 + drift * 1e-6)
    clock, samples = ClockMap(48000), 0
    for size in (*blocks, *[2400] * 400):  # 20 s
        samples += size
        clock.push(size, start + samples / pace)
    assert abs(clock.drift_ppm - drift) < 1
    assert abs(clock.sample_at(start + (samples + 500) / pace) - (samples + 500)) < 1


def test_one_block_that_is_very_late_hardly_moves_the_line() -> None:
    clock = ClockMap(48000)
    for number in range(1000):
        clock.push(480, (number + 1) * 0.01 + (0.2 if number == 900 else 0.0))
    assert abs(clock.sample_at(10.0) - 480_000) < 48  # 1 ms
