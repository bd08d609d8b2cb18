"""`viva blueprint`: what speech sounds like, of a recording or of every turn of episodes."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.output import complain, print_json
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from recordings.reader import Episode
    from scoring.blueprint.episodes import EpisodeBlueprints, Studio
    from scoring.blueprint.record import Blueprint
    from streams.audio import Samples
    from streams.speech.classifier import VoiceClassifier


@dataclass(frozen=True, slots=True)
class BlueprintRequest:
    """What `viva blueprint` was asked to do.

    Attributes:
        path: A recording, an episode, or a run.
        recogniser: "none" leaves transcripts unscored.
        affect: Id or folder of a classifier, "" for none.
        accent: The same.
        compact: The short text.
        svg: Where pictures go: a file for a recording, a folder for episodes.
        channel: Which channel of a recording, from 1; 0 takes the only one.
    """

    path: Path
    recogniser: str
    affect: str
    accent: str
    compact: bool
    svg: Path | None
    channel: int
    json: bool


def blueprint(request: BlueprintRequest) -> int:
    """Make blueprints and print them."""
    from recordings.errors import RecordingError
    from streams.speech.interfaces import EngineMisnamed, SpeechError

    try:
        studio = _studio(request)
    except EngineMisnamed as error:
        return complain(error, exits.BAD_INPUT)
    except SpeechError as error:
        return complain(error, exits.OUR_FAILURE)
    try:
        if request.path.is_dir():
            return _episodes(request, studio)
        samples, rate = _read(request.path, request.channel)
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    except SpeechError as error:
        return complain(error, exits.BAD_INPUT)
    from scoring.blueprint.episodes import make_blueprint

    try:
        made = run_loop(make_blueprint(samples, rate, studio))
        if request.svg is not None:
            _draw(made, request.svg)
    except OSError as error:
        return complain(error, exits.for_disk(error))
    except SpeechError as error:
        return complain(error, exits.OUR_FAILURE)
    if request.json:
        print_json(made.to_json())
    else:
        sys.stdout.write(_text(made, request.compact))
    return exits.PASS


def _studio(request: BlueprintRequest) -> Studio:
    from scoring.blueprint.episodes import Studio
    from scoring.blueprint.measure import Instruments
    from streams.speech.dnsmos import Dnsmos
    from streams.speech.select import recogniser

    heard = None
    if request.recogniser != "none":
        heard = recogniser(with_word_times(request.recogniser), os.environ)
    tools = Instruments(Dnsmos(), _classifier(request.affect), _classifier(request.accent))
    return Studio(tools, heard)


def _classifier(model: str) -> VoiceClassifier | None:
    from streams.speech.classifier import TransformersClassifier

    return TransformersClassifier(model) if model else None


def with_word_times(spec: str) -> str:
    """A recogniser's spec, asking Whisper for the times of words too."""
    spec = "whisper" if spec == "default" else spec
    if spec.partition(":")[0].partition("?")[0] != "whisper" or "words=" in spec:
        return spec
    return f"{spec if ':' in spec else 'whisper:base'}{'&' if '?' in spec else '?'}words=true"


def _read(path: Path, channel: int) -> tuple[Samples, int]:
    """One channel of a recording, at its own rate."""
    import soundfile

    from streams.speech.interfaces import SpeechError

    with path.open("rb") as file:
        try:
            samples, rate = soundfile.read(file, dtype="float32", always_2d=True)
        except soundfile.LibsndfileError as error:
            found = f"found {error.error_string.rstrip('.')}, expected WAV, FLAC or OGG"
            raise SpeechError(str(path), found, "Convert it, for example with ffmpeg.") from error
    channels = samples.shape[1]
    if channel > channels or (channels > 1 and not channel):
        found = f"found {channels} channels, expected 1" if not channel else f"has no channel {channel}"
        raise SpeechError(
            str(path), found, f"Name one with --channel 1 to {channels}; they are never mixed."
        )
    return samples[:, max(channel, 1) - 1], int(rate)


def _episodes(request: BlueprintRequest, studio: Studio) -> int:
    from recordings.reader import Episode, find_episodes
    from streams.speech.interfaces import SpeechError

    folders = find_episodes(request.path)
    made: list[EpisodeBlueprints] = []
    for number, folder in enumerate(folders, 1):
        episode = Episode.load(folder)
        try:
            made.append(run_loop(_episode(episode, studio, f"{number}/{len(folders)} {folder.name}")))
        except SpeechError as error:
            return complain(error, exits.OUR_FAILURE)
    if request.svg is not None:
        request.svg.mkdir(parents=True, exist_ok=True)
        for one in made:
            for turn in one.turns:
                _draw(turn.blueprint, request.svg / f"{one.episode}-{turn.index:03d}-{turn.side}.svg")
    if request.json:
        print_json({"episodes": [one.model_dump(mode="json") for one in made]})
        return exits.PASS
    for one in made:
        for turn in one.turns:
            span = f"{turn.start_s:.2f}-{turn.end_s:.2f} s"
            sys.stdout.write(f"# {one.episode}, turn {turn.index}, {turn.side}, {span}\n")
            sys.stdout.write(_text(turn.blueprint, request.compact) + "\n")
    return exits.PASS


async def _episode(episode: Episode, studio: Studio, name: str) -> EpisodeBlueprints:
    from scoring.blueprint.episodes import episode_blueprints

    total, done = len(episode.turns), 0

    def tell(_: object) -> None:
        nonlocal done
        done += 1
        sys.stderr.write(f"{name}  {done}/{total} turns\n")

    return await episode_blueprints(episode, studio, progress=tell)


def _text(made: Blueprint, compact: bool) -> str:
    from scoring.blueprint.text import compact_text, full_text

    return compact_text(made) if compact else full_text(made)


def _draw(made: Blueprint, path: Path) -> None:
    from scoring.blueprint.picture import picture

    path.write_text(picture(made) + "\n", encoding="utf-8")
