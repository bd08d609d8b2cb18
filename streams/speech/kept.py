"""Engines that do no work twice: a voice and a recogniser that keep on disk what they made."""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from streams.audio import Samples
from streams.resample import resample
from streams.speech import workers
from streams.speech.checksum import atomic, cache_folder
from streams.speech.interfaces import Recogniser, Speech, Transcript, Voice
from streams.speech.voice_cache import VoiceCache, cache_key

TRANSCRIPTS_VERSION = 1
"""Changes when the same clip and model would give other words."""


class KeptVoice:
    """A voice whose clips are kept at one rate; see `Voice`.

    Args:
        voice: Speaks what is not there yet.
        rate: Samples per second of all clips.
        cache: Where they are kept; None is the folder of this user account.

    Attributes:
        made: Clips that were spoken anew.
    """

    def __init__(self, voice: Voice, rate: int, cache: VoiceCache | None = None) -> None:
        self._voice = voice
        self._rate = rate
        self._cache = cache or VoiceCache.default()
        self._clips: dict[str, bytes] = {}
        self.identity = voice.identity
        self.made = 0

    @property
    def fingerprint(self) -> str:
        """That of the voice, and the rate."""
        return f"{self._voice.fingerprint} at {self._rate}"

    async def speak(self, text: str) -> Speech:
        """See `Voice.speak`; from memory, from disk, or anew."""
        if text not in self._clips:
            key = cache_key(self._voice.fingerprint, text, self._rate)
            pcm = await self._cache.get(key, self._rate)
            if pcm is None:
                speech = await self._voice.speak(text)
                pcm = await workers.run(resample, speech.pcm, speech.rate, self._rate, kind="tts")
                self.made += 1
                await self._cache.put(key, pcm, self._rate)
            self._clips[text] = pcm
        return Speech(self._clips[text], self._rate)


class KeptRecogniser:
    """A recogniser that transcribes each clip once; see `Recogniser`.

    Args:
        recogniser: Hears what was not heard before.
        folder: Where words are kept; None is the folder of this user account.

    Attributes:
        made: Clips that were transcribed anew.
        recalled: Clips whose words were there.
    """

    def __init__(self, recogniser: Recogniser, folder: Path | None = None) -> None:
        self._recogniser = recogniser
        self._folder = folder or cache_folder() / "transcripts"
        self.identity = recogniser.identity
        self.made = 0
        self.recalled = 0

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        """See `Recogniser.transcribe`."""
        path = self._path(samples, language)
        found = await workers.run(_read, path, kind="disk")
        if found is not None:
            self.recalled += 1
            return found
        transcript = await self._recogniser.transcribe(samples, language=language)
        self.made += 1
        await workers.run(_write, path, transcript, kind="disk")
        return transcript

    def _path(self, samples: Samples, language: str) -> Path:
        """The SHA-256 of the samples, under that of the model and the language."""
        model = json.dumps([TRANSCRIPTS_VERSION, asdict(self.identity), language])
        folder = hashlib.sha256(model.encode()).hexdigest()[:16]
        clip = hashlib.sha256(samples.astype("<f4").tobytes()).hexdigest()
        return self._folder / folder / clip[:2] / f"{clip}.json"


def _read(path: Path) -> Transcript | None:
    try:
        kept = json.loads(path.read_bytes())
        return Transcript(kept["text"], no_speech=kept["no_speech"], dropped=kept["dropped"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(path: Path, transcript: Transcript) -> None:
    kept = {"text": transcript.text, "no_speech": transcript.no_speech, "dropped": transcript.dropped}
    with contextlib.suppress(OSError), atomic(path) as file:  # what can't be kept only costs time
        file.write(json.dumps(kept).encode())
