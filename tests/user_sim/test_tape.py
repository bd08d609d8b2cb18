from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from user_sim.tape import Tape


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(-2, 60)), max_size=10), st.integers(0, 50))
def test_a_tape_holds_the_track_from_what_was_forgotten_last(
    steps: list[tuple[int, int]], start: int
) -> None:
    track = b"".join(i.to_bytes(2, "little") for i in range(200))
    tape, kept, end = Tape(start), start, start
    for samples, forget in steps:
        tape.append(track[2 * end : 2 * (end + samples)])
        end += samples
        tape.forget(forget)
        kept = min(max(kept, forget), end)
    assert (tape.start, tape.end) == (kept, end)
    assert tape.cut(0, 200) == track[2 * kept : 2 * end]
    assert tape.cut(kept + 1, end - 1) == track[2 * (kept + 1) : 2 * max(kept + 1, end - 1)]
