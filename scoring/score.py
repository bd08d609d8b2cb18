"""Scores of episodes: read, measure, write beside them, put together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recordings.format import EpisodeInfo, Outcome
from recordings.reader import Episode, find_episodes, read_scores, write_scores
from scoring.duplex.metrics import DUPLEX
from scoring.judged import JudgedFacts, judged, judged_later
from scoring.metric import Aggregate, Measured, Measurement, Metric, aggregate
from scoring.pairing import Tracks, build_timeline
from scoring.passed import PASSED
from scoring.science.imported import Result, Rule, find_results, read_results
from scoring.science.metrics import SCIENCE
from scoring.science.report import to_json as science_to_json
from scoring.science.run import Call, Science, collect, stored_guess
from scoring.texts import LiveTurns, Texts, clips_to_transcribe, exchange_texts
from scoring.timeline import Exchange, Timeline
from scoring.timing import TIMING
from scoring.tools import TOOLS
from scoring.transcribe import stored_transcripts, transcribe
from scoring.transcripts import RecogniserModel, Transcripts
from scoring.unobserved import measured
from scoring.usage import Usage, session_usage, total
from scoring.view import EpisodeView
from scoring.words import WORDS
from streams.speech.interfaces import Recogniser

if TYPE_CHECKING:
    from scoring.digest.columns import Digest

SETS: Mapping[str, tuple[Metric, ...]] = {
    "passed": PASSED,
    "timing": TIMING,
    "words": WORDS,
    "duplex": DUPLEX,
    "science": SCIENCE,
    "tools": TOOLS,
}
"""The metric sets: each is one file in an episode's `scores/`."""

METRICS: tuple[Metric, ...] = tuple(metric for metrics in SETS.values() for metric in metrics)
"""All metrics, in the order of the report."""

REPLY_TIMEOUT_S = 20.0
"""Used where a scenario names none."""

_ITS_OWN_END = frozenset({Outcome.ENDPOINT_HUNG_UP, Outcome.ENDPOINT_SILENT, Outcome.ENDPOINT_ERROR})


@dataclass(frozen=True, slots=True)
class EpisodeScores:
    """One episode with its values.

    Attributes:
        measurements: By metric, every value and every missing value.
        metrics: The same put together.
        recogniser: The model behind the offline transcripts, if there are any.
    """

    path: Path
    view: EpisodeView
    measurements: Mapping[str, list[Measurement]]
    metrics: Mapping[str, Aggregate]
    recogniser: RecogniserModel | None = None

    @property
    def info(self) -> EpisodeInfo:
        """`episode.json`."""
        return self.view.info

    @property
    def scenario(self) -> str:
        """Id of the scenario."""
        return str(self.info.scenario.get("id", ""))

    @property
    def endpoint(self) -> str:
        """The endpoint as it was named."""
        return self.info.endpoint.address

    @property
    def usage(self) -> Usage:
        """What the session used and cost."""
        return session_usage(self.info, self.view.events)

    def to_json(self) -> dict[str, Any]:
        """As in the run's JSON."""
        return {
            "id": self.info.id,
            "scenario": self.scenario,
            "endpoint": self.endpoint,
            "outcome": self.info.outcome.value,
            "fault": self.info.fault.value,
            "void": self.info.outcome.void,
            "path": str(self.path),
            "turns": [
                _row(self.view.timeline, exchange, texts)
                for exchange, texts in zip(self.view.timeline.exchanges, self.view.texts, strict=True)
            ],
            "usage": self.usage.to_json(),
            "metrics": {name: value.to_json() for name, value in self.metrics.items()},
        }


@dataclass(frozen=True, slots=True)
class RunScores:
    """Scores of many episodes.

    Attributes:
        run: The folder that was scored.
        metrics: Over all episodes that are not void.
        science: Tables of the questions and dialogues of science among them; empty if there are none.
        digest: Of all episodes, where `episodes` holds only those that are shown one by one.
    """

    run: str
    episodes: tuple[EpisodeScores, ...]
    metrics: Mapping[str, Aggregate]
    science: Science = field(default_factory=Science)
    digest: Digest | None = None

    @property
    def usage(self) -> Usage:
        """What all sessions used and cost, void ones too."""
        if self.digest is not None:
            return total(Usage.from_json(row.usage) for row in self.digest.rows)
        return total(episode.usage for episode in self.episodes)

    def to_json(self) -> dict[str, Any]:
        """Plain data that strict JSON can hold."""
        return {
            "run": self.run,
            "episodes": [episode.to_json() for episode in self.episodes],
            "usage": self.usage.to_json(),
            "metrics": {name: value.to_json() for name, value in self.metrics.items()},
            **({"science": science_to_json(self.science)} if self.science else {}),
        }


async def score(paths: Iterable[Path], recogniser: Recogniser | None = None) -> RunScores:
    """Score every episode at or below the paths; writes `scores/` into each episode's folder.

    Args:
        paths: Episodes, runs, or folders that hold some; an episode named twice counts once. Files
            `*.results.jsonl` in them, of `viva ask` or other programs, are compared with the calls.
        recogniser: Transcribes what has no words yet; None uses the transcripts that are there.

    Raises:
        RecordingError: No episode was found, or one cannot be read or its scores written.
        ResultUnreadable: A file of results holds none, or something else.
    """
    named = list(paths)
    folders = {folder.resolve(): folder for path in named for folder in find_episodes(path)}
    episodes = [await score_episode(folder, recogniser) for folder in folders.values()]
    results = {file.resolve(): file for path in named for file in find_results(path)}
    found = [result for file in results.values() for result in read_results(file)]
    return RunScores(common_folder(named), tuple(episodes), combine(episodes), science_of(episodes, found))


def common_folder(paths: Sequence[Path]) -> str:
    """The name under which several paths are scored together."""
    if len(paths) == 1:
        return str(paths[0])
    return os.path.commonpath([path.resolve() for path in paths])


def science_of(
    episodes: Iterable[EpisodeScores], results: Iterable[Result], rule: Rule = Rule.WORDS
) -> Science:
    """The tables of science of episodes that are not void, and of results made elsewhere; see `collect`.

    Raises:
        RecordingError: A judge's guess beside an episode cannot be read.
    """
    counted = [episode for episode in episodes if not episode.info.outcome.void]
    return collect([Call(one.view, stored_guess(one.path)) for one in counted], results, rule)


async def score_episode(folder: Path, recogniser: Recogniser | None = None) -> EpisodeScores:
    """Score one episode and write its scores; see `score`."""
    episode = Episode.load(folder)
    timeline = read_timeline(episode)
    if recogniser is None:
        transcripts = stored_transcripts(episode)
    else:
        clips = clips_to_transcribe(timeline, episode.received, episode.turns)
        transcripts = await transcribe(episode, clips, recogniser)
    scores = measure(folder, view_of(episode, timeline, transcripts), transcripts)
    for name, metrics in SETS.items():
        write_scores(folder, name, _file(name, metrics, scores), sync=False)  # can be made again
    return scores


def read_timeline(episode: Episode) -> Timeline:
    """The timeline of an episode."""
    info = episode.info
    timeout_s = info.part("limits").get("reply_timeout_s")
    return build_timeline(
        Tracks(
            endpoint=episode.track("endpoint")[0],
            endpoint_rate=info.endpoint_rate,
            user_rate=info.user_rate,
            user=episode.track("user_clean")[0],
        ),
        episode.events,
        episode.received,
        duration_s=info.duration_s,
        reply_timeout_s=float(timeout_s) if isinstance(timeout_s, int | float) else REPLY_TIMEOUT_S,
        ended_by_endpoint=info.outcome in _ITS_OWN_END,
    )


def view_of(episode: Episode, timeline: Timeline, transcripts: Transcripts | None) -> EpisodeView:
    """An episode as the metrics see it."""
    return EpisodeView(
        info=episode.info,
        events=episode.events,
        received=episode.received,
        timeline=timeline,
        texts=exchange_texts(timeline, episode.events, episode.received, episode.turns, transcripts),
        judged=_judged(episode, timeline),
    )


def _judged(episode: Episode, timeline: Timeline) -> dict[int, JudgedFacts]:
    """What judges said of the facts, by exchange; where `viva judge` judged again, that."""
    again = (episode.path / "scores" / "judge.json").is_file()
    later = judged_later(read_scores(episode.path, "judge")) if again else {}
    live = LiveTurns(timeline, episode.turns)
    found = {e.index: judged(live.endpoint(e), later) for e in timeline.exchanges}
    return {index: facts for index, facts in found.items() if facts is not None}


def measure(path: Path, view: EpisodeView, transcripts: Transcripts | None = None) -> EpisodeScores:
    """All metrics of one episode; void episodes are measured too, but left out of what is combined."""
    measurements = {metric.name: measured(metric, view) for metric in METRICS}
    return EpisodeScores(
        path=path,
        view=view,
        measurements=measurements,
        metrics={metric.name: aggregate(metric, measurements[metric.name]) for metric in METRICS},
        recogniser=None if transcripts is None else transcripts.model,
    )


def combine(episodes: Sequence[EpisodeScores]) -> dict[str, Aggregate]:
    """Every metric over all values of the episodes; void episodes are left out and counted."""
    counted = [episode for episode in episodes if not episode.info.outcome.void]
    void = len(episodes) - len(counted)
    return {
        metric.name: aggregate(
            metric, (item for episode in counted for item in episode.measurements[metric.name]), void
        )
        for metric in METRICS
    }


def _row(timeline: Timeline, exchange: Exchange, texts: Texts) -> dict[str, object]:
    """One exchange as a row of the run's JSON."""
    reply, latency = exchange.reply, exchange.latency
    unscored = {name: cause for name, cause in texts.unscored.items() if name != "endpoint_said"}
    if latency is None:
        unscored["latency_ms"] = exchange.unanswered
    row: dict[str, object] = {
        "user_start_s": timeline.seconds(exchange.user.start),
        "user_end_s": timeline.seconds(exchange.user.end),
        "endpoint_start_s": timeline.seconds(reply[0].start) if reply else None,
        "endpoint_end_s": timeline.seconds(reply[-1].end) if reply else None,
        "latency_ms": None if latency is None else timeline.milliseconds(latency),
        "intended": texts.intended,
        "said": texts.said,
        "heard": texts.heard,
        "endpoint_text": texts.endpoint_text,
        "endpoint_heard_user": texts.endpoint_heard_user,
    }
    if texts.verdicts:
        row["verdicts"] = [verdict.model_dump(mode="json") for verdict in texts.verdicts]
    if unscored:
        row["unscored"] = unscored
    return row


def _file(name: str, metrics: Sequence[Metric], scores: EpisodeScores) -> dict[str, object]:
    """A metric set as it is written beside the episode."""
    return {
        "schema_version": 1,
        "set": name,
        "episode": scores.info.id,
        "void": scores.info.outcome.void,
        "metrics": {
            metric.name: {
                **scores.metrics[metric.name].to_json(),
                "statistic": metric.statistic.value,
                "description": metric.description,
                "spread": _spread(scores.metrics[metric.name]),
                "values": [_value(item) for item in scores.measurements[metric.name]],
            }
            for metric in metrics
        },
    }


def _spread(result: Aggregate) -> dict[str, object] | None:
    return None if result.spread is None else asdict(result.spread)


def _value(item: Measurement) -> dict[str, object]:
    if isinstance(item, Measured):
        censored = {"censored": True} if item.censored else {}
        return {"exchange": item.where, "value": item.value, **censored, "evidence": dict(item.evidence)}
    return {"exchange": item.where, "value": None, "unscored": item.cause}
