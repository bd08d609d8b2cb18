"""Several clips through Whisper's decoder at once: its weights are then read once for all.

The encoder takes them one by one: on a processor several at a time cost it more (per clip of 10 s 0.28 s of
eight against 0.22 s alone), the decoder much less (0.08 s against 0.19 s).

Clips go together that need windows of one length, so that what a clip is heard as depends on the clip alone
and not on its neighbours, up to the rounding of sums. Lengths are multiples of 2.5 s.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from streams.audio import Samples
from streams.speech.interfaces import SPEECH_RATE

FRAMES_PER_S = 100
STEP_FRAMES = 250
FULL_FRAMES = 3000

TOGETHER = 8
"""Clips in a batch: more are hardly faster on a processor, and take more memory."""


def window_frames(samples: int, tail_frames: int | None) -> int:
    """Frames of 10 ms that are heard for a clip.

    Args:
        samples: Its length at 16 kHz.
        tail_frames: Least silence kept after it; None hears the full window of 30 s.
    """
    if tail_frames is None:
        return FULL_FRAMES
    needed = -(-samples * FRAMES_PER_S // SPEECH_RATE) + tail_frames
    return min(FULL_FRAMES, -(-needed // STEP_FRAMES) * STEP_FRAMES)


def fits(samples: int) -> bool:
    """Whether a clip can be heard in one window; what is longer is heard alone, window after window."""
    return samples <= FULL_FRAMES // FRAMES_PER_S * SPEECH_RATE


def batches(lengths: Sequence[int], tail_frames: int | None) -> list[list[int]]:
    """Which clips are heard together, by place: equal windows, in order, at most `TOGETHER`."""
    by_window: dict[int, list[int]] = defaultdict(list)
    for place, samples in enumerate(lengths):
        by_window[window_frames(samples, tail_frames)].append(place)
    return [
        places[first : first + TOGETHER]
        for places in by_window.values()
        for first in range(0, len(places), TOGETHER)
    ]


def decode(
    model: Any, clips: Sequence[Samples], language: str, *, beam: int, words: bool, tail_frames: int | None
) -> list[list[Any]]:
    """The segments of each clip, as faster-whisper's own; all clips need windows of one length.

    Args:
        model: A `faster_whisper.WhisperModel`.
        clips: float32 at 16 kHz, each within one window.
        language: What is spoken.
        beam: Hypotheses kept while decoding.
        words: Whether words get times.
        tail_frames: As for `window_frames`.
    """
    from faster_whisper.tokenizer import Tokenizer
    from faster_whisper.transcribe import BatchedInferencePipeline

    frames = window_frames(max(clip.size for clip in clips), tail_frames)
    features = np.zeros((len(clips), model.feature_extractor.mel_filters.shape[0], frames), np.float32)
    for row, clip in zip(features, clips, strict=True):
        heard = model.feature_extractor(clip)[:, :frames]
        row[:, : heard.shape[1]] = heard
    tokenizer = Tokenizer(
        model.hf_tokenizer, model.model.is_multilingual, task="transcribe", language=language
    )
    lengths = [clip.size / SPEECH_RATE for clip in clips]
    whole = [{"offset": 0.0, "duration": length} for length in lengths]
    found = BatchedInferencePipeline(_one_by_one(model)).forward(
        features, tokenizer, whole, _options(tokenizer, beam, words=words)
    )
    return [[_Segment(**part) for part in parts] for parts in found]


def _one_by_one(model: Any) -> Any:
    """The model, whose encoder takes each clip of a batch for itself."""
    from ctranslate2 import StorageView

    def encode(features: npt.NDArray[np.float32]) -> Any:
        encoded = [np.asarray(model.encode(row)) for row in features]
        return StorageView.from_array(np.concatenate(encoded))

    made = copy.copy(model)
    made.encode = encode
    return made


class _Segment:
    """One of faster-whisper's segments, from the plain data that its batches give."""

    def __init__(self, **fields: Any) -> None:
        self.words: list[Any] = [_Word(**word) for word in fields.get("words") or ()]
        self.start: float = fields["start"]
        self.end: float = fields["end"]
        self.text: str = fields["text"]
        self.no_speech_prob: float = fields["no_speech_prob"]
        self.avg_logprob: float = fields["avg_logprob"]
        self.compression_ratio: float = fields["compression_ratio"]


class _Word:
    def __init__(self, *, word: str, start: float, end: float, probability: float) -> None:
        self.word, self.start, self.end, self.probability = word, start, end, probability


def _options(tokenizer: Any, beam: int, *, words: bool) -> Any:
    """Those of `WhisperModel.transcribe` with the arguments that `whisper.py` gives it."""
    from faster_whisper.transcribe import TranscriptionOptions, get_suppressed_tokens

    return TranscriptionOptions(
        beam_size=beam,
        best_of=1,
        patience=1,
        length_penalty=1,
        repetition_penalty=1,
        no_repeat_ngram_size=0,
        log_prob_threshold=None,
        no_speech_threshold=None,
        compression_ratio_threshold=None,
        condition_on_previous_text=False,
        prompt_reset_on_temperature=0.5,
        temperatures=[0.0],
        initial_prompt=None,
        prefix=None,
        suppress_blank=True,
        suppress_tokens=get_suppressed_tokens(tokenizer, [-1]),
        without_timestamps=False,
        max_initial_timestamp=1.0,
        word_timestamps=words,
        prepend_punctuations="\"'“¿([{-",
        append_punctuations="\"'.。,，!！?？:：”)]}、",
        multilingual=False,
        max_new_tokens=None,
        clip_timestamps="0",
        hallucination_silence_threshold=None,
        hotwords=None,
    )
