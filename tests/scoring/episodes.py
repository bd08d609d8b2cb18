"""Makes episodes by arithmetic: tones at known samples, events at known times, no live engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import soundfile
from pydantic import BaseModel

from recordings.format import (
    EndpointInfo,
    EpisodeInfo,
    Event,
    Fault,
    Model,
    Outcome,
    ReceivedPiece,
    Role,
    SessionEnded,
    Side,
    Turn,
    UtteranceEnded,
    UtteranceStarted,
    Verdict,
)
from streams.audio import Pcm


def tone(seconds: float, rate: int, dbfs: float = -20.0, hz: float = 500.0) -> Pcm:
    """A tone at its peak in its first sample; 500 Hz has whole cycles at every usual rate."""
    angle = 2 * np.pi * hz * np.arange(round(seconds * rate)) / rate
    return np.round(32768 * 10 ** (dbfs / 20) * np.cos(angle)).astype(np.int16)


def quiet(seconds: float, rate: int) -> Pcm:
    """Digital silence."""
    return np.zeros(round(seconds * rate), np.int16)


@dataclass
class CallMaker:
    """A call in the making; every time is in seconds, every tone is exact to the sample."""

    user_rate: int = 16000
    endpoint_rate: int = 24000
    length: float = 0.0
    events: list[Event] = field(default_factory=list)
    pieces: list[ReceivedPiece] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    user_parts: list[tuple[int, Pcm]] = field(default_factory=list)
    heard_parts: list[tuple[int, Pcm]] = field(default_factory=list)
    received: list[Pcm] = field(default_factory=list)
    playback_end: int = 0
    cut_from: int | None = None

    def user(
        self,
        start: float,
        end: float,
        text: str = "hello there",
        *,
        spoken: str = "",
        heard: str | None = None,
        lead: float = 0.0,
        tail: float = 0.0,
        dbfs: float = -20.0,
        role: Role = Role.TURN,
        pauses: Sequence[tuple[float, float]] = (),
    ) -> CallMaker:
        """The user talks from `start` to `end`; `lead` and `tail` are silence in the clip around it."""
        rate = self.user_rate
        clip = np.concatenate([quiet(lead, rate), tone(end - start, rate, dbfs), quiet(tail, rate)])
        silences = tuple((round(begin * rate), round(over * rate)) for begin, over in pauses)
        for begin, over in silences:
            origin = round((start - lead) * rate)
            clip[begin - origin : over - origin] = 0
        first = round((start - lead) * rate)
        name = f"u{sum(isinstance(event, UtteranceStarted) for event in self.events)}"
        self.user_parts.append((first, clip))
        self.events += [
            UtteranceStarted(
                t=start - lead,
                utterance=name,
                text=text,
                spoken=spoken,
                start=first,
                samples=clip.size,
                audible_start=round(start * rate),
                audible_end=round(end * rate),
                role=role,
                pauses=silences,
            ),
            UtteranceEnded(t=end + tail, utterance=name, samples=clip.size),
        ]
        cause = {} if heard is not None else {"heard": "no_transcript"}
        self.turn(Side.USER, start, end, intended=text, heard=heard, unscored=cause)
        return self

    def reply(
        self,
        arrival: float,
        pcm: Pcm,
        *,
        response: str = "",
        item: str = "item",
        piece_s: float = 0.12,
        every_s: float | None = None,
    ) -> CallMaker:
        """Audio arrives in pieces, all at once or one every `every_s`, and is played at 1x."""
        rate = self.endpoint_rate
        size = round(piece_s * rate)
        for number, at in enumerate(range(0, pcm.size, size)):
            part = pcm[at : at + size]
            t = arrival + number * (every_s or 0.0)
            start = max(int(np.ceil(round(t * rate, 4))), self.playback_end)
            self.playback_end = start + part.size
            self.pieces.append(
                ReceivedPiece(
                    t=t,
                    item=item,
                    response=response,
                    offset=sum(p.size for p in self.received),
                    samples=part.size,
                    start=start,
                )
            )
            self.received.append(part)
            self.heard_parts.append((start, part))
        return self

    def flush(self, at: float) -> CallMaker:
        """Playback of all that has arrived is cut."""
        cut = round(at * self.endpoint_rate)
        self.heard_parts = [
            (start, part[: max(cut - start, 0)]) for start, part in self.heard_parts if start < cut
        ]
        self.playback_end = cut
        return self

    def turn(
        self,
        side: Side,
        start: float,
        end: float,
        *,
        intended: str | None = None,
        heard: str | None = None,
        unscored: dict[str, str] | None = None,
        interrupted: bool = False,
        verdicts: tuple[Verdict, ...] = (),
    ) -> CallMaker:
        """A live turn."""
        rate = self.user_rate if side is Side.USER else self.endpoint_rate
        self.turns.append(
            Turn(
                index=len(self.turns),
                side=side,
                start=round(start * rate),
                end=round(end * rate),
                rate=rate,
                intended=intended,
                heard=heard,
                interrupted=interrupted,
                unscored=unscored or {},
                verdicts=verdicts,
            )
        )
        return self

    def note(self, *events: Event) -> CallMaker:
        """More events."""
        self.events += events
        return self

    @property
    def endpoint_track(self) -> Pcm:
        """As heard."""
        return self._track(self.heard_parts, self.endpoint_rate)

    @property
    def user_track(self) -> Pcm:
        """As said."""
        return self._track(self.user_parts, self.user_rate)

    def _track(self, parts: list[tuple[int, Pcm]], rate: int) -> Pcm:
        track = np.zeros(round(self.seconds * rate), np.int16)
        for start, part in parts:
            track[start : start + part.size] = part[: max(track.size - start, 0)]
        return track

    @property
    def seconds(self) -> float:
        """Length of the call: what was asked for, or 1 s after the last sound, in whole frames."""
        user = max((start + part.size for start, part in self.user_parts), default=0) / self.user_rate
        heard = max((start + part.size for start, part in self.heard_parts), default=0) / self.endpoint_rate
        return self.length or round((max(user, heard) + 1.0) * 50) / 50

    def write(
        self,
        folder: Path,
        *,
        outcome: Outcome = Outcome.COMPLETED,
        fault: Fault | None = None,
        scenario: dict[str, Any] | None = None,
        endpoint: str = "reference://",
        language: str = "en",
        pack: tuple[str, str] = ("", ""),
    ) -> Path:
        """Write the episode's folder; `pack` is its name and the fusion that it names."""
        folder.mkdir(parents=True, exist_ok=True)
        info = EpisodeInfo(
            id=folder.name,
            run=folder.parent.name,
            pack=pack[0],
            fusion=pack[1],
            scenario={"id": "tones", "language": language, "limits": {"reply_timeout_s": 20.0}}
            | (scenario or {}),
            scenario_sha256="0" * 64,
            endpoint=EndpointInfo(address=endpoint, protocol="reference", model="tones-1"),
            seed=0,
            clock="simulated",
            started_at_utc="2026-01-01T00:00:00+00:00",
            user_rate=self.user_rate,
            endpoint_rate=self.endpoint_rate,
            duration_s=self.seconds,
            outcome=outcome,
            fault=fault or outcome.fault,
            models=(Model(role="voice", family="tones", name="500 Hz", version="1"),),
        )
        events = [*self.events, SessionEnded(t=self.seconds, outcome=outcome)]
        events.sort(key=lambda event: event.t)
        lines: dict[str, Sequence[BaseModel]] = {
            "events": events,
            "turns": self.turns,
            "received": self.pieces,
        }
        for name, records in lines.items():
            text = "".join(record.model_dump_json() + "\n" for record in records)
            (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
        received = np.concatenate(self.received) if self.received else np.zeros(0, np.int16)
        tracks = (
            ("user", self.user_track, self.user_rate),
            ("user_clean", self.user_track, self.user_rate),
            ("endpoint", self.endpoint_track, self.endpoint_rate),
            ("received", received, self.endpoint_rate),
        )
        for name, pcm, rate in tracks:
            soundfile.write(folder / f"{name}.wav", pcm, rate, subtype="PCM_16")
        (folder / "episode.json").write_text(info.model_dump_json(indent=2), encoding="utf-8")
        return folder
