"""The assistant takes turns: with energy for activity, a script for hearing and tones for a voice."""

from __future__ import annotations

import pytest

from streams.endpoints.events import (
    AudioReceived,
    Edge,
    Flush,
    Notice,
    ResponseEnded,
    ResponseStarted,
    ResponseStatus,
    TextMode,
    TextReceived,
    Usage,
    UserItemPlaced,
    UserSpeech,
    UserTextReceived,
)
from streams.endpoints.openai_realtime.dialects import RealtimeOptions
from streams.endpoints.protocol import Endpoint, PlaybackState, Played, TurnMode
from streams.reference.answers import GREETING, NOT_HEARD
from streams.reference.config import Config
from streams.reference.inprocess import ReferenceEndpoint
from streams.speech.interfaces import SpeechError, Transcript
from tests.streams.reference.reference_calls import (
    Call,
    ScriptedRecogniser,
    ToneVoice,
    call,
    engines,
    simulate,
    speech,
)


def endpoint(
    query: str, *texts: str, voice: ToneVoice | None = None, manual: bool = False
) -> ReferenceEndpoint:
    options = RealtimeOptions(turns=TurnMode.MANUAL if manual else TurnMode.SERVER_VAD, transcription="any")
    made = engines(ScriptedRecogniser(*texts), voice)
    return ReferenceEndpoint(Config.parse(query), options=options, engines=made)


def said_texts(result: Call) -> list[str]:
    return [event.text for event in result.of(TextReceived) if event.mode is TextMode.FINAL]


def test_a_turn_goes_through_hearing_finding_and_speaking() -> None:
    result = simulate(call(endpoint("", "What is CRISPR Cas9?"), {1.0: speech(1.0)}, 6.0))
    start, stop = result.of(UserSpeech)
    assert (start.edge, stop.edge) == (Edge.START, Edge.STOP)
    assert start.server_ms == pytest.approx(1000, abs=10)  # a window of the detector
    assert stop.server_ms == pytest.approx(2000, abs=10)
    assert result.of(UserTextReceived)[-1].text == "What is CRISPR Cas9?"
    assert "editing DNA" in said_texts(result)[0]
    assert [end.status for end in result.of(ResponseEnded)] == [ResponseStatus.COMPLETED]
    # 2.0 end of speech + 0.5 silence + 0.1 to speak; at most a frame, a window and a filter's delay more
    first = result.of(AudioReceived)[0].at - result.start
    assert first == pytest.approx(2.63, abs=0.035)
    started = result.of(ResponseStarted)[0].at - result.start
    assert first == pytest.approx(started + 0.1, abs=1e-9)


def test_the_first_sentence_goes_out_before_the_others_are_spoken() -> None:
    result = simulate(call(endpoint("", "What is CRISPR?", voice=ToneVoice(0.4)), {0.5: speech(0.5)}, 5.0))
    arrivals = sorted(
        {round(event.at - result.of(ResponseStarted)[0].at, 6) for event in result.of(AudioReceived)}
    )
    assert arrivals == [0.4, 0.8, 1.2]  # three sentences, 0.4 s each


def test_silence_of_the_configuration_ends_the_turn() -> None:
    result = simulate(call(endpoint("silence=1.2", "Hello."), {0.5: speech(0.5)}, 4.0))
    assert result.of(ResponseStarted)[0].at - result.start == pytest.approx(2.22, abs=0.025)  # 1.0 + 1.2


def test_the_recogniser_gets_the_words_with_a_margin_and_no_more() -> None:
    recogniser = ScriptedRecogniser("Hello.")
    made = ReferenceEndpoint(Config(), engines=engines(recogniser))
    simulate(call(made, {3.0: speech(1.0)}, 6.0))
    # 0.3 padding + 1.0 speech + 0.2 tail
    assert recogniser.clips[0].size / 16000 == pytest.approx(1.5, abs=0.02)


def test_usage_counts_audio_as_openai_does() -> None:
    result = simulate(call(endpoint("", "Goodbye."), {1.0: speech(1.0)}, 4.0))
    usage = next(event for event in result.of(Usage) if event.response).values
    assert usage["input_tokens"] == 15  # 1.5 s at one token per 100 ms
    assert (
        usage["output_tokens"] == 12 + 6
    )  # "Goodbye, and thank you for calling.": 0.6 s at 50 ms, 6 words


def test_barge_in_while_a_reply_is_made_cancels_it_after_speech_started() -> None:
    # the reply is begun at 1.5, its first sentence would be ready at 2.5; the user goes on at 2.0
    made = endpoint("", "What is", "CRISPR?", voice=ToneVoice(1.0))
    result = simulate(call(made, {0.5: speech(0.5), 2.0: speech(0.5)}, 8.0))
    first, second = result.of(ResponseEnded)
    assert (first.status, first.reason) == (ResponseStatus.CANCELLED, "turn_detected")
    assert second.status is ResponseStatus.COMPLETED
    again = [event for event in result.of(UserSpeech) if event.edge is Edge.START][1]
    assert result.events.index(again) < result.events.index(first)
    assert {event.response for event in result.of(AudioReceived)} == {second.response}
    assert "editing DNA" in said_texts(result)[0]


def test_what_was_asked_in_two_halves_is_answered_as_one() -> None:
    voice = ToneVoice(1.0)
    simulate(
        call(
            endpoint("", "How do mRNA vaccines", "get stored?", voice=voice),
            {0.5: speech(0.5), 2.0: speech(0.5)},
            9.0,
        )
    )
    assert voice.spoken[-3].startswith("mRNA breaks down easily")


def test_after_the_reply_was_delivered_only_speech_started_comes() -> None:
    made = endpoint("", "What is CRISPR?", "Thanks.")
    result = simulate(call(made, {0.5: speech(0.5), 2.6: speech(0.5)}, 6.0))
    assert [end.status for end in result.of(ResponseEnded)] == [ResponseStatus.COMPLETED] * 2
    assert len(result.of(Flush)) == 2


def test_what_was_cut_before_it_was_heard_is_not_in_the_context() -> None:
    voice = ToneVoice(0.0)
    made = endpoint("", "What is CRISPR?", "Can you repeat that?", voice=voice)

    async def cut(held: Endpoint, at: float) -> None:
        if round(at, 2) == 2.62:  # nothing was heard of the burst that came at 1.5; its item is the second
            await held.played(Played("item_0002", 0, 10**6, PlaybackState.DROPPED))

    result = simulate(call(made, {0.5: speech(0.5), 2.6: speech(0.5)}, 6.0, cut))
    assert result.of(Notice) == []
    # to the endpoint nothing was said yet: both user turns are one question
    assert said_texts(result)[1] == said_texts(result)[0]


def test_speech_that_holds_no_words_gets_a_question_back() -> None:
    voice = ToneVoice()
    simulate(call(endpoint("", "Hello.", "", voice=voice), {0.5: speech(0.5), 5.0: speech(0.5)}, 9.0))
    assert " ".join(voice.spoken[-2:]) == NOT_HEARD


def test_the_endpoint_greets_if_it_is_told_to() -> None:
    result = simulate(call(endpoint("greets=true"), {}, 3.0))
    assert said_texts(result) == [GREETING]
    assert result.of(AudioReceived)[0].at - result.start == pytest.approx(
        0.12, abs=1e-9
    )  # first frame + 0.1


def test_at_realtime_pace_the_reply_arrives_as_it_is_heard() -> None:
    result = simulate(call(endpoint("pace=realtime", "Goodbye."), {0.5: speech(0.5)}, 4.0))
    audio = result.of(AudioReceived)
    spread = audio[-1].at - audio[0].at
    assert spread == pytest.approx(0.6 - 0.02 - 0.06, abs=1e-6)  # six words; the last piece, 60 ms ahead


class _Deaf(ScriptedRecogniser):
    async def transcribe(self, samples: object, *, language: str = "en") -> Transcript:
        raise SpeechError("scripted", "the model is gone")


class _Mute(ToneVoice):
    async def speak(self, text: str) -> object:  # type: ignore[override]
        raise SpeechError("tone", "the voice is gone")


def test_a_recogniser_that_fails_is_told_and_the_call_goes_on() -> None:
    voice = ToneVoice()
    made = ReferenceEndpoint(Config(), engines=engines(_Deaf(), voice))
    result = simulate(call(made, {0.5: speech(0.5)}, 4.0))
    assert [event.failed for event in result.of(UserTextReceived)] == [True]
    assert voice.spoken[0] == GREETING.split(".")[0] + "."


def test_a_voice_that_fails_fails_the_reply_and_not_the_call() -> None:
    result = simulate(
        call(endpoint("", "Hello.", "Hello.", voice=_Mute()), {0.5: speech(0.5), 3.0: speech(0.5)}, 6.0)
    )
    assert [end.status for end in result.of(ResponseEnded)] == [ResponseStatus.FAILED] * 2
    assert "the voice is gone" in result.of(ResponseEnded)[0].reason


async def _talk(held: Endpoint, at: float) -> None:
    if round(at, 2) == 0.5:
        await held.begin_turn()
    if round(at, 2) == 2.0:
        await held.end_turn()


def test_in_manual_mode_the_client_decides() -> None:
    made = endpoint("", "What is photosynthesis?", manual=True)
    result = simulate(call(made, {0.6: speech(0.4), 1.6: speech(0.2)}, 5.0, _talk))
    assert result.of(UserSpeech) == []
    assert len(result.of(UserItemPlaced)) == 1
    assert result.of(ResponseStarted)[0].at - result.start == pytest.approx(2.0, abs=1e-9)
    assert "light into chemical energy" in said_texts(result)[0]


def test_a_cancelled_reply_ends_and_says_so() -> None:
    made = endpoint("pace=realtime", "What is CRISPR?")

    async def cancel(held: Endpoint, at: float) -> None:
        if round(at, 2) == 2.5:
            await held.cancel()

    result = simulate(call(made, {0.5: speech(0.5)}, 4.0, cancel))
    end = result.of(ResponseEnded)[0]
    assert (end.status, end.reason) == (ResponseStatus.CANCELLED, "client_cancelled")
    assert end.at - result.start == pytest.approx(2.5, abs=1e-9)
    assert max(event.at for event in result.of(AudioReceived)) <= end.at


def test_a_question_in_text_is_answered_in_voice() -> None:
    made = endpoint("")

    async def write(held: Endpoint, at: float) -> None:
        if round(at, 2) == 0.5:
            await held.text("Do you have guided tours?")

    result = simulate(call(made, {}, 2.0, write))
    assert said_texts(result)[0].startswith("Guided tours start at eleven")
