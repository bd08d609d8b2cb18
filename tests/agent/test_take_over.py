"""A person takes the user's side of a call that goes on, and gives it back: in simulated time."""

from __future__ import annotations

import asyncio
import dataclasses
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from agent.control import Control
from agent.engines import Engines
from agent.session import Session, SessionPlan
from agent.take_over import OpenDevice
from recordings.check import check
from recordings.format import (
    DeviceOpened,
    DeviceReport,
    DeviceTrouble,
    EpisodeInfo,
    LineProposed,
    Noticed,
    Outcome,
    UtteranceEnded,
    UtteranceStarted,
)
from recordings.reader import Episode
from scenarios.load import from_scenario
from scenarios.schema import Limits, Persona, Scenario
from scoring.score import score
from streams import clock
from streams.audio import Samples
from streams.devices.fake import FakeDevice
from streams.devices.interfaces import DeviceMissing
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ScriptedRecogniser, ToneVoice
from streams.speech.interfaces import Recogniser, Transcript
from tests.agent.calls import scripted
from tests.agent.person_calls import SETTLED_S
from tests.streams.devices.sounds import bursts

T = TypeVar("T")
Deed = Callable[[Control], bool]


@dataclasses.dataclass
class Taken:
    """A call in which something was asked of its control."""

    info: EpisodeInfo
    episode: Episode
    answers: list[bool]

    def of(self, kind: type[T]) -> list[T]:
        return [event for event in self.episode.events if isinstance(event, kind)]

    @property
    def said(self) -> list[tuple[str, str, str]]:
        """Names and words of what was said, and by whom."""
        return [(u.utterance, u.text, u.voice) for u in self.of(UtteranceStarted)]

    @property
    def notes(self) -> list[tuple[float, str]]:
        return [(round(event.t, 2), event.code) for event in self.of(Noticed) if event.by == "us"]


def hold(
    tmp_path: Path,
    device: FakeDevice | OpenDevice,
    deeds: Sequence[tuple[float, Deed]],
    *,
    texts: Sequence[str] = (),
    recogniser: Recogniser | None = None,
    scenario: Scenario | None = None,
    replies: int = 5,
) -> Taken:
    """Hold a call of one-second replies; deeds are done so many seconds after it has begun."""
    answers: list[bool] = []

    class Timed(Control):
        def attach(self, *arguments: object) -> None:
            super().attach(*arguments)  # type: ignore[arg-type]
            for seconds, deed in deeds:
                at(seconds, deed)

    def at(seconds: float, deed: Deed) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(seconds, lambda: answers.append(deed(control)))

    control = Timed()
    plan = SessionPlan(
        id="call",
        scenario=from_scenario(scenario or scripted(turns=3)),
        control=control,
        microphone=(lambda: device) if isinstance(device, FakeDevice) else device,
    )
    ears = recogniser or (ScriptedRecogniser(texts) if texts else None)
    engines = Engines(ToneVoice(), EnergyDetector(), recogniser=ears)
    endpoint = FakeEndpoint([FakeReply(pcm=tone(1.0), delay_s=0.4)] * replies)

    async def main() -> EpisodeInfo:
        return await Session(plan, endpoint, engines, tmp_path / "call").run()

    info = clock.run(main(), simulate=True)
    return Taken(info, Episode.load(tmp_path / "call"), answers)


TAKE, GIVE = (0.1, Control.take_over), (6.0, Control.give_back)
FROM_S = 0.1 + SETTLED_S
"""The person speaks from here on: the device was started at 0.1 s."""

TEXTS = ["reply 0", "question 1", "reply 1", "reply 2"]


def test_a_person_speaks_in_the_users_place_and_the_simulated_user_goes_on_afterwards(
    tmp_path: Path,
) -> None:
    device = FakeDevice(air=bursts((3.9, 4.4)))
    call = hold(tmp_path, device, [TAKE, GIVE], texts=TEXTS)
    assert call.answers == [True, True]
    assert call.said == [
        ("u0", "question 0", ""),
        ("u1", "question 1", "person"),
        ("u2", "question 2", ""),
    ]
    assert [code for _, code in call.notes] == ["taken_over", "given_back"]
    assert [t for t, _ in call.notes] == pytest.approx([FROM_S, 6.0], abs=0.02)
    [opened], [report] = call.of(DeviceOpened), call.of(DeviceReport)
    assert opened.mode == "co-pilot" and opened.t == pytest.approx(FROM_S, abs=0.02)
    assert report.t == pytest.approx(6.0, abs=0.02)
    assert [e.utterance for e in call.of(UtteranceEnded)] == ["u0", "u1", "u2"]
    # the device is let go: blocks of 10 ms from 0.1 to 6.0 s, and nobody misses what it plays no more
    assert len(device.played) == pytest.approx(590, abs=3) and call.of(DeviceTrouble) == []
    assert check(call.episode) == []


def test_what_is_being_said_is_said_to_its_end_before_a_person_speaks(tmp_path: Path) -> None:
    # the voice speaks from 2.94 to 3.54 s; the device is known at 3.24 s
    call = hold(tmp_path, FakeDevice(), [(2.3, Control.take_over), GIVE], texts=["reply"] * 3)
    said, ended = call.of(UtteranceStarted)[1], call.of(UtteranceEnded)[1]
    assert said.audible_start / 24000 < 2.3 + SETTLED_S < said.audible_end / 24000
    assert ended.samples == said.samples == 14400  # 0.6 s
    assert call.notes[0] == (round(said.audible_end / 24000, 2), "taken_over")
    track, _ = call.episode.track("user")
    assert (track[said.audible_end - 240 : said.audible_end] != 0).mean() > 0.9


def test_what_they_say_stands_on_the_one_track_where_they_said_it(tmp_path: Path) -> None:
    call = hold(tmp_path, FakeDevice(air=bursts((3.9, 4.4))), [TAKE, GIVE], texts=TEXTS)
    [opened] = call.of(DeviceOpened)
    person = call.of(UtteranceStarted)[1]
    # said 3.9 s after the device was started at 0.1 s, and on the track by the delay of the capture later
    assert person.audible_start / 24000 == pytest.approx(4.0 + opened.capture_delay_s, abs=0.0005)
    assert person.audible_end / 24000 == pytest.approx(4.5 + opened.capture_delay_s, abs=0.0005)
    track, _ = call.episode.track("user")
    first, last = person.audible_start, person.audible_end
    # a cosine of 0.25: its mean square is 0.25**2 / 2; nothing beside it
    assert np.mean((track[first:last] / 32768.0) ** 2) == pytest.approx(0.03125, rel=0.01)
    assert not track[first - 2400 : first - 240].any() and not track[last + 240 : last + 2400].any()


def test_what_is_proposed_and_not_said_is_said_by_the_voice_when_the_word_is_given_back(
    tmp_path: Path,
) -> None:
    call = hold(tmp_path, FakeDevice(), [TAKE, GIVE], texts=["reply 0", "reply 1", "reply 2"])
    [proposed] = call.of(LineProposed)
    assert (proposed.text, proposed.label, proposed.spoken) == ("question 1", "turn 2", True)
    assert proposed.t < 6.0
    assert call.said == [("u0", "question 0", ""), ("u1", "question 1", ""), ("u2", "question 2", "")]
    # said at the first tick that is free
    assert call.of(UtteranceStarted)[1].t == pytest.approx(6.0, abs=0.02)
    assert check(call.episode) == []


def test_words_of_their_own_leave_the_question_open(tmp_path: Path) -> None:
    device = FakeDevice(air=bursts((3.9, 4.4)))
    texts = ["reply 0", "how about some tea", "reply 1", "reply 2", "reply 3"]
    call = hold(tmp_path, device, [TAKE, (4.7, Control.give_back)], texts=texts)
    assert call.said == [
        ("u0", "question 0", ""),
        ("u1", "how about some tea", "person"),
        ("u2", "question 1", ""),
        ("u3", "question 2", ""),
    ]


def test_nobody_is_cut_off_who_speaks_while_the_word_is_given_back(tmp_path: Path) -> None:
    # they speak from 4.0 to 5.0 s, and the word is taken from them at 4.5 s
    device = FakeDevice(air=bursts((3.9, 4.9)))
    call = hold(tmp_path, device, [TAKE, (4.5, Control.give_back)], texts=TEXTS)
    person = call.of(UtteranceStarted)[1]
    assert person.voice == "person" and person.audible_end / 24000 == pytest.approx(4.5, abs=0.021)
    track, rate = call.episode.track("user")
    assert not track[round(4.53 * rate) : round(5.0 * rate)].any()
    assert check(call.episode) == []


class Slow(ScriptedRecogniser):
    """Takes half a second for each clip."""

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        await clock.sleep_until(clock.now() + 0.5)
        return await super().transcribe(samples, language=language)


def test_what_was_said_last_is_heard_out_whoever_takes_the_word_from_them_again(tmp_path: Path) -> None:
    device = FakeDevice(air=bursts((3.9, 4.4)))
    deeds = [TAKE, (4.6, Control.give_back), (4.8, Control.give_back)]
    call = hold(tmp_path, device, deeds, recogniser=Slow(TEXTS))
    assert call.said[1] == ("u1", "question 1", "person")
    assert [code for _, code in call.notes] == ["taken_over", "given_back"]
    assert call.notes[1][0] == pytest.approx(5.1, abs=0.02)
    assert call.of(DeviceReport) and check(call.episode) == []


def test_such_a_call_counts_for_nobody_and_says_why(tmp_path: Path) -> None:
    call = hold(tmp_path, FakeDevice(air=bursts((3.9, 4.4))), [TAKE, GIVE], texts=TEXTS)
    assert call.info.outcome is Outcome.TAKEN_OVER and call.info.outcome.void
    assert call.info.fault == "nobody" and call.info.user == "simulated"
    assert call.info.reason == (
        "a person spoke in the user's place from 1.0 to 6.0 s; then completed: "
        "the user reached the end of the scenario"
    )
    scores = clock.run(score([tmp_path]))
    # its own latencies are there, and nothing of it is in the sum
    assert len(scores.episodes[0].measurements["response_latency"]) == 3
    latency = scores.metrics["response_latency"]
    assert (latency.n, dict(latency.unscored)) == (0, {"void_episode": 1})


def test_a_call_that_is_void_by_itself_says_how_it_ended(tmp_path: Path) -> None:
    call = hold(tmp_path, FakeDevice(), [TAKE, (3.0, lambda control: control.stop("asked to"))])
    assert [code for _, code in call.notes] == ["taken_over", "given_back"]
    assert (call.info.outcome, call.info.reason) == (Outcome.CANCELLED, "asked to")


def test_the_call_goes_on_while_the_device_is_looked_for(tmp_path: Path) -> None:
    threads: list[int] = []

    def opened() -> FakeDevice:
        threads.append(threading.get_ident())
        return FakeDevice()

    hold(tmp_path, opened, [TAKE, GIVE], texts=["reply"] * 3)
    assert len(threads) == 1 and threads != [threading.get_ident()]


def test_a_call_that_nobody_takes_over_is_as_ever(tmp_path: Path) -> None:
    scenario = scripted(turns=3)
    call = hold(tmp_path / "with", FakeDevice(), [], texts=TEXTS)

    def no_microphone() -> FakeDevice:
        raise AssertionError("nobody asked for it")

    without = hold(tmp_path / "without", no_microphone, [], texts=TEXTS, scenario=scenario)
    assert call.info.outcome is without.info.outcome is Outcome.COMPLETED
    for name in ("user.wav", "endpoint.wav", "turns.jsonl"):
        assert (tmp_path / "with/call" / name).read_bytes() == (
            tmp_path / "without/call" / name
        ).read_bytes()


def test_a_device_that_is_not_there_is_noted_and_the_call_goes_on(tmp_path: Path) -> None:
    def missing() -> FakeDevice:
        raise DeviceMissing("default", "there is no input device", "Plug one in.")

    call = hold(tmp_path, missing, [TAKE], texts=["reply"] * 3)
    [note] = [event for event in call.of(Noticed) if event.by == "us"]
    assert (note.code, note.level) == ("not_taken_over", "warning")
    assert note.message == "sound device 'default': there is no input device. Plug one in."
    assert call.info.outcome is Outcome.COMPLETED


def test_a_device_that_is_unplugged_gives_the_word_back(tmp_path: Path) -> None:
    # block n of 10 ms: gone 3 s after it was started
    call = hold(tmp_path, FakeDevice(unplugged_at=300), [TAKE], texts=["reply 0", "reply 1", "reply 2"])
    assert [code for _, code in call.notes] == ["taken_over", "device_lost", "given_back"]
    assert [voice for *_, voice in call.said] == ["", "", ""]
    assert call.info.outcome is Outcome.TAKEN_OVER and check(call.episode) == []


def test_a_call_that_ends_while_a_person_speaks_has_their_words(tmp_path: Path) -> None:
    scenario = scripted(turns=3).model_copy(update={"limits": Limits(max_duration_s=4.3)})
    device = FakeDevice(air=bursts((3.9, 5.0)))
    call = hold(tmp_path, device, [TAKE], texts=TEXTS, scenario=scenario)
    assert call.said[-1] == ("u1", "question 1", "person")
    assert [e.utterance for e in call.of(UtteranceEnded)] == ["u0", "u1"]
    assert "then max_duration" in call.info.reason and call.info.duration_s == pytest.approx(4.3)
    assert check(call.episode) == []


def test_a_device_that_is_unplugged_while_they_speak_keeps_what_was_said(tmp_path: Path) -> None:
    device = FakeDevice(air=bursts((3.9, 4.9)), unplugged_at=430)
    call = hold(tmp_path, device, [TAKE], texts=TEXTS)
    person = call.of(UtteranceStarted)[1]
    assert (person.text, person.voice) == ("question 1", "person")
    track, _ = call.episode.track("user")
    around = np.flatnonzero(np.abs(track[: person.audible_start + 24000]) > 300)
    assert person.audible_end == pytest.approx(around[-1] + 1, abs=24)  # 1 ms
    assert [code for _, code in call.notes] == ["taken_over", "device_lost", "given_back"]


def test_their_words_count_among_the_turns_that_the_scenario_allows(tmp_path: Path) -> None:
    scenario = scripted(turns=3).model_copy(update={"limits": Limits(max_duration_s=60, max_turns=2)})
    device = FakeDevice(air=bursts((3.9, 4.4)))
    call = hold(tmp_path, device, [TAKE, GIVE], texts=TEXTS, scenario=scenario)
    assert [name for name, *_ in call.said] == ["u0", "u1"]
    assert "then max_turns" in call.info.reason


def test_one_person_at_a_time_and_who_is_not_there_gives_nothing_back(tmp_path: Path) -> None:
    deeds = [
        *[(0.05, Control.give_back), TAKE, (0.2, Control.take_over), GIVE],
        *[(6.5, Control.take_over), (9.0, Control.give_back)],
    ]
    call = hold(tmp_path, FakeDevice(), deeds, texts=["reply 0", "reply 1", "reply 2"])
    assert call.answers == [False, True, False, True, True, True]
    assert [code for _, code in call.notes] == ["taken_over", "given_back"] * 2


def test_who_changes_their_mind_while_the_device_gets_known_has_not_taken_over(tmp_path: Path) -> None:
    device = FakeDevice()
    call = hold(tmp_path, device, [TAKE, (0.5, Control.give_back)], texts=["reply"] * 3)
    assert call.notes == [] and call.info.outcome is Outcome.COMPLETED
    assert 30 < len(device.played) < 50  # blocks of 10 ms from 0.1 to 0.5 s: it was let go


def test_a_person_may_think_as_long_as_they_like_and_the_endpoint_is_timed_anew_afterwards(
    tmp_path: Path,
) -> None:
    # nothing answers but the first time: 4 s of silence would end the call
    scenario = scripted(turns=2).model_copy(
        update={
            "limits": Limits(max_duration_s=200, reply_timeout_s=4),
            "persona": Persona(patience_s=100),
        }
    )
    device = FakeDevice(air=bursts((3.9, 4.4)))
    deeds = [TAKE, (15.0, Control.give_back)]
    call = hold(tmp_path, device, deeds, texts=TEXTS, scenario=scenario, replies=1)
    assert call.info.duration_s == pytest.approx(19.0, abs=0.1)
    assert "then endpoint_silent: nothing was heard for 4.0 s" in call.info.reason
