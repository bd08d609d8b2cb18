"""The digest of any episodes: what is kept and fresh is taken, the rest is scored, and kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from recordings.reader import find_episodes
from scoring.digest.columns import Digest, Row
from scoring.digest.make import digest_of
from scoring.digest.store import load, save, stamp_of
from scoring.score import EpisodeScores, score_episode
from streams.speech.interfaces import Recogniser

AT_ONCE = 50
"""Episodes that are scored before their views are let go of: a view holds every event of its call."""


async def read_digest(paths: Iterable[Path]) -> Digest:
    """The digest of every episode at or below the paths, by the transcripts that are there.

    Raises:
        RecordingError: See `digest_of_found`.
    """
    return await digest_of_found([folder for path in paths for folder in find_episodes(path)])


async def digest_of_found(
    folders: Iterable[Path],
    recogniser: Recogniser | None = None,
    *,
    again: bool = False,
    scored: Callable[[EpisodeScores], None] = lambda _: None,
) -> Digest:
    """The digest of episodes; one that is named twice counts once.

    Args:
        folders: Of the episodes.
        recogniser: Transcribes what has no words yet; None uses the transcripts that are there.
        again: Score all of them, whatever is kept.
        scored: Told of each episode that is scored.

    Raises:
        RecordingError: None is named, or one cannot be read or its scores written.
    """
    lots = [
        await _beside(parent, own, recogniser, again=again, scored=scored)
        for parent, own in _by_parent(folders).items()
    ]
    return Digest.join(lots)


def _by_parent(folders: Iterable[Path]) -> dict[Path, list[Path]]:
    together: dict[Path, list[Path]] = {}
    for folder in {os.path.realpath(folder): folder for folder in folders}.values():
        together.setdefault(folder.parent, []).append(folder)
    return together


async def _beside(
    parent: Path,
    folders: Sequence[Path],
    recogniser: Recogniser | None,
    *,
    again: bool,
    scored: Callable[[EpisodeScores], None],
) -> Digest:
    """The digest of episodes that lie in one folder."""
    kept = None if again else load(parent)
    rows = kept.rows if kept is not None else ()
    # kept under the name of their folder: a run may have been moved, or be named by another path
    places = {os.path.basename(row.path): place for place, row in enumerate(rows)}
    fresh = {folder: place for folder in folders if (place := _fresh(folder, places, rows)) is not None}
    missing = [folder for folder in folders if folder not in fresh]
    lots = []
    if kept is not None and fresh:
        lots.append(_moved(_take(kept, list(fresh.values())), list(fresh)))
    for first in range(0, len(missing), AT_ONCE):
        episodes = []
        for folder in missing[first : first + AT_ONCE]:
            episodes.append(await score_episode(folder, recogniser))
            scored(episodes[-1])
        lots.append(digest_of(episodes, [stamp_of(str(episode.path)) for episode in episodes]))
    digest = _in_order(Digest.join(lots))
    if missing:
        save(parent, digest if kept is None else Digest.join([digest, _others(kept, folders)]))
    return digest


def keep(episodes: Sequence[EpisodeScores]) -> None:
    """Keep the digest of episodes that are scored already, beside those that are kept.

    Raises:
        RecordingError: A judge's ratings beside an episode cannot be read.
    """
    together: dict[Path, list[EpisodeScores]] = {}
    for episode in episodes:
        together.setdefault(episode.path.parent, []).append(episode)
    for parent, own in together.items():
        made = digest_of(own, [stamp_of(str(episode.path)) for episode in own])
        kept = load(parent)
        paths = [episode.path for episode in own]
        save(parent, made if kept is None else Digest.join([made, _others(kept, paths)]))


def _others(kept: Digest, folders: Sequence[Path]) -> Digest:
    """What was kept of episodes that nobody asked for now."""
    names = {folder.name for folder in folders}
    return kept.select(kept.where(os.path.basename(row.path) not in names for row in kept.rows))


def _fresh(folder: Path, places: dict[str, int], rows: Sequence[Row]) -> int | None:
    place = places.get(folder.name)
    if place is None or rows[place].stamp != stamp_of(str(folder)):
        return None
    return place


def _take(digest: Digest, places: Sequence[int]) -> Digest:
    if list(places) == list(range(len(digest.rows))):
        return digest
    keep = np.zeros(len(digest.rows), np.bool_)
    keep[list(places)] = True
    return digest.select(keep)


def _moved(digest: Digest, folders: Sequence[Path]) -> Digest:
    """The same rows at the paths by which they are named now."""
    paths = {folder.name: str(folder) for folder in folders}
    if all(paths[os.path.basename(row.path)] == row.path for row in digest.rows):
        return digest
    rows = (replace(row, path=paths[os.path.basename(row.path)]) for row in digest.rows)
    return Digest(tuple(rows), digest.columns)


def _in_order(digest: Digest) -> Digest:
    """The rows in the order of their folders, as a run is read without a digest."""
    paths = [row.path for row in digest.rows]
    order = sorted(range(len(paths)), key=paths.__getitem__)
    if order == list(range(len(paths))):
        return digest
    return Digest(
        tuple(digest.rows[place] for place in order),
        {name: column.select(np.array(order), len(paths)) for name, column in digest.columns.items()},
    )
