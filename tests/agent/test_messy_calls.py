"""Pauses, backchannels, coughs, keys, silences, hanging up: to the sample, and on the record."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import soundfile

from agent.session import Engines, Session, SessionPlan
from recordings.format import BehaviourSettled, KeysPressed, Outcome, Role, Side, TurnEnded, UtteranceEnded
from recordings.reader import Episode
from scenarios.load import LoadedScenario, from_scenario
from streams import clock
from streams.audio import silence, to_pcm
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.endpoints.protocol import Capabilities
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ToneVoice
from tests.agent.calls import Call, audible, hold, scripted
from tests.agent.messy_calls import (
    LONG,
    SHORT,
    barge_in,
    call_with,
    events,
    messy,
    said,
    script,
    settled,
    with_behaviours,
)

PAUSED = dataclasses.replace(LONG, pcm=(tone(2.0) + silence(9600)) * 3 + tone(1.0))
"""Heard from 1.21 s on, with pauses of 0.4 s at 3.21, 5.61 and 8.01 s."""


# --- the user's own turn ------------------------------------------------------------------------


@pytest.mark.parametrize("pause_s", [0.3, 1.234, 4.0])
@pytest.mark.parametrize(("rate", "voice_rate"), [(24000, 24000), (8000, 24000), (16000, 16000)])
def test_a_pause_within_a_turn_is_exactly_as_long_as_asked_for(
    tmp_path: Path, pause_s: float, rate: int, voice_rate: int
) -> None:
    # a voice that puts 0.2 s before its words and 0.3 s after them
    voice = ToneVoice(leading_s=0.2, trailing_s=0.3, rate=voice_rate)
    hesitation = {"id": "h", "kind": "hesitation", "after_word": 1, "pause_s": pause_s, "filler": "um"}
    endpoint = FakeEndpoint([FakeReply(pcm=tone(1.0, rate=rate))], rate=rate, silence_s=4.5)

    async def main() -> None:
        plan = SessionPlan(
            id="call", scenario=from_scenario(messy(hesitation, turns=1, persona={"patience_s": 9}))
        )
        await Session(plan, endpoint, Engines(voice, EnergyDetector()), tmp_path / "call").run()

    clock.run(main(), simulate=True)
    episode = Episode.load(tmp_path / "call")
    call = Call(episode.info, episode, endpoint)
    (turn,) = said(call)
    ((first, last),) = turn.pauses
    assert last - first == round(pause_s * rate)
    pcm, _ = episode.track("user_clean")
    assert not pcm[first:last].any()
    # sound right up to the edges; where the voice is resampled its tail rings below -50 dB
    assert np.abs(pcm[first - 3 : first]).max() and np.abs(pcm[last : last + 3]).max()
    assert (turn.audible_start, turn.audible_end) == (turn.start, turn.start + turn.samples)
    assert (turn.text, turn.spoken, turn.behaviour) == ("question 0", "question, um, zero", "h")
    assert [row.end for row in episode.turns if row.side is Side.USER] == [turn.audible_end]


def test_fillers_restarts_and_several_pauses_combine(tmp_path: Path) -> None:
    scenario = with_behaviours(
        scripted(),
        {"id": "a", "kind": "restart", "words": 2},
        {"id": "b", "kind": "filler", "before_word": 4, "phrases": ["er"]},
        {"id": "c", "kind": "hesitation", "after_word": 3, "pause_s": 0.25},
        {"id": "d", "kind": "hesitation", "after_word": 5, "pause_s": 0.5},
        turns=[{"text": "What is the price of it?"}],
    )
    call = call_with(tmp_path, scenario, SHORT)
    (turn,) = said(call)
    assert turn.spoken == "What is, what is the, er, price of, it?"
    # three parts of 0.6 s each: 0.6 + 0.25 + 0.6 + 0.5 + 0.6
    assert turn.pauses == ((14400, 20400), (34800, 46800))
    assert settled(call) == [(name, True, "") for name in "abcd"]


def test_a_turn_without_enough_words_is_said_as_it_is(tmp_path: Path) -> None:
    hesitation = {"id": "h", "kind": "hesitation", "after_word": 2, "pause_s": 0.3}
    turns = [{"text": "Hi"}, {"text": "Hello there you"}, {"text": "Well"}]
    call = call_with(tmp_path, with_behaviours(scripted(), hesitation, turns=turns), SHORT, SHORT, SHORT)
    assert [len(event.pauses) for event in said(call)] == [0, 1, 0]
    assert settled(call) == [("h", True, "")]


@pytest.mark.parametrize("seconds", [0.5, 2.51, 4.0])
def test_a_silence_before_a_turn_is_no_shorter_than_asked_for(tmp_path: Path, seconds: float) -> None:
    scenario = messy({"id": "s", "kind": "silence", "seconds": seconds})
    call = call_with(tmp_path, scenario, SHORT, SHORT)
    first, second = said(call)
    over, *_ = events(call, TurnEnded)
    assert 0 <= first.t - seconds < 0.0201
    assert 0 <= second.t - (over.t + seconds) < 0.0201
    assert (first.behaviour, second.behaviour) == ("s", "s")


def test_a_change_of_mind_comes_before_the_reply_and_the_reply_is_to_it(tmp_path: Path) -> None:
    change = {"id": "c", "kind": "change_of_mind", "turn": 1, "after_s": 0.33, "say": {"text": "No wait"}}
    call = call_with(tmp_path, messy(change), SHORT, SHORT)
    assert script(call) == [("turn", "question 0"), ("correction", "No wait"), ("turn", "question 1")]
    _, correction, _ = said(call)
    assert correction.start == round(0.94 * 24000)  # 0.6 + 0.33, at the next tick
    reply = next(turn for turn in call.episode.turns if turn.side is Side.ENDPOINT)
    assert reply.start_s == pytest.approx(0.94 + 0.6 + 0.6)


def test_a_change_of_mind_that_the_reply_forestalls_did_not_happen(tmp_path: Path) -> None:
    change = {"id": "c", "kind": "change_of_mind", "turn": 1, "after_s": 1.0, "say": {"text": "No wait"}}
    call = call_with(tmp_path, messy(change), SHORT, SHORT)
    assert settled(call) == [("c", False, "reply_came")]


def test_a_user_that_gets_no_reply_asks_in_its_own_words_and_then_as_ever(tmp_path: Path) -> None:
    reprompt = {"id": "r", "kind": "reprompt", "after_s": 2.0, "at_most": 2, "say": {"text": "Hello?"}}
    call = call_with(tmp_path, messy(reprompt, turns=1))
    # each 2.0 s after the last sample; then the persona's patience of 5 s after the last one
    assert [(event.t, event.text) for event in said(call, Role.REPROMPT)] == [
        (2.6, "Hello?"),
        (5.2, "Hello?"),
        (pytest.approx(10.8, abs=0.021), "Sorry, are you still there?"),
    ]


# --- beside the turn ----------------------------------------------------------------------------

HUM = {"id": "hum", "kind": "backchannel", "turn": 1}


def test_a_backchannel_follows_a_pause_and_the_reply_stays_one_turn(tmp_path: Path) -> None:
    call = call_with(tmp_path, messy(HUM), PAUSED, stops=False)
    hums = said(call, Role.BACKCHANNEL)
    # the reply goes on at 3.61, 6.01 and 8.41: each is noticed within 0.25 s
    assert [event.t for event in hums] == [pytest.approx(at + 0.15, abs=0.1) for at in (3.61, 6.01, 8.41)]
    assert len({event.text for event in hums}) == 3  # one after the other
    story = next(turn for turn in call.episode.turns if turn.side is Side.ENDPOINT)
    assert (story.start_s, story.end_s, story.interrupted) == (1.21, 9.41, False)
    assert [event.by for event in events(call, TurnEnded)] == ["silence"]
    assert [text for role, text in script(call) if role == "turn"][:2] == ["question 0", "question 1"]


def test_backchannels_by_the_clock_keep_their_distance(tmp_path: Path) -> None:
    hum = {**HUM, "at_pauses": False, "every_s": 1.5, "gap_s": 2.0, "phrases": ["yes"], "at_most": 2}
    call = call_with(tmp_path, messy(hum), LONG, SHORT, stops=False)
    # 1.21 + 1.5 = 2.71; 3.0 s are too near; 1.21 + 4.5 = 5.71; the third would be one too many
    assert [event.start for event in said(call, Role.BACKCHANNEL)] == [
        round(s * 24000) for s in (2.72, 5.72)
    ]


def test_what_is_said_beside_the_turn_takes_none(tmp_path: Path) -> None:
    plan = scripted(2).model_dump(mode="json")["limits"] | {"max_turns": 2}
    hum = {**HUM, "at_pauses": False, "every_s": 1.0, "gap_s": 0.0}
    aside = {"id": "a", "kind": "aside", "turn": 1, "after_s": 2.5, "say": {"text": "Not now, Tom"}}
    call = call_with(tmp_path, messy(hum, aside, limits=plan), LONG, SHORT, stops=False)
    assert len(said(call, Role.BACKCHANNEL)) >= 5
    assert [text for role, text in script(call) if role == "turn"] == ["question 0", "question 1"]
    assert call.info.outcome is Outcome.COMPLETED
    rows = [(turn.role, turn.intended) for turn in call.episode.turns if turn.role is Role.ASIDE]
    assert rows == [(Role.ASIDE, "Not now, Tom")]


def test_a_false_yield_is_no_answer(tmp_path: Path) -> None:
    # the endpoint stops 0.3 s after the "mm-hm" and says no more: the user asks whether it is there
    hum = {**HUM, "at_pauses": False, "every_s": 2.0, "at_most": 1}
    call = call_with(tmp_path, messy(hum, turns=1), LONG)
    assert [role for role, _ in script(call)][:3] == ["turn", "backchannel", "reprompt"]
    assert next(turn for turn in call.episode.turns if turn.side is Side.ENDPOINT).interrupted


def test_patience_does_not_wait_for_what_is_said_beside_the_turn(tmp_path: Path) -> None:
    asides = [
        {"id": f"a{n}", "kind": "aside", "turn": 1, "quiet_s": float(n), "say": {"text": "Tom!"}}
        for n in (1, 2, 3)
    ]
    call = call_with(tmp_path, messy(*asides, turns=1))
    assert [event.t for event in said(call, Role.ASIDE)] == [1.6, 2.6, 3.6]
    (first, *_) = said(call, Role.REPROMPT)
    assert first.t == pytest.approx(5.6, abs=0.021)  # the patience of 5 s, from 0.6 s on


def test_a_user_that_talks_over_goes_on_to_its_own_end(tmp_path: Path) -> None:
    over = {"id": "o", "kind": "talk_over", "turn": 1, "after_s": 1.0, "say": {"text": "but I think"}}
    call = call_with(tmp_path, messy(over, barge_in(after_s=4.0)), LONG, SHORT, SHORT, stops=False)
    talk, cut = said(call, Role.TALK_OVER, Role.BARGE_IN)
    assert (talk.start, cut.start) == (round(2.22 * 24000), round(5.22 * 24000))
    (ended,) = [event for event in events(call, UtteranceEnded) if event.utterance == talk.utterance]
    assert (ended.samples, ended.cut) == (14400, False)


def test_a_cough_is_a_sound_of_ours_or_a_recording(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "hack.wav", to_pcm(tone(0.25)), 24000)
    cough = {"kind": "cough", "turn": 1}
    scenario = messy(
        {**cough, "id": "a", "after_s": 1.0},
        {**cough, "id": "b", "after_s": 3.0, "sound": "throat"},
        {**cough, "id": "c", "after_s": 5.0, "audio": "hack.wav"},
    )
    endpoint = FakeEndpoint([LONG, SHORT], interruptible=False)

    async def main() -> None:
        loaded = dataclasses.replace(from_scenario(scenario), path=tmp_path / "x.yaml")
        assert isinstance(loaded, LoadedScenario)
        plan = SessionPlan(id="call", scenario=loaded)
        await Session(plan, endpoint, Engines(ToneVoice(), EnergyDetector()), tmp_path / "call").run()

    clock.run(main(), simulate=True)
    episode = Episode.load(tmp_path / "call")
    coughs = said(Call(episode.info, episode, endpoint), Role.TIC)
    assert [event.start for event in coughs] == [round(at * 24000) for at in (2.22, 4.22, 6.22)]
    assert [event.samples / 24000 for event in coughs] == pytest.approx([0.41, 0.53, 0.25], abs=0.005)
    pcm, _ = episode.track("user")
    assert all(np.abs(pcm[e.audible_start : e.audible_start + 240]).max() > 300 for e in coughs)


class NoKeys(FakeEndpoint):
    """Its protocol knows no telephone keys."""

    @property
    def capabilities(self) -> Capabilities:
        return dataclasses.replace(super().capabilities, dtmf=False)


@pytest.mark.parametrize("kind", [FakeEndpoint, NoKeys])
def test_keys_go_by_message_or_as_tones(tmp_path: Path, kind: type[FakeEndpoint]) -> None:
    keys = {"id": "k", "kind": "dtmf", "turn": 1, "after_s": 2.0, "digits": "5#"}
    endpoint = kind([LONG, SHORT], interruptible=False)
    call = hold(tmp_path, endpoint, messy(keys), texts=["a", "b"])
    (pressed,) = events(call, KeysPressed)
    assert (pressed.digits, pressed.behaviour, pressed.t) == ("5#", "k", 3.22)
    assert settled(call) == [("k", True, "")]
    if kind is FakeEndpoint:
        assert [command for command in endpoint.commands if command[0] == "dtmf"] == [
            ("dtmf", "5"),
            ("dtmf", "#"),
        ]
        assert (pressed.by, pressed.samples) == ("protocol", 0)
        return
    assert (pressed.by, pressed.start, pressed.samples) == ("tones", round(3.22 * 24000), 7200)
    pcm, rate = call.episode.track("user")
    for number, (low, high) in enumerate([(770, 1336), (941, 1477)]):
        first = pressed.start + number * 4800
        spectrum = np.abs(np.fft.rfft(pcm[first : first + 2400]))
        loudest = sorted(np.argsort(spectrum)[-2:] * rate / 2400)
        assert loudest == pytest.approx([low, high], abs=10)  # 100 ms tell 10 Hz apart
        assert not pcm[first + 2400 : first + 4800].any()
    assert all(event.utterance.startswith("u") for event in events(call, UtteranceEnded))  # keys are none


@pytest.mark.parametrize(("after_s", "end"), [(2.0, 3.22), (None, 0.6)])
def test_the_user_hangs_up_in_the_reply_or_after_its_words(
    tmp_path: Path, after_s: float | None, end: float
) -> None:
    hang_up = {"id": "h", "kind": "hang_up", "turn": 1, "after_s": after_s}
    call = call_with(tmp_path, messy(hang_up), LONG, SHORT)
    assert call.info.duration_s == pytest.approx(end, abs=0.021)
    assert (call.info.outcome, call.info.outcome.void) == (Outcome.COMPLETED, False)
    assert call.info.reason == "the user hung up, as the scenario asks for"
    assert settled(call) == [("h", True, "")]


# --- chance, and what did not happen ------------------------------------------------------------


def test_chance_is_drawn_for_each_turn_by_the_seed_alone(tmp_path: Path) -> None:
    hum = {**HUM, "turn": None, "at_pauses": False, "every_s": 0.6, "chance": 0.5}

    def turns(name: str, seed: int, delay_s: float) -> list[int]:
        replies = [dataclasses.replace(SHORT, delay_s=delay_s) for _ in range(8)]
        call = call_with(tmp_path / name, messy(hum, turns=8), *replies, seed=seed, stops=False)
        rows = [(role, text) for role, text in script(call)]
        return [n for n, row in enumerate(rows) if row[0] == "backchannel"]

    assert turns("a", 1, 0.6) == turns("b", 1, 0.9)
    assert turns("a2", 1, 0.6) != turns("c", 2, 0.6)


@pytest.mark.parametrize(
    ("behaviour", "cause"),
    [
        ({"kind": "backchannel", "turn": 1}, "no_pause"),
        ({"kind": "cough", "turn": 2, "after_s": 0.5}, "no_reply"),
        ({"kind": "cough", "turn": 1, "quiet_s": 3.0}, "reply_came"),
        ({"kind": "hang_up", "turn": 2, "after_s": 3.0}, "no_reply"),
        ({"kind": "silence", "turn": 3, "seconds": 1.0}, "turn_not_reached"),
        ({"kind": "hesitation", "turn": 2, "after_word": 9, "pause_s": 1.0}, "turn_too_short"),
        ({"kind": "silence", "chance": 1e-9, "seconds": 1.0}, "not_drawn"),
        ({"kind": "reprompt", "turn": 1, "after_s": 3.0}, "reply_came"),
    ],
)
def test_what_did_not_happen_says_why(tmp_path: Path, behaviour: dict[str, object], cause: str) -> None:
    call = call_with(tmp_path, messy({"id": "x", **behaviour}), LONG, max_lateness_s=1.0)
    assert settled(call) == [("x", False, cause)]
    last = events(call, BehaviourSettled)[-1]
    assert (last.type, last.t) == (behaviour["kind"], call.info.duration_s)


def test_behaviours_that_never_happen_leave_every_other_event_as_it_was(tmp_path: Path) -> None:
    never: list[dict[str, object]] = [
        {"id": "a", "kind": "barge_in", "random": [100.0, 110.0], "say": {"text": "stop"}},
        {"id": "b", "kind": "silence", "chance": 1e-9, "seconds": 3.0},
        {"id": "c", "kind": "reprompt", "after_s": 4.9, "turn": 3},
        {"id": "d", "kind": "cough", "quiet_s": 4.0, "turn": 2},
    ]
    replies = [PAUSED, SHORT, SHORT]

    def lines(name: str, *behaviours: dict[str, object]) -> list[str]:
        call_with(tmp_path / name, with_behaviours(scripted(3), *behaviours), *replies)
        text = (tmp_path / name / "call" / "events.jsonl").read_text(encoding="utf-8")
        return [line for line in text.splitlines() if "behaviour_settled" not in line]

    assert lines("without") == lines("with", *never)


def test_a_policy_of_ones_own_behaves_too(tmp_path: Path) -> None:
    from user_sim.scripted import ScriptedPolicy

    own = ScriptedPolicy(scripted(1))
    call = call_with(
        tmp_path,
        messy(barge_in(after_s=2.0)),
        LONG,
        SHORT,
        policy=own,
    )
    assert script(call) == [("turn", "question 0"), ("barge_in", "stop")]
    assert audible(call.episode, "user")[1] == (3.22, 3.82)
