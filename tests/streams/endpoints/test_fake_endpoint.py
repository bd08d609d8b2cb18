"""The fake's times are exact: every expected value is a sum of samples."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from streams import clock
from streams.audio import FRAME_S, to_pcm
from streams.endpoints.errors import ConnectFailed
from streams.endpoints.events import (
    AudioReceived,
    Closed,
    Edge,
    EndpointEvent,
    Flush,
    ItemEnded,
    Notice,
    NoticeLevel,
    Party,
    Ready,
    ResponseEnded,
    ResponseStarted,
    ResponseStatus,
    TextReceived,
    UserItemPlaced,
    UserSpeech,
    UserTextReceived,
)
from streams.endpoints.fake import Delivery, FakeEndpoint, FakeReply, tone
from streams.endpoints.protocol import PlaybackState, Played, TurnMode
from streams.playback import Microphone, Speaker

RATE = 24000
Say = tuple[float, float]
"""Start and length of a stretch of user speech, in seconds."""


class Call:
    """A minimal session: microphone and ear on one timeline, which begins `after` on the loop's."""

    def __init__(
        self, endpoint: FakeEndpoint, say: Sequence[Say], *, seconds: float = 6.0, after: float = 3.7
    ) -> None:
        self.endpoint = endpoint
        self.say = say
        self.seconds = seconds
        self.after = after
        self.at: dict[float, Callable[[], object]] = {}
        self.events: list[EndpointEvent] = []
        self.speaker = Speaker(endpoint.capabilities.output.rate)
        self.heard = b""

    def run(self) -> list[EndpointEvent]:
        """Make the call in simulated time; times of events are since its start."""
        clock.run(self._main(), simulate=True)
        return self.events

    async def _main(self) -> None:
        await asyncio.sleep(self.after)  # the session's zero is not the loop's
        await self.endpoint.open()
        self.start = clock.now()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
            group.create_task(self._talk())

    async def _talk(self) -> None:
        microphone = Microphone(self.endpoint.capabilities.input.rate)
        planned = list(self.say)
        for tick in range(1, round(self.seconds / FRAME_S) + 1):
            await clock.sleep_until(self.start + tick * FRAME_S)
            second = (tick - 1) * FRAME_S
            if planned and second >= planned[0][0] - 1e-9:
                microphone.say(tone(planned.pop(0)[1], rate=microphone.rate, hz=200), "u")
            for when in [each for each in self.at if each <= second]:
                result = self.at.pop(when)()
                if asyncio.iscoroutine(result):
                    await result
            await self.endpoint.send(microphone.next_frame())
        await self.endpoint.close("done")

    async def _listen(self) -> None:
        async for event in self.endpoint.events():
            at = round(event.at - self.start, 9)
            self.events.append(dataclasses.replace(event, at=at))
            match event:
                case AudioReceived():
                    self.speaker.play(event.pcm, at=at, item=event.item, response=event.response)
                case ItemEnded():
                    self.speaker.end_item(event.item)
                case Flush():
                    self.speaker.flush(at=at, responses=event.responses)
                case _:
                    pass
        self.heard = self.speaker.heard(round(self.seconds * self.speaker.rate))

    def stretches(self) -> list[tuple[float, float]]:
        """What was heard, as seconds from and to, joined over gaps under 100 ms."""
        loud = np.flatnonzero(np.abs(to_pcm(self.heard).astype(int)) > 500) / self.speaker.rate
        if not loud.size:
            return []
        edges = np.flatnonzero(np.diff(loud) > 0.1)
        starts, ends = [loud[0], *loud[edges + 1]], [*loud[edges], loud[-1]]
        return [(round(float(a), 3), round(float(b), 2)) for a, b in zip(starts, ends, strict=True)]


def last_audible(seconds: float, rate: int = RATE) -> float:
    """Where the tone of that length ends to the ear: the sample after its last audible one."""
    return (
        float(np.flatnonzero(np.abs(to_pcm(tone(seconds, rate=rate, hz=200)).astype(int)) > 500)[-1] + 1)
        / rate
    )


def of(events: Sequence[EndpointEvent], kind: type[EndpointEvent]) -> list[EndpointEvent]:
    return [each for each in events if isinstance(each, kind)]


def test_a_reply_begins_its_delay_after_the_users_last_audible_sample() -> None:
    call = Call(FakeEndpoint([FakeReply(pcm=tone(0.5), delay_s=0.75)]), [(1.0, 0.5)])
    (first, *_) = of(call.run(), AudioReceived)
    end = 1.0 + last_audible(0.5)
    assert first.at == round(end + 0.75, 9)
    assert call.stretches() == [(round(end + 0.75, 3), round(end + 1.25, 2))]


@pytest.mark.parametrize(("rate", "out_rate"), [(16000, 24000), (8000, 8000), (48000, 16000)])
def test_it_is_exact_at_any_rate(rate: int, out_rate: int) -> None:
    reply = FakeReply(pcm=tone(0.5, rate=out_rate), delay_s=0.7)
    call = Call(FakeEndpoint([reply], rate=rate, out_rate=out_rate), [(1.0, 0.5)])
    (first, *_) = of(call.run(), AudioReceived)
    assert first.at == round(1.0 + last_audible(0.5, rate) + 0.7, 9)


def test_leading_silence_lies_within_the_delay() -> None:
    call = Call(FakeEndpoint([FakeReply(pcm=tone(0.5), delay_s=1.0, leading_silence_s=0.3)]), [(1.0, 0.5)])
    (first, *_) = of(call.run(), AudioReceived)
    end = 1.0 + last_audible(0.5)
    assert first.at == round(end + 0.7, 9)  # first byte: 1.0 - 0.3
    assert call.stretches()[0][0] == round(end + 1.0, 3)  # first audible sample


def test_a_reply_cannot_begin_before_the_end_of_the_turn_is_found() -> None:
    call = Call(FakeEndpoint([FakeReply(pcm=tone(0.5), delay_s=0.1)], silence_s=0.4), [(1.0, 0.5)])
    (first, *_) = of(call.run(), AudioReceived)
    # 0.4 s after the last audible sample (1.5 s less 7 samples), at the frame that is sent next: 1.90
    assert first.at == 1.9


def test_the_events_of_a_turn_come_in_order() -> None:
    reply = FakeReply(pcm=tone(0.15), text="Hello.", user_text="hi", response="R", item="I")
    events = Call(FakeEndpoint([reply]), [(1.0, 0.5)]).run()
    assert [type(each) for each in events] == [
        UserSpeech, UserSpeech, UserItemPlaced, UserTextReceived, ResponseStarted, TextReceived,
        AudioReceived, AudioReceived, ItemEnded, ResponseEnded, Closed,
    ]  # fmt: skip
    start, stop = of(events, UserSpeech)
    assert isinstance(start, UserSpeech)
    assert isinstance(stop, UserSpeech)
    assert (start.edge, start.server_ms, start.at) == (Edge.START, 1000.0, 1.02)
    assert (stop.edge, stop.server_ms) == (Edge.STOP, 1000 * (1.0 + last_audible(0.5)))
    assert isinstance(audio := events[6], AudioReceived)
    assert (audio.item, audio.response, len(audio.pcm)) == ("I", "R", 4800)
    assert isinstance(closed := events[-1], Closed)
    assert (closed.by, closed.reason, closed.at) == (Party.US, "done", 6.0)


@pytest.mark.parametrize(
    ("delivery", "arrivals"),
    [
        (Delivery.BURST, [0.0, 0.0, 0.0, 0.0, 0.0]),
        (Delivery.REALTIME, [0.0, 0.1, 0.2, 0.3, 0.4]),
        # sizes 70, 1, 130, 20, 210, 69 ms, each at half of when it is due
        (Delivery.RAGGED, [0.0, 0.035, 0.0355, 0.1005, 0.1105, 0.2155]),
    ],
)
def test_delivery_changes_arrival_and_not_what_is_heard(delivery: Delivery, arrivals: list[float]) -> None:
    call = Call(FakeEndpoint([FakeReply(pcm=tone(0.5), delivery=delivery)]), [(1.0, 0.5)])
    audio = of(call.run(), AudioReceived)
    begin = 1.0 + last_audible(0.5) + 0.6
    assert [round(each.at - begin, 6) for each in audio] == arrivals
    assert b"".join(each.pcm for each in audio if isinstance(each, AudioReceived)) == tone(0.5)
    assert call.stretches() == [(round(begin, 3), round(begin + 0.5, 2))]


def test_replies_follow_the_users_turns_until_the_script_is_over() -> None:
    endpoint = FakeEndpoint([FakeReply(pcm=tone(0.3)), FakeReply(pcm=tone(0.3))])
    call = Call(endpoint, [(0.5, 0.5), (3.0, 0.5), (5.0, 0.5)], seconds=8.0)
    placed = of(call.run(), UserItemPlaced)
    assert [(e.item, e.previous) for e in placed if isinstance(e, UserItemPlaced)] == [
        ("user-1", None), ("user-2", "reply-1"), ("user-3", "reply-2"),
    ]  # fmt: skip
    first, second = 0.5 + last_audible(0.5) + 0.6, 3.0 + last_audible(0.5) + 0.6
    assert call.stretches() == [
        (round(first, 3), round(first + 0.3, 2)),
        (round(second, 3), round(second + 0.3, 2)),
    ]


def test_a_greeting_comes_unasked_at_its_time() -> None:
    endpoint = FakeEndpoint([FakeReply(pcm=tone(0.5), at_s=0.25), FakeReply(pcm=tone(0.5))])
    call = Call(endpoint, [(1.5, 0.5)])
    call.run()
    assert [start for start, _ in call.stretches()] == [0.25, round(1.5 + last_audible(0.5) + 0.6, 3)]


def test_speech_over_a_reply_cuts_it_after_the_reaction_time() -> None:
    endpoint = FakeEndpoint([FakeReply(pcm=tone(3.0))], reaction_s=0.4)
    call = Call(endpoint, [(0.5, 0.5), (2.5, 0.5)])
    events = call.run()
    (flush,) = of(events, Flush)
    assert flush == Flush(at=2.9, responses=("resp-1",))  # 2.5 + 0.4
    (ended,) = of(events, ResponseEnded)
    assert isinstance(ended, ResponseEnded)
    assert ended.status is ResponseStatus.COMPLETED  # a burst was delivered long before it was cut
    assert call.stretches()[0][1] == 2.9
    assert len(call.stretches()) == 1


def test_a_reply_that_is_cut_in_delivery_ends_cancelled_with_late_audio() -> None:
    reply = FakeReply(pcm=tone(3.0), delivery=Delivery.REALTIME, late_chunks=3)
    call = Call(FakeEndpoint([reply]), [(0.5, 0.5), (2.5, 0.5)])
    events = call.run()
    tail = [type(each) for each in events if each.at >= 2.52]
    assert tail[:6] == [UserSpeech, Flush, AudioReceived, AudioReceived, AudioReceived, ResponseEnded]
    (ended,) = of(events, ResponseEnded)
    assert isinstance(ended, ResponseEnded)
    assert (ended.status, ended.reason) == (ResponseStatus.CANCELLED, "turn_detected")
    assert call.speaker.late == 3
    assert call.stretches()[0][1] == 2.52  # the frame with the first loud sample


def test_the_user_going_on_before_the_reply_began_takes_it_back_into_the_script() -> None:
    call = Call(FakeEndpoint([FakeReply(pcm=tone(0.5), delay_s=1.5)]), [(0.5, 0.5), (2.0, 0.5)])
    events = call.run()
    assert not of(events, Flush)
    (started,) = of(events, ResponseStarted)
    assert started.at == round(2.0 + last_audible(0.5) + 1.5, 9)


def test_an_endpoint_that_is_not_interruptible_talks_on() -> None:
    endpoint = FakeEndpoint([FakeReply(pcm=tone(2.0))], interruptible=False)
    call = Call(endpoint, [(0.5, 0.5), (2.0, 0.5)])
    assert not of(call.run(), Flush)
    start = 0.5 + last_audible(0.5) + 0.6
    assert call.stretches() == [(round(start, 3), round(start + 2.0, 2))]


def test_an_endless_reply_goes_on_until_it_is_cancelled() -> None:
    endpoint = FakeEndpoint([FakeReply(pcm=tone(0.25), delivery=Delivery.REALTIME, endless=True)])
    call = Call(endpoint, [(0.5, 0.5)], seconds=8.0)
    call.at[5.0] = endpoint.cancel
    (ended,) = of(call.run(), ResponseEnded)
    assert isinstance(ended, ResponseEnded)
    assert (ended.status, ended.reason, ended.at) == (ResponseStatus.CANCELLED, "client_cancelled", 5.02)
    start = 0.5 + last_audible(0.5) + 0.6
    (stretch,) = call.stretches()
    assert stretch[0] == round(start, 3)
    assert 5.0 < stretch[1] < 5.12  # to the end of the chunk that was out


def test_an_endless_burst_is_refused() -> None:
    with pytest.raises(ValueError, match="real-time"):
        FakeReply(pcm=tone(0.1), endless=True)


def test_the_connection_can_end_in_the_middle_of_a_word() -> None:
    reply = FakeReply(pcm=tone(2.0), delivery=Delivery.REALTIME, hang_up_s=0.5)
    call = Call(FakeEndpoint([reply]), [(1.0, 0.5)])
    events = call.run()
    closed = events[-1]
    assert closed == Closed(
        at=round(1.0 + last_audible(0.5) + 0.6 + 0.5, 9),
        by=Party.ENDPOINT,
        code=1011,
        reason="the fake hangs up",
    )
    assert not of(events, ResponseEnded)


def test_an_empty_script_never_answers() -> None:
    events = Call(FakeEndpoint(), [(1.0, 0.5)]).run()
    assert [type(each) for each in events] == [UserSpeech, UserSpeech, UserItemPlaced, Closed]


def test_events_of_ones_own_come_before_and_after_a_reply() -> None:
    error = Notice(at=0, level=NoticeLevel.ERROR, code="boom", message="x")
    reply = FakeReply(pcm=tone(0.1), before=(error,), after=(error,))
    events = Call(FakeEndpoint([reply]), [(1.0, 0.5)]).run()
    kinds = [type(each) for each in events][3:]
    assert kinds == [ResponseStarted, Notice, AudioReceived, ItemEnded, ResponseEnded, Notice, Closed]
    assert all(each.at > 2.0 for each in of(events, Notice))


def test_in_manual_mode_it_answers_when_the_turn_is_ended() -> None:
    endpoint = FakeEndpoint([FakeReply(pcm=tone(0.5), delay_s=0.2)], turns=TurnMode.MANUAL)
    call = Call(endpoint, [(1.0, 0.5)])
    call.at[1.6] = endpoint.end_turn
    events = call.run()
    (started,) = of(events, ResponseStarted)
    assert started.at == round(1.0 + last_audible(0.5) + 0.2, 9)
    assert not of(events, UserSpeech)


def test_commands_and_reports_are_kept() -> None:
    async def main() -> None:
        endpoint = FakeEndpoint()
        assert isinstance(await endpoint.open(), Ready)
        report = Played("reply-1", 480, 960, PlaybackState.DROPPED)
        await endpoint.played(report)
        await endpoint.tool_result("c1", "out", error=True)
        await endpoint.text("hi")
        await endpoint.dtmf("5")
        await endpoint.close("bye")
        await endpoint.close("bye")
        assert endpoint.reports == [report]
        assert endpoint.commands == [
            ("tool_result", "c1", "out", "error"), ("text", "hi"), ("dtmf", "5"), ("close", "bye"),
        ]  # fmt: skip

    clock.run(main(), simulate=True)


def test_it_can_refuse_to_open() -> None:
    async def main() -> None:
        refusal = ConnectFailed("fake://", "nobody home")
        with pytest.raises(ConnectFailed, match="nobody home"):
            await FakeEndpoint(refuses=refusal).open()

    clock.run(main(), simulate=True)


@pytest.mark.wall_clock
def test_real_time_gives_the_same_times_as_simulated_time() -> None:
    def make() -> Call:
        reply = FakeReply(pcm=tone(0.2), delivery=Delivery.REALTIME, delay_s=0.3)
        return Call(FakeEndpoint([reply], silence_s=0.2), [(0.1, 0.2)], seconds=1.2, after=0.1)

    simulated, real = make(), make()
    simulated.run()
    clock.run(real._main())
    pairs = list(zip(of(simulated.events, AudioReceived), of(real.events, AudioReceived), strict=True))
    assert len(pairs) == 2
    assert all(0 <= b.at - a.at < 0.05 for a, b in pairs)
