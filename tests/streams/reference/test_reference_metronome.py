"""The metronome is exact to the sample, in process and in simulated time."""

from __future__ import annotations

import numpy as np
import pytest

from streams.audio import AudioFormat, Encoding
from streams.endpoints.events import (
    AudioReceived,
    Edge,
    Flush,
    ResponseEnded,
    ResponseStatus,
    TextReceived,
    UserSpeech,
)
from streams.endpoints.openai_realtime.dialects import RealtimeOptions
from streams.endpoints.protocol import Endpoint, Pace, TurnMode
from streams.reference.conversation import StreamTime
from streams.reference.inprocess import reference_endpoint
from streams.reference.metronome import Planted
from tests.streams.reference.reference_calls import RATE, Call, call, simulate, speech


def held(query: str, said: dict[float, bytes], seconds: float) -> tuple[Call, list[Planted]]:
    planted: list[Planted] = []
    endpoint = reference_endpoint(f"reference://?mode=metronome&{query}", journal=planted.append)
    return simulate(call(endpoint, said, seconds)), planted


@pytest.mark.parametrize("pace", ["burst", "realtime", "ragged"])
@pytest.mark.parametrize("delay", [0.1, 0.5, 3.0])
def test_the_reply_is_heard_exactly_the_planted_delay_after_the_user(pace: str, delay: float) -> None:
    # the user's last sample is 0.4 + 1.237 = 1.637 s; the clip ends in the middle of a frame
    result, planted = held(f"delays={delay}&pace={pace}", {0.4: speech(1.237)}, 7.0)
    begin = round((1.637 + delay) * RATE)
    assert result.audible() == [(begin, begin + RATE)]  # a tone of 1 s, without a hole
    assert result.of(AudioReceived)[0].at - result.start == pytest.approx(1.637 + delay, abs=1e-9)
    assert planted[0].user_end_s == pytest.approx(1.637, abs=1e-12)
    assert planted[0].delay_s == delay


@pytest.mark.parametrize("pace", ["burst", "realtime", "ragged"])
def test_with_leading_silence_the_first_byte_comes_earlier_and_the_sound_on_time(pace: str) -> None:
    query = f"delays=0.8&leading_silence=0.35&reply=0.5&pace={pace}"
    result, planted = held(query, {1.0: speech(0.5)}, 4.0)
    # 1.5 end of user + 0.8 planted = 2.3 s audible; the first byte at 2.3 - 0.35 = 1.95 s
    assert result.audible() == [(round(2.3 * RATE), round(2.8 * RATE))]
    assert result.of(AudioReceived)[0].at - result.start == pytest.approx(1.95, abs=1e-9)
    assert planted[0].first_byte_sent == pytest.approx(planted[0].first_byte_due, abs=1e-9)


def test_delays_are_cycled_turn_by_turn() -> None:
    said = {1.0: speech(0.5), 4.0: speech(0.5), 7.0: speech(0.5)}
    result, planted = held("delays=0.2,1.1&reply=0.3", said, 10.0)
    # 1.5 + 0.2, 4.5 + 1.1, 7.5 + 0.2
    assert [first for first, _ in result.audible()] == [round(t * RATE) for t in (1.7, 5.6, 7.7)]
    assert [plant.turn for plant in planted] == [0, 1, 2]


def test_a_pause_shorter_than_the_silence_is_no_end_of_turn() -> None:
    result, _ = held("delays=0.6&silence=0.3", {0.2: speech(0.5), 0.9: speech(0.5)}, 4.0)
    # the gap 0.7 to 0.9 is shorter than 0.3; the turn ends at 1.4
    assert [first for first, _ in result.audible()] == [round(2.0 * RATE)]


def test_speech_before_the_reply_is_due_takes_the_reply_back() -> None:
    result, _ = held("delays=1&silence=0.1", {0.2: speech(0.5), 1.2: speech(0.5)}, 4.0)
    ended = result.of(ResponseEnded)
    assert [(end.status, end.reason) for end in ended] == [
        (ResponseStatus.CANCELLED, "turn_detected"),
        (ResponseStatus.COMPLETED, ""),
    ]
    # only the second turn is answered: 1.7 + 1.0
    assert [first for first, _ in result.audible()] == [round(2.7 * RATE)]


def test_barge_in_into_a_realtime_reply_cuts_it_after_speech_started() -> None:
    result, _ = held("delays=0.5&reply=3&pace=realtime", {0.5: speech(0.5), 2.0: speech(0.4)}, 6.0)
    # the reply begins at 1.5; the frame in which the user begins again, 2.00 to 2.02, arrives at 2.02
    assert result.audible()[0] == (round(1.5 * RATE), round(2.02 * RATE))
    began = [e for e in result.of(UserSpeech) if e.edge is Edge.START][1]
    cut = next(e for e in result.of(ResponseEnded) if e.status is ResponseStatus.CANCELLED)
    assert began.at - result.start == pytest.approx(2.02, abs=1e-9)
    assert began.server_ms == 2000
    assert result.events.index(began) < result.events.index(cut)


def test_after_a_burst_a_barge_in_only_starts_the_users_turn() -> None:
    result, _ = held("delays=0.5&reply=3", {0.5: speech(0.5), 2.0: speech(0.4)}, 4.0)
    # the first reply was delivered whole at 1.5: nothing is left to cancel, the caller cuts its playback
    assert [end.status for end in result.of(ResponseEnded)] == [ResponseStatus.COMPLETED] * 2
    assert result.audible()[0] == (round(1.5 * RATE), round(2.02 * RATE))
    assert len(result.of(Flush)) == 2


@pytest.mark.parametrize("encoding", [Encoding.MULAW, Encoding.ALAW])
def test_telephone_audio_keeps_the_time(encoding: Encoding) -> None:
    options = RealtimeOptions(input=AudioFormat(8000, encoding), output=AudioFormat(8000, encoding))
    endpoint = reference_endpoint("reference://?mode=metronome&delays=0.5", options=options)
    result = simulate(call(endpoint, {1.0: speech(1.0, 8000)}, 5.0))
    loud = np.flatnonzero(np.abs(result.heard.astype(int)) > 1000)
    assert loud[0] == round(2.5 * 8000)  # 2.0 + 0.5


def test_rates_may_differ_between_directions() -> None:
    options = RealtimeOptions(input=AudioFormat(16000), output=AudioFormat(48000))
    endpoint = reference_endpoint("reference://?mode=metronome&delays=0.25", options=options)
    result = simulate(call(endpoint, {1.0: speech(1.0, 16000)}, 4.0))
    assert np.flatnonzero(result.heard)[0] == round(2.25 * 48000)


def test_in_manual_mode_the_delay_runs_from_the_last_audible_sample() -> None:
    options = RealtimeOptions(turns=TurnMode.MANUAL)
    endpoint = reference_endpoint("reference://?mode=metronome&delays=0.4", options=options)

    async def push_to_talk(held: Endpoint, at: float) -> None:
        # talk from 1.0 to 2.1 s and again, after a pause in which nothing is sent, from 3.5 to 4.6 s
        if round(at, 2) in (1.0, 3.5):
            await held.begin_turn()
        if round(at, 2) in (2.1, 4.6):
            await held.end_turn()

    result = simulate(call(endpoint, {1.2: speech(0.7), 3.8: speech(0.6)}, 7.0, push_to_talk))
    # 1.2 + 0.7 + 0.4 = 2.3; 3.8 + 0.6 + 0.4 = 4.8
    assert [first for first, _ in result.audible()] == [round(2.3 * RATE), round(4.8 * RATE)]
    assert result.of(Flush) == []


@pytest.mark.parametrize(("pace", "declared"), [("burst", Pace.BURST), ("realtime", Pace.REALTIME)])
def test_clicks_are_heard_at_every_whole_second_of_the_users_timeline(pace: str, declared: Pace) -> None:
    endpoint = reference_endpoint(f"reference://?mode=clicks&length=6&pace={pace}")
    result = simulate(call(endpoint, {2.5: speech(0.5)}, 7.0))
    clicks = [(second * RATE, second * RATE + RATE // 1000) for second in range(1, 6)]
    assert result.audible() == clicks
    assert endpoint.capabilities.pace is declared


def test_clicks_stand_where_they_are_asked_for() -> None:
    endpoint = reference_endpoint("reference://?mode=clicks&clicks=0.25,1.5&length=3")
    result = simulate(call(endpoint, {}, 4.0))
    assert [first for first, _ in result.audible()] == [round(0.25 * RATE), round(1.5 * RATE)]


def test_a_reply_names_itself() -> None:
    result, _ = held("delays=0.5", {0.5: speech(0.5)}, 2.0)
    assert result.of(TextReceived)[0].text == "Beep."


def test_stream_time_is_that_of_the_frame_that_came_earliest() -> None:
    time = StreamTime()
    for position, arrival in [(0.02, 10.025), (0.04, 10.041), (0.06, 10.077)]:
        time.frame(position, at=arrival)
    # 10.005, 10.001, 10.017: the second frame had the least delay
    assert time.zero == pytest.approx(10.001)
    assert time.clock(0.05, at=0.0) == pytest.approx(10.051)


def test_without_audio_stream_time_is_the_time_of_asking() -> None:
    assert StreamTime().clock(0.0, at=3.0) == 3.0
