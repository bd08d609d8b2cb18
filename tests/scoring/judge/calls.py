"""Recorded calls of several systems, with chosen words and blueprints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from recordings.format import Side, UtteranceStarted
from recordings.reader import Episode, write_scores
from scoring.blueprint.episodes import FILE, EpisodeBlueprints, TurnBlueprint
from scoring.blueprint.record import Blueprint
from tests.scoring.episodes import CallMaker
from tests.scoring.judge.spoken import sounding
from tests.scoring.judging import GUIDE, SAID

ASKED = "How does it work?"
WRONG = "A protein finds the target."
MONOTONE = sounding(pitch={"range_semitones": 0.6})
NOISY = sounding(overall=2.6, background=2.8)

SYSTEMS: dict[str, tuple[str, Blueprint]] = {
    "fake://clean": (SAID, sounding()),
    "fake://noisy": (SAID, NOISY),
    "fake://monotone": (SAID, MONOTONE),
    "fake://wrong": (WRONG, sounding()),
}
"""What each says, and how it sounds; best first."""


def scenario(name: str, *asked: str) -> dict[str, Any]:
    turns = [{"text": text, "facts": [GUIDE.model_dump(mode="json")]} for text in asked or (ASKED,)]
    return {"version": 1, "id": name, "title": name, "domain": "biology", "turns": turns}


def call(
    folder: Path,
    endpoint: str,
    words: str,
    blueprint: Blueprint | None,
    asked: tuple[str, ...] = (ASKED,),
    *,
    fusion: str = "content-first@1",
) -> Path:
    """An episode in which each question has this reply; `folder` is named after the scenario."""
    maker = CallMaker()
    for number, text in enumerate(asked):
        at = 1.0 + 6 * number
        maker.user(at, at + 1, text)
        event = next(e for e in reversed(maker.events) if isinstance(e, UtteranceStarted))
        maker.events[maker.events.index(event)] = event.model_copy(update={"expected": (GUIDE.id,)})
        maker.reply(at + 1.5, np.full(24000 * 2, 900, np.int16))
        maker.turn(Side.ENDPOINT, at + 1.5, at + 3.5, heard=words)
    pack = ("quiz", fusion)
    path = maker.write(folder, endpoint=endpoint, scenario=scenario(folder.name, *asked), pack=pack)
    if blueprint is not None:
        turns = [
            TurnBlueprint(
                index=turn.index,
                side=turn.side,
                track=f"{turn.side.value}.wav",
                start_s=turn.start_s,
                end_s=turn.end_s,
                blueprint=blueprint if turn.side is Side.ENDPOINT else sounding(pitch={"mean_hz": 220.0}),
            )
            for turn in Episode.load(path).turns
        ]
        made = EpisodeBlueprints(episode=folder.name, models=(), turns=tuple(turns))
        write_scores(path, FILE, made)
    return path


def runs(folder: Path, scenarios: int = 12) -> list[Path]:
    """A run for each of the systems, on the same scenarios."""
    made = []
    for address, (words, blueprint) in SYSTEMS.items():
        run = folder / address.rpartition("/")[2]
        for number in range(scenarios):
            call(run / f"s{number:02d}", address, words, blueprint)
        made.append(run)
    return made
