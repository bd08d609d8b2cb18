"""What is asked of a run and its calls from outside: in simulated time."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

import pytest

from agent.cli.runs.control import RunControl
from agent.control import Control
from agent.session import Engines
from agent.suite.hold import Workplace
from agent.suite.limits import RunLimits
from agent.suite.manifest import manifest
from agent.suite.plan import Job, plan
from agent.suite.progress import Standing
from agent.suite.run import Held, SuiteSettings, hold_all
from recordings.format import Outcome
from recordings.run import Run
from scenarios.load import from_scenario
from streams import clock
from streams.devices.fake import FakeDevice
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.events.messages import Command
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ToneVoice
from tests.agent.calls import hold, scripted

REPLIES = [FakeReply(pcm=tone(0.5), delay_s=0.3)]


class AtTime(Control):
    """Does something so many seconds after the call has begun."""

    def __init__(self, seconds: float, work: str) -> None:
        super().__init__()
        self._seconds, self._work = seconds, work

    def attach(self, *arguments: object) -> None:
        super().attach(*arguments)  # type: ignore[arg-type]
        loop = asyncio.get_running_loop()
        loop.call_later(self._seconds, self._do)

    def _do(self) -> None:
        assert self.say(self._work) if self._work else self.stop("somebody said so")


def test_the_user_says_what_it_is_told_and_then_goes_on(tmp_path: Path) -> None:
    call = hold(tmp_path, FakeEndpoint(REPLIES * 3), scripted(2), control=AtTime(0.1, "What about owls?"))
    said = [turn.intended for turn in call.episode.turns if turn.side == "user"]
    assert said == ["question 0", "What about owls?", "question 1"]
    assert call.info.outcome is Outcome.COMPLETED


def test_a_call_that_is_stopped_ends_there_as_cancelled_and_is_whole(tmp_path: Path) -> None:
    call = hold(tmp_path, FakeEndpoint(REPLIES * 3), scripted(3), control=AtTime(2.0, ""))
    assert (call.info.outcome, call.info.reason) == (Outcome.CANCELLED, "somebody said so")
    assert call.info.duration_s == pytest.approx(2.0, abs=0.05)


def test_a_call_that_is_over_takes_nothing(tmp_path: Path) -> None:
    control = Control()
    hold(tmp_path, FakeEndpoint(REPLIES), scripted(1), control=control)
    assert (control.live, control.say("hm"), control.stop("now")) == (False, False, False)


def obey(control: RunControl, name: str, **more: str) -> tuple[str, str]:
    answer = control.obey(Command.model_validate({"id": "1", "name": name, **more}))
    return answer.status, answer.reason


def test_nothing_is_asked_of_a_call_that_is_not_there_and_no_microphone_is_made_up() -> None:
    control = RunControl()
    assert obey(control, "say", episode="e", text="hm") == ("not_available", "the call e is not under way")
    assert RunControl(simulated=True).obey(Command(id="1", name="pause")).status == "not_available"


def ask_in_a_call(tmp_path: Path, run: RunControl, microphone: FakeDevice | None) -> list[tuple[str, str]]:
    """What is answered to three commands, one after the other, in a call and to one in another."""
    answers: list[tuple[str, str]] = []
    job = Job("call", from_scenario(scripted()), "fake://", 0, 0)

    def ask() -> None:
        names = ("give_back", "take_over", "take_over", "give_back")
        answers.extend([obey(run, name, episode="call") for name in names])

    class Asks(Control):
        def attach(self, *arguments: object) -> None:
            super().attach(*arguments)  # type: ignore[arg-type]
            asyncio.get_running_loop().call_later(0.1, ask)

    control = run._controls[job.id] = Asks()
    opened = None if microphone is None else lambda: microphone
    hold(tmp_path, FakeEndpoint(REPLIES), scripted(1), control=control, microphone=opened)
    return answers


def test_the_microphone_is_asked_where_there_is_one(tmp_path: Path) -> None:
    assert ask_in_a_call(tmp_path, RunControl(), FakeDevice()) == [
        ("not_available", "no person speaks in call"),
        ("done", "a person speaks in the user's place, as soon as what is being said is said"),
        ("not_available", "a person speaks in call: give that back first"),
        ("done", "the simulated user speaks again"),
    ]


def test_where_there_is_no_microphone_the_answer_says_so(tmp_path: Path) -> None:
    answers = ask_in_a_call(tmp_path / "a", RunControl(), None)
    assert [status for status, _ in answers] == ["not_available"] * 4
    assert "calls of worker processes have none: --workers 0" in answers[1][1]
    simulated = ask_in_a_call(tmp_path / "b", RunControl(simulated=True), FakeDevice())
    assert simulated[1] == ("not_available", "simulated time does not wait for what a person says")


def suite(tmp_path: Path, control: RunControl, script: dict[float, str], concurrency: int = 1) -> Held:
    """Four calls; at each time of the script a command."""
    jobs = plan([from_scenario(scripted(1))], ["fake://"], 4)
    here = Workplace(
        lambda _: FakeEndpoint(REPLIES), Engines(ToneVoice(0.2), EnergyDetector()), control=control.control
    )
    told: list[tuple[float, int]] = []

    def tell(standing: Standing) -> None:
        told.append((clock.now(), standing.done))

    async def main() -> Held:
        for at, name in script.items():
            asyncio.get_running_loop().call_later(at, obey, control, name)
        run = Run.create(tmp_path / "run", manifest(jobs, tmp_path / "run"))
        limits = RunLimits(concurrency, breath_s=0)
        settings = SuiteSettings(limits, told=tell, brake=control.brake)
        try:
            return await hold_all(run, jobs, here, settings)
        finally:
            run.close()

    held = clock.run(main(), simulate=True)
    assert [done for _, done in told] == list(range(1, len(held.results) + 1))
    times.extend(at for at, _ in told)
    return held


times: list[float] = []


@pytest.fixture(autouse=True)
def fresh() -> None:
    times.clear()


def test_a_run_that_is_stopped_holds_the_calls_under_way_to_their_end_and_leaves_the_rest(
    tmp_path: Path,
) -> None:
    held = suite(tmp_path, RunControl(), {0.5: "stop"}, concurrency=2)
    assert [result.outcome for result in held.results] == [Outcome.COMPLETED] * 2
    assert [(one.job.repeat, one.reason) for one in held.not_held] == [
        (2, "stopped by a command"),
        (3, "stopped by a command"),
    ]


def test_a_paused_run_begins_no_call_until_it_goes_on(tmp_path: Path) -> None:
    suite(tmp_path / "whole", RunControl(), {})
    one = times[0]
    times.clear()
    held = suite(tmp_path / "paused", RunControl(), {0.5: "pause", 100.0: "resume"})
    assert len(held.results) == 4
    # the first call ends as ever; the others follow one after the other from 100 s on
    assert times == pytest.approx([one, 100 + one, 100 + 2 * one, 100 + 3 * one])


def test_a_paused_run_can_be_stopped(tmp_path: Path) -> None:
    held = suite(tmp_path, RunControl(), {0.5: "pause", 50.0: "stop"})
    assert (len(held.results), len(held.not_held)) == (1, 3)


def test_settings_without_a_brake_have_one_that_nobody_uses() -> None:
    assert not SuiteSettings().brake.on
    assert dataclasses.replace(SuiteSettings()).brake.reason == ""
