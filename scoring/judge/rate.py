"""Every reply of recorded calls rated in three dimensions; written to `scores/dimensions.json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from recordings.reader import Episode, write_scores
from scoring.blueprint.episodes import EpisodeBlueprints, Studio, episode_blueprints, stored_blueprints
from scoring.judge.cost import Cost, total
from scoring.judge.dimensions import DIMENSIONS_VERSION, Dimension, DimensionJudge, Verdict
from scoring.judge.fusion import WORST, Fusion, FusionChoice
from scoring.judge.material import Answered, answered
from streams.clock import now

FILE = "dimensions"
"""Name of the file in an episode's `scores/`."""

BLUEPRINT_SPEED = 15.0
"""Seconds of speech whose blueprints are made in a second, on two cores: an hour in four minutes."""


@dataclass(frozen=True, slots=True)
class Heard:
    """An episode ready to be judged.

    Attributes:
        replies: What can be judged.
        compute_s: Seconds that its blueprints took; 0 if they were there.
    """

    episode: Episode
    replies: tuple[Answered, ...]
    compute_s: float = 0.0


@dataclass(frozen=True, slots=True)
class RatedEpisode:
    """An episode's ratings.

    Attributes:
        verdicts: By turn of the endpoint.
        fusion: Makes one label of three.
        preparing: What came before any verdict: blueprints.
    """

    episode: str
    judge: str
    version: int
    verdicts: dict[int, Verdict]
    fusion: Fusion = WORST
    preparing: Cost = field(default_factory=Cost)

    @property
    def cost(self) -> Cost:
        """Of all of it."""
        return self.preparing + total(verdict.cost for verdict in self.verdicts.values())

    def counts(self, dimension: Dimension) -> Counter[str]:
        """How often each label was given in a dimension; causes of missing ones as "unscored: CAUSE"."""
        found = (verdict.labels[dimension] for verdict in self.verdicts.values())
        return Counter(one.label or f"unscored: {one.cause}" for one in found)

    def to_json(self) -> dict[str, Any]:
        """As in scores/dimensions.json."""
        return {
            "schema_version": 1,
            "set": FILE,
            "episode": self.episode,
            "judge": self.judge,
            "version": self.version,
            "contract": DIMENSIONS_VERSION,
            "fusion": str(self.fusion),
            "counts": {d.value: dict(sorted(self.counts(d).items())) for d in Dimension},
            "cost": self.cost.to_json(),
            "turns": [
                {"turn": turn, "overall": self.fusion.rate(verdict.labels).to_json(), **verdict.to_json()}
                for turn, verdict in self.verdicts.items()
            ],
        }


async def hear(folder: Path, studio: Studio | None, *, with_sound: bool = False) -> Heard:
    """Open an episode for judging.

    Args:
        folder: The episode.
        studio: What blueprints are made with where there are none; None does without.
        with_sound: Whether the judge is to hear the sound itself.

    Raises:
        RecordingError: The episode cannot be read, or its blueprints not written.
        SpeechError: A model failed.
    """
    episode = Episode.load(folder)
    started = now()
    blueprints: EpisodeBlueprints | None = stored_blueprints(episode)
    if blueprints is None and studio is not None:
        blueprints = await episode_blueprints(episode, studio)
    seconds = now() - started
    return Heard(episode, tuple(answered(episode, blueprints, with_sound=with_sound)), seconds)


def fusion_of(heard: Heard, choice: FusionChoice) -> Fusion:
    """The policy for an episode: that of the command, else that of its pack.

    Raises:
        FusionMisnamed: There is no such policy.
        FusionNotChosen: Nobody names one.
    """
    return choice.of(heard.episode.info.pack, heard.episode.info.fusion)


async def rate_episode(heard: Heard, judge: DimensionJudge, fusion: Fusion = WORST) -> RatedEpisode:
    """Rate every reply of an episode, and write the ratings beside it.

    Raises:
        RecordingError: They cannot be written.
    """
    verdicts = {reply.turn: await judge.rate(reply.item) for reply in heard.replies}
    info, preparing = heard.episode.info, Cost(compute_s=heard.compute_s)
    rated = RatedEpisode(info.id, judge.name, judge.version, verdicts, fusion, preparing)
    write_scores(heard.episode.path, FILE, rated.to_json())
    return rated


def estimate(episodes: Sequence[Heard], judge: DimensionJudge) -> Cost:
    """What rating these will take."""
    return preparing(episodes) + total(judge.estimate(reply.item) for h in episodes for reply in h.replies)


def preparing(episodes: Sequence[Heard]) -> Cost:
    """What blueprints that are still to be made will take."""
    lacking = [h for h in episodes if any(r.item.reply.spoken.blueprint is None for r in h.replies)]
    speech_s = sum(turn.end_s - turn.start_s for heard in lacking for turn in heard.episode.turns)
    return Cost(compute_s=speech_s / BLUEPRINT_SPEED)
