from __future__ import annotations

import asyncio
from collections.abc import Sequence

from agent.person import PersonMicrophone
from agent.shared import SharedMouth, SharedTrack
from streams import clock
from streams.devices.fake import FakeDevice
from streams.devices.headset import Headset
from streams.playback import Microphone
from streams.speech.energy import EnergyDetector
from user_sim import policy as user
from user_sim.hearing import Hearing

RATE = 24000
WORDS = user.Say(user.Line("hello"), "turn 1")


class Says:
    """Begins what it is to say when it is let, and keeps what it has begun."""

    def __init__(self, said_until: int = 0) -> None:
        self.hearing = Hearing(
            EnergyDetector(), None, None, rate=RATE, language="en", notify=lambda _: None
        )
        self.said_until = said_until
        self.let = asyncio.Event()
        self.begun: list[str] = []

    async def say(self, action: user.Say, decided_at: float) -> None:
        await self.let.wait()
        self.begun.append(action.line.text)

    async def say_beside(self, action: user.Say) -> None:
        await self.say(action, 0.0)

    async def press(self, action: user.PressKeys) -> None:
        await self.let.wait()
        self.begun.append(action.digits)

    def settled(self, causes: Sequence[user.Cause], t: float, utterance: str = "") -> None:
        self.begun += [cause.behaviour for cause in causes]

    def stop(self, t: float) -> None:
        self.begun.append("stopped")


def hand_over(between: str, *, then: bool = True) -> tuple[list[str], list[str]]:
    """What each has begun of what was asked for before the word changed hands: our voice, the person."""

    async def main() -> tuple[list[str], list[str]]:
        ours, person = Says(), Says()
        mouth = SharedMouth(ours)
        asked = {
            "say": mouth.say(WORDS, 0.0),
            "say_beside": mouth.say_beside(WORDS),
            "press": mouth.press(user.PressKeys("1")),
        }
        for name, work in asked.items():
            if name != between:
                work.close()
        saying = asyncio.create_task(asked[between])
        await asyncio.sleep(0)
        if then:
            mouth.hand_to(person)
        else:
            saying.cancel()
        person.let.set()
        await asyncio.wait([saying])
        ours.let.set()
        await asyncio.sleep(0)
        return ours.begun, person.begun

    return clock.run(main(), simulate=True)


def test_words_that_were_not_begun_are_for_whoever_has_the_word_then() -> None:
    assert hand_over("say") == ([], ["hello"])


def test_what_takes_no_turn_is_left_out_when_the_word_changes_hands_before() -> None:
    assert hand_over("say_beside") == hand_over("press") == ([], [])


def test_words_that_nobody_waits_for_any_more_are_not_begun() -> None:
    assert hand_over("say", then=False) == ([], [])


def test_the_latest_words_count_whoever_said_them() -> None:
    ours, person = Says(100), Says(50)
    mouth = SharedMouth(ours)
    mouth.hand_to(person)
    assert mouth.said_until == 100
    person.said_until = 150
    mouth.hand_to(None)
    assert mouth.said_until == 150


def test_whoever_has_the_word_is_told_and_has_the_ear() -> None:
    ours, person = Says(), Says()
    mouth = SharedMouth(ours)
    mouth.settled([user.Cause("a", "pause")], 0.0)
    mouth.hand_to(person)
    mouth.settled([user.Cause("b", "pause")], 1.0)
    mouth.stop(2.0)
    mouth.hand_to(None)
    mouth.stop(3.0)
    assert (ours.begun, person.begun) == (["a", "stopped"], ["b", "stopped"])
    assert person.hearing is ours.hearing is mouth.hearing


def test_what_is_being_said_is_what_whoever_has_the_word_says() -> None:
    person = PersonMicrophone(Headset(FakeDevice(), RATE, RATE), origin=0.0)
    track = SharedTrack(Microphone(RATE), lost=lambda _: None)
    track.hand_to(person)
    assert not track.speaking
    person.saying = ("u1",)
    assert track.speaking and track.saying == ("u1",)
    track.hand_to(None)
    assert not track.speaking and track.saying == ()
