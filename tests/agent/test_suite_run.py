"""A run held to its end, or not: in simulated time, with endpoints that fail as they are told."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import errno
import math
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from agent.observers import Audience, Nobody
from agent.session import Engines
from agent.suite.budget import Budget, Spent
from agent.suite.hold import Order, Result, Workplace, hold
from agent.suite.holder import Here
from agent.suite.limits import RunLimits, Schedule
from agent.suite.manifest import jobs_of, manifest
from agent.suite.plan import Job, plan
from agent.suite.progress import Standing
from agent.suite.run import Held, SuiteSettings, hold_all
from recordings.format import Event, Outcome
from recordings.reader import Episode
from recordings.run import Run, load_run
from recordings.writer import EpisodeWriter
from scenarios.load import from_scenario
from scenarios.schema import Limits, Persona, Scenario, Turn
from streams import clock
from streams.endpoints.errors import AuthenticationFailed, ConnectFailed, EndpointError, RateLimited
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ToneVoice
from user_sim.policy import Action, TurnHeard
from user_sim.scripted import ScriptedPolicy

SCENARIO = from_scenario(
    Scenario(
        id="s",
        title="One question",
        turns=(Turn(text="Hello."),),
        persona=Persona(patience_s=1),
        limits=Limits(max_duration_s=10, reply_timeout_s=1.5),
    )
)
REFUSED = ConnectFailed("fake://", "nothing listens")
QUICK = RunLimits(breath_s=0)


def engines() -> Engines:
    return Engines(voice=ToneVoice(0.2), detector=EnergyDetector())


def answering(refuses: EndpointError | None = None) -> FakeEndpoint:
    return FakeEndpoint([FakeReply(pcm=tone(0.3), delay_s=0.2)], refuses=refuses)


class Line:
    """Makes endpoints, each of which refuses if the next of `refusals` says so; notes when it did."""

    def __init__(self, refusals: Sequence[EndpointError | None] = ()) -> None:
        self.refusals = list(refusals)
        self.times: list[float] = []

    def connect(self, address: str) -> FakeEndpoint:
        self.times.append(clock.now())
        return answering(self.refusals.pop(0) if self.refusals else None)


def held(
    out: Path,
    line: Line | None = None,
    settings: SuiteSettings | None = None,
    repeats: int = 3,
    *,
    resume: bool = False,
    audience: Callable[[Job], Audience] = lambda _: Nobody(),
    cost: float = 0.0,
) -> Held:
    jobs = plan([SCENARIO], ["fake://"], repeats)
    line = line or Line()
    here = Workplace(line.connect, engines(), audience, cost=lambda *_: cost)

    async def main() -> Held:
        run = Run.resume(out) if resume else Run.create(out, manifest(jobs, out))
        try:
            return await hold_all(run, jobs, here, settings or SuiteSettings(limits=QUICK))
        finally:
            run.close()

    return clock.run(main(), simulate=True)


def states(out: Path) -> list[tuple[str, str | None, int]]:
    """State, outcome and number of attempts of every planned episode."""
    return [(e.state, e.outcome and e.outcome.value, len(e.attempts)) for e in load_run(out).episodes]


def test_every_call_is_held_and_told(tmp_path: Path) -> None:
    told: list[Standing] = []
    settings = SuiteSettings(limits=QUICK, told=told.append)
    found = held(tmp_path, settings=settings)
    assert [result.outcome for result in found.results] == [Outcome.COMPLETED] * 3
    assert states(tmp_path) == [("done", "completed", 1)] * 3
    assert [(standing.done, standing.total) for standing in told] == [(1, 3), (2, 3), (3, 3)]
    assert found.spent.minutes == pytest.approx(sum(r.duration_s for r in found.results) / 60)


# --- held again ---------------------------------------------------------------------------------


def test_an_endpoint_that_refuses_every_second_session_is_called_again_and_every_try_is_kept(
    tmp_path: Path,
) -> None:
    line = Line([None, REFUSED, None, REFUSED, None])
    found = held(tmp_path, line, SuiteSettings(limits=RunLimits(breath_s=0, retries=2)))
    # the second call is refused, the third is held meanwhile, and the second is refused once more
    assert [result.episode for result in found.results] == ["s--r1", "s--r2+3", "s--r3"]
    assert [result.outcome for result in found.again] == [Outcome.CONNECT_FAILED] * 2
    assert states(tmp_path) == [("done", "completed", tries) for tries in (1, 3, 1)]
    tries = [Episode.load(tmp_path / name).info for name in ("s--r2", "s--r2+2", "s--r2+3")]
    assert [info.outcome.value for info in tries] == ["connect_failed", "connect_failed", "completed"]
    assert [info.id for info in tries] == ["s--r2", "s--r2+2", "s--r2+3"]


def test_what_is_the_endpoints_fault_is_a_result_and_not_tried_again(tmp_path: Path) -> None:
    class Silent(Line):
        def connect(self, address: str) -> FakeEndpoint:
            super().connect(address)
            return FakeEndpoint([])

    line = Silent()
    found = held(tmp_path, line, SuiteSettings(limits=RunLimits(breath_s=0, retries=3)), repeats=1)
    assert [result.outcome for result in found.results] == [Outcome.ENDPOINT_SILENT]
    assert len(line.times) == 1


def test_a_key_that_was_rejected_is_not_tried_again(tmp_path: Path) -> None:
    line = Line([AuthenticationFailed("fake://", "the key was rejected")])
    found = held(tmp_path, line, SuiteSettings(limits=RunLimits(breath_s=0, retries=3)), repeats=1)
    assert [result.outcome for result in found.results] == [Outcome.CONNECT_FAILED]
    assert len(line.times) == 1


def test_an_endpoint_that_says_when_to_come_back_is_called_then(tmp_path: Path) -> None:
    busy = ConnectFailed("fake://", "HTTP 429")
    busy.retry_after_s = 90
    line = Line([busy])
    held(tmp_path, line, SuiteSettings(limits=RunLimits(breath_s=0, retries=1)), repeats=1)
    first, second = line.times
    assert second - first == pytest.approx(90)


def test_an_account_that_is_used_up_for_a_minute_spoils_one_call_and_not_all_that_are_left(
    tmp_path: Path,
) -> None:
    used_up = RateLimited("fake://", "HTTP 429")
    used_up.retry_after_s = 60
    until: list[float] = []

    class Account(Line):
        def connect(self, address: str) -> FakeEndpoint:
            if len(self.times) == 1:  # the second call is one too many
                until.append(clock.now() + 60)
            self.times.append(clock.now())
            return answering(used_up if until and clock.now() < until[0] else None)

    told: list[str] = []
    settings = SuiteSettings(limits=QUICK, told=lambda standing: told.append(str(standing)))
    found = held(tmp_path, Account(), settings, repeats=6)
    outcomes = [result.outcome for result in found.results]
    assert outcomes == [Outcome.COMPLETED, Outcome.RATE_LIMITED, *[Outcome.COMPLETED] * 4]
    assert "the endpoint takes none now: the next in 60 s" in told[1]


def test_an_account_that_is_used_up_for_good_leaves_its_calls_for_a_resume(tmp_path: Path) -> None:
    line = Line([RateLimited("fake://", "HTTP 429")] * 20)
    found = held(tmp_path, line, repeats=12)
    assert [result.outcome for result in found.results] == [Outcome.RATE_LIMITED] * 8
    (reason,) = {left.reason for left in found.not_held}
    assert (len(found.not_held), reason) == (4, "the endpoint has taken no calls 8 times in a row")
    # nothing is lost: another day all twelve are held
    again = held(tmp_path, resume=True, repeats=12)
    assert [result.outcome for result in again.results] == [Outcome.COMPLETED] * 12


# --- stopped ------------------------------------------------------------------------------------


def test_a_spent_budget_lets_calls_end_and_begins_no_more(tmp_path: Path) -> None:
    # a call is 0.2 s of question, 0.2 s and 0.3 s of reply, and some silence: two are more than 2 s
    settings = SuiteSettings(limits=QUICK, budget=Budget(minutes=2 / 60))
    found = held(tmp_path, settings=settings, repeats=5)
    done = len(found.results)
    assert 1 <= done < 5
    assert sum(r.duration_s for r in found.results[:-1]) < 2 <= sum(r.duration_s for r in found.results)
    assert [left.job.id for left in found.not_held] == [f"s--r{n}" for n in range(done + 1, 6)]
    assert "minutes of call" in found.not_held[0].reason
    assert states(tmp_path)[done:] == [("planned", None, 0)] * (5 - done)
    # a resumed run has the budget anew
    assert held(tmp_path, settings=SuiteSettings(limits=QUICK), repeats=5, resume=True).not_held == ()


def test_what_judges_spend_counts_too(tmp_path: Path) -> None:
    spent = iter((0, 0, 10_000))
    tokens = [0]

    def also() -> Spent:
        tokens[0] = next(spent, tokens[0])
        return Spent(tokens=tokens[0])

    settings = SuiteSettings(limits=QUICK, budget=Budget(tokens=10_000), also_spent=also)
    found = held(tmp_path, settings=settings)
    assert 0 < len(found.not_held) < 3


def test_money_is_counted_call_by_call(tmp_path: Path) -> None:
    settings = SuiteSettings(limits=QUICK, budget=Budget(usd=1.0))
    found = held(tmp_path, settings=settings, cost=0.4, repeats=5)
    assert len(found.results) == 3
    assert found.spent.usd == pytest.approx(1.2)


def test_a_run_that_is_stopped_leaves_the_rest_planned(tmp_path: Path) -> None:
    asked: list[str] = []

    def stop() -> str:
        asked.append("asked")
        return "enough" if len(asked) > 1 else ""

    found = held(tmp_path, settings=SuiteSettings(limits=QUICK, stop=stop))
    assert [result.job.id for result in found.results] == ["s--r1"]
    assert [(left.job.id, left.reason) for left in found.not_held] == [
        ("s--r2", "enough"),
        ("s--r3", "enough"),
    ]
    assert states(tmp_path) == [("done", "completed", 1), ("planned", None, 0), ("planned", None, 0)]


def test_a_full_disk_stops_the_run_and_what_is_left_can_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import recordings.disk

    real = recordings.disk.EpisodeFiles.write
    calls = [0]

    def full(files: recordings.disk.EpisodeFiles, batch: recordings.disk.Batch) -> None:
        if files.folder.name == "s--r2":
            calls[0] += 1
            raise OSError(errno.ENOSPC, "No space left on device", str(files.folder / "user.wav"))
        real(files, batch)

    with monkeypatch.context() as patch:
        patch.setattr(recordings.disk.EpisodeFiles, "write", full)
        found = held(tmp_path)
    assert calls == [1]
    assert [result.outcome for result in found.results] == [Outcome.COMPLETED, Outcome.HARNESS_FAILED]
    assert [left.job.id for left in found.not_held] == ["s--r3"]
    assert "the disk is full" in found.not_held[0].reason
    again = held(tmp_path, resume=True)
    assert [result.episode for result in again.results] == ["s--r2+2", "s--r3"]


def test_a_fault_of_ours_in_one_call_leaves_the_others_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish = EpisodeWriter.finish

    async def broken(writer: EpisodeWriter, info: object) -> object:
        if writer.folder.name == "s--r2":
            writer.abandon()
            raise TypeError("a fault")
        return await finish(writer, info)  # type: ignore[arg-type]

    monkeypatch.setattr(EpisodeWriter, "finish", broken)
    found = held(tmp_path)
    assert [(r.outcome.value, r.recorded) for r in found.results] == [
        ("completed", True), ("harness_failed", False), ("completed", True),
    ]  # fmt: skip
    assert found.results[1].reason == "TypeError: a fault"


def test_a_scenario_that_crashes_its_policy_breaks_its_own_calls_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = ScriptedPolicy._reply

    def crashing(policy: ScriptedPolicy, heard: TurnHeard) -> Sequence[Action]:
        return {"s": reply}[policy.scenario.id](policy, heard)  # KeyError of any other

    monkeypatch.setattr(ScriptedPolicy, "_reply", crashing)
    other = from_scenario(SCENARIO.scenario.model_copy(update={"id": "crashes"}))
    jobs = plan([other, SCENARIO], ["fake://"], 2)

    async def main() -> Held:
        run = Run.create(tmp_path, manifest(jobs, tmp_path))
        try:
            return await hold_all(
                run, jobs, Workplace(Line().connect, engines()), SuiteSettings(limits=QUICK)
            )
        finally:
            run.close()

    found = clock.run(main(), simulate=True)
    assert [(r.job.id, r.outcome.value, r.reason, r.recorded) for r in found.results] == [
        (f"crashes--r{n}", "harness_failed", "KeyError: 'crashes'", True) for n in (1, 2)
    ] + [(f"s--r{n}", "completed", "the user reached the end of the scenario", True) for n in (1, 2)]
    # the episode is whole up to there
    assert Episode.load(tmp_path / "crashes--r1").info.outcome is Outcome.HARNESS_FAILED


# --- cancelled ----------------------------------------------------------------------------------


def test_a_cancelled_run_has_complete_calls_and_its_manifest_says_so(tmp_path: Path) -> None:
    jobs = plan([SCENARIO], ["fake://"], 4)
    here = Workplace(lambda _: FakeEndpoint([FakeReply(pcm=tone(30.0))]), engines())

    async def main() -> None:
        run = Run.create(tmp_path, manifest(jobs, tmp_path))
        holding = asyncio.create_task(hold_all(run, jobs, here, SuiteSettings(limits=RunLimits(2))))
        await asyncio.sleep(1.0)
        holding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await holding
        run.close()

    clock.run(main(), simulate=True)
    assert states(tmp_path) == [("done", "cancelled", 1)] * 2 + [("planned", None, 0)] * 2
    assert Episode.load(tmp_path / "s--r1").info.outcome is Outcome.CANCELLED
    found = held(tmp_path, repeats=4, resume=True)
    assert [result.episode for result in found.results] == ["s--r1+2", "s--r2+2", "s--r3", "s--r4"]


def test_a_resumed_run_goes_on_with_the_plan_of_its_manifest(tmp_path: Path) -> None:
    held(tmp_path, settings=SuiteSettings(limits=QUICK, stop=lambda: "not now"))
    jobs = jobs_of(tmp_path, load_run(tmp_path))
    assert [(job.id, job.seed) for job in jobs] == [("s--r1", 0), ("s--r2", 1), ("s--r3", 2)]
    assert len(held(tmp_path, resume=True).results) == 3
    assert held(tmp_path, resume=True).results == ()  # nothing is left, nothing is held twice


# --- the seam to processes ----------------------------------------------------------------------


def hold_elsewhere(order: Order) -> Result:
    """What a worker process does: its own workplace, an entry of the plan in, a result out."""
    here = Workplace(lambda _: answering(), engines())
    return clock.run(hold(order, here), simulate=True)


def test_an_entry_of_the_plan_can_be_held_by_another_process(tmp_path: Path) -> None:
    (job,) = plan([SCENARIO], ["fake://"], 1)
    order = Order(job, "run", tmp_path / job.id)
    assert pickle.loads(pickle.dumps(order)) == order
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        result = pool.submit(hold_elsewhere, order).result()
    assert (result.job, result.outcome) == (job, Outcome.COMPLETED)
    here = hold_elsewhere(dataclasses.replace(order, folder=tmp_path / "here"))
    assert (here.outcome, here.duration_s) == (result.outcome, result.duration_s)
    tracks = [Episode.load(tmp_path / name).track("endpoint")[0].tobytes() for name in ("s", "here")]
    assert tracks[0] == tracks[1]


# --- the clock ----------------------------------------------------------------------------------


def test_a_calendar_that_jumps_back_changes_no_duration_and_no_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dates = iter(datetime.datetime(2026, 1, 1, 12 - hour % 9, tzinfo=datetime.UTC) for hour in range(99))
    monkeypatch.setattr("agent.episode_info.utc_now", lambda: next(dates))
    monkeypatch.setattr("agent.suite.manifest.utc_now", lambda: next(dates))
    found = held(tmp_path / "jumps")
    monkeypatch.undo()
    steady = held(tmp_path / "steady")
    assert [r.duration_s for r in found.results] == pytest.approx([r.duration_s for r in steady.results])
    assert states(tmp_path / "jumps") == [("done", "completed", 1)] * 3


def test_a_machine_that_sleeps_in_a_call_makes_it_void_and_the_call_is_held_again(tmp_path: Path) -> None:
    class Sleeper(Nobody):
        """Lets five seconds pass at once, in the first call alone: a laptop whose lid is shut."""

        slept = False

        def event(self, event: Event) -> None:
            if event.kind == "utterance_started" and not self.slept:
                loop = asyncio.get_running_loop()
                assert isinstance(loop, clock.SimulatedLoop)
                loop._now, self.slept = loop._now + 5.0, True

    sleeper = Sleeper()
    settings = SuiteSettings(limits=RunLimits(breath_s=0, retries=1))
    found = held(tmp_path, settings=settings, repeats=1, audience=lambda _: sleeper)
    assert [result.outcome for result in found.again] == [Outcome.BEHIND_REAL_TIME]
    assert [result.outcome for result in found.results] == [Outcome.COMPLETED]


class Timed(Here):
    """Calls that last as long as they are told."""

    def __init__(self, *lasts_s: float) -> None:
        super().__init__(Workplace(lambda _: answering(), engines()))
        self._lasts_s = list(lasts_s)

    async def hold(self, order: Order) -> Result:
        await asyncio.sleep(self._lasts_s.pop(0))
        return Result(order.job, order.folder.name, Outcome.COMPLETED)


def test_a_call_that_ends_a_rounding_before_another_place_is_free_does_not_stop_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, next_time = [], Schedule.next_time

    def looked(schedule: Schedule, now: float) -> float | None:
        looks.append(now)
        assert len(looks) < 100
        return next_time(schedule, now)

    monkeypatch.setattr(Schedule, "next_time", looked)
    jobs = plan([SCENARIO], ["fake://"], 4)

    async def main() -> Held:
        run = Run.create(tmp_path / "run", manifest(jobs, tmp_path / "run"))
        # at 57.34 s the place of the first has breathed; the second ends 7e-15 s before
        calls = Timed(56.34, math.nextafter(57.34, 0), 1.0, 1.0)
        try:
            return await hold_all(run, jobs, calls, SuiteSettings(limits=RunLimits(concurrency=2)))
        finally:
            run.close()

    found = clock.run(main(), simulate=True).results
    assert [result.outcome for result in found] == [Outcome.COMPLETED] * 4
