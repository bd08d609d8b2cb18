"""Who speaks, and how: named voices and styles, their parameters and limits.

Both are manners: changes to the voice that the machine has. A user has one voice and, line by line, a
style; what is heard is the two together. A spec is a name, parameters, or both:

    calm
    calm; rate=0.8; pitch=-2
    pitch=3; formants=1.1

A parameter that is written takes the place of the named manner's. Sounds are made elsewhere.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType


class MannerError(ValueError):
    """A voice or style that is not known, or is outside the limits.

    Attributes:
        found: What is written.
        expected: What could be.
        hint: The nearest name, or "".
    """

    def __init__(self, found: str, expected: str, hint: str = "") -> None:
        self.found = found
        self.expected = expected
        self.hint = hint
        super().__init__(found, expected, hint)

    def __str__(self) -> str:
        return f"found {self.found}, expected {self.expected}" + (f"; {self.hint}" if self.hint else "")


LIMITS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "pitch": (-12.0, 24.0),
        "formants": (0.7, 1.5),
        "rate": (0.5, 2.0),
        "range": (0.0, 2.5),
        "loudness": (-20.0, 8.0),
        "tilt": (-6.0, 6.0),
        "breath": (0.0, 1.0),
        "tremor": (0.0, 2.0),
        "tremor_hz": (2.0, 12.0),
        "pauses": (1.0, 5.0),
    }
)
"""Smallest and largest value of each parameter: beyond them WORLD's speech is no longer like speech."""


@dataclass(frozen=True, slots=True)
class Manner:
    """A change of a voice; the default changes nothing.

    Attributes:
        pitch: Semitones up; the whole melody moves.
        formants: Scale of the resonances' frequencies: above 1 a smaller speaker, below 1 a larger.
        rate: Speed; 2 takes half as long.
        range: Factor on the melody's distance from its median, in semitones; 0 is monotone.
        loudness: dB of active speech level.
        tilt: dB per octave of the spectrum: above 0 a pressed voice, below 0 a soft one.
        breath: Share of the voice that is breath; at 1 nothing is voiced: a whisper.
        tremor: Depth of the voice's tremble in semitones, up and down.
        tremor_hz: Trembles per second.
        pauses: Factor on the length of the pauses inside a line.

    Raises:
        MannerError: A value is outside `LIMITS`.
    """

    pitch: float = 0.0
    formants: float = 1.0
    rate: float = 1.0
    range: float = 1.0
    loudness: float = 0.0
    tilt: float = 0.0
    breath: float = 0.0
    tremor: float = 0.0
    tremor_hz: float = 5.5
    pauses: float = 1.0

    def __post_init__(self) -> None:
        for name, (low, high) in LIMITS.items():
            value = getattr(self, name)
            if not low <= value <= high:  # NaN is outside, too
                raise MannerError(f"{name} {value:g}", f"{low:g} to {high:g}")

    @property
    def resynthesises(self) -> bool:
        """Whether the voice itself changes; loudness alone is a gain."""
        return replace(self, loudness=0.0) != Manner()

    def __add__(self, other: Manner) -> Manner:
        """Both changes, one after the other.

        Raises:
            MannerError: Together they are outside `LIMITS`.
        """
        trembling = max(self, other, key=lambda manner: manner.tremor)
        return Manner(
            pitch=self.pitch + other.pitch,
            formants=round(self.formants * other.formants, 6),
            rate=round(self.rate * other.rate, 6),
            range=round(self.range * other.range, 6),
            loudness=self.loudness + other.loudness,
            tilt=self.tilt + other.tilt,
            breath=round(1 - (1 - self.breath) * (1 - other.breath), 6),
            tremor=trembling.tremor,
            tremor_hz=trembling.tremor_hz,
            pauses=round(self.pauses * other.pauses, 6),
        )

    def __str__(self) -> str:
        """Its parameters as a spec; "" if it changes nothing."""
        values = ((field.name, getattr(self, field.name), field.default) for field in fields(self))
        return "; ".join(f"{name}={value:g}" for name, value, default in values if value != default)


VOICES: Mapping[str, Manner] = MappingProxyType(
    {
        "anna": Manner(pitch=10, formants=1.16),
        "ben": Manner(pitch=3, formants=1.05),
        "carla": Manner(pitch=7, formants=1.11, breath=0.15),
        "david": Manner(pitch=-2, formants=0.93),
        "elena": Manner(pitch=12.5, formants=1.2, rate=1.05),
        "frank": Manner(pitch=1, formants=0.88, range=0.8, rate=0.95),
        "grace": Manner(pitch=8.5, formants=1.06, range=0.85, rate=0.95),
        "henry": Manner(pitch=5, formants=0.97, range=1.2),
        "iris": Manner(pitch=14, formants=1.24),
        "jonas": Manner(pitch=-0.5, formants=1.1, range=1.15, rate=1.05),
    }
)
"""Users: what makes each of them out of the machine's voice."""

STYLES: Mapping[str, Manner] = MappingProxyType(
    {
        "neutral": Manner(),
        "angry": Manner(pitch=2, range=1.5, rate=1.1, loudness=6, tilt=1.5),
        "calm": Manner(pitch=-0.5, range=0.75, rate=0.88, loudness=-2, tilt=-0.5),
        "cheerful": Manner(pitch=2.5, range=1.5, rate=1.05, loudness=2, tilt=0.5, formants=1.03),
        "child": Manner(pitch=8, formants=1.2, range=1.15, rate=0.95),
        "elderly": Manner(pitch=1.5, formants=0.97, rate=0.82, tremor=0.5, breath=0.25, loudness=-1),
        "excited": Manner(pitch=4, range=1.8, rate=1.18, loudness=4, tilt=1),
        "firm": Manner(pitch=-1, range=0.7, rate=0.95, loudness=4, tilt=1),
        "hesitant": Manner(rate=0.85, pauses=2.5, range=0.85, loudness=-3),
        "hurried": Manner(pitch=0.5, rate=1.4, loudness=1),
        "nervous": Manner(pitch=2, rate=1.15, tremor=0.35, tremor_hz=8, breath=0.15),
        "sad": Manner(pitch=-1.5, range=0.55, rate=0.85, loudness=-5, tilt=-1.5, breath=0.15),
        "tired": Manner(pitch=-2, range=0.5, rate=0.78, loudness=-4, tilt=-1),
        "whispering": Manner(breath=1, rate=0.95, loudness=-10, tilt=2),
    }
)
"""Manners of speaking."""


def voice(spec: str) -> Manner:
    """The manner of a voice's spec; "" is the machine's own voice.

    Raises:
        MannerError: The name or a parameter is not known, or a value is outside `LIMITS`.
    """
    return _read(spec, "voice", VOICES)


def style(spec: str) -> Manner:
    """The manner of a style's spec; "" is neutral.

    Raises:
        MannerError: The name or a parameter is not known, or a value is outside `LIMITS`.
    """
    return _read(spec, "style", STYLES)


def _read(spec: str, kind: str, known: Mapping[str, Manner]) -> Manner:
    parts = [part.strip() for part in spec.split(";")]
    named = parts.pop(0) if "=" not in parts[0] else ""
    if named and named not in known:
        raise MannerError(f"the {kind} {named!r}", f"one of {', '.join(known)}", _nearest(named, known))
    values: dict[str, float] = {}
    for part in parts:
        name, equals, text = (piece.strip() for piece in part.partition("="))
        if not equals or name not in LIMITS or name in values:
            expected = f"each once, as NAME=NUMBER: {', '.join(LIMITS)}"
            raise MannerError(f"{part!r} in the {kind} {spec!r}", expected, _nearest(name, LIMITS))
        values[name] = _number(name, text)
    return replace(known.get(named, Manner()), **values)


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        low, high = LIMITS[name]
        raise MannerError(f"{name} {text!r}", f"a number from {low:g} to {high:g}")
    return value


def _nearest(word: str, known: Mapping[str, object]) -> str:
    close = difflib.get_close_matches(word, known, n=1)
    return f"did you mean `{close[0]}`?" if close and close[0] != word else ""
