"""What the studio needs of scoring, put into its protocols; called in its threads."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from recordings.reader import Episode
from recordings.studio.library import Found, Library
from recordings.studio.parts import NotComparable, Parts
from recordings.studio.stamps import is_live
from scoring.catalogue.differences import counterparts, differences
from scoring.catalogue.kept import Known
from scoring.catalogue.measuring import Measuring
from scoring.catalogue.runs import Manifests, runs
from scoring.catalogue.table import column, columns
from scoring.digest.columns import Digest
from scoring.episode_view.build import outlined_episode, shown_episode
from scoring.episode_view.curves import shown_curves
from scoring.episode_view.model import ShownCurves, ShownEpisode
from scoring.score import METRICS

QUIET_S = 5.0
"""So long after the start the first page is there: what the next one needs no longer holds it up."""


class Views:
    """Makes what is shown of an episode, one at a time: an hour of call takes memory while it is read."""

    def __init__(self, one: threading.Lock) -> None:
        self._one = one

    def episode(self, folder: Path, id: str, *, live: bool) -> ShownEpisode:
        """See `recordings.studio.parts.Episodes`."""
        with self._one:
            return shown_episode(folder, id, live=live)

    def outline(self, folder: Path, id: str, *, live: bool) -> ShownEpisode:
        """See `recordings.studio.parts.Episodes`."""
        return outlined_episode(folder, id, live=live)

    def curves(self, folder: Path) -> ShownCurves:
        """See `recordings.studio.parts.Episodes`."""
        return shown_curves(Episode.load(folder, mapped=True))


class EpisodeTables:
    """Makes tables of many episodes; what is not measured yet is measured meanwhile, if it is not much."""

    def __init__(self, effects: Mapping[str, float], one: threading.Lock) -> None:
        self._effects = effects
        self._measuring = Measuring(one)
        self._manifests = Manifests()
        self._making = threading.Lock()
        self._table: tuple[Known, list[dict[str, Any]]] | None = None

    def catalogue(self, found: Sequence[Found]) -> dict[str, Any]:
        """See `recordings.studio.parts.Tables`."""
        known, measuring = self._measuring.look([one.folder for one in found])
        table = self._columns(known)
        folders = [(one.run_id, one.run) for one in found]
        live = {place for place, other in known.others.items() if other.live and is_live(other.path)}
        head = [
            column("id", "Id", "id", (one.id for one in found)),
            column("run", "Run", "text", (os.path.basename(path) for _, path in folders)),
            column("run_id", "Run's id", "id", (id for id, _ in folders)),
            column("live", "Live", "flag", (place in live for place in range(len(found)))),
        ]
        return {
            "runs": runs(folders, table, self._manifests),
            "count": len(found),
            "measuring": measuring,
            "columns": [*head, *table],
        }

    def warm_up(self, found: Sequence[Found]) -> None:
        """See `recordings.studio.parts.Tables`."""
        self._columns(self._measuring.known([one.folder for one in found]))

    def _columns(self, known: Known) -> list[dict[str, Any]]:
        """The columns of what is known, made once."""
        with self._making:
            if self._table is None or self._table[0] is not known:
                self._table = (known, columns(known, METRICS))
            return self._table[1]

    def compare(self, found: Sequence[Found], first: Path, second: Path | None, by: str) -> dict[str, Any]:
        """See `recordings.studio.parts.Tables`."""
        from scoring.compare import metrics, verdict
        from scoring.compare.sides import By, NothingToCompare, between_runs, within_run

        sides = [self._measured(found, run) for run in (first, second) if run is not None]
        empty = [
            run.name for run, side in zip((first, second), sides, strict=False) if run and not side.rows
        ]
        if empty:
            raise NotComparable(f"{' and '.join(empty)}: no call is measured. Measure it with: viva score")
        try:
            if second is None:
                questions = within_run(sides[0], By(by))
            else:
                questions = between_runs(sides[0], sides[1], (first.name, second.name))
        except NothingToCompare as error:
            questions, problem = [], str(error)
        except ValueError:
            raise NotComparable(
                f"{by!r} is nothing that sides differ in; say endpoint, user or condition"
            ) from None
        else:
            problem = ""
        compared = verdict.compare(
            questions, metrics.chosen((), self._effects), {metric.name: metric for metric in METRICS}
        )
        ids = {one.folder: one.id for one in found}
        heads = [self._manifests.of(run) for run in (first, second) if run is not None]
        return {
            "a": first.name,
            "b": second.name if second else "",
            "comparisons": [comparison.to_json() for comparison in compared],
            "differences": differences(*heads) if second else [],
            "pairs": counterparts(sides[0], sides[1], ids) if second else [],
            "problem": problem,
        }

    def _measured(self, found: Sequence[Found], run: Path) -> Digest:
        own = [one.folder for one in found if one.path == run or one.path.is_relative_to(run)]
        return self._measuring.wait_for(own).digest


def warm_up(made: Parts, library: Library) -> None:
    """Load what the first looks would wait for: what is known of all calls, and how rare words are."""
    from scoring.science.marks import rarity

    made.tables.warm_up(library.episodes())
    threading.Event().wait(QUIET_S)
    words = rarity()
    if words is not None:
        words.is_rare("word")


def parts(effects: Mapping[str, float]) -> Parts:
    """All that the studio needs of other rooms.

    Args:
        effects: Smallest differences that matter, in place of ours, by metric.
    """
    one = threading.Lock()
    return Parts(Views(one), EpisodeTables(effects, one))
