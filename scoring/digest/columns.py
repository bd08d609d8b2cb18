"""The values of all metrics of many episodes, in columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from recordings.format import Outcome
from scoring.metric import VOID, Aggregate, Metric, Values, put_together

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Row:
    """One episode.

    Attributes:
        path: Its folder.
        sha256: Of its scenario.
        asked_by: Hash of the scenario without its user's voice and style: the same for every user.
        asked_under: Hash of the scenario without room and line: the same under every condition.
        condition: Room and line, in words; "" is none.
        user: Who called, in words.
        exchanges: Turns of the user.
        failed: Why it has not passed, if it has not.
        tallies: Labels that judges gave, counted; see `scoring.digest.make`.
        usage: What it used, as `scoring.usage` tells it.
        stamp: Of its files, by which a kept row is known to be fresh.
    """

    id: str
    path: str
    scenario: str
    pack: str
    endpoint: str
    outcome: Outcome
    sha256: str
    asked_by: str
    asked_under: str
    seed: int
    repeat: int
    condition: str
    user: str
    duration_s: float
    exchanges: int
    failed: tuple[str, ...] = ()
    tallies: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, Any] = field(default_factory=dict)
    stamp: tuple[int, ...] = ()

    @property
    def void(self) -> bool:
        """True if it says nothing about the endpoint."""
        return self.outcome.void


@dataclass(frozen=True, slots=True)
class Column:
    """One metric over all episodes.

    Attributes:
        episode: Of each value, the place of its episode.
        values: The values.
        missing: Of each value that is missing, the place of its episode, and of its cause in `causes`.
        causes: Names of causes.
    """

    episode: Ints
    values: Values
    missing: Ints
    causes: tuple[str, ...] = ()

    def aggregate(self, metric: Metric, keep: Mask, void: int = 0) -> Aggregate:
        """The metric over the episodes that are kept.

        Args:
            metric: Whose column this is.
            keep: For each episode, whether it counts.
            void: Episodes left out because our own side spoiled them.
        """
        causes = Counter(
            {
                self.causes[code]: count
                for code, count in enumerate(
                    np.bincount(self.missing[keep[self.missing[:, 0]], 1]).tolist()
                )
                if count
            }
        )
        if void:
            causes[VOID] += void
        return put_together(metric, self.of(keep), causes)

    def of(self, keep: Mask) -> Values:
        """The values of the episodes that are kept."""
        here = keep[self.episode]
        values = self.values
        return Values(values.values[here], values.parts[here], values.censored[here])

    def select(self, places: Ints, episodes: int) -> Column:
        """The column of some of the episodes, in the order of their places."""
        new = np.full(episodes, -1, np.int64)
        new[places] = np.arange(len(places))
        here, gone = new[self.episode] >= 0, new[self.missing[:, 0]] >= 0
        values = Values(self.values.values[here], self.values.parts[here], self.values.censored[here])
        missing = self.missing[gone]
        return Column(
            new[self.episode[here]],
            values,
            np.column_stack((new[missing[:, 0]], missing[:, 1])),
            self.causes,
        )


def joined(columns: Sequence[Column], sizes: Sequence[int]) -> Column:
    """The columns of one metric over several lots of episodes, as one."""
    starts = np.concatenate(([0], np.cumsum(sizes)))[:-1]
    causes = tuple(dict.fromkeys(cause for column in columns for cause in column.causes))
    missing = [
        np.column_stack(
            (
                column.missing[:, 0] + start,
                np.array([causes.index(cause) for cause in column.causes], np.int64)[column.missing[:, 1]]
                if column.causes
                else column.missing[:, 1],
            )
        )
        for column, start in zip(columns, starts, strict=True)
    ]
    return Column(
        np.concatenate([column.episode + start for column, start in zip(columns, starts, strict=True)]),
        Values(
            np.concatenate([column.values.values for column in columns]),
            np.concatenate([column.values.parts for column in columns]),
            np.concatenate([column.values.censored for column in columns]),
        ),
        np.concatenate(missing),
        causes,
    )


@dataclass(frozen=True)
class Digest:
    """Many episodes: a row for each, and a column for each metric."""

    rows: tuple[Row, ...]
    columns: Mapping[str, Column]

    @cached_property
    def void(self) -> Mask:
        """For each episode, whether it is void."""
        return np.array([row.void for row in self.rows], np.bool_)

    def where(self, chosen: Iterable[bool]) -> Mask:
        """One answer for each episode as a mask."""
        return np.fromiter(chosen, np.bool_, len(self.rows))

    def aggregate(self, metric: Metric, keep: Mask | None = None) -> Aggregate:
        """A metric over the episodes that are kept; void ones among them are left out and counted."""
        void = self.void
        keep = np.ones(len(self.rows), np.bool_) if keep is None else keep
        return self.columns[metric.name].aggregate(metric, keep & ~void, int((keep & void).sum()))

    def select(self, keep: Mask) -> Digest:
        """Some of the episodes."""
        places = np.flatnonzero(keep)
        return Digest(
            tuple(self.rows[place] for place in places),
            {name: column.select(places, len(self.rows)) for name, column in self.columns.items()},
        )

    @staticmethod
    def join(digests: Sequence[Digest]) -> Digest:
        """Several lots of episodes as one; all have the same metrics."""
        if len(digests) == 1:
            return digests[0]
        sizes = [len(digest.rows) for digest in digests]
        names = digests[0].columns if digests else ()
        return Digest(
            tuple(row for digest in digests for row in digest.rows),
            {name: joined([digest.columns[name] for digest in digests], sizes) for name in names},
        )
