"""Integrity of an episode: does it agree with itself, sample for sample?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from pathlib import Path

import numpy as np

from recordings import secrets
from recordings.disk import EPISODE, EVENTS, RECEIVED_INDEX, TURNS
from recordings.errors import RecordingError
from recordings.format import Absent, Flushed, Outcome, PlaybackReported, Side, UtteranceStarted
from recordings.heard import Accounts, account, heard_track
from recordings.reader import TRACK_FILES, Episode, track_path
from recordings.strict_json import canonical_sha256
from streams.audio import sample_at

LOSS_S = 0.2
"""What a killed process may have lost at the end of each file."""


class Severity(StrEnum):
    """How bad a problem is."""

    ERROR = "error"  # numbers from this episode may be wrong
    WARNING = "warning"  # explained by an unfinished recording


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in an episode that contradicts something else in it."""

    severity: Severity
    place: str
    found: str
    expected: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.place}: found {self.found}, expected {self.expected}"


def check(episode: Episode) -> list[Problem]:
    """Everything that is wrong with an episode, worst first; nothing if it is sound.

    Of an unfinished episode the last 200 ms are not held against it, and what they explain is a warning.
    """
    try:
        accounts = account(episode.received, episode.events, episode.track("endpoint")[0].size)
        problems = [
            *_check_torn(episode),
            *_check_scenario(episode),
            *_check_lengths(episode),
            *_check_events(episode),
            *_check_arrivals(episode, accounts),
            *_check_turns(episode),
            *_check_secrets(episode),
        ]
    except RecordingError as error:
        problems = [_error(str(error.path), error.found, "a file that can be read")]
    return sorted(problems, key=lambda problem: problem.severity)


def _error(place: str, found: object, expected: object) -> Problem:
    return Problem(Severity.ERROR, place, str(found), str(expected))


def _unfinished(episode: Episode) -> bool:
    return episode.info.outcome is Outcome.UNFINISHED


def _check_torn(episode: Episode) -> Iterator[Problem]:
    if episode.torn:
        severity = Severity.WARNING if _unfinished(episode) else Severity.ERROR
        yield Problem(severity, "*.jsonl", f"{episode.torn} torn last lines", "whole lines")


def _check_scenario(episode: Episode) -> Iterator[Problem]:
    found = canonical_sha256(episode.scenario)
    if found != episode.info.scenario_sha256:
        yield _error(f"{EPISODE}: scenario", f"SHA-256 {found}", episode.info.scenario_sha256)


def _check_lengths(episode: Episode) -> Iterator[Problem]:
    unfinished = _unfinished(episode)
    duration = episode.duration_s if unfinished else episode.info.duration_s
    info = episode.info
    for track in TRACK_FILES:
        name, (samples, rate) = track_path(episode.path, track).name, episode.track(track)
        declared = info.user_rate if track in ("user", "user_clean") else info.endpoint_rate
        if rate != declared:
            yield _error(name, f"{rate} Hz", f"{declared} Hz")
        if track == "received" or samples.size == round(duration * rate):
            continue
        lost = unfinished and abs(samples.size / rate - duration) <= LOSS_S
        severity = Severity.WARNING if lost else Severity.ERROR
        yield Problem(
            severity, name, f"{samples.size} samples", f"{round(duration * rate)}, the session's length"
        )


def _check_events(episode: Episode) -> Iterator[Problem]:
    for number, (first, second) in enumerate(pairwise(episode.events), start=2):
        if second.t < first.t:
            yield _error(
                f"{EVENTS}:{number}", f"t = {second.t}", f"at least {first.t}, the time of the line before"
            )
    length = episode.track("user")[0].size
    slack = round(LOSS_S * episode.info.user_rate) if _unfinished(episode) else 0
    for number, event in enumerate(episode.events, start=1):
        if isinstance(event, UtteranceStarted):
            place = f"{EVENTS}:{number}: utterance {event.utterance}"
            if not 0 <= event.start <= length + slack:
                yield _error(place, f"start {event.start}", f"0 to {length}")
            until = event.start + event.samples
            if not event.start <= event.audible_start <= event.audible_end <= until:
                audible = f"audible from {event.audible_start} to {event.audible_end}"
                yield _error(place, audible, f"a stretch of its samples, {event.start} to {until}")


def _check_arrivals(episode: Episode, accounts: Accounts) -> Iterator[Problem]:
    """What was heard follows from what arrived, where arrivals were recorded."""
    if Absent.ARRIVALS in episode.info.absent:
        return
    yield from _check_pieces(episode, accounts)
    yield from _check_playback(episode, accounts)
    yield from _check_heard(episode, accounts)


def _check_pieces(episode: Episode, accounts: Accounts) -> Iterator[Problem]:
    rate = episode.info.endpoint_rate
    offset = end = 0
    for number, (piece, kept) in enumerate(zip(episode.received, accounts.kept, strict=True), start=1):
        place = f"{RECEIVED_INDEX}:{number}"
        if piece.offset != offset:
            yield _error(place, f"offset {piece.offset}", f"{offset}, where the piece before ends")
        offset = piece.offset + piece.samples
        if piece.start is None:
            continue
        earliest = max(end, sample_at(piece.t, rate))
        if piece.start < earliest:
            found = f"heard from sample {piece.start}"
            yield _error(place, found, f"{earliest} or later: after its arrival and after the piece before")
        if kept:  # a piece that was cut whole takes no place: the next reply may stand where it was
            end = piece.start + kept
    size = episode.track("received")[0].size
    if offset != size:
        # samples are written before their index: a killed process may leave some that no piece speaks of
        lost = _unfinished(episode) and offset < size
        severity = Severity.WARNING if lost else Severity.ERROR
        name = track_path(episode.path, "received").name
        yield Problem(severity, name, f"{size} samples", f"{offset}, the sum of its pieces")


def _check_playback(episode: Episode, accounts: Accounts) -> Iterator[Problem]:
    arrived: Counter[str] = Counter()
    for piece in episode.received:
        arrived[piece.item] += piece.samples
    for number, event in enumerate(episode.events, start=1):
        place = f"{EVENTS}:{number}"
        if isinstance(event, PlaybackReported):
            claims: tuple[tuple[str, int, int], ...] = ((event.item, event.heard, event.received),)
        elif isinstance(event, Flushed):
            claims = event.items
            yield from _check_flush(episode, event, place)
        else:
            continue
        for item, heard, received in claims:
            if not 0 <= heard <= received <= arrived[item]:
                found = f"item {item}: {heard} samples heard of {received}"
                yield _error(place, found, f"heard <= received <= {arrived[item]}, which arrived")
    yield from _check_tail(episode, accounts)


def _check_flush(episode: Episode, flush: Flushed, place: str) -> Iterator[Problem]:
    for item, heard, _ in flush.items:
        placed = [p for p in episode.received if p.item == item and p.start is not None]
        before = sum(min(max(flush.at - (p.start or 0), 0), p.samples) for p in placed)
        if before != heard:
            found = f"item {item}: {heard} samples heard"
            yield _error(place, found, f"{before}, which stand before the cut at sample {flush.at}")


def _check_tail(episode: Episode, accounts: Accounts) -> Iterator[Problem]:
    if _unfinished(episode):
        return
    info = episode.info
    tail_ms = 1000 * accounts.tail / info.endpoint_rate
    if abs(tail_ms - info.unheard_tail_ms) > 0.5:
        yield _error(
            f"{EPISODE}: unheard_tail_ms", info.unheard_tail_ms, f"{tail_ms:g}, what was left to play"
        )
    late = sum(piece.start is None for piece in episode.received)
    if late != info.late_pieces:
        yield _error(f"{EPISODE}: late_pieces", info.late_pieces, f"{late}, the pieces without a start")


def _check_heard(episode: Episode, accounts: Accounts) -> Iterator[Problem]:
    found, rate = episode.track("endpoint")
    if _unfinished(episode):  # the last flush may be lost, which silenced the last samples
        found = found[: max(0, found.size - round(LOSS_S * rate))]
    expected = heard_track(episode.received, accounts.kept, episode.track("received")[0], found.size)
    wrong = np.flatnonzero(found != expected)
    if wrong.size:
        first = int(wrong[0])
        name = track_path(episode.path, "endpoint").name
        place = f"{name}: sample {first} ({first / rate:.3f} s)"
        yield _error(
            place,
            f"{found[first]}, and {wrong.size - 1} more that differ",
            f"{expected[first]}, as arrived",
        )


def _check_turns(episode: Episode) -> Iterator[Problem]:
    slack = LOSS_S if _unfinished(episode) else 0.0
    rates = {Side.USER: episode.info.user_rate, Side.ENDPOINT: episode.info.endpoint_rate}
    for number, turn in enumerate(episode.turns):
        place = f"{TURNS}: turn {turn.index}"
        if turn.index != number:
            yield _error(place, f"index {turn.index}", f"{number}: turns count from 0 without gaps")
        if turn.rate != rates[turn.side]:
            yield _error(place, f"{turn.rate} Hz", f"{rates[turn.side]} Hz, the rate of its side")
        length = round((episode.duration_s + slack) * turn.rate)
        if not 0 <= turn.start <= turn.end <= length:
            yield _error(place, f"samples {turn.start} to {turn.end}", f"a stretch of 0 to {length}")


def _check_secrets(episode: Episode) -> Iterator[Problem]:
    """What looks like a key is named by kind and place, and never shown."""
    for path in _texts(episode):
        for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
            for kind in secrets.find(line):
                yield _error(f"{path.name}:{number}", f"what looks like {kind}", "no secrets")


def _texts(episode: Episode) -> Iterable[Path]:
    return sorted(path for path in episode.path.rglob("*.json*") if path.is_file())
