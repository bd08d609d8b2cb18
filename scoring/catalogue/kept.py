"""What is known of many episodes without measuring any: fresh digests, else `episode.json`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from recordings.disk import EPISODE
from recordings.format import EPISODE_VERSION, EpisodeInfo, Outcome
from recordings.reading import first_problem
from scoring.digest.columns import Digest, Row
from scoring.digest.make import digest_of
from scoring.digest.store import FILE, load, stamp_of
from scoring.score import EpisodeScores

Stamp = tuple[int, ...]
"""See `scoring.digest.store.stamp_of`; () of an episode that is not there."""


@dataclass(frozen=True, slots=True)
class Unmeasured:
    """An episode that has not been scored since it changed, or cannot be read.

    Attributes:
        info: `episode.json`; None if it cannot be read, and `problem` says why.
    """

    path: Path
    info: EpisodeInfo | None
    problem: str = ""

    @property
    def live(self) -> bool:
        """It may be going on."""
        return self.info is not None and self.info.outcome is Outcome.UNFINISHED


@dataclass(frozen=True, slots=True)
class Known:
    """Some episodes.

    Attributes:
        digest: Of those that are measured; its rows have the paths they were asked for by.
        places: For each episode that was asked for, its row in the digest, or -1.
        others: What is known of those that have none, by the place at which they were asked for.
    """

    digest: Digest
    places: tuple[int, ...]
    others: dict[int, Unmeasured]


@dataclass
class Kept:
    """Remembers what it has read and measured, and looks at each call whether it is still true.

    Not for several threads at once.
    """

    _digests: dict[str, tuple[object, Digest | None]] = field(default_factory=dict)
    _infos: dict[str, tuple[Stamp, Unmeasured]] = field(default_factory=dict)
    _own: dict[str, tuple[Stamp, Digest]] = field(default_factory=dict)
    _last: tuple[object, Known] | None = None

    def look(self, folders: Sequence[str]) -> Known:
        """What is known of some episodes, each named once; the very same object if nothing has changed."""
        stamps = [stamp_if_there(folder) for folder in folders]
        beside = {parent: self._digest(parent) for parent in dict.fromkeys(map(os.path.dirname, folders))}
        seen = (list(folders), stamps, [stamp for stamp, _ in beside.values()])
        if self._last is None or self._last[0] != seen:
            digests = {parent: digest for parent, (_, digest) in beside.items()}
            self._last = (seen, self._looked(folders, stamps, digests))
        return self._last[1]

    def _looked(
        self, folders: Sequence[str], stamps: Sequence[Stamp], digests: Mapping[str, Digest | None]
    ) -> Known:
        numbers = {parent: _by_name(digest) for parent, digest in digests.items()}
        others: dict[int, Unmeasured] = {}
        taken: dict[str, dict[int, int]] = {}
        lots: list[tuple[Digest, dict[int, int]]] = []
        for place, (folder, stamp) in enumerate(zip(folders, stamps, strict=True)):
            parent, name = os.path.split(folder)
            digest, number = digests[parent], numbers[parent].get(name)
            own = self._own.get(folder)
            if digest is not None and number is not None and digest.rows[number].stamp == stamp:
                taken.setdefault(parent, {})[number] = place
            elif own is not None and own[0] == stamp:
                lots.append((own[1], {0: place}))
            else:
                others[place] = self._info(folder, stamp)
        lots += [(found, places) for parent, places in taken.items() if (found := digests[parent])]
        return _known(lots, folders, others)

    def add(self, folder: str, stamp: Stamp, scores: EpisodeScores) -> None:
        """Remember a measurement that is kept nowhere else.

        Raises:
            RecordingError: A judge's ratings beside the episode cannot be read.
        """
        self._own[folder] = (stamp, digest_of([scores], [stamp]))
        self._last = None

    def _digest(self, parent: str) -> tuple[object, Digest | None]:
        """What changes when the digest kept in a folder is written anew; that digest, if it is usable."""
        try:
            found = os.stat(os.path.join(parent, FILE))
        except OSError:
            return None, None
        stamp = (found.st_mtime_ns, found.st_size)
        kept = self._digests.get(parent)
        if kept is None or kept[0] != stamp:
            kept = self._digests[parent] = (stamp, load(Path(parent)))
        return kept

    def _info(self, folder: str, stamp: Stamp) -> Unmeasured:
        kept = self._infos.get(folder)
        if kept is None or kept[0] != stamp:
            kept = self._infos[folder] = (stamp, _read(Path(folder)))
        return kept[1]


def _by_name(digest: Digest | None) -> dict[str, int]:
    """The rows of a digest by the names of their folders."""
    rows = digest.rows if digest is not None else ()
    return {os.path.basename(row.path): number for number, row in enumerate(rows)}


def stamp_if_there(folder: str) -> Stamp:
    """What changes when an episode or a file of its scores is written anew; () if it is not there."""
    try:
        return stamp_of(folder)
    except OSError:
        return ()


def _read(folder: Path) -> Unmeasured:
    try:
        data: Any = json.loads((folder / EPISODE).read_bytes())
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no JSON"
        return Unmeasured(folder, None, f"{EPISODE} cannot be read ({why})")
    version = data.get("schema_version") if isinstance(data, dict) else None
    if version != EPISODE_VERSION:
        return Unmeasured(
            folder, None, f"{EPISODE} has schema version {version!r}, expected {EPISODE_VERSION}"
        )
    try:
        return Unmeasured(folder, EpisodeInfo.model_validate(data))
    except ValidationError as error:
        return Unmeasured(folder, None, f"{EPISODE} is not valid ({first_problem(error)})")


def _known(
    lots: Sequence[tuple[Digest, dict[int, int]]], folders: Sequence[str], others: dict[int, Unmeasured]
) -> Known:
    """Rows of several digests as one, under the names by which they were asked for.

    Args:
        lots: Digests, and of the rows that are wanted the places of their episodes.
        folders: Of all episodes.
        others: What has no row.
    """
    places = [-1] * len(folders)
    chosen: list[Digest] = []
    rows: list[Row] = []
    for digest, wanted in lots:
        keep = np.zeros(len(digest.rows), np.bool_)
        keep[list(wanted)] = True
        chosen.append(digest if keep.all() else digest.select(keep))
        for number in sorted(wanted):
            row, path = digest.rows[number], folders[wanted[number]]
            places[wanted[number]] = len(rows)
            rows.append(row if row.path == path else replace(row, path=path))
    return Known(Digest(tuple(rows), Digest.join(chosen).columns), tuple(places), others)
