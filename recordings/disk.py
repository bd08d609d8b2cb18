"""The files of an episode that is being made. Everything here runs in the writer's thread, and blocks."""

from __future__ import annotations

import contextlib
import heapq
import itertools
import json
import math
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel

from recordings.format import EpisodeInfo, Event, Noticed, ReceivedPiece, Turn
from recordings.strict_json import NotStrict, encode, replace_file
from recordings.wav import GrowingWav
from streams.audio import FRAME_MS

EPISODE, EVENTS, TURNS, RECEIVED_INDEX = "episode.json", "events.jsonl", "turns.jsonl", "received.jsonl"
USER, USER_CLEAN, ENDPOINT, RECEIVED = "user.wav", "user_clean.wav", "endpoint.wav", "received.wav"

FILES = (EPISODE, EVENTS, TURNS, RECEIVED_INDEX, USER, USER_CLEAN, ENDPOINT, RECEIVED)
"""Names of the files of an episode."""

HOLD_S = 0.08
"""How long an event waits for others with an earlier time."""

HEADER_EVERY = 20
"""Batches after which the headers of the tracks are written anew: every two seconds of a live call."""

_FRAMES_PER_S = 1000 // FRAME_MS


@dataclass(slots=True)
class Batch:
    """What has come together since the last write, about 100 ms of session."""

    user: list[bytes] = field(default_factory=list)
    user_clean: list[bytes] = field(default_factory=list)
    endpoint: list[bytes] = field(default_factory=list)
    received: list[bytes] = field(default_factory=list)
    pieces: list[ReceivedPiece] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)

    def extend(self, later: Batch) -> None:
        """Add what came after it."""
        self.user += later.user
        self.user_clean += later.user_clean
        self.endpoint += later.endpoint
        self.received += later.received
        self.pieces += later.pieces
        self.events += later.events
        self.turns += later.turns


class EventOrder:
    """Puts events in the order of their times, if they come less than `HOLD_S` late.

    An event is stamped when something arrives, and recorded when it has been dealt with: so a later
    stamp may come first. Each event is held back until the session's time is `HOLD_S` past it.
    """

    def __init__(self) -> None:
        self.late = False
        """True once an event came too late to be put in order."""
        self._held: list[tuple[float, int, Event]] = []
        self._count = itertools.count()
        self._latest = -math.inf
        self._released = -math.inf

    def push(self, event: Event) -> None:
        """Take an event."""
        if not math.isfinite(event.t):
            raise ValueError(f"event {event.kind} has no time: t is {event.t}")
        self.late = self.late or event.t < self._released
        self._latest = max(self._latest, event.t)
        heapq.heappush(self._held, (event.t, next(self._count), event))

    def release(self, now: float) -> list[Event]:
        """The events that wait no longer at session time `now`; infinity releases all."""
        horizon = max(now, self._latest) - HOLD_S
        due = []
        while self._held and self._held[0][0] <= horizon:
            self._released, _, event = heapq.heappop(self._held)
            due.append(event)
        return due


class EpisodeFiles:
    """Appends to the files of one episode.

    Args:
        folder: Of the episode.
        info: Says rates and clock.
        clean: The voice reaches the wire as it is: `user_clean` is `user`, and nothing is given for it.

    Raises:
        OSError: From any method; the episode on the disk stays readable.
        ValueError: A value cannot be written.
    """

    def __init__(self, folder: Path, info: EpisodeInfo, *, clean: bool = False) -> None:
        self.folder = folder
        # a simulated call can be held again at any time: it need not outlive a power cut
        self._sync = info.clock == "wall"
        self._order = EventOrder()
        self._batches = 0
        self._wavs = {
            USER: GrowingWav(folder / USER, info.user_rate),
            ENDPOINT: GrowingWav(folder / ENDPOINT, info.endpoint_rate),
            RECEIVED: GrowingWav(folder / RECEIVED, info.endpoint_rate),
        }
        self._copies = clean and not _one_file(folder / USER, folder / USER_CLEAN)
        if self._copies or not clean:
            self._wavs[USER_CLEAN] = GrowingWav(folder / USER_CLEAN, info.user_rate)
        self._lines = {
            name: (folder / name).open("xb", buffering=0) for name in (EVENTS, TURNS, RECEIVED_INDEX)
        }

    def write(self, batch: Batch) -> None:
        """Append what has come together; what is written survives the death of the process."""
        # readers go by the size of a file that grows; its header is for players, and may be behind
        header = self._batches % HEADER_EVERY == 0
        self._batches += 1
        # the samples before the index: an index never speaks of audio that is not there
        self._wavs[RECEIVED].append(b"".join(batch.received), header=header)
        self._append(RECEIVED_INDEX, map(_line, batch.pieces))
        said = b"".join(batch.user)
        self._wavs[USER].append(said, header=header)
        if USER_CLEAN in self._wavs:
            clean = said if self._copies else b"".join(batch.user_clean)
            self._wavs[USER_CLEAN].append(clean, header=header)
        self._wavs[ENDPOINT].append(b"".join(batch.endpoint), header=header)
        for event in batch.events:
            self._order.push(event)
        user = self._wavs[USER]
        self._append(EVENTS, map(_event_line, self._order.release(user.samples / user.rate)))
        self._append(TURNS, map(_line, batch.turns))

    def finish(self, info: EpisodeInfo) -> EpisodeInfo:
        """Write what is held back, give the tracks one length, and `episode.json` last of all."""
        self._append(EVENTS, map(_event_line, self._order.release(math.inf)))
        if self._order.late:
            self._sort_events()
        tracks = [wav for name, wav in self._wavs.items() if name != RECEIVED]
        frames = max(-(-wav.samples * _FRAMES_PER_S // wav.rate) for wav in tracks)
        for wav in tracks:
            wav.pad(frames * wav.rate // _FRAMES_PER_S)
        self.close(sync=self._sync)
        final = info.model_copy(update={"duration_s": frames / _FRAMES_PER_S})
        write_info(self.folder, final, sync=self._sync)
        return final

    def abandon(self) -> None:
        """Write what is held back; the episode stays `unfinished`."""
        self._append(EVENTS, map(_event_line, self._order.release(math.inf)))
        self.close()

    def close(self, *, sync: bool = False) -> None:
        """Close all files."""
        for wav in self._wavs.values():
            wav.close(sync=sync)
        for file in self._lines.values():
            file.close()

    def _append(self, name: str, lines: Iterable[bytes]) -> None:
        rest = memoryview(b"".join(lines))
        while rest:  # a disk that is nearly full takes a part, and fails at the next write
            rest = rest[self._lines[name].write(rest) :]

    def _sort_events(self) -> None:
        path = self.folder / EVENTS
        lines = path.read_bytes().splitlines(keepends=True)
        lines.sort(key=lambda line: float(json.loads(line)["t"]))
        replace_file(path, b"".join(lines))


def _one_file(path: Path, other: Path) -> bool:
    """Give a file a second name; False where the disk has no such thing."""
    with contextlib.suppress(OSError):
        os.link(path, other)
        return True
    return False


def write_info(folder: Path, info: EpisodeInfo, *, sync: bool = True, indent: int | None = 2) -> None:
    """Write `episode.json` in one step; see `replace_file`. Without `indent` it is encoded in C."""
    replace_file(folder / EPISODE, encode(info, indent=indent) + b"\n", sync=sync)


def _event_line(event: Event) -> bytes:
    try:
        return _line(event)
    except NotStrict as error:  # an endpoint may report a usage of NaN: say so, and record on
        message = f"{event.kind}: {error}"
        return _line(Noticed(t=event.t, by="us", level="error", code="not_recordable", message=message))


def _line(record: BaseModel) -> bytes:
    return encode(record) + b"\n"
