"""Is the sound of the declared rate? Told from the pace of words, the pitch, and the delivery. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scoring.blueprint.pitch import track_pitch
from scoring.blueprint.sound import hear
from scoring.probe.pace import Delivered
from scoring.text.wer import is_written_with_spaces
from streams.audio import Pcm, to_float
from streams.resample import resample
from streams.speech.interfaces import SPEECH_RATE

RATES = (8000, 16000, 22050, 24000, 32000, 44100, 48000)
"""What the sound may be in truth."""

LETTERS_PER_S = 17.0
"""Characters of text in a second of audible speech, as voices of today speak languages with an alphabet."""

TOO_FAST, TOO_SLOW = 31.0, 12.5
"""Characters a second. Five sentences of our voice have 17 to 23; slowed to 0.78 (`tired`) at least 13.5,
hurried by 1.4 at most 29; played at half the rate at most 12.4, at twice the rate at least 32."""

FAST_AND_HIGH = 24.0, 280.0
"""Characters a second and Hz of median pitch: fast speech, by a voice that is higher than most."""

SHORTEST_S = 1.0
"""Less speech tells nothing."""

NEAR = 0.25
"""Rates that bring the characters a second so near to the usual, in natural logarithm, are named."""

DELIVERED_OFF = 0.1
"""Delivery at 1x is off by less; with a wrong rate it is off by the ratio of the two."""

SAME_RATIO = 0.04

FASTEST = 3.1
"""What comes still faster is sent at once, not paced by a clock of another rate (48 kHz as 16 kHz)."""


@dataclass(frozen=True, slots=True)
class Speaking:
    """How a reply sounds.

    Attributes:
        letters_per_s: Characters of its text in a second of audible sound; None without a text.
        pitch_hz: Median fundamental frequency; None if nothing in it has a pitch.
    """

    seconds: float
    letters_per_s: float | None
    pitch_hz: float | None


def speaking(pcm: Pcm, rate: int, text: str) -> Speaking:
    """Measure a reply: its samples as heard, and its words."""
    samples = to_float(resample(pcm.tobytes(), rate, SPEECH_RATE))
    seconds = hear(samples, SPEECH_RATE).speaking_s
    pitch = track_pitch(samples)
    voiced = pitch.hertz[pitch.voiced]
    known = bool(text) and is_written_with_spaces(text) and seconds > 0
    return Speaking(
        seconds,
        len(text) / seconds if known else None,
        float(np.median(voiced)) if voiced.size else None,
    )


def wrong_rate(declared: int, sound: Speaking, way: Delivered) -> str:
    """A sentence if the declared rate does not fit the sound; "" if it does, or if nothing tells."""
    return _by_delivery(declared, way) or _by_voice(declared, sound)


def _by_delivery(declared: int, way: Delivered) -> str:
    speed = way.speed
    if speed is None or abs(speed - 1) <= DELIVERED_OFF:
        return ""
    found = f"its sound comes at {speed:.2f} of real time"
    near = [rate for rate in RATES if rate != declared and abs(declared * speed / rate - 1) < SAME_RATIO]
    if near and way.steady and speed <= FASTEST:
        return f"{found}: declared are {declared} Hz, and it may be {near[0]} Hz"
    return f"{found}: it falls behind, and is heard with holes" if speed < 1 else ""


def _by_voice(declared: int, sound: Speaking) -> str:
    letters, pitch = sound.letters_per_s, sound.pitch_hz
    if letters is None or sound.seconds < SHORTEST_S:
        return ""
    high = letters > FAST_AND_HIGH[0] and pitch is not None and pitch > FAST_AND_HIGH[1]
    if TOO_SLOW <= letters <= TOO_FAST and not high:
        return ""
    off = {rate: _off(declared, rate, letters) for rate in RATES if rate != declared}
    likely = [rate for rate in sorted(off, key=off.__getitem__) if off[rate] < NEAR] or [
        min(off, key=off.__getitem__)
    ]
    of_pitch = f" at a pitch of {pitch:.0f} Hz" if pitch is not None else ""
    return (
        f"it speaks too {'slowly' if letters < TOO_SLOW else 'fast'} for its declared {declared} Hz: "
        f"{letters:.0f} characters a second{of_pitch}; it may be {' or '.join(map(str, likely))} Hz"
    )


def _off(declared: int, rate: int, letters: float) -> float:
    return abs(float(np.log(letters * rate / declared / LETTERS_PER_S)))
