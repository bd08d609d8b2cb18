"""The end of `viva mic`: the episode is scored and reported like any other."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.output import print_json
from recordings.format import DeviceReport, DeviceTrouble, EpisodeInfo
from recordings.reader import Episode

if TYPE_CHECKING:
    from streams.speech.interfaces import Recogniser

LOUD_ECHO_DB = -40.0


async def conclude(info: EpisodeInfo, out: Path, recogniser: Recogniser | None, *, json: bool) -> int:
    """Score the call and say how it went; returns the exit code.

    Raises:
        RecordingError: The episode cannot be read.
    """
    from scoring.report.collect import as_json, collect, named
    from scoring.report.terminal import print_report

    folder = out / info.id
    sys.stderr.write("scoring ...\n")
    scores = named(await collect([folder], recogniser, one_by_one=True), out)
    device = device_of(Episode.load(folder))
    if json:
        print_json({**as_json(scores), "episode": str(folder), "device": device})
    else:
        print_report(scores)
    if device.get("echo_gain_db") is not None and device["echo_gain_db"] > LOUD_ECHO_DB:
        found = f"the endpoint was heard in the microphone at {device['echo_gain_db']:.0f} dB"
        sys.stderr.write(f"viva: {found}: it may have interrupted itself. Wear headphones\n")
    sys.stderr.write(f"\nepisode     {folder}\n")
    if not info.outcome.void:
        return exits.PASS
    sys.stderr.write(f"viva: {info.outcome.value}: {info.reason}\n")
    return exits.OUR_FAILURE


def device_of(episode: Episode) -> dict[str, Any]:
    """What the sound device was like, and how often it did what to the sound."""
    troubles: dict[str, int] = {}
    found: dict[str, Any] = {}
    for event in episode.events:
        match event:
            case DeviceTrouble(fault=fault):
                troubles[fault] = troubles.get(fault, 0) + 1
            case DeviceReport():
                found = event.model_dump(exclude={"t", "kind"})
            case _:
                pass
    return {**found, "troubles": troubles}
