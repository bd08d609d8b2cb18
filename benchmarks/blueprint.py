"""Speed of the acoustic blueprint: an hour of a call, both sides, one record for every turn."""

from __future__ import annotations

import os
import random
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from recordings.format import EndpointInfo, EpisodeInfo, Fault, Outcome, Side, Turn
from recordings.reader import Episode
from scoring.blueprint.episodes import Studio, episode_blueprints
from scoring.blueprint.measure import Instruments
from streams.audio import Pcm, to_pcm
from streams.clock import run
from streams.resample import resample
from streams.speech.dnsmos import Dnsmos
from streams.speech.piper import PiperSpeaker

USER_RATE, ENDPOINT_RATE = 16000, 24000

TEXTS = (
    "Could you tell me what the difference between a gene and a protein is, and why it matters to me?",
    "A gene is a stretch of DNA that holds instructions. A protein is what a cell makes by following them. "
    "So the gene is the recipe, and the protein is the dish.",
    "My order number is four seven two nine, and it has not arrived.",
    "I am sorry to hear that. I can see that your parcel left the warehouse on Monday; it should be with "
    "you by Thursday at the latest. Would you like me to send you a message when it is out for delivery?",
)


def hour(seconds: float = 3600.0) -> dict[str, Any]:
    """A call in which a user speaks for 2 to 6 s, an endpoint for 4 to 16 s, with gaps of 0.5 to 1.5 s."""
    with tempfile.TemporaryDirectory(prefix="viva-blueprint-") as folder:
        spoken = _write(Path(folder) / "call", seconds)
        episode = Episode.load(Path(folder) / "call")
        started, used = time.perf_counter(), time.process_time()
        made = run(episode_blueprints(episode, Studio(Instruments(Dnsmos()))))
        taken, used = time.perf_counter() - started, time.process_time() - used
    return {
        "call_s": seconds,
        "turns": len(made.turns),
        "speech_s": round(spoken),
        "seconds": round(taken, 1),
        "processor_seconds": round(used, 1),
        "times_real_time": round(seconds / taken, 1),
        "cores": os.cpu_count(),
    }


def _write(folder: Path, seconds: float) -> float:
    """An episode of turns cut out of spoken text, each at its own level; returns the seconds of speech."""
    draw = random.Random(0)
    speech = {rate: _speech(rate) for rate in (USER_RATE, ENDPOINT_RATE)}
    tracks = {rate: np.zeros(round(seconds * rate), np.int16) for rate in speech}
    turns: list[Turn] = []
    at = 0.5
    while True:
        side = Side.ENDPOINT if len(turns) % 2 else Side.USER
        rate = USER_RATE if side is Side.USER else ENDPOINT_RATE
        length = draw.uniform(2, 6) if side is Side.USER else draw.uniform(4, 16)
        if at + length > seconds:
            break
        start, size = round(at * rate), round(length * rate)
        first = draw.randrange(speech[rate].size - size)
        tracks[rate][start : start + size] = speech[rate][first : first + size] * draw.uniform(0.3, 1.0)
        turns.append(Turn(index=len(turns), side=side, start=start, end=start + size, rate=rate))
        at += length + draw.uniform(0.5, 1.5)
    _save(folder, turns, tracks, seconds)
    return sum(turn.end_s - turn.start_s for turn in turns)


def _speech(rate: int) -> Pcm:
    async def speak() -> bytes:
        voice = PiperSpeaker()
        clips = [await voice.speak(text) for text in TEXTS]
        return b"".join(resample(clip.pcm, clip.rate, rate) for clip in clips)

    return to_pcm(run(speak()))


def _save(folder: Path, turns: list[Turn], tracks: dict[int, Pcm], seconds: float) -> None:
    folder.mkdir(parents=True)
    info = EpisodeInfo(
        id="call",
        scenario={"id": "hour", "language": "en"},
        scenario_sha256="0" * 64,
        endpoint=EndpointInfo(address="fake://", protocol="fake"),
        seed=0,
        clock="simulated",
        started_at_utc="2026-01-01T00:00:00+00:00",
        user_rate=USER_RATE,
        endpoint_rate=ENDPOINT_RATE,
        duration_s=seconds,
        outcome=Outcome.COMPLETED,
        fault=Fault.NOBODY,
    )
    (folder / "episode.json").write_text(info.model_dump_json(), encoding="utf-8")
    (folder / "turns.jsonl").write_text("".join(turn.model_dump_json() + "\n" for turn in turns))
    for name, rate in (("user", USER_RATE), ("endpoint", ENDPOINT_RATE)):
        soundfile.write(folder / f"{name}.wav", tracks[rate], rate, subtype="PCM_16")
