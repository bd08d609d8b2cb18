"""What a report shows: of a few episodes everything, of thousands the tables, and some of them whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from recordings.reader import find_episodes
from scoring.digest.columns import Digest
from scoring.digest.make import digest_of
from scoring.digest.read import digest_of_found, keep
from scoring.report.repeats import several_json
from scoring.score import METRICS, EpisodeScores, RunScores, common_folder, score, score_episode
from streams.speech.interfaces import Recogniser

WHOLE_UP_TO = 200
"""Episodes up to which all are read whole: with every event, text and sample."""

SHOWN = 50
"""Of more than that, so many are shown one by one: those that did not pass, then the others."""


async def collect(
    paths: Sequence[Path],
    recogniser: Recogniser | None = None,
    *,
    again: bool = False,
    one_by_one: bool = False,
) -> RunScores:
    """The scores of every episode at or below the paths.

    Args:
        paths: Episodes, runs, or folders that hold some.
        recogniser: Transcribes what has no words yet; None uses the transcripts that are there.
        again: Measure all anew; by default many episodes are taken as they were measured last.
        one_by_one: Of many episodes, too, some are to be shown one by one.

    Raises:
        RecordingError: No episode was found, or one cannot be read or its scores written.
        ResultUnreadable: A file of results holds none, or something else.
    """
    found = [folder for path in paths for folder in find_episodes(path)]
    if len(found) <= WHOLE_UP_TO:
        scores = await score(paths, recogniser)
        keep(scores.episodes)
        return scores
    digest = await digest_of_found(found, recogniser, again=again)
    shown = [Path(digest.rows[place].path) for place in _worth_a_look(digest)] if one_by_one else []
    return RunScores(
        run=common_folder(paths),
        episodes=tuple([await score_episode(path) for path in shown]),
        metrics={metric.name: digest.aggregate(metric) for metric in METRICS},
        digest=digest,
    )


async def collect_json(paths: Sequence[Path], recogniser: Recogniser | None = None) -> dict[str, Any]:
    """The same as plain data, every episode whole however many there are; see `collect`."""
    found = [folder for path in paths for folder in find_episodes(path)]
    if len(found) <= WHOLE_UP_TO:
        scores = await score(paths, recogniser)
        keep(scores.episodes)
        return as_json(scores)
    entries: list[tuple[str, dict[str, Any]]] = []

    def told(episode: EpisodeScores) -> None:
        entries.append((str(episode.path), episode.to_json()))

    digest = await digest_of_found(found, recogniser, again=True, scored=told)
    scores = RunScores(
        common_folder(paths),
        (),
        {metric.name: digest.aggregate(metric) for metric in METRICS},
        digest=digest,
    )
    return {**as_json(scores), "episodes": [entry for _, entry in sorted(entries, key=lambda e: e[0])]}


def as_json(scores: RunScores) -> dict[str, Any]:
    """Scores as plain data, with what only several calls can tell."""
    return {**scores.to_json(), **several_json(scores.digest or digest_of(scores.episodes))}


def named(scores: RunScores, run: Path) -> RunScores:
    """The same under the name of a run."""
    return replace(scores, run=str(run))


def _worth_a_look(digest: Digest) -> list[int]:
    rows = enumerate(digest.rows)
    order = sorted((not row.failed, row.void, place) for place, row in rows)
    return sorted(place for *_, place in order[:SHOWN])
