"""An episode as the metrics see it: its timeline, and the words of every exchange."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from recordings.format import EpisodeInfo, Event, ReceivedPiece
from scoring.judged import JudgedFacts
from scoring.texts import Texts
from scoring.timeline import Timeline


@dataclass(frozen=True, slots=True)
class EpisodeView:
    """What metrics may look at; all of it is read from the recording.

    Attributes:
        texts: One for each exchange of the timeline.
        judged: What judges said of the facts, by exchange.
    """

    info: EpisodeInfo
    events: Sequence[Event]
    received: Sequence[ReceivedPiece]
    timeline: Timeline
    texts: Sequence[Texts]
    judged: Mapping[int, JudgedFacts] = field(default_factory=dict)

    @property
    def language(self) -> str:
        """Language of the scenario."""
        return str(self.info.scenario.get("language", "en"))
