"""Makes what a line needs before the line is open: noises, other voices, the sound of the room."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from scenarios.conditions import Bed, Conditions, Noise
from streams.audio import Samples, to_float, to_pcm16
from streams.resample import resample
from streams.speech import workers
from streams.speech.audio_files import read_clip
from streams.speech.interfaces import Speech, Voice
from streams.speech.kept import KeptVoice
from streams.speech.voice_cache import VoiceCache
from user_sim.conditions import beds
from user_sim.conditions.line import Beds
from user_sim.conditions.loops import Loop, noise_loop, round_at, round_of, speech_loop
from user_sim.conditions.room import room_sound

_GUESTS = (
    "We went to the lake on Sunday, but it was far too cold to swim.",
    "Did you hear that they are going to close the road again next week?",
    "I think I'll have the soup, and maybe a slice of that cake.",
    "My sister has just moved into a flat near the old railway station.",
    "He said that he would call me back, and of course he never did.",
    "You have to see that film, honestly, the ending is wonderful.",
    "No, the meeting is on Thursday, they changed it yesterday evening.",
    "The children were up half the night because of the thunderstorm.",
)
"""What the people in a babble say."""

_SMALL_TALK = (
    "Could you pass me the keys? They should be on the table by the door.",
    "I'll be home a little later today, the bus was late again.",
    "Do we still have milk, or should I get some on the way back?",
    "Let's ask your mother what she wants to do at the weekend.",
)
"""What a second speaker says by default."""


async def prepare_beds(
    conditions: Conditions,
    voice: Voice,
    rate: int,
    cache: VoiceCache | None = None,
    folder: Path = Path(),
) -> Beds:
    """Everything that the conditions need, at the wire's rate.

    Args:
        conditions: Of the scenario.
        voice: The user's; speaks the lines of the others.
        rate: Samples per second of the wire.
        cache: Keeps what was synthesised.
        folder: Where the paths of noise files begin: the folder of the scenario.

    Raises:
        SpeechError: The voice failed, or a noise file cannot be read.
    """
    noise = [await _noise(one, voice, rate, cache, folder) for one in conditions.noise]
    other = conditions.second_speaker
    second = None
    if other is not None:
        clips = await _spoken(other.lines or _SMALL_TALK, voice, cache)
        second = await workers.run(_second_speaker, clips, rate, other.snr_db, kind="line")
    room = None
    if (walls := conditions.reverberation) is not None:
        room = await workers.run(room_sound, walls.rt60_s, walls.distance_m, rate, kind="line")
    return Beds(tuple(noise), second, room)


async def _noise(noise: Noise, voice: Voice, rate: int, cache: VoiceCache | None, folder: Path) -> Loop:
    if noise.file is not None:
        recording = await workers.run(read_clip, folder / noise.file, kind="disk")
        return await workers.run(_recorded, recording, rate, noise.snr_db, kind="line")
    bed = Bed(noise.bed)
    spoken = bed in (Bed.BABBLE, Bed.CAFE)
    clips = await _spoken(_GUESTS, voice, cache) if spoken else ()
    return await workers.run(_made, bed, rate, noise.snr_db, clips, kind="line")


async def _spoken(lines: Sequence[str], voice: Voice, cache: VoiceCache | None) -> tuple[Speech, ...]:
    """The lines in the user's voice, as it makes them."""
    kept = voice if cache is None else KeptVoice(voice, beds.BED_RATE, cache)
    return tuple(await asyncio.gather(*(kept.speak(line) for line in lines)))


def _made(bed: Bed, rate: int, snr_db: float, clips: tuple[Speech, ...]) -> Loop:
    return noise_loop(_round(bed, rate, clips), rate, snr_db)


@lru_cache(maxsize=8)
def _round(bed: Bed, rate: int, clips: tuple[Speech, ...]) -> Samples:
    return round_at(_bed(bed, clips), rate)


def _bed(bed: Bed, clips: tuple[Speech, ...]) -> Samples:
    sounds = [to_float(clip.pcm) for clip in clips]
    spoken_at = clips[0].rate if clips else 0
    match bed:
        case Bed.PINK:
            return beds.pink()
        case Bed.HUM:
            return beds.hum()
        case Bed.KEYBOARD:
            return beds.keyboard()
        case Bed.BABBLE:
            return beds.babble(sounds, spoken_at)
        case Bed.CAFE:
            return beds.cafe(sounds, spoken_at)


def _second_speaker(clips: tuple[Speech, ...], rate: int, snr_db: float) -> Loop:
    speech = beds.dialogue([to_float(clip.pcm) for clip in clips], clips[0].rate)
    pcm = resample(to_pcm16(speech), beds.BED_RATE, rate)
    return speech_loop(to_float(pcm), rate, snr_db)


def _recorded(recording: Speech, rate: int, snr_db: float) -> Loop:
    samples = to_float(resample(recording.pcm, recording.rate, rate))
    return noise_loop(round_of(samples, rate), rate, snr_db)
