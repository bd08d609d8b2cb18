"""A blueprint as text for a judge: in full, or compact at less than half the tokens.

Both are made from one table, so that no field can be in one and not in the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scoring.blueprint.record import GROUPS, Blueprint, Cause

COMPACT_POINTS = 10
"""Points of a contour in the compact form: the means of neighbours."""

COMPACT_LABELS = 3
"""Labels of a classifier in the compact form: the likeliest."""


@dataclass(frozen=True, slots=True)
class Field:
    """A number a judge is told.

    Attributes:
        place: Where it is in the record.
        name: What it is called in full.
        unit: Its unit, in full.
        short: What it is called in the compact form.
        digits: After the point, in full; the compact form has one less.
        factor: What it is multiplied with (100 for per cent).
    """

    place: str
    name: str
    unit: str
    short: str
    digits: int = 2
    factor: float = 1.0


FIELDS: tuple[Field, ...] = (
    Field("quality.plain.signal", "Signal quality, P.835", "of 5", "MOS sig", 3),
    Field("quality.plain.background", "Background quality, P.835", "of 5", "bak", 3),
    Field("quality.plain.overall", "Overall quality, P.835", "of 5", "ovr", 3),
    Field("quality.personal.signal", "Signal quality, personalised P.835", "of 5", "personal sig", 3),
    Field("quality.personal.background", "Background quality, personalised P.835", "of 5", "bak", 3),
    Field("quality.personal.overall", "Overall quality, personalised P.835", "of 5", "ovr", 3),
    Field("quality.p808", "Overall quality, P.808", "of 5", "p808", 3),
    Field("pitch.mean_hz", "Mean pitch", "Hz", "f0 Hz", 1),
    Field("pitch.sd_hz", "Standard deviation of pitch", "Hz", "sd", 1),
    Field("pitch.range_semitones", "Pitch range (5th to 95th percentile)", "semitones", "range st"),
    Field("pitch.voiced_share", "Voiced share of time", "%", "voiced %", 1, 100),
    Field("loudness.integrated_lufs", "Integrated loudness", "LUFS", "LUFS", 1),
    Field("loudness.sd_lu", "Standard deviation of loudness", "LU", "sd"),
    Field("pace.speech_wpm", "Speech rate", "words per minute", "wpm", 1),
    Field("pace.articulation_wpm", "Articulation rate, pauses left out", "words per minute", "artic", 1),
    Field("pace.pause_count", "Pauses of 0.2 s and more", "", "pauses", 0),
    Field("pace.pause_total_s", "Pauses, total", "s", "total s"),
    Field("pace.pause_longest_s", "Longest pause", "s", "longest"),
    Field("voice.hnr_db", "Harmonics-to-noise ratio", "dB", "HNR", 1),
    Field("voice.jitter", "Jitter (local)", "%", "jitter %", 2, 100),
    Field("voice.shimmer", "Shimmer (local)", "%", "shimmer %", 2, 100),
    Field("voice.tilt_db_per_octave", "Spectral tilt", "dB per octave", "tilt"),
    Field("signal.snr_db", "Signal-to-noise ratio, estimated", "dB", "SNR", 1),
    Field("signal.noise_floor_dbfs", "Noise floor", "dBFS", "floor", 1),
    Field("signal.clipped_share", "Samples at full scale", "%", "clipped %", 2, 100),
    Field("signal.dropouts", "Drop-outs", "", "dropouts", 0),
)
"""The numbers a judge is told. Contours, words and labels follow them."""

CONTOURS = (
    ("pitch.contour_hz", "Pitch contour", "Hz", "f0 contour", 1.0),
    ("loudness.contour_lufs", "Loudness contour", "LUFS", "loudness contour, below 0 LUFS", -1.0),
)

_HEADINGS = {
    "quality": "Quality as listeners would rate it (DNSMOS; 1 bad, 5 excellent; clean speech about 3.4)",
    "pitch": "Pitch",
    "loudness": "Loudness (BS.1770)",
    "pace": "Pace",
    "voice": "Voice",
    "signal": "Signal",
    "transcript": "Words",
    "affect": "Affect",
    "accent": "Accent",
}

_SOURCES = {
    "words": "from the times of the words",
    "text": "words from a transcript, speaking time from the energy",
    "energy": "estimated from the energy, without a transcript",
}


def full_text(blueprint: Blueprint) -> str:
    """Everything a judge may want, one value a line, with units and what a scale means."""
    lines = [f"Length: {blueprint.seconds:.2f} s"]
    for group in GROUPS:
        if blueprint.unscored.get(group) is Cause.WITHHELD:
            continue
        lines.append(f"{_HEADINGS[group]}:")
        if getattr(blueprint, group) is None:
            lines.append(f"  not measured ({_said(blueprint.unscored[group])})")
        else:
            lines += [f"  {line}" for line in _full_lines(blueprint, group)]
    return "\n".join(lines) + "\n"


def compact_text(blueprint: Blueprint) -> str:
    """The same fields in few tokens: short names, fewer digits, contours of 10 points, no word times."""
    there = [group for group in GROUPS if getattr(blueprint, group) is not None]
    parts = [
        f"{blueprint.seconds:.2f} s",
        *(", ".join(_compact_parts(blueprint, group)) for group in there),
    ]
    causes: dict[Cause, list[str]] = {}
    for place, cause in blueprint.unscored.items():
        if _told(place) and cause is not Cause.WITHHELD:
            causes.setdefault(cause, []).append(_short(place))
    parts += [f"unscored, {_said(cause)}: {' '.join(names)}" for cause, names in causes.items()]
    return "\n".join(part for part in parts if part) + "\n"


def _full_lines(blueprint: Blueprint, group: str) -> Iterator[str]:
    for field in FIELDS:
        if field.place.startswith(f"{group}."):
            yield f"{field.name}: {_value(blueprint, field, field.digits)}{_unit(blueprint, field)}"
    for place, name, unit, _, _ in CONTOURS:
        if place.startswith(f"{group}."):
            points = _at(blueprint, place)
            told = _cause(blueprint, place) if points is None else f"{_numbers(points, 1)} {unit}"
            yield f"{name}, first to last: {told}"
    if group == "quality" and blueprint.quality is not None and blueprint.quality.too_short:
        yield "The stretch is shorter than 1 s: these scores are not reliable."
    if group == "quality" and blueprint.quality is not None and blueprint.quality.out_of_range:
        yield f"Outside 1 to 5, on no scale: {', '.join(blueprint.quality.out_of_range)}"
    if group == "pace" and blueprint.pace is not None:
        yield f"Source: {_SOURCES[blueprint.pace.source]}"
        if blueprint.pace.pauses:
            spans = (f"{pause.start_s:.2f}-{pause.end_s:.2f}" for pause in blueprint.pace.pauses)
            yield f"Pauses at: {', '.join(spans)} s"
    yield from _words_and_labels(blueprint, group)


def _words_and_labels(blueprint: Blueprint, group: str) -> Iterator[str]:
    if group == "transcript" and blueprint.transcript is not None:
        yield blueprint.transcript.text
        words = blueprint.transcript.words or ()
        if words:
            times = (f"{word.text} {word.start_s:.2f}-{word.end_s:.2f}" for word in words)
            yield f"Times in s: {', '.join(times)}"
    if group in ("affect", "accent") and getattr(blueprint, group) is not None:
        for label, score in getattr(blueprint, group).scores.items():
            yield f"{label}: {score:.3f}"


def _compact_parts(blueprint: Blueprint, group: str) -> Iterator[str]:
    for field in FIELDS:
        if field.place.startswith(f"{group}.") and _at(blueprint, field.place) is not None:
            yield f"{field.short} {_value(blueprint, field, max(0, field.digits - 1))}"
    for place, _, _, short, sign in CONTOURS:
        if place.startswith(f"{group}.") and (points := _at(blueprint, place)) is not None:
            step = len(points) // COMPACT_POINTS
            means = [sign * sum(points[at : at + step]) / step for at in range(0, len(points), step)]
            yield f"{short} {_numbers(means, 0)}"
    if group == "quality" and blueprint.quality is not None and blueprint.quality.too_short:
        yield "MOS unreliable (under 1 s)"
    if group == "quality" and blueprint.quality is not None and blueprint.quality.out_of_range:
        yield f"off scale: {' '.join(blueprint.quality.out_of_range)}"
    if group == "pace" and blueprint.pace is not None and blueprint.pace.source == "energy":
        yield "estimated"
    if group == "transcript" and blueprint.transcript is not None:
        yield f'"{blueprint.transcript.text}"'
    if group in ("affect", "accent") and (labels := getattr(blueprint, group)) is not None:
        likely = sorted(labels.scores.items(), key=lambda item: -item[1])[:COMPACT_LABELS]
        yield f"{group} {', '.join(f'{label} {score:.2f}' for label, score in likely)}"


def _value(blueprint: Blueprint, field: Field, digits: int) -> str:
    value = _at(blueprint, field.place)
    if value is None:
        return _cause(blueprint, field.place)
    return f"{value * field.factor:.{digits}f}"


def _unit(blueprint: Blueprint, field: Field) -> str:
    return f" {field.unit}" if field.unit and _at(blueprint, field.place) is not None else ""


def _cause(blueprint: Blueprint, place: str) -> str:
    return f"not measured ({_said(blueprint.unscored[place])})"


def _said(cause: Cause) -> str:
    return cause.value.replace("_", " ")


def _told(place: str) -> bool:
    known = {field.place for field in FIELDS} | {contour[0] for contour in CONTOURS}
    return place in GROUPS or place in known


def _short(place: str) -> str:
    """What a missing value is called in the compact form."""
    group, _, name = place.partition(".")
    return name.partition("_")[0] if name else group


def _at(blueprint: Blueprint, place: str) -> Any:
    value: Any = blueprint
    for name in place.split("."):
        value = getattr(value, name)
    return value


def _numbers(values: Sequence[float], digits: int) -> str:
    return " ".join(f"{value:.{digits}f}" for value in values)
