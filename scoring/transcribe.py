"""Fills in, after the call, the words that only a recogniser can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
from pydantic import ValidationError

from recordings.reader import Episode, Track, read_scores, write_scores
from scoring.transcripts import Clip, ClipKind, RecogniserModel, TranscribedClip, Transcripts
from streams.audio import Samples, to_float
from streams.resample import resample
from streams.speech.interfaces import SPEECH_RATE, BatchRecogniser, Recogniser, SpeechError, Transcript

FILE = "transcripts"
"""Name of the file in an episode's `scores/`."""

MARGIN_S = 0.2
"""Silence put before and after a clip: recognisers lose words that begin at once."""

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
    if not (episode.path / "scores" / f"{FILE}.json").is_file():
        return None
    try:
        found = Transcripts.model_validate(read_scores(episode.path, FILE))
    except ValidationError:
        return None  # of another version: it can be made anew
    return found if found.episode == episode.info.id else None


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
    done = {clip: item for clip, item in known.items() if item.unscored != "recogniser_failed"}
    missing = [clip for clip in clips if clip not in done]
    done |= dict(zip(missing, await _transcribe(episode, missing, recogniser, language), strict=True))
    made = [done[clip] for clip in clips]
    transcripts = Transcripts(episode=episode.info.id, model=model, language=language, clips=tuple(made))
    if transcripts != stored:
        write_scores(episode.path, FILE, transcripts)
    return transcripts


async def _transcribe(
    episode: Episode, clips: Sequence[Clip], recogniser: Recogniser, language: str
) -> list[TranscribedClip]:
    tongue = language.split("-")[0]
    sounds = (_sound(episode, clip) for clip in clips)
    if isinstance(recogniser, BatchRecogniser) and clips:
        try:
            heard = await recogniser.transcribe_all(list(sounds), language=tongue)
        except SpeechError:
            return [TranscribedClip(clip=clip, text=None, unscored="recogniser_failed") for clip in clips]
        return [_transcribed(clip, one) for clip, one in zip(clips, heard, strict=True)]
    made = []
    for clip, sound in zip(clips, sounds, strict=True):
        try:
            made.append(_transcribed(clip, await recogniser.transcribe(sound, language=tongue)))
        except SpeechError:
            made.append(TranscribedClip(clip=clip, text=None, unscored="recogniser_failed"))
    return made


def _sound(episode: Episode, clip: Clip) -> Samples:
    pcm, rate = episode.track(_TRACKS[clip.kind])
    parts = [pcm[start:end] for start, end in clip.spans]
    margin = np.zeros(round(MARGIN_S * rate), np.int16)
    whole = np.concatenate([margin, *parts, margin])
    return to_float(resample(whole.astype("<i2").tobytes(), rate, SPEECH_RATE))


def _transcribed(clip: Clip, heard: Transcript) -> TranscribedClip:
    if heard.no_speech:
        return TranscribedClip(clip=clip, text=None, unscored="no_speech", dropped=heard.dropped)
    return TranscribedClip(clip=clip, text=heard.text, dropped=heard.dropped)
