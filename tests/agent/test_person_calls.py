"""A person in the user's place: their speech becomes utterances, and every metric works on it."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from agent.observers import FinishedTurn, Judgement
from agent.person import Person
from recordings.check import check
from recordings.format import (
    DeviceOpened,
    DeviceReport,
    DeviceTrouble,
    LineProposed,
    Outcome,
    Role,
    Side,
    UtteranceEnded,
    Verdict,
    VerdictGiven,
)
from scenarios.schema import Aspect, Fact, Limits, Persona, PolicyKind, Say, Scenario, Turn
from scoring.metric import Measured
from scoring.score import score
from streams import clock
from streams.audio import Samples
from streams.devices.fake import Air, FakeDevice, quiet
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ScriptedRecogniser
from streams.speech.interfaces import Transcript
from tests.agent.calls import scripted
from tests.agent.person_calls import SETTLED_S, PersonCall, hold
from tests.streams.devices.sounds import bursts, speech_like
from user_sim.person import Mode

Times = npt.NDArray[np.float64]


def replies(count: int, seconds: float = 1.0, delay_s: float = 0.7) -> list[FakeReply]:
    return [FakeReply(pcm=tone(seconds), text=f"reply {n}", delay_s=delay_s) for n in range(count)]


def two_questions(tmp_path: Path, drift_ppm: float = 0.0) -> PersonCall:
    device = FakeDevice(air=bursts((2.0, 2.6), (6.0, 6.4)), drift_ppm=drift_ppm)
    said = ["hello there", "how are you"]
    return hold(tmp_path, device, FakeEndpoint(replies(2)), said, ["reply 0", "reply 1"])


@pytest.mark.parametrize("drift_ppm", [0.0, 200.0])
def test_what_a_person_says_stands_on_the_track_where_they_said_it(
    drift_ppm: float, tmp_path: Path
) -> None:
    call = two_questions(tmp_path, drift_ppm)
    [opened] = call.of(DeviceOpened)
    assert [(u.text, u.role) for u in call.said] == [
        ("hello there", Role.TURN),
        ("how are you", Role.TURN),
    ]
    for utterance, (begin, end) in zip(call.said, [(2.0, 2.6), (6.0, 6.4)], strict=True):
        # said at 2.0 s: 1.06 s after sample 0, and on the track by the delay of the capture later
        lag = opened.capture_delay_s - SETTLED_S
        assert utterance.audible_start / 24000 == pytest.approx(begin + lag, abs=0.0005)
        assert utterance.audible_end / 24000 == pytest.approx(end + lag, abs=0.0005)
    assert [e.samples for e in call.of(UtteranceEnded)] == [u.samples for u in call.said]
    assert check(call.episode) == []


def test_the_turns_are_in_order_with_words_and_the_items_of_the_endpoint(tmp_path: Path) -> None:
    turns = two_questions(tmp_path).episode.turns
    assert [(t.side, t.intended, t.items) for t in turns] == [
        (Side.USER, "hello there", ("user-1",)),
        (Side.ENDPOINT, "reply 0", ("reply-1",)),
        (Side.USER, "how are you", ("user-2",)),
        (Side.ENDPOINT, "reply 1", ("reply-2",)),
    ]
    assert turns[0].said == "hello there"


def test_such_an_episode_is_scored_like_any_other(tmp_path: Path) -> None:
    call = two_questions(tmp_path)
    (episode,) = clock.run(score([tmp_path])).episodes
    measured = episode.measurements["response_latency"]
    assert call.info.user == "person" and call.info.outcome is Outcome.COMPLETED
    # the fake answers 0.7 s after the last audible sample of what it hears
    values = [item.value for item in measured if isinstance(item, Measured)]
    assert values == pytest.approx([700.0, 700.0], abs=1.0)


def test_the_person_hears_what_stands_on_the_endpoints_track(tmp_path: Path) -> None:
    call = two_questions(tmp_path)
    [opened] = call.of(DeviceOpened)
    played = np.concatenate(call.device.played)
    # pulled at the end of a block, sample n is heard 10 ms later than its number says
    first = (int(np.argmax(np.abs(played) > 0.05)) + 480) / 48000 - SETTLED_S
    track, rate = call.episode.track("endpoint")
    on_track = int(np.argmax(np.abs(track) > 1600)) / rate
    assert first - on_track == pytest.approx(opened.playback_delay_s, abs=0.011)


def test_a_person_is_never_hung_up_on_because_they_think(tmp_path: Path) -> None:
    scenario = scripted().model_copy(update={"limits": Limits(reply_timeout_s=4)})
    call = hold(tmp_path, FakeDevice(), FakeEndpoint(), scenario=scenario, hang_up_s=12.0)
    assert call.info.outcome is Outcome.COMPLETED and call.info.duration_s > 11
    assert call.info.reason == "the person hung up"


class Slow(ScriptedRecogniser):
    """Takes two seconds for everything."""

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        await asyncio.sleep(2)
        return await super().transcribe(samples, language=language)


def test_words_that_are_understood_after_the_end_are_on_record_before_it(tmp_path: Path) -> None:
    device = FakeDevice(air=bursts((2.0, 6.0)))
    call = hold(tmp_path, device, FakeEndpoint(), hang_up_s=4.0, recogniser=Slow(["so I said"]))
    assert [u.text for u in call.said] == ["so I said"]
    assert call.info.duration_s == pytest.approx(4.0 - SETTLED_S, abs=0.05)
    assert max(event.t for event in call.episode.events) <= call.info.duration_s
    assert check(call.episode) == []


def test_a_device_that_is_unplugged_ends_the_call_with_a_void_episode_that_says_so(tmp_path: Path) -> None:
    device = FakeDevice(air=bursts((2.0, 2.6)), unplugged_at=500)
    call = hold(tmp_path, device, FakeEndpoint(replies(1)), ["hello"], ["reply 0"])
    assert call.info.outcome is Outcome.USER_FAILED and call.info.outcome.void
    assert call.info.reason == "sound device 'fake': it was unplugged. Plug it in again."
    assert call.info.duration_s == pytest.approx(5.0 - SETTLED_S, abs=0.05)
    assert [u.text for u in call.said] == ["hello"] and check(call.episode) == []


def test_a_device_that_gives_nothing_is_no_device(tmp_path: Path) -> None:
    call = hold(tmp_path, FakeDevice(unplugged_at=0), FakeEndpoint(), hang_up_s=None)
    assert call.info.outcome is Outcome.USER_FAILED and "unplugged" in call.info.reason


@pytest.mark.parametrize(("first_late", "seconds"), [(0, 5), (500, 1)])
def test_a_device_that_gives_no_sound_is_gone_and_the_reason_says_for_how_long(
    first_late: int, seconds: int, tmp_path: Path
) -> None:
    device = FakeDevice(late_s=lambda block: 1000.0 if block >= first_late else 0.0)
    call = hold(tmp_path, device, FakeEndpoint(), hang_up_s=None)
    assert call.info.outcome is Outcome.USER_FAILED
    assert f"it has given no sound for {seconds} s. Plug it in again" in call.info.reason
    if first_late:  # the last block came 5 s after the device was started
        assert call.info.duration_s == pytest.approx(5.0 + seconds - SETTLED_S, abs=0.05)


def test_who_breaks_off_while_the_device_gets_known_leaves_it_closed() -> None:
    device = FakeDevice()

    async def main() -> tuple[int, int]:
        person = Person(device, EnergyDetector())
        picking_up = asyncio.create_task(person.pick_up(24000, 24000))
        await clock.sleep_until(clock.now() + 0.5)
        picking_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await picking_up
        await person.put_down()
        before = len(device.played)
        await clock.sleep_until(clock.now() + 1.0)
        return before, len(device.played)

    before, after = clock.run(main(), simulate=True)
    assert before == after > 0


def test_lost_samples_are_on_record(tmp_path: Path) -> None:
    device = FakeDevice(air=bursts((2.0, 2.6)), lost={150: 960})
    call = hold(tmp_path, device, FakeEndpoint(replies(1)), ["hello"], hang_up_s=5.0)
    lost = [t.seconds for t in call.of(DeviceTrouble) if t.fault == "overrun"]
    assert lost == [0.02]


def test_a_trouble_that_goes_on_is_on_record_once_a_second(tmp_path: Path) -> None:
    # 1 ms is lost before each block of 10 ms from 3.0 to 5.5 s: 250 ms, 2 or so at every tick
    device = FakeDevice(lost=dict.fromkeys(range(300, 550), 48))
    call = hold(tmp_path, device, FakeEndpoint(), hang_up_s=8.0)
    lost = [event.seconds for event in call.of(DeviceTrouble) if event.fault == "overrun"]
    assert sum(lost) == pytest.approx(0.25) and len(lost) <= 3


def test_words_while_the_endpoint_speaks_cut_in_or_only_nod(tmp_path: Path) -> None:
    # the reply is on the track from 3.3 to 9.3 s of the device's time
    device = FakeDevice(air=bursts((2.0, 2.6), (4.5, 4.9), (6.5, 7.5)))
    endpoint = FakeEndpoint(replies(1, seconds=6.0), interruptible=False)
    call = hold(tmp_path, device, endpoint, ["tell me all", "Mm-hm.", "no, stop it"], ["all"], hang_up_s=12)
    assert [u.role for u in call.said] == [Role.TURN, Role.BACKCHANNEL, Role.BARGE_IN]
    turns = call.episode.turns
    assert [t.side for t in turns] == [Side.USER, Side.ENDPOINT, Side.USER, Side.USER]
    assert turns[1].interrupted


def test_the_endpoint_in_the_microphone_is_no_speech_of_the_person(tmp_path: Path) -> None:
    # no headphones: the person's microphone hears the endpoint 40 ms later and 20 dB softer
    sound = (speech_like(3.0, 24000, rms=0.2) * 32767).astype("<i2").tobytes()
    device = FakeDevice(air=bursts((2.0, 2.6)), echo=(0.04, 0.1))
    endpoint = FakeEndpoint([FakeReply(pcm=sound, delay_s=0.7)], interruptible=False)
    call = hold(tmp_path, device, endpoint, ["hello", "wrong"], ["reply"], hang_up_s=9.0)
    assert [u.text for u in call.said] == ["hello"]
    [report] = call.of(DeviceReport)
    assert report.echo_gain_db == pytest.approx(-20, abs=2)
    assert report.echo_correlation is not None and report.echo_correlation > 0.8


def test_push_to_talk_sends_silence_until_it_is_pushed(tmp_path: Path) -> None:
    device = FakeDevice(air=bursts((2.0, 2.6), (4.0, 4.6), (6.0, 6.6)))
    at = [(3.5, lambda person: person.talk(True)), (5.5, lambda person: person.talk(False))]
    endpoint = FakeEndpoint(replies(1))
    call = hold(tmp_path, device, endpoint, ["heard"], at=at, push_to_talk=True, hang_up_s=8.0)
    track, rate = call.episode.track("user")
    loud = np.flatnonzero(np.abs(track) > 300) / rate + SETTLED_S
    assert loud[0] == pytest.approx(4.0, abs=0.03) and len(call.said) == 1
    assert loud[-1] == pytest.approx(4.6, abs=0.03)  # and again when it is let go


def offset_of(level: float, air: Air = quiet, decay_s: float = math.inf) -> Air:
    """An offset, which may decay, beside what there is to be heard."""
    return lambda t: air(t) + level * np.exp(-t / decay_s)


@pytest.mark.parametrize("air", [offset_of(0.02), offset_of(0.1, decay_s=0.3)])
def test_an_offset_of_the_microphone_is_no_speech(air: Air, tmp_path: Path) -> None:  # D16
    call = hold(tmp_path, FakeDevice(air=air), FakeEndpoint(replies(1)), ["wrong"], hang_up_s=11.0)
    assert call.said == [] and call.episode.turns == []


def test_speech_on_an_offset_is_found_where_it_is_and_the_offset_reported(tmp_path: Path) -> None:  # D16
    burst = bursts((4.0, 5.0), peak=10 ** (-30 / 20))
    call = hold(tmp_path, FakeDevice(air=offset_of(0.02, burst)), FakeEndpoint(replies(1)), ["hello"])
    [opened], [said], [report] = call.of(DeviceOpened), call.said, call.of(DeviceReport)
    lag = opened.capture_delay_s - SETTLED_S
    assert said.audible_start / 24000 == pytest.approx(4.0 + lag, abs=0.001)
    assert said.audible_end / 24000 == pytest.approx(5.0 + lag, abs=0.001)
    assert report.offset == pytest.approx(0.02, abs=1e-4)


def test_an_echo_on_an_offset_is_an_echo_all_the_same(tmp_path: Path) -> None:  # D16, D41
    sound = (speech_like(3.0, 24000, rms=0.2) * 32767).astype("<i2").tobytes()
    # as strong as the echo, whose RMS is 0.05 of 0.2; the fake endpoint takes more than 0.015 for speech
    device = FakeDevice(air=offset_of(0.01, bursts((2.0, 2.6))), echo=(0.04, 0.05))
    endpoint = FakeEndpoint([FakeReply(pcm=sound, delay_s=0.7)], interruptible=False)
    call = hold(tmp_path, device, endpoint, ["hello", "wrong"], ["reply"], hang_up_s=9.0)
    assert [u.text for u in call.said] == ["hello"]
    assert call.of(DeviceReport)[0].echo_gain_db == pytest.approx(-26, abs=2)


def test_a_voice_over_full_scale_clips_is_counted_and_never_wraps(tmp_path: Path) -> None:  # D21
    # a square wave of 1.5 for 0.2 s at 48 kHz: 9600 samples at full scale, half of them negative
    def square(t: Times) -> Times:
        return 1.5 * np.sign(np.sin(2 * np.pi * 400 * (t - 2.0) + 1e-9)) * ((t >= 2.0) & (t < 2.2))

    call = hold(tmp_path, FakeDevice(air=square), FakeEndpoint(replies(1)), ["hello"], hang_up_s=4.0)
    [report], [said] = call.of(DeviceReport), call.said
    assert report.clipped == 9600
    track, _ = call.episode.track("user")
    sound = track[said.audible_start : said.audible_end]
    # 80 periods: 159 changes of sign within; what wraps changes it at every sample over full scale
    changes = np.count_nonzero(np.diff(np.sign(sound[np.abs(sound.astype(np.int32)) > 3000])))
    assert 158 <= changes <= 160
    assert (sound.max(), sound.min()) == (32767, -32768)


def test_what_is_exactly_full_scale_of_an_int16_device_is_clipped_and_what_is_below_is_not(
    tmp_path: Path,
) -> None:  # D21: 32767 / 32768 is the most such a device can give, -32768 the least
    def steps(t: Times) -> Times:
        wave = np.zeros(t.size)
        for at, level in {1.0: 32767 / 32768, 1.5: -1.0, 2.0: 32766 / 32768}.items():
            wave[(t >= at) & (t < at + 0.1)] = level
        return wave

    call = hold(tmp_path, FakeDevice(air=steps), FakeEndpoint(), hang_up_s=4.0)
    assert call.of(DeviceReport)[0].clipped == 2 * 4800


class Counts:
    """A judge that counts what is asked of it."""

    name = "counts"

    def __init__(self) -> None:
        self.seen: list[FinishedTurn] = []

    async def turn_finished(self, turn: FinishedTurn) -> Judgement:
        self.seen.append(turn)
        return Judgement(Verdict(judge=self.name, label="complete"))


FACT = Fact(id="stem", text="It is a stem.", keywords=(("stem",),))


def test_a_guided_person_is_shown_the_turns_in_order_and_any_words_will_do(tmp_path: Path) -> None:
    judge, device = Counts(), FakeDevice(air=bursts((2.0, 2.6), (6.0, 6.6)))
    turns = (Turn(text="What is a tuber?", facts=(FACT,)), Turn(text="And a bulb?"))
    call = hold(
        tmp_path,
        device,
        FakeEndpoint(replies(2)),
        ["so tell me about tubers", "bulbs then"],
        ["a stem", "a bulb"],
        scenario=scripted().model_copy(update={"turns": turns}),
        mode=Mode.GUIDED,
        observers=[judge],
        hang_up_s=None,
    )
    shown = call.of(LineProposed)
    assert [(line.text, line.label, line.spoken) for line in shown] == [
        ("What is a tuber?", "turn 1", False),
        ("And a bulb?", "turn 2", False),
    ]
    assert [(u.text, u.label, u.expected) for u in call.said] == [
        ("so tell me about tubers", "turn 1", ("stem",)),
        ("bulbs then", "turn 2", ()),
    ]
    assert [(turn.asked, [f.id for f in turn.facts]) for turn in judge.seen] == [
        ("so tell me about tubers", ["stem"]),
        ("bulbs then", []),
    ]
    assert len(call.of(VerdictGiven)) == 2
    assert call.info.outcome is Outcome.COMPLETED  # the scenario has come to its end


def test_a_guided_person_may_leave_a_turn_out(tmp_path: Path) -> None:
    device = FakeDevice(air=bursts((5.0, 5.6)))
    call = hold(
        tmp_path,
        device,
        FakeEndpoint(replies(1)),
        ["number two"],
        ["good"],
        scenario=scripted(turns=2),
        mode=Mode.GUIDED,
        at=[(3.0, Person.skip)],
        hang_up_s=None,
    )
    assert [line.label for line in call.of(LineProposed)] == ["turn 1", "turn 2"]
    assert [(u.text, u.label) for u in call.said] == [("number two", "turn 2")]
    assert call.info.outcome is Outcome.COMPLETED


def tuber_talk() -> Scenario:
    aspect = Aspect(id="tuber", question=Say(text="What is a tuber in a plant?"), facts=(FACT,), tries=2)
    return Scenario(
        id="tubers",
        title="Tubers",
        policy=PolicyKind.ADAPTIVE,
        aspects=(aspect,),
        persona=Persona(patience_s=60),
        limits=Limits(max_duration_s=120),
    )


def test_with_a_co_pilot_words_of_ones_own_leave_the_question_open(tmp_path: Path) -> None:
    device = FakeDevice(air=bursts((2.0, 2.6), (6.0, 6.6), (10.0, 10.6)))
    call = hold(
        tmp_path,
        device,
        FakeEndpoint(replies(3)),
        ["nice weather today isn't it", "What is a tuber in a plant?", "thank you goodbye"],
        ["very nice", "a stem", "bye"],
        scenario=tuber_talk(),
        mode=Mode.CO_PILOT,
        hang_up_s=14.0,
    )
    shown = [line.text for line in call.of(LineProposed)]
    assert shown[:2] == ["What is a tuber in a plant?"] * 2  # asked again after the answer to the weather
    assert all(line.spoken for line in call.of(LineProposed))
    assert [(u.label, u.expected) for u in call.said][:2] == [
        ("own words", ()),
        ("aspect tuber, try 1", ("stem",)),
    ]
    # the recogniser's words are replaced by the line's own where it was said word for word
    assert call.said[1].text == "What is a tuber in a plant?"


def test_a_person_who_hangs_up_in_the_middle_of_a_scenario_has_stopped(tmp_path: Path) -> None:
    call = hold(
        tmp_path,
        FakeDevice(),
        FakeEndpoint(),
        scenario=scripted(turns=2),
        mode=Mode.GUIDED,
        hang_up_s=4.0,
    )
    assert call.info.outcome is Outcome.USER_STOPPED and not call.info.outcome.void
