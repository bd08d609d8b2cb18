"""Voices and recognisers of an OpenAI-compatible server (`/audio/speech`, `/audio/transcriptions`)."""

from __future__ import annotations

import io
import wave
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from streams.audio import Samples, to_pcm16
from streams.language.errors import KeyMissing, LanguageError
from streams.language.server import VENDOR, Server
from streams.speech import workers
from streams.speech.audio_files import decode
from streams.speech.gate import transcribe_speech
from streams.speech.hallucination import Segment
from streams.speech.interfaces import (
    SPEECH_RATE,
    EngineMisnamed,
    ModelIdentity,
    Speech,
    SpeechDetector,
    SpeechError,
    Transcript,
    Word,
)
from streams.speech.silero import SileroDetector

_ENGINE = "openai"


class OpenAIVoice:
    """A voice behind `/audio/speech`.

    The server may speak the same text differently each time; a caller that needs the same sound again keeps
    it under the fingerprint and the text.

    Args:
        model: Name of the model on the server.
        voice: Name of the voice.
        base_url: Root of the API.
        rate: Samples per second of the server's raw audio, which doesn't say so itself; OpenAI's is 24000.
        key_env: Environment variable with the key; None means OPENAI_API_KEY for OpenAI's own address and
            no key elsewhere.
        timeout_s: Time for one request with its retries.
        environ: The environment; that of the process by default.

    Raises:
        SpeechError: The server needs a key and the environment has none.
    """

    def __init__(
        self,
        model: str,
        voice: str,
        base_url: str = VENDOR,
        *,
        rate: int = 24000,
        key_env: str | None = None,
        timeout_s: float = 60.0,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.model = model
        self.voice = voice
        self.rate = rate
        self._server = Server(base_url, key_env=key_env, timeout_s=timeout_s, environ=environ)
        with _as_speech_errors():
            self._server.check_key(model)
        self._identity = _identity(f"{model}/{voice}", self._server)

    @property
    def identity(self) -> ModelIdentity:
        """Which model this is, and where; what weights run there is not known."""
        return self._identity

    @property
    def fingerprint(self) -> str:
        """Server, model, voice and rate."""
        return f"{_ENGINE} {self._server.base_url} {self.model} {self.voice} rate={self.rate}"

    async def speak(self, text: str) -> Speech:
        """Speak a text; a server that sends a WAV file instead of raw audio is understood as well."""
        if not text.strip():
            raise SpeechError(_ENGINE, "the text is empty", "Give it words to speak.")
        with _as_speech_errors():
            async with self._server.request(self.model) as client:
                answer = await client.audio.speech.create(
                    input=text, model=self.model, voice=self.voice, response_format="pcm"
                )
        data = answer.content
        if data.startswith(b"RIFF"):
            place = f"{_ENGINE}: audio from {self._server.base_url}"
            return await workers.run(decode, io.BytesIO(data), place, kind="tts")
        if not data or len(data) % 2:
            found = f"{self._server.base_url} sent {len(data)} bytes, which is no 16-bit audio"
            raise SpeechError(_ENGINE, found, "Check that the server knows response_format pcm.")
        return Speech(data, self.rate)


class OpenAIRecogniser:
    """A recogniser behind `/audio/transcriptions`; only the speech of a clip is sent there.

    Args:
        model: Name of the model on the server.
        base_url: Root of the API.
        detector: Finds the speech in a clip; Silero if None.
        word_times: Ask for words with times (`verbose_json`); not every model has them.
        key_env: Environment variable with the key; None means OPENAI_API_KEY for OpenAI's own address and
            no key elsewhere.
        timeout_s: Time for one request with its retries.
        environ: The environment; that of the process by default.

    Raises:
        SpeechError: The server needs a key and the environment has none.
    """

    def __init__(
        self,
        model: str,
        base_url: str = VENDOR,
        *,
        detector: SpeechDetector | None = None,
        word_times: bool = False,
        key_env: str | None = None,
        timeout_s: float = 60.0,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.model = model
        self.word_times = word_times
        self._detector = detector or SileroDetector()
        self._server = Server(base_url, key_env=key_env, timeout_s=timeout_s, environ=environ)
        with _as_speech_errors():
            self._server.check_key(model)
        self._identity = _identity(model, self._server)

    @property
    def identity(self) -> ModelIdentity:
        """Which model this is, and where; what weights run there is not known."""
        return self._identity

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        """Transcribe a clip of float32 at 16 kHz; silence is not sent."""

        async def recognise(speech: Samples) -> Sequence[Segment]:
            return await self._recognise(speech, language)

        return await transcribe_speech(_ENGINE, samples, self._detector, recognise)

    async def _recognise(self, speech: Samples, language: str) -> Sequence[Segment]:
        options: dict[str, Any] = {"response_format": "json"}
        if self.word_times:
            options = {"response_format": "verbose_json", "timestamp_granularities": ["word"]}
        with _as_speech_errors():
            async with self._server.request(self.model) as client:
                answer = await client.audio.transcriptions.create(
                    file=("clip.wav", _wav(speech), "audio/wav"),
                    model=self.model,
                    language=language,
                    **options,
                )
        text = getattr(answer, "text", None)
        if not isinstance(text, str):
            found = f"{self._server.base_url} sent no transcript"
            raise SpeechError(_ENGINE, found, f"Check that {self.model} is a recogniser.")
        words = tuple(
            Word(word.word, word.start, word.end) for word in getattr(answer, "words", None) or ()
        )
        return (Segment(0.0, speech.size / SPEECH_RATE, text, words),)


def _identity(name: str, server: Server) -> ModelIdentity:
    return ModelIdentity(_ENGINE, name, f"openai {version('openai')} at {server.base_url}")


@contextmanager
def _as_speech_errors() -> Iterator[None]:
    try:
        yield
    except LanguageError as error:
        kind = EngineMisnamed if isinstance(error, KeyMissing) else SpeechError
        raise kind(_ENGINE, f"{error.model} at {error.base_url}: {error.found}", error.remedy) from None


def _wav(samples: Samples) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(SPEECH_RATE)
        writer.writeframes(to_pcm16(samples))
    return file.getvalue()
