"""Fills in, after the call, the words that only a recogniser can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from recordings.reader import Episode, Track, read_made, write_scores
from scoring.transcripts import Clip, ClipKind, RecogniserModel, TranscribedClip, Transcripts
from streams.audio import Pcm, Samples, to_float
from streams.resample import resample
from streams.speech.interfaces import SPEECH_RATE, BatchRecogniser, Recogniser, SpeechError, Transcript

FILE = "transcripts"
"""Name of the file in an episode's `scores/`."""

MARGIN_S = 0.2
"""Silence put before and after a clip: recognisers lose words that begin at once."""


@dataclass(frozen=True, slots=True)
class Words:
    """What was heard in a clip.

    Attributes:
        text: None if there are no words; `unscored` then says why.
        dropped: Segments the recogniser threw away as inventions on silence.
    """

    text: str | None
    unscored: str = ""
    dropped: int = 0


FAILED = Words(None, "recogniser_failed")

_TRACKS: dict[ClipKind, Track] = {
    ClipKind.USER: "user_clean",
    ClipKind.RECEIVED: "received",
    ClipKind.HEARD: "endpoint",
}


def stored_transcripts(episode: Episode) -> Transcripts | None:
    """The transcripts written beside an episode, if they are of this episode and can be read.

    Raises:
        RecordingError: The file is no JSON.
    """
    found = read_made(episode.path, FILE, Transcripts)
    return found if found is not None and found.episode == episode.info.id else None


async def transcribe(episode: Episode, clips: Sequence[Clip], recogniser: Recogniser) -> Transcripts:
    """Transcribe the clips of an episode and write them beside it.

    What the same model has transcribed before is taken from there. A clip the recogniser failed on is
    unscored (`recogniser_failed`) and tried again the next time.

    Raises:
        RecordingError: A track cannot be read, or the transcripts cannot be written.
    """
    model = RecogniserModel(**asdict(recogniser.identity))
    language = str(episode.scenario.get("language", "en"))
    stored = stored_transcripts(episode)
    if stored is not None and (stored.model, stored.language) != (model, language):
        stored = None
    known = {} if stored is None else {item.clip: item for item in stored.clips}
    done = {clip: item for clip, item in known.items() if item.unscored != FAILED.unscored}
    missing = [clip for clip in clips if clip not in done]
    done |= dict(zip(missing, await _transcribe(episode, missing, recogniser, language), strict=True))
    made = [done[clip] for clip in clips]
    transcripts = Transcripts(episode=episode.info.id, model=model, language=language, clips=tuple(made))
    if transcripts != stored:
        write_scores(episode.path, FILE, transcripts)
    return transcripts


async def listen(pcm: Pcm, rate: int, recogniser: Recogniser, language: str) -> Words:
    """What a recogniser hears in a clip.

    Args:
        pcm: Mono PCM16.
        rate: Samples per second.
        recogniser: Whose failure is the cause of missing words.
        language: What is spoken ("en", "en-GB").
    """
    try:
        return _words(await recogniser.transcribe(_sound(pcm, rate), language=_tongue(language)))
    except SpeechError:
        return FAILED


async def _transcribe(
    episode: Episode, clips: Sequence[Clip], recogniser: Recogniser, language: str
) -> list[TranscribedClip]:
    tracks = (_track(episode, clip) for clip in clips)
    if isinstance(recogniser, BatchRecogniser) and clips:
        sounds = [_sound(pcm, rate) for pcm, rate in tracks]
        try:
            words = [
                _words(one) for one in await recogniser.transcribe_all(sounds, language=_tongue(language))
            ]
        except SpeechError:
            words = [FAILED] * len(clips)
    else:
        words = [await listen(pcm, rate, recogniser, language) for pcm, rate in tracks]
    return [TranscribedClip(clip=clip, **asdict(one)) for clip, one in zip(clips, words, strict=True)]


def _track(episode: Episode, clip: Clip) -> tuple[Pcm, int]:
    pcm, rate = episode.track(_TRACKS[clip.kind])
    return np.concatenate([pcm[:0], *(pcm[start:end] for start, end in clip.spans)]), rate


def _sound(pcm: Pcm, rate: int) -> Samples:
    """A clip as recognisers hear it, with silence around it."""
    margin = np.zeros(round(MARGIN_S * rate), np.int16)
    whole = np.concatenate([margin, pcm, margin])
    return to_float(resample(whole.astype("<i2").tobytes(), rate, SPEECH_RATE))


def _tongue(language: str) -> str:
    return language.partition("-")[0]


def _words(heard: Transcript) -> Words:
    if heard.no_speech:
        return Words(None, "no_speech", heard.dropped)
    return Words(heard.text, dropped=heard.dropped)
