"""Who said what when in a call made elsewhere: from its sound, and from a transcript if there is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from recordings.format import Side
from recordings.importing.found import Words
from recordings.importing.lines import Line
from recordings.importing.speech import Said, Sounds, said_with_words, said_without_words, spoken
from recordings.importing.tracks import Tracks
from scoring.audible import audible_segments
from scoring.transcripts import Clip, ClipKind, Transcripts
from streams.audio import Pcm, to_float
from streams.resample import StreamResampler
from streams.speech.activity import ActivityTracker, SpeechBegan
from streams.speech.audible import audible_span
from streams.speech.interfaces import SPEECH_RATE, SpeechDetector

_BLOCK_S = 10

_MARGIN_S = 0.2
"""How far the edges of an utterance are looked for beside where the whole track's level puts them."""

Lines = Mapping[Side, Sequence[tuple[Line, Words]]]
"""The lines of all transcripts of a call, by side; a side without a transcript is not in it."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """What both sides said.

    Attributes:
        talking: Where the endpoint was talking, whatever a transcript has of it, in samples of its track.
        notes: What was left out, in sentences.
    """

    said: list[Said]
    talking: Sounds
    notes: list[str]


async def spoken_in(
    tracks: Tracks, lines: Lines, detector: SpeechDetector | None, *, own_words: bool = False
) -> Spoken:
    """What both sides said, without the words of a recogniser.

    Args:
        tracks: Of the call.
        lines: Of its transcripts.
        detector: Tells speech from other sound on the user's side; None takes all sound for speech.
        own_words: What transcripts have of the endpoint is its own text.
    """
    user = _sounds(Side.USER, tracks.user, tracks.user_rate)
    endpoint = _sounds(Side.ENDPOINT, tracks.endpoint, tracks.endpoint_rate)
    notes: list[str] = []
    if detector is not None:
        speech = await _speech(tracks.user, tracks.user_rate, detector)
        silent = sum(not any(s < span[1] and span[0] < e for s, e in speech) for span in user.spans)
        notes += [f"user: {silent} sounds are no speech and were left out"] if silent else []
        user = spoken(user, speech)
    mine, more = _put_together(user, endpoint, lines, own_words=False)
    theirs, yet_more = _put_together(endpoint, user, lines, own_words=own_words)
    talking = tuple((one.start, one.end) for one in said_without_words(endpoint, user))
    return Spoken(
        said=[*to_the_sample(mine, tracks), *theirs],
        talking=replace(endpoint, spans=talking),
        notes=[*notes, *more, *yet_more],
    )


def _sounds(side: Side, pcm: Pcm, rate: int) -> Sounds:
    return Sounds(side, rate, tuple((one.start, one.end) for one in audible_segments(pcm, rate)))


def _put_together(
    own: Sounds, other: Sounds, lines: Lines, *, own_words: bool
) -> tuple[list[Said], list[str]]:
    """What a side said: by its transcript, or by its sounds alone if it has none."""
    if own.side not in lines:
        return said_without_words(own, other), []
    said, notes = said_with_words(own, [line for line, _ in lines[own.side]])
    meant = own.side is Side.ENDPOINT and (own_words or any(words.own for _, words in lines[own.side]))
    return [replace(one, own=meant and one.text is not None) for one in said], notes


def to_the_sample(said: Sequence[Said], tracks: Tracks) -> list[Said]:
    """The user's utterances with the edges that a call of ours would have: by each one's own loudness.

    Only where there is silence around it; in noise the edges stay.
    """
    pcm, margin = tracks.user, round(_MARGIN_S * tracks.user_rate)
    ends = [0, *(one.end for one in said)]
    starts = [*(one.start for one in said[1:]), pcm.size]
    found = []
    for one, before, after in zip(said, ends, starts, strict=False):
        first, last = max(one.start - margin, before), min(one.end + margin, after)
        span = audible_span(pcm[first:last].tobytes(), tracks.user_rate)
        if span is not None and (span[0] > 0 or first == 0) and first + span[1] < last:
            one = replace(one, start=first + span[0], end=first + span[1])
        found.append(one)
    return found


async def _speech(pcm: Pcm, rate: int, detector: SpeechDetector) -> list[tuple[int, int]]:
    """Where a detector finds speech, in samples of the track; its edges are rough."""
    resampler, stream = StreamResampler(rate, SPEECH_RATE), detector.stream()
    tracker = ActivityTracker(detector.window)
    edges = []
    for at in range(0, pcm.size, _BLOCK_S * rate):  # an hour is never there as a whole
        piece = resampler.push(pcm[at : at + _BLOCK_S * rate].tobytes())
        edges += tracker.push(await stream.feed(to_float(piece)))
    edges += tracker.push(await stream.feed(to_float(resampler.flush())))
    edges += tracker.finish()
    begun = [edge.at_sample for edge in edges if isinstance(edge, SpeechBegan)]
    ended = [edge.at_sample for edge in edges if not isinstance(edge, SpeechBegan)]
    return [(a * rate // SPEECH_RATE, b * rate // SPEECH_RATE) for a, b in zip(begun, ended, strict=True)]


def recognised(said: Sequence[Said], transcripts: Transcripts) -> list[Said]:
    """The same with the words of a recogniser."""
    found = []
    for one in said:
        kind = ClipKind.USER if one.side is Side.USER else ClipKind.HEARD
        text, cause = transcripts.text([Clip(kind=kind, spans=((one.start, one.end),))])
        found.append(replace(one, recognised=text, cause=cause))
    return found
