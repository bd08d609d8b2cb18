"""Speaks fixed sentences in every voice and style, measures them, and has them recognised."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass

from scenarios.manners import STYLES, VOICES, Manner
from scoring.text import corpus_rate, word_errors
from streams.audio import to_float, to_pcm16
from streams.clock import now
from streams.resample import resample
from streams.speech import workers
from streams.speech.interfaces import SPEECH_RATE, Recogniser, Speech, Voice
from user_sim.manner.apply import resynthesised
from user_sim.manner.measure import Traits, traits
from user_sim.manner.sentences import NAMES, SENTENCES
from user_sim.manner.spoken import in_manner
from user_sim.manner.verify import Check, checks

UNTOUCHED, RESYNTHESIS = "untouched", "resynthesis"

MAX_WER_ABOVE = 0.1
"""A manner may cost so much word error rate over the plain resynthesis; a whisper may cost more."""


@dataclass(frozen=True, slots=True)
class Row:
    """One way of speaking the sentences.

    Attributes:
        kind: "reference", "style" or "voice".
        wer: Word error rate over all sentences; None without a recogniser.
        words: Words of the sentences.
        names: What is heard of `NAMES`; None without a recogniser.
        checks: A style's traits against its bands.
        speed: Seconds of speech made per second of work, the engine's own work not counted.
        intelligible: Whether the word error rate is close enough to that of the plain resynthesis.
    """

    name: str
    kind: str
    wer: float | None
    words: int
    names: str | None
    checks: tuple[Check, ...]
    speed: float
    intelligible: bool

    @property
    def passes(self) -> bool:
        """Whether it is what it claims to be, and can be understood."""
        return self.intelligible and all(check.fits for check in self.checks)


Make = Callable[[Speech], bytes]
"""From neutral speech to PCM16 at the same rate."""


async def examine(
    voice: Voice, recogniser: Recogniser | None, sentences: Sequence[str] = SENTENCES
) -> AsyncIterator[Row]:
    """Rows one by one: the voice untouched, the plain resynthesis, all styles, all voices.

    Args:
        voice: The machine's voice.
        recogniser: None leaves word errors unmeasured.
        sentences: What is spoken.

    Raises:
        SpeechError: An engine failed, or WORLD is not installed.
    """
    clips = [await voice.speak(text) for text in sentences]
    named = await voice.speak(NAMES)
    words = sum(len(text.split()) for text in sentences)
    before: list[Traits | None] = []
    limit: float | None = None
    for name, kind, make in _ways():
        started = now()
        spoken = [await workers.run(_made, make, clip, kind="tts") for clip in clips]
        speed = sum(_seconds(clip) for clip in spoken) / (now() - started)
        wer, names = None, None
        if recogniser is not None:
            wer = await _wer(recogniser, spoken, sentences)
            heard_names = await workers.run(_made, make, named, kind="tts")
            names = await _heard(recogniser, heard_names)
        found: tuple[Check, ...] = ()
        if name == UNTOUCHED or kind == "style":
            after = [await workers.run(_traits, clip, kind="tts") for clip in spoken]
            before = before or after
            found = checks(name, before, after) if kind == "style" else ()
        if name == RESYNTHESIS and wer is not None:
            limit = wer + MAX_WER_ABOVE
        whispered = kind == "style" and STYLES[name].breath >= 1
        intelligible = whispered or wer is None or limit is None or wer <= limit
        yield Row(name, kind, wer, words, names, found, speed, intelligible)


def _ways() -> list[tuple[str, str, Make]]:
    def manner(how: Manner) -> Make:
        return lambda speech: in_manner(speech, how, speech.rate)

    return [
        (UNTOUCHED, "reference", manner(Manner())),
        (RESYNTHESIS, "reference", _resynthesis),
        *((name, "style", manner(how)) for name, how in STYLES.items()),
        *((name, "voice", manner(how)) for name, how in VOICES.items()),
    ]


def _resynthesis(speech: Speech) -> bytes:
    even = to_float(in_manner(speech, Manner(), speech.rate))
    return to_pcm16(resynthesised(even, speech.rate))


def _made(make: Make, speech: Speech) -> Speech:
    return Speech(make(speech), speech.rate)


def _traits(speech: Speech) -> Traits | None:
    return traits(to_float(speech.pcm), speech.rate)


def _seconds(speech: Speech) -> float:
    return len(speech.pcm) / 2 / speech.rate


async def _wer(recogniser: Recogniser, clips: Sequence[Speech], sentences: Sequence[str]) -> float:
    heard = [await _heard(recogniser, clip) for clip in clips]
    return corpus_rate(word_errors(text, words) for text, words in zip(sentences, heard, strict=True))


async def _heard(recogniser: Recogniser, speech: Speech) -> str:
    clip = await workers.run(resample, speech.pcm, speech.rate, SPEECH_RATE, kind="tts")
    return (await recogniser.transcribe(to_float(clip))).text
