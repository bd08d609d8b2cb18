"""Pitch and loudness of every turn: of the blueprint beside the episode, or else measured for the page.

A blueprint's contours have 20 points a turn, and are what judges are told. Those that are measured here are
made in the same way, and keep every frame.
"""

from __future__ import annotations

import math

import numpy as np

from recordings.errors import RecordingError
from recordings.format import Turn
from recordings.reader import Episode
from recordings.wav import let_go
from scoring.blueprint.episodes import TRACKS, TurnBlueprint, stored_blueprints
from scoring.blueprint.loudness import BLOCK_S, STEPS_PER_S, measure_loudness
from scoring.blueprint.measure import speech_samples
from scoring.blueprint.pitch import HOP, track_pitch
from scoring.blueprint.record import Cause
from scoring.episode_view.model import Curve, CurvesState, ShownCurves, TurnCurves
from streams.audio import Samples, to_float
from streams.speech.interfaces import SPEECH_RATE

_CAUSES = {"pitch": ("pitch.contour_hz", "pitch"), "loudness": ("loudness",)}
"""Where a blueprint says why a contour is missing."""


def curves_state(episode: Episode) -> CurvesState:
    """Whether an episode has curves: every turn has."""
    return CurvesState(available=bool(episode.turns), cause="" if episode.turns else "no_turns")


def shown_curves(episode: Episode) -> ShownCurves:
    """The curves of an episode. Measuring takes about a hundredth of the time that is spoken.

    Raises:
        RecordingError: The turns or a track cannot be read.
    """
    rate = math.lcm(episode.info.user_rate, episode.info.endpoint_rate)
    try:
        found = stored_blueprints(episode)
    except RecordingError:
        found = None  # that the file is spoiled is told beside the call
    if found is not None:
        stored = tuple(_stored(turn, rate) for turn in found.turns)
        return ShownCurves(rate=rate, by="blueprint", turns=stored)
    return ShownCurves(rate=rate, turns=tuple(_measured(episode, turn, rate) for turn in episode.turns))


def _measured(episode: Episode, turn: Turn, rate: int) -> TurnCurves:
    pcm, own_rate = episode.track(TRACKS[turn.side])
    samples = to_float(pcm[turn.start : turn.end])
    let_go(pcm)
    start = turn.start * (rate // turn.rate)
    pitch, loudness = _pitch(samples, own_rate, start, rate), _loudness(samples, own_rate, start, rate)
    missing = {
        **({} if pitch else {"pitch": Cause.UNVOICED.value}),
        **({} if loudness else {"loudness": Cause.TOO_SHORT.value}),
    }
    return TurnCurves(
        recorded=turn.index,
        side=turn.side,
        start=start,
        end=turn.end * (rate // turn.rate),
        pitch=pitch,
        loudness=loudness,
        unscored=missing,
    )


def _pitch(samples: Samples, own_rate: int, start: int, rate: int) -> Curve | None:
    hertz = track_pitch(speech_samples(samples, own_rate)).hertz
    if not hertz.any():
        return None
    points = tuple(round(value, 1) if value else None for value in hertz.tolist())
    return Curve(start=start, end=start + (len(points) - 1) * HOP * rate // SPEECH_RATE, points=points)


def _loudness(samples: Samples, own_rate: int, start: int, rate: int) -> Curve | None:
    found = measure_loudness(samples, own_rate)
    if found is None or not found.places.size:
        return None
    values = np.full(int(found.places[-1]) + 1, np.nan)
    values[found.places] = found.blocks
    points = tuple(None if math.isnan(value) else round(value, 2) for value in values.tolist())
    middle = start + round(BLOCK_S / 2 * rate)
    return Curve(start=middle, end=middle + (len(points) - 1) * rate // STEPS_PER_S, points=points)


def _stored(turn: TurnBlueprint, rate: int) -> TurnCurves:
    made, melody = turn.blueprint, turn.blueprint.pitch
    pitch = loudness = None
    if melody is not None and melody.contour_hz is not None and melody.contour_span_s is not None:
        pitch = _curve(turn.start_s, melody.contour_span_s, melody.contour_hz, rate)
    if made.loudness is not None:
        span = made.loudness.contour_span_s
        loudness = _curve(turn.start_s, span, made.loudness.contour_lufs, rate)
    return TurnCurves(
        recorded=turn.index,
        side=turn.side,
        start=round(turn.start_s * rate),
        end=round(turn.end_s * rate),
        pitch=pitch,
        loudness=loudness,
        unscored={
            name: next((made.unscored[place].value for place in places if place in made.unscored), "")
            for name, places in _CAUSES.items()
            if (pitch if name == "pitch" else loudness) is None
        },
    )


def _curve(begin_s: float, span_s: tuple[float, float], points: tuple[float, ...], rate: int) -> Curve:
    first, last = (round((begin_s + place) * rate) for place in span_s)
    return Curve(start=first, end=max(first, last), points=points)
