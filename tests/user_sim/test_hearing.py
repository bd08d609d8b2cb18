from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from streams import clock
from streams.audio import FRAME_S, Samples, sample_at, silence, to_pcm16
from streams.endpoints.events import Edge
from streams.speech.energy import EnergyDetector
from streams.speech.interfaces import ModelIdentity, SpeechError, Transcript
from user_sim.ear import TurnEnd
from user_sim.hearing import HeardTurn, Hearing, HearingEvent, Paused, SpeechEdge

Span = tuple[float, float]


def track(rate: int, *spans: Span, length_s: float) -> bytes:
    """Tones of 440 Hz in these spans of seconds, digital silence elsewhere."""
    samples = np.zeros(round(length_s * rate))
    for start, end in spans:
        first, last = round(start * rate), round(end * rate)
        samples[first:last] = 0.3 * np.sin(2 * np.pi * 440 * np.arange(last - first) / rate)
    return to_pcm16(samples)


@dataclass
class Listener:
    """A recogniser that says how many seconds of tone it was given; slow on demand."""

    seconds: float = 0.0
    failure: str = ""
    clips: list[float] = field(default_factory=list)
    identity: ModelIdentity = ModelIdentity("test", "listener", "1")  # noqa: RUF009 (frozen)

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        if self.failure:
            raise SpeechError("listener", self.failure)
        await asyncio.sleep(self.seconds)
        loud = np.flatnonzero(np.abs(samples) > 0.01)
        self.clips.append(samples.size / 16000)
        if not loud.size:
            return Transcript("", no_speech=True)
        return Transcript(f" {language} {(loud[-1] + 1 - loud[0]) / 16000:.1f} s ")


@dataclass
class Answers:
    """An end-of-turn model with fixed answers."""

    probabilities: list[float]
    clips: list[float] = field(default_factory=list)
    identity: ModelIdentity = ModelIdentity("test", "answers", "1")  # noqa: RUF009 (frozen)

    async def completion(self, samples: Samples) -> float:
        self.clips.append(samples.size / 16000)
        answer = self.probabilities.pop(0)
        if answer < 0:
            raise SpeechError("answers", "no answer")
        return answer


Heard = list[tuple[float, HearingEvent]]
Meanwhile = Callable[[Hearing], Coroutine[Any, Any, None]]


def hear(
    pcm: bytes,
    rate: int = 16000,
    *,
    turns: Answers | None = None,
    recogniser: Listener | None = None,
    meanwhile: Meanwhile | None = None,
) -> Heard:
    """Feed a track at its own pace; returns what was noticed, and when."""
    heard: Heard = []

    async def main() -> None:
        hearing = Hearing(
            EnergyDetector(),
            turns,
            recogniser,
            rate=rate,
            language="en-GB",
            notify=lambda event: heard.append((round(clock.now(), 3), event)),
        )
        running = asyncio.create_task(hearing.run())
        aside = asyncio.create_task(meanwhile(hearing)) if meanwhile else None
        frame = round(FRAME_S * rate)
        for tick in range(len(pcm) // 2 // frame):
            await clock.sleep_until((tick + 1) * FRAME_S)
            hearing.feed(pcm[2 * tick * frame : 2 * (tick + 1) * frame], tick * frame)
        hearing.finish()
        await running
        if aside:
            await aside

    clock.run(main(), simulate=True)
    return heard


def turns_of(heard: Heard) -> list[HeardTurn]:
    return [event for _, event in heard if isinstance(event, HeardTurn)]


def test_a_reply_becomes_edges_and_one_turn_exact_to_the_window() -> None:
    pcm = track(16000, (1.0, 2.0), length_s=4.0)
    heard = hear(pcm, recogniser=Listener())
    edges = [event for _, event in heard if isinstance(event, SpeechEdge)]
    assert edges == [SpeechEdge(Edge.START, 16000), SpeechEdge(Edge.STOP, 32000)]
    (turn,) = turns_of(heard)
    assert (turn.start, turn.end, turn.by, turn.probability) == (16000, 32000, TurnEnd.SILENCE, None)
    assert (turn.text, turn.understood, turn.cause, turn.interrupted) == ("en 1.0 s", True, "", False)
    assert turn.audio.tobytes() == pcm[2 * 16000 : 2 * 32000]


@pytest.mark.parametrize("rate", [8000, 24000, 48000])
def test_edges_are_samples_of_the_endpoints_own_track(rate: int) -> None:
    heard = hear(track(rate, (1.0, 2.0), length_s=4.0), rate)
    edges = [event.at for _, event in heard if isinstance(event, SpeechEdge)]
    # the detector's window is 10 ms; the resampling filter rings into the one beside the edge at most
    window = rate // 100
    assert edges[0] in (rate - window, rate) and edges[1] in (2 * rate, 2 * rate + window)


def test_a_turn_is_over_after_800_ms_without_a_model_and_its_words_are_ready() -> None:
    heard = hear(track(16000, (1.0, 2.0), length_s=4.0), recogniser=Listener(seconds=0.5))
    (over,) = [at for at, event in heard if isinstance(event, HeardTurn)]
    # draft at 2.0 + 0.2, ready 0.5 later, before the turn is over at 2.0 + 0.8; batches last 0.1
    assert 2.8 <= over <= 2.9 + FRAME_S


def test_the_pause_brings_a_draft_of_what_was_said_so_far() -> None:
    heard = hear(track(16000, (1.0, 2.0), length_s=4.0), recogniser=Listener())
    ((at, _),) = [(at, event) for at, event in heard if event == Paused("en 1.0 s")]
    assert 2.2 <= at <= 2.3 + FRAME_S


def test_a_complete_turn_is_over_after_half_a_second() -> None:
    turns = Answers([0.9])
    heard = hear(track(16000, (1.0, 2.0), length_s=4.0), turns=turns, recogniser=Listener())
    ((at, turn),) = [(at, event) for at, event in heard if isinstance(event, HeardTurn)]
    assert 2.5 <= at <= 2.6 + FRAME_S
    assert (turn.by, turn.probability) == (TurnEnd.SMART_TURN, 0.9)
    # the model hears 0.2 s before the turn, the turn, and the 0.2 s of the pause
    assert turns.clips == [1.4]


def test_an_incomplete_turn_waits_and_takes_in_what_follows() -> None:
    recogniser = Listener()
    pcm = track(16000, (1.0, 2.0), (3.0, 4.0), length_s=7.0)
    heard = hear(pcm, turns=Answers([0.1, 0.8]), recogniser=recogniser)
    (turn,) = turns_of(heard)
    assert (turn.start, turn.end, turn.text) == (16000, 64000, "en 3.0 s")
    # at 2.8 the first second was drafted, at 4.2 the whole turn: 1.0 and 3.0 s with 0.2 s around
    assert recogniser.clips == [1.4, 3.4]


def test_a_model_without_an_answer_leaves_the_end_to_silence_and_a_note() -> None:
    (turn,) = turns_of(hear(track(16000, (1.0, 2.0), length_s=5.0), turns=Answers([-1.0])))
    assert (turn.by, turn.probability, turn.note) == (TurnEnd.SILENCE, None, "answers: no answer.")


def test_a_recogniser_that_fails_leaves_the_turn_not_understood() -> None:
    heard = hear(track(16000, (1.0, 2.0), length_s=4.0), recogniser=Listener(failure="no memory"))
    (turn,) = turns_of(heard)
    assert (turn.understood, turn.text, turn.cause) == (False, "", "recogniser_failed")
    assert turn.note == "listener: no memory."
    assert not [event for _, event in heard if isinstance(event, Paused)]


def test_without_a_recogniser_turns_have_a_cause_and_no_text() -> None:
    (turn,) = turns_of(hear(track(16000, (1.0, 2.0), length_s=4.0)))
    assert (turn.understood, turn.text, turn.cause) == (False, "", "no_recogniser")


def test_a_cough_is_not_heard_as_anything() -> None:
    assert hear(track(16000, (1.0, 1.14), length_s=4.0), recogniser=Listener()) == []


def test_silence_is_never_transcribed() -> None:
    recogniser = Listener()
    assert hear(silence(16000 * 30), recogniser=recogniser) == []
    assert recogniser.clips == []


def test_a_turn_that_the_user_talks_over_lasts_as_long_as_it_can_be_heard() -> None:
    async def talk(hearing: Hearing) -> None:
        await asyncio.sleep(2.0)
        hearing.interrupt(2.02)

    heard = hear(track(16000, (1.0, 3.0), length_s=5.0), recogniser=Listener(), meanwhile=talk)
    (turn,) = turns_of(heard)
    assert (turn.start, turn.end, turn.by) == (16000, 48000, TurnEnd.USER_SPOKE)
    assert turn.interrupted
    assert turn.audio.size == 32000


def test_the_user_who_talks_right_after_the_endpoint_interrupts_nothing() -> None:
    async def talk(hearing: Hearing) -> None:
        await asyncio.sleep(2.0)
        hearing.interrupt(2.05)

    heard = hear(track(16000, (1.0, 2.0), length_s=5.0), recogniser=Listener(), meanwhile=talk)
    (turn,) = turns_of(heard)
    assert (turn.start, turn.end, turn.by, turn.interrupted) == (16000, 32000, TurnEnd.USER_SPOKE, False)


def test_the_end_of_the_call_ends_the_open_turn() -> None:
    heard = hear(track(16000, (1.0, 2.0), length_s=2.0), recogniser=Listener())
    (turn,) = turns_of(heard)
    assert (turn.end, turn.by, turn.interrupted, turn.text) == (32000, TurnEnd.CLOSED, True, "en 1.0 s")


def test_turns_before_and_after_a_sleep_stand_where_they_were_played() -> None:
    spans = [(1.0, 2.0), (12.34, 13.34), (40.0, 40.5)]
    heard = hear(track(16000, *spans, length_s=60.0), recogniser=Listener())
    places = [(turn.start, turn.end) for turn in turns_of(heard)]
    assert places == [(16000, 32000), (sample_at(12.34, 16000), sample_at(13.34, 16000)), (640000, 648000)]


def test_a_slow_recogniser_keeps_the_events_in_order() -> None:
    pcm = track(16000, (1.0, 2.0), (4.0, 5.0), length_s=9.0)
    heard = hear(pcm, recogniser=Listener(seconds=2.5))
    kinds = [type(event) for _, event in heard]
    # the first turn's words are ready at 2.2 + 2.5 s: the second beginning waits for them
    assert kinds == [SpeechEdge, SpeechEdge, HeardTurn, SpeechEdge, SpeechEdge, HeardTurn]
    assert 4.7 <= heard[2][0] <= 4.8 + FRAME_S


def test_a_draft_is_given_up_when_the_turn_goes_on() -> None:
    # at 2.0 s the turn is called complete and its words are wanted, in a second; at 2.4 s it goes on
    pcm = track(16000, (1.0, 2.0), (2.4, 3.0), length_s=6.0)
    listener = Listener(seconds=1.0)
    heard = hear(pcm, turns=Answers([0.9, 0.9]), recogniser=listener)
    (turn,) = turns_of(heard)
    assert (turn.start, turn.end, turn.text) == (16000, 48000, "en 2.0 s")
    assert len(listener.clips) == 1  # the recogniser never got to the end of the draft


def test_the_ear_is_busy_from_the_beginning_of_a_turn_to_its_report() -> None:
    seen: list[tuple[float, bool]] = []

    async def watch(hearing: Hearing) -> None:
        for at in (0.9, 1.4, 2.5, 3.2, 3.9):
            await clock.sleep_until(at + 0.001)
            seen.append((at, hearing.busy))

    hear(track(16000, (1.0, 2.0), length_s=4.5), recogniser=Listener(seconds=1.5), meanwhile=watch)
    # over at 2.8 to 2.9; the words come at 2.2 + 1.5 s at the earliest
    assert seen == [(0.9, False), (1.4, True), (2.5, True), (3.2, True), (3.9, False)]


class CountingDetector(EnergyDetector):
    streams = 0

    def stream(self, rate: int = 16000):  # type: ignore[no-untyped-def]
        self.streams += 1
        return super().stream(rate)


def test_an_hour_of_digital_silence_costs_no_detection() -> None:
    detector = CountingDetector()

    async def main() -> None:
        hearing = Hearing(detector, None, None, rate=24000, notify=lambda event: None)
        frame = silence(480)
        for tick in range(3600 * 50):
            hearing.feed(frame, tick * 480)
        hearing.finish()
        await hearing.run()

    clock.run(main(), simulate=True)
    assert detector.streams == 0
