from __future__ import annotations

import asyncio

import pytest

from streams import clock
from streams.audio import FRAME_S, silence
from streams.speech.silero import SileroDetector
from streams.speech.smart_turn import SmartTurn
from user_sim.hearing import HeardTurn, Hearing, HearingEvent
from user_sim.policy import Line
from user_sim.voice import UserVoice

RATE = 24000

pytestmark = pytest.mark.models


def test_two_spoken_replies_are_heard_where_they_are() -> None:
    pytest.importorskip("piper")
    from streams.speech.piper import PiperSpeaker

    heard: list[HearingEvent] = []

    async def main() -> list[tuple[int, int]]:
        voice = UserVoice(PiperSpeaker(), RATE)
        pcm, spans = silence(RATE), []
        for text in ("Cas nine is an enzyme that cuts DNA.", "Yes."):
            said = await voice.prepare(Line(text))
            at = len(pcm) // 2
            spans.append((at + said.audible_start, at + said.audible_end))
            pcm += said.pcm + silence(3 * RATE)
        hearing = Hearing(SileroDetector(), SmartTurn(), None, rate=RATE, notify=heard.append)
        running = asyncio.create_task(hearing.run())
        begin, frame = clock.now(), 480
        for tick in range(len(pcm) // 2 // frame):
            await clock.sleep_until(begin + (tick + 1) * FRAME_S)
            hearing.feed(pcm[2 * tick * frame : 2 * (tick + 1) * frame], tick * frame)
        hearing.finish()
        await running
        return spans

    spans = clock.run(main(), simulate=True)
    turns = [event for event in heard if isinstance(event, HeardTurn)]
    assert len(turns) == 2
    # Silero's windows are 32 ms, and it takes one or two of them to change its mind
    tolerance = round(0.1 * RATE)
    for turn, (start, end) in zip(turns, spans, strict=True):
        assert abs(turn.start - start) <= tolerance and abs(turn.end - end) <= tolerance
        assert turn.probability is not None
