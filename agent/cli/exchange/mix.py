"""A call of which only a mix of both sides was recorded is taken apart by what a recogniser hears in it."""

from __future__ import annotations

from collections.abc import Sequence

from agent.cli.exchange.speech import Spoken, to_the_sample
from recordings.errors import RecordingError
from recordings.format import Side
from recordings.importing.found import Source
from recordings.importing.mix import Message, parts_of, taken_apart
from recordings.importing.sound import Sound
from recordings.importing.speech import Said, Sounds
from recordings.importing.tracks import Tracks, lined_up
from scoring.audible import Segment, audible_segments
from scoring.transcribe import listen
from streams.speech.interfaces import Recogniser

PAUSE_S = 0.3
"""A longer silence may have another speaker behind it."""

_MIXED = "the recording is a mix: sides were told apart by their words, and nothing is known of overlaps"


async def apart(
    source: Source, sound: Sound, recogniser: Recogniser | None, language: str
) -> tuple[Tracks, Spoken]:
    """Both sides of a mix, and what they said.

    Raises:
        RecordingError: There is no recogniser, or it finds no words of the call.
    """
    path, pcm = source.sounds[0], sound.channels[0]
    if recogniser is None:
        found = "is a mix of both sides, which only a recogniser can tell apart"
        raise RecordingError(path, found, "Leave out --recogniser none.")
    spans = audible_segments(pcm, sound.rate, merge_gap_s=PAUSE_S)
    heard = [await listen(pcm[span.start : span.end], sound.rate, recogniser, language) for span in spans]
    parts = parts_of([words.text or "" for words in heard], source.mixed)
    if all(part is None for part in parts):
        raise RecordingError(path, "has no words in common with its transcript")
    edges = [(span.start, span.end) for span in spans]
    user, endpoint, said = taken_apart(pcm, edges, parts, source.mixed)
    tracks = lined_up(user, sound.rate, endpoint, sound.rate)
    mine = to_the_sample([one for one in said if one.side is Side.USER], tracks)
    said = [*mine, *(one for one in said if one.side is Side.ENDPOINT)]
    talking = tuple((one.start, one.end) for one in said if one.side is Side.ENDPOINT)
    notes = [_MIXED, *_left_out(spans, parts, sound.rate), *_unheard(source.mixed, said)]
    return tracks, Spoken(said, Sounds(Side.ENDPOINT, sound.rate, talking), notes)


def _left_out(spans: Sequence[Segment], parts: Sequence[int | None], rate: int) -> list[str]:
    strange = [span for span, part in zip(spans, parts, strict=True) if part is None]
    seconds = sum(span.samples for span in strange) / rate
    return [f"{len(strange)} sounds ({seconds:.1f} s) are words of neither side"] if strange else []


def _unheard(messages: Sequence[Message], said: Sequence[Said]) -> list[str]:
    missing = len(messages) - len(said)
    return [f"{missing} turns of the transcript were not found in the recording"] if missing else []
