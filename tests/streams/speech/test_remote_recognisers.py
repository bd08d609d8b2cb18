"""Recognisers behind a server or inside Pipecat, held to the contract of all recognisers."""

from __future__ import annotations

import asyncio
import email
import email.policy
import io
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import soundfile

from streams.audio import Samples
from streams.speech.energy import EnergyDetector
from streams.speech.interfaces import SPEECH_RATE, SpeechError, Word
from streams.speech.models import locate
from streams.speech.openai_compatible import OpenAIRecogniser
from streams.speech.pipecat_services import PipecatRecogniser, PipecatVoice
from tests.streams.openai_server import Reply, Request, failure, script, serving
from tests.streams.speech.contracts import check_recogniser

PiperClip = Callable[[str], Samples]

ANNOUNCED = "ignore::DeprecationWarning"
"""Pipecat imports audioop and its own deprecated classes."""

FAKES = "tests.streams.speech.pipecat_fakes"
WHISPER = "pipecat.services.whisper.stt.WhisperSTTService"
SENTENCE = "The ribosome reads messenger RNA."

NOISE = np.random.default_rng(1).uniform(-0.3, 0.3, SPEECH_RATE).astype(np.float32)
"""One second that an energy detector takes for speech."""


@cache
def whisper() -> Any:
    from faster_whisper import WhisperModel

    return WhisperModel(str(locate("whisper-tiny")), device="cpu", compute_type="int8", cpu_threads=1)


def fields(request: Request) -> dict[str, bytes]:
    """The parts of a multipart form by name."""
    head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode()
    message = email.message_from_bytes(head + request.body, policy=email.policy.HTTP)
    return {
        str(part.get_param("name", header="content-disposition")): part.get_payload(decode=True)  # type: ignore[misc]
        for part in message.iter_parts()
    }


def transcribing(request: Request) -> Reply:
    """A server that really transcribes, with Whisper's smallest model."""
    form = fields(request)
    samples, rate = soundfile.read(io.BytesIO(form["file"]), dtype="float32")
    assert (rate, samples.ndim) == (SPEECH_RATE, 1)
    segments, _ = whisper().transcribe(samples, language="en", beam_size=1)
    return Reply({"text": "".join(segment.text for segment in segments).strip()})


@pytest.mark.models
@pytest.mark.wall_clock
def test_an_openai_compatible_recogniser_keeps_the_contract(piper_clip: PiperClip) -> None:
    with serving(transcribing) as server:
        recogniser = OpenAIRecogniser("tiny", server.base_url, environ={})
        asyncio.run(check_recogniser(recogniser, piper_clip(SENTENCE), "messenger rna"))
    assert [request.path for request in server.requests] == ["/v1/audio/transcriptions"] * 2  # no silence
    form = fields(server.requests[0])
    assert (form["model"], form["language"]) == (b"tiny", b"en")


@pytest.mark.wall_clock
def test_words_come_back_with_the_times_of_the_clip() -> None:
    # 0.5 s of silence, 1 s of sound: the server hears 0.2 s of padding first, so its 0.2 s is 0.5 s
    clip = np.concatenate([np.zeros(SPEECH_RATE // 2, np.float32), NOISE])
    answer = Reply({"text": "hello", "words": [{"word": "hello", "start": 0.2, "end": 1.0}]})
    with serving(script(answer)) as server:
        recogniser = OpenAIRecogniser(
            "m", server.base_url, detector=EnergyDetector(), word_times=True, environ={}
        )
        transcript = asyncio.run(recogniser.transcribe(clip, language="de"))
    assert transcript.words == (Word("hello", 0.5, 1.3),)
    form = fields(server.requests[0])
    assert form["language"] == b"de"
    assert (form["response_format"], form["timestamp_granularities[]"]) == (b"verbose_json", b"word")


@pytest.mark.wall_clock
@pytest.mark.parametrize("reply", [Reply({"error": None}), Reply(b"<p>hi</p>", content_type="text/html")])
def test_an_answer_without_a_transcript_is_an_error(reply: Reply) -> None:
    with serving(script(reply)) as server, pytest.raises(SpeechError, match="sent no transcript"):
        recogniser = OpenAIRecogniser("m", server.base_url, detector=EnergyDetector(), environ={})
        asyncio.run(recogniser.transcribe(NOISE))


@pytest.mark.wall_clock
def test_a_recogniser_s_refusal_never_shows_the_key() -> None:
    key = "sk-canary-4711"
    with serving(script(failure(403, f"{key} may not"))) as server, pytest.raises(SpeechError) as caught:
        recogniser = OpenAIRecogniser(
            "m", server.base_url, detector=EnergyDetector(), key_env="KEY", environ={"KEY": key}
        )
        asyncio.run(recogniser.transcribe(NOISE))
    assert key not in str(caught.value)
    assert "Check what the key may do." in str(caught.value)


@pytest.mark.models
@pytest.mark.filterwarnings(ANNOUNCED)
def test_pipecat_s_whisper_keeps_the_contract(piper_clip: PiperClip) -> None:
    options = {"device": "cpu", "compute_type": "int8", "settings.model": str(locate("whisper-tiny"))}
    recogniser = PipecatRecogniser(WHISPER, options)
    asyncio.run(check_recogniser(recogniser, piper_clip(SENTENCE), "messenger rna"))


@pytest.mark.wall_clock
@pytest.mark.filterwarnings(ANNOUNCED)
@pytest.mark.parametrize("finalize", [True, False])
def test_a_streaming_service_is_heard_to_its_last_part(finalize: bool) -> None:
    # final by its own word, or by its silence
    recogniser = PipecatRecogniser(
        f"{FAKES}.StreamingRecogniser",
        {"finalize": finalize},
        detector=EnergyDetector(),
        patience_s=30.0 if finalize else 0.3,
    )
    for _ in range(2):
        transcript = asyncio.run(recogniser.transcribe(NOISE))
        assert transcript.text == "16000 samples in two parts."


@pytest.mark.wall_clock
@pytest.mark.filterwarnings(ANNOUNCED)
def test_a_streaming_service_that_says_nothing_has_heard_nothing() -> None:
    recogniser = PipecatRecogniser(
        f"{FAKES}.StreamingRecogniser", {"answer": False}, detector=EnergyDetector(), patience_s=0.1
    )
    assert asyncio.run(recogniser.transcribe(NOISE)).text == ""


@pytest.mark.wall_clock
@pytest.mark.filterwarnings(ANNOUNCED)
def test_each_language_has_a_service_of_its_own() -> None:
    recogniser = PipecatRecogniser(WHISPER, {"settings.model": "/nowhere"}, detector=EnergyDetector())
    assert recogniser.identity.name == "WhisperSTTService nowhere"
    with pytest.raises(SpeechError, match="WhisperSTTService can't be made"):
        asyncio.run(recogniser.transcribe(NOISE, language="de"))


@pytest.mark.wall_clock
@pytest.mark.filterwarnings(ANNOUNCED)
def test_a_pipecat_service_that_fails_says_why_and_never_shows_the_key() -> None:
    key = "sk-canary-4711"
    voice = PipecatVoice(f"{FAKES}.BrokenVoice", {"api_key": "$KEY"}, environ={"KEY": key})
    with pytest.raises(SpeechError, match=r"BrokenVoice failed: .*no credit") as caught:
        asyncio.run(voice.speak("Hello."))
    assert key not in str(caught.value) + voice.fingerprint + repr(voice.identity)
    assert "api_key=$KEY" in voice.fingerprint


@pytest.mark.wall_clock
@pytest.mark.filterwarnings(ANNOUNCED)
def test_a_pipecat_service_that_never_answers_times_out() -> None:
    voice = PipecatVoice(f"{FAKES}.StuckVoice", timeout_s=0.3)
    with pytest.raises(SpeechError, match=re.escape("StuckVoice gave no answer within 0.3 s")):
        asyncio.run(voice.speak("Hello."))


@pytest.mark.wall_clock
@pytest.mark.filterwarnings(ANNOUNCED)
def test_a_service_that_wants_a_session_gets_one() -> None:
    voice = PipecatVoice(f"{FAKES}.SessionVoice", {"sample_rate": 16000})
    for _ in range(2):
        speech = asyncio.run(voice.speak("Hello."))
        assert (speech.pcm, speech.rate) == (b"\1\0" * 6, 16000)
