"""Speech recognition by Whisper through faster-whisper (CTranslate2, int8 on the CPU)."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from streams.audio import Samples
from streams.speech import models, workers
from streams.speech.gate import transcribe_speech
from streams.speech.hallucination import Segment
from streams.speech.interfaces import SpeechDetector, SpeechError, Transcript, Word
from streams.speech.silero import SileroDetector


class WhisperRecogniser:
    """Whisper behind the speech gate: greedy, at temperature 0, every clip for itself.

    The same clip gives the same words every time: nothing is sampled, and no text of an earlier clip is
    used as a prompt.

    Args:
        model: "whisper-base", "whisper-tiny" (English only), another ASR model of `viva models`, or the
            path of a folder with a Whisper model for CTranslate2.
        threads: Threads of one transcription.
        beam: Hypotheses kept while decoding; 1 is greedy, and here as good as 5 (24 spoken sentences:
            word error rate 0.091 with tiny, 0.076 with base, either way).
        words: Whether words get times (costs about a tenth more).
        detector: Finds the speech in a clip; Silero if None.
        download: Whether a model of the hub may be downloaded.

    Raises:
        SpeechError: The model is missing or not the pinned one.
    """

    def __init__(
        self,
        model: str | Path = "whisper-base",
        *,
        threads: int = 1,
        beam: int = 1,
        words: bool = False,
        detector: SpeechDetector | None = None,
        download: bool = False,
    ) -> None:
        if importlib.util.find_spec("faster_whisper") is None:
            raise SpeechError("faster-whisper", "it is not installed", "pip install 'vivavoce[hear]'")
        self._path = models.locate(model, download=download)
        self.identity = models.identity("faster-whisper", model, "faster-whisper")
        self._threads = threads
        self._beam = beam
        self._words = words
        self._detector = detector or SileroDetector()

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        """Transcribe a clip of float32 at 16 kHz; silence gives `no_speech`, never an invention.

        Raises:
            SpeechError: The clip is not mono floats, or the model does not know the language.
        """

        async def recognise(audio: Samples) -> Sequence[Segment]:
            return await workers.run(self._work, audio, language, kind="asr")

        return await transcribe_speech(self.identity.family, samples, self._detector, recognise)

    def _work(self, audio: Samples, language: str) -> list[Segment]:
        model = _load(self._path, self._threads)
        if language not in model.supported_languages:
            raise SpeechError(
                f"faster-whisper {self.identity.name}",
                f"it does not know the language {language!r}",
                "It hears English only; use whisper-base." if len(model.supported_languages) == 1 else "",
            )
        segments, _ = model.transcribe(
            audio,
            language=language,
            beam_size=self._beam,
            temperature=0.0,
            condition_on_previous_text=False,
            no_speech_threshold=None,  # Whisper would drop segments in silence; we drop and count them
            word_timestamps=self._words,
        )
        return [_segment(segment) for segment in segments]


def _segment(segment: Any) -> Segment:
    words = tuple(
        Word(word.word.strip(), float(word.start), float(word.end), float(word.probability))
        for word in segment.words or ()
    )
    return Segment(
        float(segment.start),
        float(segment.end),
        segment.text.strip(),
        words,
        no_speech=float(segment.no_speech_prob),
        log_probability=float(segment.avg_logprob),
    )


@cache
def _load(path: Path, threads: int) -> Any:
    """The model, loaded once; in a worker, so that its own threads stand back as well."""
    from faster_whisper import WhisperModel

    return WhisperModel(
        str(path),
        device="cpu",
        compute_type="int8",
        cpu_threads=threads,
        num_workers=workers.size("asr"),
    )
