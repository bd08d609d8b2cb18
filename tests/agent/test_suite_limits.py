from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.suite.limits import RunLimits, Schedule
from agent.suite.plan import Job, plan
from agent.suite.progress import Progress, Standing, span
from scenarios.load import from_scenario
from scenarios.schema import Scenario, Turn

SCENARIO = from_scenario(Scenario(id="s", title="s", turns=(Turn(text="Hello."),)))


def jobs(repeats: int, endpoints: int = 1) -> list[Job]:
    return plan([SCENARIO], [f"fake://?replies={n}" for n in range(endpoints)], repeats)


def simulated(
    schedule: Schedule, length: float, void: dict[str, int] | None = None
) -> list[tuple[float, str]]:
    """When each call begins, if every one takes so long; `void` says how often a call is void first."""
    now, void = 0.0, dict(void or {})
    running: list[tuple[float, Job]] = []
    starts: list[tuple[float, str]] = []
    while running or not schedule.empty:
        while (job := schedule.take(now)) is not None:
            starts.append((now, job.id))
            running.append((now + length, job))
        ends = min((end for end, _ in running), default=float("inf"))
        comes = schedule.next_time(now)
        now = ends if comes is None else min(ends, comes)
        assert now < float("inf"), "nothing is under way, and nothing may begin"
        for end, job in [entry for entry in running if entry[0] <= now]:
            running.remove((end, job))
            schedule.ended(job, now)
            if void.get(job.id, 0):
                void[job.id] -= 1
                schedule.again(job, now)
    return starts


def test_calls_begin_in_the_order_of_the_plan_as_places_are_free() -> None:
    starts = simulated(Schedule(jobs(5), RunLimits(2, breath_s=0.0)), 10)
    assert starts == [(0, "s--r1"), (0, "s--r2"), (10, "s--r3"), (10, "s--r4"), (20, "s--r5")]


def test_between_two_calls_in_a_place_of_an_endpoint_there_is_a_breath() -> None:
    assert simulated(Schedule(jobs(2), RunLimits(1, breath_s=1)), 10) == [(0, "s--r1"), (11, "s--r2")]
    # another endpoint need not wait for it
    starts = simulated(Schedule(jobs(1, 2), RunLimits(1, breath_s=1)), 10)
    assert [at for at, _ in starts] == [0, 10]


def test_an_endpoint_never_has_more_sessions_than_it_may_and_the_others_go_on() -> None:
    starts = simulated(Schedule(jobs(2, 2), RunLimits(4, per_endpoint=1, breath_s=0.0)), 10)
    assert starts == [
        (0, "s--e1-fake--r1"), (0, "s--e2-fake--r1"), (10, "s--e1-fake--r2"), (10, "s--e2-fake--r2"),
    ]  # fmt: skip


def test_starts_with_an_endpoint_are_evenly_apart() -> None:
    # 6 a minute is one every 10 s, however short the calls
    starts = simulated(Schedule(jobs(3, 2), RunLimits(8, starts_per_minute=6, breath_s=0.0)), 1)
    assert [at for at, _ in starts] == [0, 0, 10, 10, 20, 20]


def test_a_void_call_is_held_again_after_a_wait_that_doubles_and_not_for_ever() -> None:
    schedule = Schedule(jobs(2), RunLimits(1, retries=2, breath_s=0.0))
    starts = simulated(schedule, 1, {"s--r1": 99})
    # void at 1 s: again 5 s later; void at 7 s: again 10 s later; then no more
    assert starts == [(0, "s--r1"), (1, "s--r2"), (6, "s--r1"), (17, "s--r1")]


def test_an_endpoint_that_asks_for_more_time_gets_it() -> None:
    schedule = Schedule(jobs(1), RunLimits(1, retries=5, breath_s=0.0))
    job = schedule.take(0)
    assert job is not None
    schedule.ended(job, 1)
    assert schedule.again(job, 1, wait_s=120) == 120
    assert (schedule.take(100), schedule.next_time(100)) == (None, 121)
    assert schedule.take(121) is job
    schedule.ended(job, 122)
    assert schedule.again(job, 122, wait_s=2) == 10  # its own wait is longer by now


def test_an_endpoint_that_takes_no_calls_now_gets_none_for_a_while_and_the_others_go_on() -> None:
    schedule = Schedule(jobs(9, 2), RunLimits(4, per_endpoint=2, breath_s=0.0))
    first, other, second, _ = [schedule.take(0) for _ in range(4)]
    assert first is not None and second is not None and other is not None
    for refused in (first, second):  # two at once are refused once
        schedule.ended(refused, 1)
    assert schedule.refused(first, 1, wait_s=60) == 60
    assert schedule.refused(second, 1, wait_s=50) == 60
    schedule.ended(other, 1)
    begun = schedule.take(1)
    assert begun is not None and begun.endpoint_number == other.endpoint_number
    assert (schedule.take(60), schedule.next_time(60)) == (None, 61)
    late = schedule.take(61)
    assert late is not None and late.endpoint_number == first.endpoint_number


def test_an_endpoint_that_does_not_say_how_long_gets_twice_as_long_each_time_and_is_then_left() -> None:
    schedule = Schedule(jobs(10), RunLimits(1, breath_s=0.0))
    now, waits = 0.0, []
    while (job := schedule.take(now)) is not None:
        schedule.ended(job, now)
        waits.append(schedule.refused(job, now))
        now += waits[-1]
    assert waits == [5, 10, 20, 40, 80, 160, 300, 0]  # at most 300 s; the eighth is the last
    assert (schedule.empty, schedule.next_time(now), len(schedule.waiting)) == (True, None, 2)


def test_an_endpoint_that_takes_a_call_again_is_trusted_again() -> None:
    schedule = Schedule(jobs(9), RunLimits(1, breath_s=0.0))
    job = schedule.take(0)
    assert job is not None
    assert schedule.refused(job, 0) == 5
    schedule.answered(job)
    assert schedule.refused(job, 5) == 5
    assert schedule.refused(job, 10, wait_s=90_000) == 300  # others do not wait for a day


def test_without_retries_nothing_is_held_again() -> None:
    schedule = Schedule(jobs(1), RunLimits(1))
    job = schedule.take(0)
    assert job is not None and schedule.again(job, 1) is None
    assert schedule.empty


@given(
    st.integers(1, 6),
    st.integers(1, 3),
    st.integers(1, 4),
    st.none() | st.integers(1, 3),
    st.none() | st.sampled_from([6.0, 60.0]),
    st.sampled_from([0.0, 1.0]),
    st.dictionaries(st.integers(0, 17), st.integers(1, 3), max_size=4),
)
def test_whatever_the_limits_every_call_is_held_and_none_is_exceeded(
    repeats: int,
    endpoints: int,
    concurrency: int,
    per_endpoint: int | None,
    rate: float | None,
    breath: float,
    void: dict[int, int],
) -> None:
    entries = jobs(repeats, endpoints)
    spoiled = {entries[place].id: times for place, times in void.items() if place < len(entries)}
    limits = RunLimits(concurrency, per_endpoint, rate, breath, retries=2)
    starts = simulated(Schedule(entries, limits), 7.0, spoiled)
    held = Counter(id for _, id in starts)
    assert held == {job.id: 1 + min(spoiled.get(job.id, 0), 2) for job in entries}
    number = {job.id: job.endpoint_number for job in entries}
    for at, _ in starts:
        under_way = [id for began, id in starts if began <= at < began + 7.0]
        assert len(under_way) <= concurrency
        assert max(Counter(number[id] for id in under_way).values()) <= (per_endpoint or concurrency)
    if rate is not None:
        for endpoint in set(number.values()):
            own = sorted(at for at, id in starts if number[id] == endpoint)
            assert all(later - at >= 60 / rate - 1e-9 for at, later in pairwise(own))


# --- progress -----------------------------------------------------------------------------------


def test_the_time_left_is_told_from_three_calls_on_at_the_pace_of_this_sitting() -> None:
    progress = Progress(total=10, done=4, began=100)
    first = progress.ended(110, void=False, settled=True)
    assert (first, str(first)) == (Standing(10, 5, 0, None), "5 of 10 calls")
    progress.ended(115, void=True, settled=False)  # to be held again
    progress.ended(120, void=False, settled=True)
    third = progress.ended(130, void=False, settled=True)
    # 30 s for three calls, three are left
    assert third == Standing(10, 7, 1, 30.0, again=1)
    assert str(third) == "7 of 10 calls, 1 void (1 held again), 30 s left"
    refused = progress.ended(140, void=True, settled=False, rests_s=60)
    assert str(refused).endswith(
        "2 void (2 held again), 40 s left; the endpoint takes none now: the next in 60 s"
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(40, "40 s"), (89, "89 s"), (90, "2 min"), (3599, "1 h 00 min"), (7500, "2 h 05 min")],
)
def test_a_length_of_time_is_for_people(seconds: float, text: str) -> None:
    assert span(seconds) == text
