"""Calls held in worker processes: the same as held here, whatever becomes of a worker."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agent.connect import connect
from agent.control import Control
from agent.engines import Engines
from agent.observers import Audience, FinishedTurn, Judgement, Levels, Nobody, TurnObserver
from agent.suite.hold import Workplace
from agent.suite.limits import RunLimits
from agent.suite.manifest import manifest
from agent.suite.plan import Job, plan
from agent.suite.run import Held, SuiteSettings, hold_all
from agent.suite.workers.local import ProcessWorker
from agent.suite.workers.messages import Setup
from agent.suite.workers.pool import Start, WorkerPool, WorkersFailed
from recordings.format import Event, Outcome, Turn, Verdict
from recordings.reader import Episode
from recordings.run import Run, load_run
from scenarios.load import LoadedScenario, from_scenario
from scenarios.schema import Limits, Persona, PolicyKind, Scenario
from scenarios.schema import Turn as Asked
from streams import clock
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ScriptedRecogniser, ToneVoice

ENDPOINT = "fake://?replies=1&seconds=0.4&delay=0.3&rate=8000"
BREATHLESS = RunLimits(concurrency=2, breath_s=0)


def question(turns: int = 1, **changes: object) -> LoadedScenario:
    scenario = Scenario(
        id="s",
        title="Questions",
        turns=tuple(Asked(text=f"Hello {n}.") for n in range(turns)),
        persona=Persona(patience_s=5),
        limits=Limits(max_duration_s=30, reply_timeout_s=8),
    )
    return from_scenario(scenario.model_copy(update=changes))


def place(
    audience: Callable[[Job], Audience] = lambda _: Nobody(),
    observers: Callable[[], Sequence[TurnObserver]] = tuple,
    control: Callable[[Job], Control | None] = lambda _: None,
    texts: Sequence[str] = ("yes",) * 99,
) -> Workplace:
    engines = Engines(ToneVoice(0.2), EnergyDetector(), recogniser=ScriptedRecogniser(texts))
    return Workplace(lambda address: connect(address, {}), engines, audience, observers, control=control)


def setup_of(here: Workplace, *, simulated: bool) -> Setup:
    engines = here.engines
    assert engines.recogniser is not None
    voice = engines.voice.identity, engines.voice.fingerprint
    return Setup("energy", voice, recogniser=engines.recogniser.identity, simulated=simulated)


@dataclass
class Sitting:
    """One run; what is done to it while it goes on is a task of its own."""

    out: Path
    here: Workplace
    repeats: int = 4
    simulated: bool = True
    limits: RunLimits = BREATHLESS
    scenario: LoadedScenario = field(default_factory=question)
    meanwhile: Callable[[WorkerPool], None] = lambda _: None
    start: Start = ProcessWorker

    def held(self, workers: int) -> Held:
        jobs = plan([self.scenario], [ENDPOINT], self.repeats)
        settings = SuiteSettings(limits=self.limits, max_lateness_s=5.0)  # on a busy machine, too

        async def main() -> Held:
            run = Run.create(self.out, manifest(jobs, self.out))
            try:
                if not workers:
                    return await hold_all(run, jobs, self.here, settings)
                setup = setup_of(self.here, simulated=self.simulated)
                pool = WorkerPool(self.here, setup, workers, self.start)
                try:
                    await pool.start()
                    self.meanwhile(pool)
                    return await hold_all(run, jobs, pool, settings)
                finally:
                    await pool.close()
            finally:
                run.close()

        return clock.run(main(), simulate=not workers and self.simulated)


def content(out: Path) -> dict[str, object]:
    """All that was recorded of all calls: events, turns and sound, by name of file.

    Times are rounded to a nanosecond: where a call begins on its loop's clock is in the last bits of each.
    """
    found: dict[str, object] = {str(wav.relative_to(out)): wav.read_bytes() for wav in out.glob("*/*.wav")}
    for file in out.glob("*/*.jsonl"):
        lines = file.read_text().splitlines()
        found[str(file.relative_to(out))] = [json.loads(line, parse_float=nanoseconds) for line in lines]
    return found


def nanoseconds(text: str) -> float:
    return round(float(text), 9)


def test_calls_held_in_two_workers_are_those_held_here(tmp_path: Path) -> None:
    here = Sitting(tmp_path / "here", place()).held(0)
    there = Sitting(tmp_path / "there", place()).held(2)
    assert [result.outcome for result in there.results] == [Outcome.COMPLETED] * 4
    assert [r.duration_s for r in there.results] == [r.duration_s for r in here.results]
    assert len(content(tmp_path / "here")) == 4 * 7
    assert content(tmp_path / "there") == content(tmp_path / "here")


@dataclass
class Seen(Audience):
    events: list[str] = field(default_factory=list)
    heard: list[str | None] = field(default_factory=list)
    meters: int = 0

    def event(self, event: Event) -> None:
        self.events.append(event.kind)

    def turn(self, turn: Turn) -> None:
        self.heard.append(turn.heard)

    def levels(self, levels: Levels) -> None:
        self.meters += 1


class Notes:
    """A judge that remembers what it was shown."""

    name = "notes"

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def turn_finished(self, turn: FinishedTurn) -> Judgement:
        self.heard.append(turn.heard)
        return Judgement(Verdict(judge=self.name, label="noted", reason=os.getpid().__str__()))


def test_judges_and_onlookers_stay_in_the_first_process(tmp_path: Path) -> None:
    seen, notes = Seen(), Notes()
    here = place(lambda _: seen, lambda: [notes], texts=["of course"])
    Sitting(tmp_path / "run", here, repeats=1).held(1)
    assert notes.heard == ["of course"]
    (verdict,) = Episode.load(tmp_path / "run" / "s").turns[-1].verdicts
    assert (verdict.label, verdict.reason) == ("noted", str(os.getpid()))
    assert {"session_started", "verdict_given", "session_ended"} <= set(seen.events)
    assert "of course" in seen.heard
    assert seen.meters > 5


def test_a_policy_that_crashes_breaks_its_own_calls_alone(tmp_path: Path) -> None:
    # nobody finds words for an LLM user here
    broken = Sitting(tmp_path / "run", place(), repeats=2, scenario=question(policy=PolicyKind.LLM))
    found = broken.held(1)
    assert {result.outcome for result in found.results} == {Outcome.USER_FAILED}
    assert all(result.recorded for result in found.results)


@pytest.mark.wall_clock
def test_a_worker_that_is_killed_is_replaced_and_its_calls_are_held_again(tmp_path: Path) -> None:
    killed: list[int] = []

    class Killer(Nobody):
        """Kills the worker of the first call as soon as anything is heard of it."""

        def event(self, event: Event) -> None:
            if event.kind == "utterance_started" and not killed:
                killed.append(pool[0].processes[0])
                os.kill(killed[0], signal.SIGKILL)

    pool: list[WorkerPool] = []
    sitting = Sitting(tmp_path / "run", place(lambda _: Killer()), repeats=3, simulated=False)
    sitting.meanwhile = pool.append
    found = sitting.held(1)
    assert killed
    assert [result.outcome for result in found.results] == [Outcome.COMPLETED] * 3
    assert {result.outcome for result in found.again} == {Outcome.HARNESS_FAILED}
    assert "died, signal 9" in found.again[0].reason
    tries = {
        planned.id: [a.outcome for a in planned.attempts] for planned in load_run(tmp_path / "run").episodes
    }
    assert all(outcomes[-1] is Outcome.COMPLETED for outcomes in tries.values())
    assert any(len(outcomes) == 2 for outcomes in tries.values())
    first = next(id for id, outcomes in tries.items() if len(outcomes) == 2)
    assert Episode.load(tmp_path / "run" / first).info.outcome is Outcome.UNFINISHED


@pytest.mark.wall_clock
def test_a_run_whose_workers_die_and_cannot_be_replaced_ends_and_leaves_what_is_left(
    tmp_path: Path,
) -> None:
    started: list[ProcessWorker] = []

    class Killer(Nobody):
        def event(self, event: Event) -> None:
            os.kill(started[0].pid, signal.SIGKILL)

    def start(*made_of: Any) -> ProcessWorker:
        if started:
            raise WorkersFailed("its cluster is gone")
        started.append(ProcessWorker(*made_of))
        return started[0]

    here = place(lambda _: Killer())
    found = Sitting(tmp_path / "run", here, repeats=5, simulated=False, start=start).held(1)
    assert {result.outcome for result in found.results} == {Outcome.HARNESS_FAILED}
    assert all("died, signal 9" in reason for reason in [left.reason for left in found.not_held])
    assert len(found.results) + len(found.not_held) == 5
    assert len(found.results) <= 2  # those that were under way
    assert [planned.left for planned in load_run(tmp_path / "run").episodes] == [True] * 5


@pytest.mark.wall_clock
def test_a_worker_whose_disk_is_full_gets_no_more_calls(tmp_path: Path) -> None:
    def fill(pool: WorkerPool) -> None:
        # the system refuses files of this process beyond 10 kB, as a full disk does
        resource.prlimit(pool.processes[0], resource.RLIMIT_FSIZE, (10_000, 10_000))

    sitting = Sitting(tmp_path / "run", place(), repeats=4, simulated=False, meanwhile=fill)
    found = sitting.held(2)
    assert [result.outcome for result in found.results] == [Outcome.COMPLETED] * 4
    assert found.not_held == ()
    assert [result.disk_trouble for result in found.again] == [True]
    assert "File too large" in found.again[0].reason


@pytest.mark.wall_clock
def test_a_run_that_is_interrupted_breaks_its_calls_off_in_the_workers(tmp_path: Path) -> None:
    interrupting: list[asyncio.Task[None]] = []

    async def interrupt(run: asyncio.Task[object]) -> None:
        await asyncio.sleep(1.2)
        run.cancel()

    def soon(_: WorkerPool) -> None:
        run = asyncio.current_task()
        assert run is not None
        interrupting.append(asyncio.create_task(interrupt(run)))

    sitting = Sitting(tmp_path / "run", place(), repeats=2, simulated=False, meanwhile=soon)
    sitting.scenario = question(9, persona=Persona(patience_s=30))
    with pytest.raises(asyncio.CancelledError):
        sitting.held(1)
    paths = list((tmp_path / "run").glob("*/episode.json"))
    assert len(paths) == 2
    for path in paths:
        assert Episode.load(path.parent).info.outcome is Outcome.CANCELLED
    assert {e.state for e in load_run(tmp_path / "run").episodes} == {"done"}


@pytest.mark.wall_clock
def test_a_call_in_a_worker_can_be_stopped_from_outside(tmp_path: Path) -> None:
    control = Control()

    class Impatient(Nobody):
        def event(self, event: Event) -> None:
            if event.kind == "utterance_started":
                assert control.stop("enough")

    here = place(lambda _: Impatient(), control=lambda _: control)
    sitting = Sitting(tmp_path / "run", here, repeats=1, simulated=False, scenario=question(9))
    (result,) = sitting.held(1).results
    assert (result.outcome, result.reason) == (Outcome.CANCELLED, "enough")
    assert not control.live
