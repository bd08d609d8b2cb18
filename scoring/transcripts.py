"""What a recogniser made of an episode's audio, afterwards: `scores/transcripts.json`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Literal

from pydantic import BaseModel, ConfigDict

from recordings.format import ReceivedPiece
from scoring.timeline import Exchange, Timeline

NOT_TRANSCRIBED = "not_transcribed"
"""Cause of a missing text: the episode was scored without a recogniser."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ClipKind(StrEnum):
    """Which audio a clip is of."""

    USER = "user"  # user_clean.wav: the words as we said them
    RECEIVED = "received"  # received.wav: the reply as it arrived, heard or not
    HEARD = "heard"  # endpoint.wav: the reply as heard; only if the call had no recogniser


class Clip(_Strict):
    """A stretch of speech to transcribe.

    Attributes:
        spans: Its samples on its track, [start, end) each, in order.
    """

    kind: ClipKind
    spans: tuple[tuple[int, int], ...]


class TranscribedClip(_Strict):
    """A clip and its words.

    Attributes:
        text: None if there are none; `unscored` then says why.
        dropped: Segments the recogniser threw away as inventions on silence.
    """

    clip: Clip
    text: str | None
    unscored: str = ""
    dropped: int = 0


class RecogniserModel(_Strict):
    """The model that made the transcripts."""

    family: str
    name: str
    version: str
    sha256: str = ""


class Transcripts(_Strict):
    """All clips of one episode; of use only for that episode and that model."""

    schema_version: Literal[1] = 1
    episode: str
    model: RecogniserModel
    language: str
    clips: tuple[TranscribedClip, ...] = ()

    def text(self, clips: Iterable[Clip]) -> tuple[str | None, str]:
        """The words of some clips put together, or None and the cause."""
        words: list[str] = []
        for clip in clips:
            found = self._by_clip.get(clip)
            if found is None or found.text is None:
                return None, found.unscored if found else NOT_TRANSCRIBED
            words.append(found.text)
        return (" ".join(word for word in words if word), "") if words else (None, "no_audio")

    @cached_property
    def _by_clip(self) -> dict[Clip, TranscribedClip]:
        return {item.clip: item for item in self.clips}


def user_clips(exchange: Exchange) -> list[Clip]:
    """The user's utterances, one clip each."""
    spans = [utterance.clip for utterance in exchange.user.utterances]
    return [Clip(kind=ClipKind.USER, spans=((span.start, span.end),)) for span in spans]


def received_clips(exchange: Exchange, received: Sequence[ReceivedPiece]) -> list[Clip]:
    """The reply as it arrived, one clip for each delivery; none if it is part of an endless stream."""
    clips: list[Clip] = []
    for stretch in exchange.reply:
        if stretch.delivery is None or stretch.endless:
            continue
        pieces = [received[position] for position in stretch.delivery.pieces]
        spans = _joined((piece.offset, piece.offset + piece.samples) for piece in pieces)
        clip = Clip(kind=ClipKind.RECEIVED, spans=spans)
        if clip not in clips:
            clips.append(clip)
    return clips


def heard_clips(exchange: Exchange, timeline: Timeline) -> list[Clip]:
    """The reply as it was heard, from its first to its last audible sample."""
    step = timeline.endpoint_step
    spans = [(stretch.start // step, stretch.end // step) for stretch in exchange.reply]
    return [Clip(kind=ClipKind.HEARD, spans=(span,)) for span in spans]


def _joined(spans: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Neighbouring spans as one."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        elif end > start:
            joined.append((start, end))
    return tuple(joined)
