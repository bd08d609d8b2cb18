"""The folder that an imported call becomes: the format of every episode, less what nobody observed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from recordings.disk import ENDPOINT, EVENTS, TURNS, USER, write_info
from recordings.errors import RecordingError
from recordings.format import (
    Absent,
    EndpointInfo,
    EpisodeInfo,
    Event,
    Imported,
    Noticed,
    Outcome,
    Role,
    SessionEnded,
    SessionStarted,
    Side,
    Turn,
    UtteranceEnded,
    UtteranceStarted,
)
from recordings.importing.speech import Said
from recordings.importing.tracks import Tracks
from recordings.strict_json import canonical_sha256, encode
from recordings.wav import GrowingWav

NOT_OBSERVED = "not_observed"
"""Cause of a missing text: nobody knows what that side made of it."""


@dataclass(frozen=True, slots=True)
class Call:
    """An imported call.

    Attributes:
        name: Its id and the name of its folder.
        endpoint: The endpoint as it is named in tables.
        scenario: What was asked, as in a scenario; else of its id, title and language alone.
        labels: Of the user's utterances, by their number: the scenario's label, and the facts it expects.
        outcome: How it ended, if the source says so.
    """

    name: str
    run: str
    endpoint: EndpointInfo
    tracks: Tracks
    said: Sequence[Said]
    source: Imported
    scenario: Mapping[str, Any]
    pack: str = ""
    labels: Mapping[int, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    outcome: Outcome = Outcome.COMPLETED
    reason: str = ""
    version: str = ""
    absent: tuple[Absent, ...] = (Absent.USER_CLEAN, Absent.ARRIVALS)


def unscripted(name: str, language: str) -> dict[str, Any]:
    """The scenario of a call that had none."""
    return {"version": 1, "id": name, "title": f"Imported call {name}", "language": language}


def info_of(call: Call) -> EpisodeInfo:
    """`episode.json`."""
    return EpisodeInfo(
        id=call.name,
        run=call.run,
        pack=call.pack,
        scenario=dict(call.scenario),
        scenario_sha256=canonical_sha256(call.scenario),
        endpoint=call.endpoint,
        seed=0,
        clock="unknown",
        started_at_utc="",
        user_rate=call.tracks.user_rate,
        endpoint_rate=call.tracks.endpoint_rate,
        duration_s=call.tracks.duration_s,
        outcome=call.outcome,
        fault=call.outcome.fault,
        reason=call.reason,
        vivavoce=call.version,
        absent=call.absent,
        imported=call.source,
    )


def events_of(call: Call) -> list[Event]:
    """Who spoke when, and how the call ended; what came over a wire is not known."""
    tracks = call.tracks
    events: list[Event] = [
        SessionStarted(t=0.0, user_rate=tracks.user_rate, endpoint_rate=tracks.endpoint_rate)
    ]
    events += [
        Noticed(t=0.0, by="us", level="info", code="imported", message=note) for note in call.source.notes
    ]
    spoken = [one for one in call.said if one.side is Side.USER]
    for number, one in enumerate(spoken):
        label, expected = call.labels.get(number, ("", ()))
        samples, name = one.end - one.start, f"u{number + 1}"
        events += [
            UtteranceStarted(
                t=one.start / tracks.user_rate,
                utterance=name,
                text=one.text or "",
                label=label,
                expected=expected,
                role=one.role or Role.TURN,
                start=one.start,
                samples=samples,
                audible_start=one.start,
                audible_end=one.end,
            ),
            UtteranceEnded(t=one.end / tracks.user_rate, utterance=name, samples=samples),
        ]
    events.append(SessionEnded(t=tracks.duration_s, outcome=call.outcome, reason=call.reason))
    return sorted(events, key=lambda event: event.t)


def turns_of(call: Call) -> list[Turn]:
    """The turns of both sides in order of their first sample.

    Words of a transcript are what the user *intended*, and what was *heard* of the endpoint, unless they
    are its own. Words of a recogniser of ours are what was said or heard, never what was intended.
    """
    rates = {Side.USER: call.tracks.user_rate, Side.ENDPOINT: call.tracks.endpoint_rate}
    ordered = sorted(call.said, key=lambda one: (one.start / rates[one.side], one.side))
    labels = iter([call.labels.get(number, ("", ()))[0] for number in range(len(ordered))])
    turns = []
    for index, one in enumerate(ordered):
        mine = one.side is Side.USER
        turns.append(
            Turn(
                index=index,
                side=one.side,
                start=one.start,
                end=one.end,
                rate=rates[one.side],
                intended=one.text if mine or one.own else None,
                said=one.recognised if mine else None,
                heard=None if mine else _heard(one),
                label=next(labels) if mine else "",
                role=one.role or Role.TURN if mine else Role.TURN,
                unscored=_missing(one),
            )
        )
    return turns


def _heard(one: Said) -> str | None:
    """What was heard of the endpoint."""
    return one.recognised if one.own else one.words


def _missing(one: Said) -> dict[str, str]:
    """Why texts are missing, by field."""
    unheard = one.cause or "not_transcribed"
    if one.side is Side.ENDPOINT:
        missing = {} if one.own and one.text is not None else {"intended": NOT_OBSERVED}
        return missing | ({"heard": unheard} if _heard(one) is None else {})
    missing = {"heard": NOT_OBSERVED}
    if one.text is None:
        missing["intended"] = "no_text"
    if one.recognised is None:
        missing["said"] = unheard
    return missing


def write(folder: Path, call: Call) -> None:
    """Write the episode into a folder that is empty, or write its words anew into one that has its sound.

    Raises:
        RecordingError: The disk does not take it.
    """
    tracks = call.tracks
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, pcm, rate in (
            (USER, tracks.user, tracks.user_rate),
            (ENDPOINT, tracks.endpoint, tracks.endpoint_rate),
        ):
            if not (folder / name).exists():
                wav = GrowingWav(folder / name, rate)
                wav.append(pcm.astype("<i2").tobytes())
                wav.close()
        _write_lines(folder / EVENTS, events_of(call))
        _write_lines(folder / TURNS, turns_of(call))
        write_info(folder, info_of(call))
    except OSError as error:
        raise RecordingError(folder, f"cannot be written ({error.strerror})") from error


def _write_lines(path: Path, records: Sequence[BaseModel]) -> None:
    path.write_bytes(b"".join(encode(record) + b"\n" for record in records))
