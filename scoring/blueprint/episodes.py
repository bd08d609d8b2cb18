"""Blueprints of an episode: one for every turn, of both sides, written to `scores/blueprint.json`.

The user is measured on `user.wav`, which went over the wire, not on the clean track: a judge of the reply
must know the voice as the endpoint could hear it. The endpoint is measured on `endpoint.wav`, as heard.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np

from recordings.format import Side, Turn
from recordings.reader import Episode, Track, read_made, track_path, write_scores
from scoring.blueprint.measure import Instruments, blueprint_of, speech_samples
from scoring.blueprint.record import BLUEPRINT_VERSION, Blueprint, Cause, Part
from streams.audio import Samples, to_float
from streams.speech.dnsmos_windows import GRID, WINDOW
from streams.speech.interfaces import SPEECH_RATE, ModelIdentity, Recogniser, SpeechError, Transcript

FILE = "blueprint"
"""Name of the file in an episode's `scores/`."""

TRACKS: dict[Side, Track] = {Side.USER: "user", Side.ENDPOINT: "endpoint"}
"""Which track a side is measured on."""

Progress = Callable[[Turn], None]


class MadeBy(Part):
    """A model that took part."""

    role: str
    family: str
    name: str
    version: str
    sha256: str = ""


class TurnBlueprint(Part):
    """A turn of the call and its blueprint.

    Attributes:
        index: Of the turn in the call, both sides counted together.
        track: The audio file.
        start_s: Where the turn begins in it; the stretch that was measured begins there.
        end_s: Where the turn ends; the stretch goes on for up to 40 ms.
    """

    index: int
    side: Side
    track: str
    start_s: float
    end_s: float
    blueprint: Blueprint


class EpisodeBlueprints(Part):
    """`scores/blueprint.json`."""

    schema_version: Literal[1] = 1
    set: Literal["blueprint"] = "blueprint"
    episode: str
    version: int = BLUEPRINT_VERSION
    models: tuple[MadeBy, ...]
    turns: tuple[TurnBlueprint, ...]

    @property
    def spans(self) -> list[tuple[int, Side, float, float]]:
        """Which turns these are, and where they lie."""
        return [(turn.index, turn.side, turn.start_s, turn.end_s) for turn in self.turns]

    def of(self, index: int) -> Blueprint | None:
        """The blueprint of a turn."""
        return next((turn.blueprint for turn in self.turns if turn.index == index), None)


@dataclass(frozen=True, slots=True)
class Studio:
    """All that blueprints of episodes are made with.

    Attributes:
        recogniser: Writes down what is said; None leaves transcripts unscored.
    """

    instruments: Instruments
    recogniser: Recogniser | None = None

    @property
    def models(self) -> tuple[MadeBy, ...]:
        """Which models these are."""
        tools = self.instruments
        quality: Sequence[ModelIdentity] = getattr(tools.quality, "identities", ())
        named = [("quality", identity) for identity in quality]
        for role, model in (
            ("affect", tools.affect),
            ("accent", tools.accent),
            ("recogniser", self.recogniser),
        ):
            if model is not None:
                named.append((role, model.identity))
        return tuple(
            MadeBy(role=role, family=i.family, name=i.name, version=i.version, sha256=i.sha256)
            for role, i in named
        )


def stored_blueprints(episode: Episode) -> EpisodeBlueprints | None:
    """The blueprints written beside an episode, if they are of it and of today's version.

    Raises:
        RecordingError: The file is no JSON.
    """
    found = read_made(episode.path, FILE, EpisodeBlueprints)
    if found is None or (found.episode, found.version) != (episode.info.id, BLUEPRINT_VERSION):
        return None
    return found


async def episode_blueprints(
    episode: Episode, studio: Studio, *, progress: Progress | None = None
) -> EpisodeBlueprints:
    """Make the blueprint of every turn of an episode and write them beside it.

    What the same models have made of the same turns before is taken from there.

    Args:
        episode: The recording.
        studio: The models.
        progress: Told of each turn that is done.

    Raises:
        RecordingError: A track cannot be read, or the blueprints cannot be written.
        SpeechError: A model failed.
    """
    stored = stored_blueprints(episode)
    spans = [(turn.index, turn.side, turn.start_s, turn.end_s) for turn in episode.turns]
    if stored is not None and (stored.models, stored.spans) == (studio.models, spans):
        return stored
    for track in set(TRACKS.values()):
        episode.track(track)  # read here, once, and not in several threads
    with ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="viva-blueprint") as pool:
        turns = await asyncio.gather(
            *(_turn(episode, turn, studio, pool, progress) for turn in episode.turns)
        )
    made = EpisodeBlueprints(episode=episode.info.id, models=studio.models, turns=tuple(turns))
    write_scores(episode.path, FILE, made)
    return made


async def _turn(
    episode: Episode, turn: Turn, studio: Studio, pool: ThreadPoolExecutor, progress: Progress | None
) -> TurnBlueprint:
    pcm, rate = episode.track(TRACKS[turn.side])
    start, end = on_grid(turn.start, turn.end, rate, pcm.size)
    language = str(episode.scenario.get("language", "en"))
    blueprint = await make_blueprint(to_float(pcm[start:end]), rate, studio, language=language, pool=pool)
    if progress is not None:
        progress(turn)
    return TurnBlueprint(
        index=turn.index,
        side=turn.side,
        track=track_path(episode.path, TRACKS[turn.side]).name,
        start_s=turn.start_s,
        end_s=turn.end_s,
        blueprint=blueprint,
    )


async def make_blueprint(
    samples: Samples,
    rate: int,
    studio: Studio,
    *,
    language: str = "en",
    pool: ThreadPoolExecutor | None = None,
) -> Blueprint:
    """Write down what is said, and make the blueprint in a thread; see `blueprint_of`.

    Args:
        samples: Mono float32, full scale 1.
        rate: Samples per second.
        studio: The models. A recogniser that fails leaves the transcript unscored.
        language: What is spoken ("en", "en-GB").
        pool: Threads to work in; the loop's own if None.

    Raises:
        SpeechError: The samples are of a kind that is refused, or the quality model failed.
    """
    transcript, cause = None, Cause.NO_RECOGNISER
    if studio.recogniser is not None and samples.size and np.isfinite(samples).all():
        transcript, cause = await _heard(studio.recogniser, samples, rate, language.partition("-")[0])
    return await asyncio.get_running_loop().run_in_executor(
        pool,
        lambda: blueprint_of(
            samples, rate, transcript, instruments=studio.instruments, no_transcript=cause
        ),
    )


async def _heard(
    recogniser: Recogniser, samples: Samples, rate: int, language: str
) -> tuple[Transcript | None, Cause]:
    try:
        heard = await recogniser.transcribe(speech_samples(samples, rate), language=language)
    except SpeechError:
        return None, Cause.RECOGNISER_FAILED
    return heard, Cause.NO_RECOGNISER


def on_grid(start: int, end: int, rate: int, length: int) -> tuple[int, int]:
    """A stretch whose end is moved out by less than 40 ms, to where quality is measured fastest.

    Windows of a stretch share their work if all of them begin on one grid. A stretch that reaches the end
    of its track stays as it is.

    Args:
        start: First sample.
        end: One past the last.
        rate: Samples per second.
        length: Samples of the track.
    """
    start, end = max(0, start), min(end, length)
    if end <= start:
        return start, start
    ticks = (end - start) * SPEECH_RATE  # in samples at 16 kHz, times the rate: no division rounds
    window = WINDOW * rate if ticks > (WINDOW // GRID * GRID) * rate else 0
    steps = max(0, -(-(ticks - window) // (GRID * rate)))
    wanted, rest = divmod(window + steps * GRID * rate, SPEECH_RATE)
    return (start, start + wanted) if not rest and start + wanted <= length else (start, end)
