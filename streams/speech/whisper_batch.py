"""Several clips through Whisper's decoder at once: its weights are then read once for all.

Clips go together for which it attends to as many frames, so that what a clip is heard as depends on the
clip alone and not on its neighbours, up to the rounding of sums.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from streams.audio import Samples
from streams.speech.interfaces import SPEECH_RATE
from streams.speech.whisper_window import FRAMES, FRAMES_PER_S, Window, windows

TOGETHER = 8
"""Clips in a batch: more are hardly faster on a processor, and take more memory."""


def fits(samples: int) -> bool:
    """Whether a clip can be heard in one window; what is longer is heard alone, window after window."""
    return samples <= FRAMES // FRAMES_PER_S * SPEECH_RATE


def batches(lengths: Sequence[int], window: Window) -> list[list[int]]:
    """Which clips are heard together, by place: those of like lengths, whose words are like in number."""
    by_frames: dict[int, list[int]] = defaultdict(list)
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        by_frames[window.attended(lengths[place])].append(place)
    return [
        places[first : first + TOGETHER]
        for places in by_frames.values()
        for first in range(0, len(places), TOGETHER)
    ]


@dataclass(frozen=True, slots=True)
class Decoded:
    """What one pass made of a clip.

    Attributes:
        segments: As faster-whisper's own.
        until: If words were left behind the last segment, its end in seconds: a clip that is heard alone is
            heard on from there. Else None.
    """

    segments: list[Any]
    until: float | None


def decode(model: Any, clips: Sequence[Samples], language: str, *, beam: int, words: bool) -> list[Decoded]:
    """What is said in each clip.

    Args:
        model: A `faster_whisper.WhisperModel`, seen `whisper_window.through` a window.
        clips: float32 at 16 kHz, each within one window.
        language: What is spoken.
        beam: Hypotheses kept while decoding.
        words: Whether words get times.
    """
    from faster_whisper.tokenizer import Tokenizer

    tokenizer = Tokenizer(
        model.hf_tokenizer, model.model.is_multilingual, task="transcribe", language=language
    )
    lengths = [clip.size / SPEECH_RATE for clip in clips]
    whole = [{"offset": 0.0, "duration": length} for length in lengths]
    pipeline, tokens = _noting(model)
    found = pipeline.forward(
        windows(model, clips), tokenizer, whole, _options(tokenizer, beam, words=words)
    )
    return [
        Decoded(
            [_Segment(**part) for part in parts],
            parts[-1]["end"] if left(made, tokenizer.timestamp_begin) else None,
        )
        for parts, made in zip(found, tokens, strict=True)
    ]


def _noting(model: Any) -> tuple[Any, list[Sequence[int]]]:
    """Faster-whisper's way with batches, and the tokens of each clip: it does not tell what it drops."""
    from faster_whisper.transcribe import BatchedInferencePipeline

    pipeline = BatchedInferencePipeline(model)
    tokens: list[Sequence[int]] = []
    generate = pipeline.generate_segment_batched

    def noted(*arguments: Any) -> Any:
        encoded, made = generate(*arguments)
        tokens.extend(each["tokens"] for each in made)
        return encoded, made

    pipeline.generate_segment_batched = noted
    return pipeline, tokens


def left(tokens: Sequence[int], first_time: int) -> bool:
    """Whether Whisper says of a window that there is more speech in it.

    Two times side by side end a segment and begin the next; one time at the very end ends the speech.

    Args:
        tokens: What it wrote.
        first_time: The first of the tokens that are times; they are the highest.
    """
    times = [token >= first_time for token in tokens]
    ended = times[-2:] == [False, True]
    return (True, True) in pairwise(times) and not ended


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
