"""A voice with planted defects, for whatever it is made to say."""

from __future__ import annotations

from streams.reference.defects import sound
from streams.reference.defects.kinds import Defect, Plan
from streams.reference.defects.pitch import flatten
from streams.reference.defects.words import drop_words
from streams.speech import workers
from streams.speech.interfaces import Speech, Voice


class FlawedVoice:
    """See `Voice`; what it says lacks words, or sounds wrong.

    Args:
        voice: A good one.
        planted: Of its defects only those of the voice are heard.
        seed: Chooses words, and makes noise.
    """

    def __init__(self, voice: Voice, planted: Plan, seed: int = 0) -> None:
        self._voice = voice
        self._planted = planted
        self._seed = seed
        self.identity = voice.identity

    @property
    def fingerprint(self) -> str:
        """That of the voice, and what is planted."""
        return f"{self._voice.fingerprint} {self._planted.doses} {self._seed}"

    async def speak(self, text: str) -> Speech:
        """See `Voice.speak`."""
        share, seed = self._planted.get(Defect.DROPS_WORDS), f"{self._seed} {text}"
        aloud = text if share is None else drop_words(text, share, seed)
        speech = await self._voice.speak(aloud)
        pcm = await workers.run(spoilt, speech.pcm, self._planted, speech.rate, seed, kind="tts")
        return Speech(pcm, speech.rate)


def spoilt(pcm: bytes, planted: Plan, rate: int, seed: str) -> bytes:
    """What a clip sounds like with the defects of the voice: melody, noise, overdrive, in this order."""
    if (melody := planted.get(Defect.MONOTONE)) is not None:
        pcm = flatten(pcm, melody, rate)
    if (snr := planted.get(Defect.NOISE)) is not None:
        pcm = sound.add_noise(pcm, snr, seed)
    if (share := planted.get(Defect.CLIPS)) is not None:
        pcm = sound.clip(pcm, share)
    return pcm
