"""An episode as the metrics see it: its timeline, and the words of every exchange."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recordings.format import EpisodeInfo, Event, ReceivedPiece
from scoring.texts import Texts
from scoring.timeline import Timeline


@dataclass(frozen=True, slots=True)
class EpisodeView:
    """What metrics may look at; all of it is read from the recording.

    Attributes:
        texts: One for each exchange of the timeline.
    """

    info: EpisodeInfo
    events: Sequence[Event]
    received: Sequence[ReceivedPiece]
    timeline: Timeline
    texts: Sequence[Texts]

    @property
    def language(self) -> str:
        """Language of the scenario."""
        return str(self.info.scenario.get("language", "en"))
