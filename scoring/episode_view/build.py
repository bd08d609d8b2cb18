"""What is shown of an episode, from its folder. Reads; writes nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from recordings.errors import RecordingError
from recordings.format import EpisodeInfo, Side
from recordings.reader import Episode, Track, read_scores
from scenarios.spoken.terms import Rarity
from scoring.blueprint.episodes import stored_blueprints
from scoring.digest.make import condition_text, user_text
from scoring.episode_view.axis import Axis
from scoring.episode_view.curves import curves_state
from scoring.episode_view.event_lanes import event_lanes
from scoring.episode_view.lanes import speech_lanes, with_turns
from scoring.episode_view.model import ModelUsed, Notice, ShownEpisode, ShownTurn
from scoring.episode_view.outline import known_lanes, outline_timeline, outline_turns, promised_length
from scoring.episode_view.spans import ShownTrack
from scoring.episode_view.turns import Contribution, contributions, numbered
from scoring.episode_view.values import brackets, shown_metrics
from scoring.episode_view.verdicts import Judged, facts_by_turn, verdicts
from scoring.judge.rated import Rated, ratings
from scoring.science.marks import rarity
from scoring.score import METRICS, EpisodeScores, measure, read_timeline, view_of
from scoring.texts import exchange_texts
from scoring.timeline import Timeline
from scoring.transcribe import stored_transcripts
from scoring.view import EpisodeView

T = TypeVar("T")

Length = Callable[[Episode, Track], tuple[int, int]]
"""Samples and rate of a track."""

_TITLES: dict[Track, tuple[str, Side]] = {
    "user": ("User, on the wire", Side.USER),
    "user_clean": ("User, before conditions", Side.USER),
    "endpoint": ("Endpoint, as heard", Side.ENDPOINT),
    "received": ("Endpoint, as received", Side.ENDPOINT),
}


def shown_episode(folder: Path, id: str = "", *, live: bool = False) -> ShownEpisode:
    """Everything that a page shows of an episode, by the transcripts and verdicts that are there.

    Args:
        folder: Of the episode.
        id: By which the page knows it.
        live: It is being recorded now.

    Raises:
        RecordingError: The episode, a track or its events cannot be read. A file of scores that cannot be
            is told on the page.
    """
    episode = Episode.load(folder, mapped=True)
    notices = list(_notices(episode.info, live))
    scores = _scores(episode, read_timeline(episode), notices)
    view, axis = scores.view, Axis(scores.view.timeline)
    judged = _judged(episode, notices)
    found = contributions(view, episode.turns, _rarity(view), _terms(episode.info))
    turns = _turns(found, view.timeline.rate, judged)
    return _shown(
        episode,
        view,
        turns,
        notices,
        _length,
        id=id,
        live=live,
        brackets=brackets(view.timeline, turns, scores.measurements),
        metrics=shown_metrics(METRICS, scores.metrics, scores.measurements, turns, axis),
    )


def measured_episode(folder: Path) -> EpisodeScores:
    """All metrics of an episode, by the transcripts and verdicts that are there; nothing is written.

    Raises:
        RecordingError: See `shown_episode`.
    """
    episode = Episode.load(folder, mapped=True)
    return _scores(episode, read_timeline(episode), [])


def outlined_episode(folder: Path, id: str = "", *, live: bool = False) -> ShownEpisode:
    """What can be told of an episode at once, without going through its sound or what arrived when.

    See `shown_episode`.
    """
    episode = Episode.load(folder, mapped=True)
    timeline = outline_timeline(episode)
    view = EpisodeView(episode.info, episode.events, (), timeline, ())
    turns = _turns(outline_turns(episode.turns, Axis(timeline)), timeline.rate, Judged())
    notices = list(_notices(episode.info, live))
    shown = _shown(episode, view, turns, notices, promised_length, id=id, live=live, complete=False)
    return shown.model_copy(update={"lanes": known_lanes(shown.lanes)})


def _scores(episode: Episode, timeline: Timeline, notices: list[Notice]) -> EpisodeScores:
    """All metrics of a call. What a file of scores would add is left out if it cannot be read."""
    transcripts = _kept(notices, lambda: stored_transcripts(episode), None)
    try:
        view = view_of(episode, timeline, transcripts)
    except RecordingError as error:
        notices.append(_unreadable(error))
        texts = exchange_texts(timeline, episode.events, episode.received, episode.turns, transcripts)
        view = EpisodeView(episode.info, episode.events, episode.received, timeline, texts)
    return measure(episode.path, view, transcripts)


def _shown(
    episode: Episode,
    view: EpisodeView,
    turns: tuple[ShownTurn, ...],
    notices: Sequence[Notice],
    length: Length,
    **more: Any,
) -> ShownEpisode:
    info, axis = episode.info, Axis(view.timeline)
    models = (ModelUsed(role=m.role, family=m.family, name=m.name, version=m.version) for m in info.models)
    return ShownEpisode(
        episode=info.id,
        run=info.run,
        title=str(info.scenario.get("title") or info.scenario.get("id") or info.id),
        scenario=str(info.scenario.get("id", "")),
        pack=info.pack,
        scenario_sha256=info.scenario_sha256,
        language=view.language,
        endpoint=info.endpoint.address,
        protocol=info.endpoint.protocol,
        model=info.endpoint.model,
        user=user_text(info),
        condition=condition_text(info.part("conditions")),
        seed=info.seed,
        repeat=info.repeat,
        clock=info.clock,
        started_at_utc=info.started_at_utc,
        vivavoce=info.vivavoce,
        outcome=info.outcome,
        fault=info.fault,
        void=info.outcome.void,
        reason=info.reason,
        rate=view.timeline.rate,
        duration=view.timeline.duration,
        duration_s=view.timeline.seconds(view.timeline.duration),
        tracks=tuple(_track(episode, name, length) for name in _TITLES),
        lanes=with_turns((*speech_lanes(view, axis), *event_lanes(view, axis)), turns),
        turns=turns,
        models=tuple(models),
        curves=curves_state(episode),
        notices=tuple(notices),
        **more,
    )


def _turns(found: Sequence[Contribution], rate: int, judged: Judged) -> tuple[ShownTurn, ...]:
    shown = zip(found, numbered(found), strict=True)
    return tuple(_judged_turn(one, turn, rate, judged) for one, turn in shown)


def _judged_turn(one: Contribution, shown: ShownTurn, rate: int, judged: Judged) -> ShownTurn:
    if one.side is Side.USER:
        return shown
    found = verdicts(one.recorded, one.segments, rate, judged)
    return shown.model_copy(update={"verdicts": found})


def _judged(episode: Episode, notices: list[Notice]) -> Judged:
    nobody: tuple[str, dict[int, tuple[Rated, ...]]] = ("", {})
    rater, rated = _kept(notices, lambda: ratings(episode.path), nobody)
    _kept(notices, lambda: stored_blueprints(episode), None)
    facts = {}
    if (episode.path / "scores" / "judge.json").is_file():
        # that it cannot be read has been told already
        facts = facts_by_turn(_kept([], lambda: read_scores(episode.path, "judge"), None))
    return Judged(facts, rater, rated)


def _length(episode: Episode, name: Track) -> tuple[int, int]:
    """Samples and rate of a track as it is read."""
    pcm, rate = episode.track(name)
    return pcm.size, rate


def _track(episode: Episode, name: Track, length: Length) -> ShownTrack:
    title, side = _TITLES[name]
    rate = episode.info.user_rate if side is Side.USER else episode.info.endpoint_rate
    samples, problem = 0, ""
    try:
        samples, rate = length(episode, name)
    except RecordingError as error:
        problem = str(error.found)
    tick_rate = math.lcm(episode.info.user_rate, episode.info.endpoint_rate)
    if tick_rate % rate:
        problem = f"its rate is {rate} Hz, the call's {tick_rate}"
    return ShownTrack(
        name=name,
        title=title,
        side=side,
        rate=rate,
        step=max(tick_rate // rate, 1),
        samples=samples,
        on_timeline=name != "received",
        problem=problem,
    )


def _rarity(view: EpisodeView) -> Rarity | None:
    """Only of English words is known how rare they are."""
    return rarity() if view.language.lower().startswith("en") else None


def _terms(info: EpisodeInfo) -> tuple[str, ...]:
    """Terms that the items of a scenario name."""
    turns = info.scenario.get("turns")
    named: dict[str, None] = {}
    for turn in turns if isinstance(turns, list) else ():
        item = turn.get("item") if isinstance(turn, dict) else None
        terms = item.get("terms") if isinstance(item, dict) else None
        named |= dict.fromkeys(str(term) for term in terms if term) if isinstance(terms, list) else {}
    return tuple(named)


def _notices(info: EpisodeInfo, live: bool) -> Iterator[Notice]:
    if live:
        yield Notice(level="info", text="This call is being recorded now.")
    elif info.outcome.void:
        outcome = info.outcome.value.replace("_", " ")
        reason = f": {info.reason}" if info.reason else ""
        yield Notice(level="warning", text=f"Void ({outcome}){reason}. It says nothing about the endpoint.")


def _kept(notices: list[Notice], read: Callable[[], T], otherwise: T) -> T:
    try:
        return read()
    except RecordingError as error:
        notices.append(_unreadable(error))
        return otherwise


def _unreadable(error: RecordingError) -> Notice:
    return Notice(level="error", text=f"{error.path.name}: {error.found}. {error.remedy}".strip())
