"""Fills in, after the call, the words that only a recogniser can tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
from pydantic import ValidationError

from recordings.reader import Episode, Track, read_scores, write_scores
from scoring.transcripts import Clip, ClipKind, RecogniserModel, TranscribedClip, Transcripts
from streams.audio import to_float
from streams.resample import resample
from streams.speech.interfaces import SPEECH_RATE, Recogniser, SpeechError

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
    made = [
        known[clip]
        if clip in known and known[clip].unscored != "recogniser_failed"
        else await _transcribe(episode, clip, recogniser, language)
        for clip in clips
    ]
    transcripts = Transcripts(episode=episode.info.id, model=model, language=language, clips=tuple(made))
    if transcripts != stored:
        write_scores(episode.path, FILE, transcripts)
    return transcripts


async def _transcribe(
    episode: Episode, clip: Clip, recogniser: Recogniser, language: str
) -> TranscribedClip:
    pcm, rate = episode.track(_TRACKS[clip.kind])
    parts = [pcm[start:end] for start, end in clip.spans]
    margin = np.zeros(round(MARGIN_S * rate), np.int16)
    whole = np.concatenate([margin, *parts, margin])
    samples = to_float(resample(whole.astype("<i2").tobytes(), rate, SPEECH_RATE))
    try:
        heard = await recogniser.transcribe(samples, language=language.split("-")[0])
    except SpeechError:
        return TranscribedClip(clip=clip, text=None, unscored="recogniser_failed")
    if heard.no_speech:
        return TranscribedClip(clip=clip, text=None, unscored="no_speech", dropped=heard.dropped)
    return TranscribedClip(clip=clip, text=heard.text, dropped=heard.dropped)
