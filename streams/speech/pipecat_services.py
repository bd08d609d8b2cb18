"""Any Pipecat TTS or STT service as a voice or a recogniser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from streams.audio import Samples, to_pcm16
from streams.speech import workers
from streams.speech.gate import transcribe_speech
from streams.speech.hallucination import Segment
from streams.speech.interfaces import (
    SPEECH_RATE,
    ModelIdentity,
    Speech,
    SpeechDetector,
    SpeechError,
    Transcript,
)
from streams.speech.pipecat_host import ENGINE, PipecatHost
from streams.speech.silero import SileroDetector

_PIECE_BYTES = 2 * SPEECH_RATE // 10
"""100 ms of PCM16: services are fed in pieces, as from a microphone."""


class PipecatVoice:
    """A Pipecat TTS service.

    Many services speak the same text differently each time (Pipecat's Piper does); a caller that needs the
    same sound again keeps it under the fingerprint and the text.

    Args:
        service: Import path of the service's class (`pipecat.services.piper.tts.PiperTTSService`).
        options: Its keyword arguments; `settings.NAME` goes into its `Settings`. A value `$NAME` is taken
            from the environment, which is the only place for keys.
        timeout_s: Time for one text, in seconds.
        environ: The environment; that of the process by default.

    Raises:
        SpeechError: There is no such service or option, or a variable is not set.
    """

    def __init__(
        self,
        service: str,
        options: Mapping[str, Any] | None = None,
        *,
        timeout_s: float = 60.0,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._host = PipecatHost(service, "TTSService", options or {}, timeout_s, environ)

    @property
    def identity(self) -> ModelIdentity:
        """Which service this is."""
        return self._host.identity

    @property
    def fingerprint(self) -> str:
        """Service, version and options; of keys only the variable's name."""
        return self._host.fingerprint

    async def speak(self, text: str) -> Speech:
        """Speak a text, at the rate of the service."""
        if not text.strip():
            raise SpeechError(ENGINE, "the text is empty", "Give it words to speak.")
        return await workers.run(self._speak, text, kind="tts")

    def _speak(self, text: str) -> Speech:
        from pipecat.frames.frames import TTSAudioRawFrame, TTSSpeakFrame

        heard = self._host.run([TTSSpeakFrame(text)], TTSAudioRawFrame)
        pcm = b"".join(frame.audio for frame in heard)
        formats = {(frame.sample_rate, frame.num_channels) for frame in heard}
        if not pcm:
            raise SpeechError(ENGINE, f"{self._host.name} made no audio for {text!r}")
        if len(formats) > 1 or formats != {(rate, 1) for rate, _ in formats}:
            raise SpeechError(ENGINE, f"{self._host.name} made audio of (rate, channels) {sorted(formats)}")
        return Speech(pcm, heard[0].sample_rate)


class PipecatRecogniser:
    """A Pipecat STT service; only the speech of a clip is given to it.

    Services that work on whole segments get the speech as one. Streaming services get it as fast as they
    take it, and may answer until nothing new has come for `patience_s`.

    Args:
        service: Import path of the service's class (`pipecat.services.whisper.stt.WhisperSTTService`).
        options: As for `PipecatVoice`. Without `settings.language` each language that is asked for gets a
            service of its own.
        detector: Finds the speech in a clip; Silero if None.
        patience_s: How long a streaming service may be silent before its answer counts as complete.
        timeout_s: Time for one clip, in seconds.
        environ: The environment; that of the process by default.

    Raises:
        SpeechError: There is no such service or option, or a variable is not set.
    """

    def __init__(
        self,
        service: str,
        options: Mapping[str, Any] | None = None,
        *,
        detector: SpeechDetector | None = None,
        patience_s: float = 3.0,
        timeout_s: float = 60.0,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._detector = detector or SileroDetector()
        self._patience_s = patience_s
        self._service = (service, dict(options or {}), timeout_s, environ)
        self._identity = self._host({}).identity
        self._hosts: dict[str, PipecatHost] = {}

    @property
    def identity(self) -> ModelIdentity:
        """Which service this is."""
        return self._identity

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        """Transcribe a clip of float32 at 16 kHz; silence is not given to the service."""

        async def recognise(speech: Samples) -> Sequence[Segment]:
            text = await workers.run(self._recognise, speech, language, kind="asr")
            return (Segment(0.0, speech.size / SPEECH_RATE, text),)

        return await transcribe_speech(ENGINE, samples, self._detector, recognise)

    def _recognise(self, speech: Samples, language: str) -> str:
        from pipecat.frames.frames import (
            InputAudioRawFrame,
            TranscriptionFrame,
            VADUserStartedSpeakingFrame,
            VADUserStoppedSpeakingFrame,
        )

        host = self._hosts.get(language)
        if host is None:
            host = self._hosts.setdefault(language, self._host({"settings.language": language}))
        pcm = to_pcm16(speech)
        pieces = [pcm[start : start + _PIECE_BYTES] for start in range(0, len(pcm), _PIECE_BYTES)]
        frames = [
            VADUserStartedSpeakingFrame(),
            *(InputAudioRawFrame(piece, SPEECH_RATE, 1) for piece in pieces),
            VADUserStoppedSpeakingFrame(),
        ]
        heard = host.run(frames, TranscriptionFrame, patience_s=self._patience_s)
        return " ".join(frame.text.strip() for frame in heard)

    def _host(self, defaults: Mapping[str, Any]) -> PipecatHost:
        service, options, timeout_s, environ = self._service
        return PipecatHost(service, "STTService", {**defaults, **options}, timeout_s, environ)
