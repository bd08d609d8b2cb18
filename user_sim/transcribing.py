"""From the audio of a turn to its words, or the reason why there are none."""

from __future__ import annotations

from dataclasses import dataclass

from streams.audio import Samples
from streams.speech.interfaces import Recogniser, SpeechError


@dataclass(frozen=True, slots=True)
class Words:
    """What a recogniser made of a turn.

    Attributes:
        text: The words; "" if there are none.
        cause: Why there are none: "no_recogniser", "no_speech", "recogniser_failed"; else "".
        note: The failure in a sentence.
    """

    text: str
    cause: str = ""
    note: str = ""


async def transcribe(recogniser: Recogniser | None, samples: Samples, language: str) -> Words:
    """Transcribe a turn (float32, 16 kHz); a failure is an answer, too.

    Args:
        recogniser: None if nobody is there to understand.
        samples: The turn.
        language: A language tag; recognisers know its first part.
    """
    if recogniser is None:
        return Words("", "no_recogniser")
    try:
        transcript = await recogniser.transcribe(samples, language=language.split("-")[0])
    except SpeechError as failure:
        return Words("", "recogniser_failed", str(failure))
    text = transcript.text.strip()
    return Words(text) if text else Words("", "no_speech")
