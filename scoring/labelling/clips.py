"""Sounds of calls under names that say nothing, and the cards on which they are offered."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Generic, TypeVar

from recordings.reader import Episode, Track
from recordings.studio.label_cards import Sound, SoundName
from scoring.blueprint.loudness import RATE
from scoring.judge.material import wav_bytes
from scoring.labelling.material import Reply
from scoring.labelling.sound import Floats, Level, equally_loud, listenable, with_gain
from scoring.report.safe import neutralise

KEPT = 16
"""Clips that are kept ready: those of a card or two, a megabyte for each ten seconds."""

T = TypeVar("T", bound=Hashable)


class Tokens(Generic[T]):
    """Opaque names, the same for the same thing as long as the process lives."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(32)
        self._known: dict[str, T] = {}

    def of(self, thing: T) -> str:
        """Its name."""
        digest = hmac.digest(self._secret, repr(thing).encode(), hashlib.sha256)
        token = urlsafe_b64encode(digest[:18]).decode()
        self._known[token] = thing
        return token

    def find(self, token: str) -> T | None:
        """What a token names."""
        return self._known.get(token)


@dataclass(frozen=True, slots=True)
class Clip:
    """A turn of a call, at a gain."""

    episode: Path
    turn: int
    gain_db: float = 0.0


@dataclass(frozen=True, slots=True)
class Raw:
    """A turn as it can be listened to, before any gain."""

    samples: Floats

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.samples.size / RATE


def cut(episode: Path, turn: int) -> Raw:
    """Cut a turn out of its side's track.

    Raises:
        RecordingError: The episode cannot be read.
    """
    recorded = Episode.load(episode, mapped=True)
    found = next(one for one in recorded.turns if one.index == turn)
    track: Track = "user" if found.side.value == "user" else "endpoint"
    pcm, rate = recorded.track(track)
    return Raw(listenable(pcm[max(0, found.start) : found.end], rate))


class Clips:
    """Sounds by token. Reading one blocks on the disk."""

    def __init__(self, read: Callable[[Path, int], Raw] = cut) -> None:
        self._tokens: Tokens[Clip] = Tokens()
        self._raw = lru_cache(KEPT)(read)

    def asked(self, reply: Reply) -> list[Sound]:
        """What was said to a reply's endpoint; nothing if it was not recorded."""
        if reply.found.asked is None:
            return []
        return [self._sound("asked", Clip(reply.episode, reply.found.asked))]

    def alone(self, reply: Reply) -> list[Sound]:
        """A reply by itself, as loud as it was."""
        clip = Clip(reply.episode, reply.found.turn)
        return [*self.asked(reply), self._sound("reply", clip, _words(reply))]

    def both(self, first: Reply, second: Reply) -> tuple[list[Sound], tuple[Level, Level]]:
        """Two replies, equally loud, in the order given; and what was done for that."""
        raws = [self._raw(reply.episode, reply.found.turn) for reply in (first, second)]
        levels = equally_loud(raws[0].samples, raws[1].samples)
        clips = [
            Clip(reply.episode, reply.found.turn, level.gain_db)
            for reply, level in zip((first, second), levels, strict=True)
        ]
        return [
            *self.asked(first),
            self._sound("first", clips[0], _words(first)),
            self._sound("second", clips[1], _words(second)),
        ], levels

    def wav(self, token: str) -> bytes | None:
        """A sound; None if there is none of that name.

        Raises:
            RecordingError: The episode cannot be read any more.
        """
        clip = self._tokens.find(token)
        if clip is None:
            return None
        raw = self._raw(clip.episode, clip.turn)
        return wav_bytes(with_gain(raw.samples, clip.gain_db), RATE)

    def _sound(self, name: SoundName, clip: Clip, words: str = "") -> Sound:
        raw = self._raw(clip.episode, clip.turn)
        token = self._tokens.of(clip) if raw.samples.size else ""
        return Sound(name=name, token=token, seconds=round(raw.seconds, 2), words=words)


def _words(reply: Reply) -> str:
    return neutralise(reply.found.item.reply.spoken.words)


def wanted(reply: Reply) -> tuple[str, ...]:
    """What a good reply does or states, in words."""
    task = reply.found.item.task
    manner = [f"sounds {task.manner}"] if task.manner else []
    perceive = [f"takes notice that the user sounds {task.perceive}"] if task.perceive else []
    facts = [f"states: {fact.text}" for fact in task.question.reference]
    return tuple(map(neutralise, (*task.wanted, *manner, *perceive, *facts)))


def asked_words(replies: Sequence[Reply]) -> str:
    """The words that were replied to."""
    return neutralise(replies[0].found.item.task.question.asked)
