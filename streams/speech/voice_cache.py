"""Synthesised speech on disk: the same words in the same voice are made once."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path

from streams.audio import to_pcm
from streams.speech import workers
from streams.speech.checksum import cache_folder

CACHE_VERSION = 2
"""Changes when the same voice and text would be made into other samples."""


def cache_key(fingerprint: str, text: str, rate: int, manner: str = "") -> str:
    """SHA-256 over all that changes the sound: the engine's fingerprint, words, rate, and the manner's."""
    parts = json.dumps([CACHE_VERSION, fingerprint, text, rate, manner])
    return hashlib.sha256(parts.encode()).hexdigest()


class VoiceCache:
    """Clips by key, as WAV files that can be listened to.

    Each file carries the hash of its samples: one that is cut short or damaged is no entry. Files appear
    whole or not at all, so several processes may share a folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def default(cls) -> VoiceCache:
        """The cache of this user account."""
        return cls(cache_folder() / "voice")

    def path(self, key: str) -> Path:
        """Where the clip of a key is or would be."""
        return self.folder / key[:2] / f"{key}.wav"

    async def get(self, key: str, rate: int) -> bytes | None:
        """The PCM16 samples of a key, or None if there is no sound entry."""
        return await workers.run(self._read, key, rate, kind="disk")

    async def put(self, key: str, pcm: bytes, rate: int) -> None:
        """Keep a clip; a cache that can't be written only costs time."""
        await workers.run(self._write, key, pcm, rate, kind="disk")

    def _read(self, key: str, rate: int) -> bytes | None:
        import soundfile

        try:
            with soundfile.SoundFile(self.path(key)) as file:
                pcm: bytes = file.read(dtype="int16").astype("<i2").tobytes()
                whole = file.comment == _digest(pcm) and file.samplerate == rate
        except (OSError, soundfile.LibsndfileError):
            return None
        return pcm if whole else None

    def _write(self, key: str, pcm: bytes, rate: int) -> None:
        import soundfile

        path = self.path(key)
        with contextlib.suppress(OSError, soundfile.LibsndfileError):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(suffix=".wav", dir=path.parent)
            os.close(handle)
            partial = Path(name)
            try:
                with soundfile.SoundFile(partial, "w", rate, 1, "PCM_16") as file:
                    file.comment = _digest(pcm)
                    file.write(to_pcm(pcm))
                partial.replace(path)
            finally:
                partial.unlink(missing_ok=True)


def _digest(pcm: bytes) -> str:
    return hashlib.sha256(pcm).hexdigest()
