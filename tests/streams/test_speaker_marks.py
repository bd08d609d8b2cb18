"""Marks of `streams.playback.Speaker`: reached on the playback clock, dropped by a flush."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from streams.playback import ItemPlayback, ReachedMark, Speaker

RATE = 8000
SECOND = b"\x01\x00" * RATE


def test_a_mark_is_reached_with_the_last_sample_before_it_and_not_one_earlier() -> None:
    ear = Speaker(RATE)
    ear.play(SECOND, at=1.0, item="a")
    ear.mark("middle")
    ear.play(SECOND, at=1.0, item="a")
    ear.heard(2 * RATE - 1)
    assert ear.reached() == []
    ear.heard(2 * RATE)
    # 1 s of the 2 s that arrived is heard at 2.0 s
    assert ear.reached() == [ReachedMark("middle", 2 * RATE, ItemPlayback("a", 2 * RATE, RATE))]
    assert ear.reached() == []  # once


def test_marks_behind_the_same_sample_are_reached_in_their_order() -> None:
    ear = Speaker(RATE)
    ear.play(SECOND, at=0.0, item="a")
    ear.mark("first")
    ear.mark("second")
    ear.play(SECOND, at=0.0, item="b")
    ear.mark("third")
    ear.heard(RATE)
    assert [mark.name for mark in ear.reached()] == ["first", "second"]
    ear.heard(2 * RATE)
    (third,) = ear.reached()
    assert (third.name, third.playback) == ("third", ItemPlayback("b", RATE, RATE))


def test_a_mark_with_nothing_before_it_is_reached_at_once() -> None:
    ear = Speaker(RATE)
    ear.heard(100)
    ear.mark("nothing")
    assert ear.reached() == [ReachedMark("nothing", 100, None)]
    ear.play(SECOND, at=0.5, item="a")
    ear.heard(2 * RATE)
    ear.mark("all heard")
    assert ear.reached() == [ReachedMark("all heard", 2 * RATE, ItemPlayback("a", RATE, RATE))]


def test_a_flush_drops_the_marks_behind_the_cut_and_leaves_those_before_it() -> None:
    ear = Speaker(RATE)
    ear.play(SECOND, at=0.0, item="a")
    ear.mark("heard")
    ear.play(SECOND, at=0.0, item="a")
    ear.mark("dropped")
    ear.flush(at=1.5)
    ear.heard(3 * RATE)
    assert [mark.name for mark in ear.reached()] == ["heard"]


def test_a_mark_behind_audio_that_stays_unheard_does_not_wait_for_it() -> None:
    ear = Speaker(RATE)
    ear.play(SECOND, at=0.0, item="a")
    ear.flush(at=0.5)
    ear.play(SECOND, at=0.6, item="a")  # late audio of a cut item
    ear.mark("after")
    ear.heard(RATE)
    (mark,) = ear.reached()
    assert mark.at == RATE // 2  # where the cut left the ear


@given(st.lists(st.one_of(st.integers(1, 4000), st.none()), max_size=20), st.integers(1, 997))
def test_every_mark_is_reached_where_the_audio_before_it_ends_however_the_ear_ticks(
    steps: list[int | None], tick: int
) -> None:
    ear = Speaker(RATE)
    expected: list[tuple[str, int]] = []
    total = 0
    for number, step in enumerate(steps):
        if step is None:
            ear.mark(str(number))
            expected.append((str(number), total))
        else:
            ear.play(b"\x01\x00" * step, at=0.0, item="a")
            total += step
    found: list[tuple[str, int]] = []
    for until in range(0, total + tick, tick):
        ear.heard(until)
        marks = ear.reached()
        # no earlier than its sample, and in the first tick that has heard it
        assert all(until - tick < mark.at <= until for mark in marks)
        found += [(mark.name, mark.at) for mark in marks]
    assert found == expected
