"""Speech recognition by Whisper through faster-whisper (CTranslate2, int8 on the CPU)."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from streams.audio import Samples
from streams.clock import simulated
from streams.speech import models, whisper_batch, whisper_window, workers
from streams.speech.batching import Batching
from streams.speech.gate import transcribe_speech, transcribe_speeches
from streams.speech.hallucination import Segment
from streams.speech.interfaces import SPEECH_RATE, SpeechDetector, SpeechError, Transcript, Word
from streams.speech.silero import SileroDetector
from streams.speech.whisper_window import WHOLE, Window

WINDOWS = dict.fromkeys(("whisper-base", "whisper-tiny"), Window(250, filled=1500))
"""Models that hear as well with less than the whole window.

Measured on 158 spoken sentences and answers (2,644 words; clean, as on a telephone, and in noise at 15 dB):
errors, and seconds of a busy processor a clip.

    model   whole window   alone        eight together   none filled in: 15 s (tiny), 5 s (base)
    tiny    186, 0.80 s    174, 0.27 s  173, 0.17 s      176, 0.49 s
    base    148, 1.66 s    151, 0.54 s  152, 0.36 s      152, 0.56 s
"""

LOOP_RATIO = 2.0
"""Text that gzip packs better than this is a loop (Whisper itself gives up at 2.4)."""

MOST_LETTERS_PER_S = 30.0
"""Nobody speaks faster."""

_Wanted = tuple[Samples, str]
"""Speech, and its language."""


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
        self._window = WINDOWS.get(str(model), WHOLE)
        self._detector = detector or SileroDetector()
        self._batching: Batching[_Wanted, list[Segment]] = Batching(
            self._work_all, kind="asr", most=whisper_batch.TOGETHER
        )

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        """Transcribe a clip of float32 at 16 kHz; silence gives `no_speech`, never an invention.

        Raises:
            SpeechError: The clip is not mono floats, or the model does not know the language.
        """

        async def recognise(audio: Samples) -> Sequence[Segment]:
            if simulated():  # time stands still while one clip is heard: none comes meanwhile
                return await workers.run(self._work, audio, language, kind="asr")
            return await self._batching.ask((audio, language))

        return await transcribe_speech(self.identity.family, samples, self._detector, recognise)

    async def transcribe_all(self, clips: Sequence[Samples], *, language: str = "en") -> list[Transcript]:
        """Transcribe many clips, several at a time; see `streams.speech.whisper_batch`.

        Raises:
            SpeechError: See `transcribe`.
        """

        async def recognise(pieces: Sequence[Samples]) -> Sequence[Sequence[Segment]]:
            wanted = [(audio, language) for audio in pieces]
            return await workers.run(self._work_all, wanted, kind="asr") if wanted else []

        return await transcribe_speeches(self.identity.family, clips, self._detector, recognise)

    def _work_all(self, wanted: Sequence[_Wanted]) -> list[list[Segment]]:
        """Each of several clips: those of a language together, long ones alone."""
        found: list[list[Segment]] = [[] for _ in wanted]
        short = [place for place, (audio, _) in enumerate(wanted) if whisper_batch.fits(audio.size)]
        for language in sorted({wanted[place][1] for place in short}):
            own = [place for place in short if wanted[place][1] == language]
            for batch in whisper_batch.batches([wanted[place][0].size for place in own], self._window):
                places = [own[number] for number in batch]
                clips = [wanted[place][0] for place in places]
                for place, heard in zip(places, self._heard(clips, language), strict=True):
                    found[place] = heard
        for place in set(range(len(wanted))).difference(short):
            found[place] = self._work(*wanted[place])
        return found

    def _heard(self, clips: Sequence[Samples], language: str) -> list[list[Segment]]:
        """A batch of one language; one clip is heard as ever."""
        if len(clips) == 1:
            return [self._work(clips[0], language)]
        model = self._model(language).seen
        decoded = whisper_batch.decode(model, clips, language, beam=self._beam, words=self._words)
        return [
            self._work(clip, language)
            if _looped(found.segments, clip.size)
            else self._finished(found, clip, language)
            for clip, found in zip(clips, decoded, strict=True)
        ]

    def _finished(self, found: whisper_batch.Decoded, clip: Samples, language: str) -> list[Segment]:
        """With what one pass has left; a clip that is heard alone goes on there by itself."""
        segments = [_segment(segment) for segment in found.segments]
        if found.until is None:
            return segments
        rest = self._work(clip[round(found.until * SPEECH_RATE) :], language)
        return segments + [_later(segment, found.until) for segment in rest]

    def _model(self, language: str) -> _Loaded:
        loaded = _load(self._path, self._threads, self._window)
        known = loaded.whole.supported_languages
        if language not in known:
            raise SpeechError(
                f"faster-whisper {self.identity.name}",
                f"it does not know the language {language!r}",
                "It hears English only; use whisper-base." if len(known) == 1 else "",
            )
        return loaded

    def _work(self, audio: Samples, language: str) -> list[Segment]:
        loaded = self._model(language)
        segments = self._decode(loaded.seen, audio, language)
        if self._window is not WHOLE and _looped(segments, audio.size):
            segments = self._decode(loaded.whole, audio, language)
        return [_segment(segment) for segment in segments]

    def _decode(self, model: Any, audio: Samples, language: str) -> list[Any]:
        segments, _ = model.transcribe(
            audio,
            language=language,
            beam_size=self._beam,
            temperature=0.0,
            condition_on_previous_text=False,
            no_speech_threshold=None,  # Whisper would drop segments in silence; we drop and count them
            word_timestamps=self._words,
        )
        return list(segments)


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


def _looped(segments: Sequence[Any], samples: int) -> bool:
    """Whether Whisper went round in circles: text that packs too well, or more than anybody can say."""
    letters = sum(len(segment.text) for segment in segments)
    packed = max((segment.compression_ratio for segment in segments), default=0.0)
    return packed > LOOP_RATIO or letters > MOST_LETTERS_PER_S * samples / SPEECH_RATE + 20


def _later(segment: Segment, seconds: float) -> Segment:
    words = tuple(
        replace(word, start=word.start + seconds, end=word.end + seconds) for word in segment.words
    )
    return replace(segment, start=segment.start + seconds, end=segment.end + seconds, words=words)


@dataclass(frozen=True, slots=True)
class _Loaded:
    """One set of weights behind two windows: the model's own, and the whole."""

    seen: Any
    whole: Any


@cache
def _load(path: Path, threads: int, window: Window) -> _Loaded:
    """The model, loaded once; in a worker, so that its own threads stand back as well."""
    from faster_whisper import WhisperModel
    from scipy.sparse import csr_array

    model = WhisperModel(
        str(path),
        device="cpu",
        compute_type="int8",
        cpu_threads=threads,
        num_workers=workers.size("asr"),
    )
    # numpy's product is rounded by the number of its threads, by which a word changes now and then; that of
    # the filters, nearly all zeros, is not, and is quicker
    model.feature_extractor.mel_filters = csr_array(model.feature_extractor.mel_filters)
    return _Loaded(whisper_window.through(model, window), model)
