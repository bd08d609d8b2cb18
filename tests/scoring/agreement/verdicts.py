"""Episodes with verdicts on their turns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from recordings.format import Outcome, SessionEnded, Side, Turn, Verdict
from recordings.writer import EpisodeWriter
from streams import clock
from tests.recordings.calls import episode_info


def recorded(folder: Path, verdicts: Sequence[Sequence[Verdict]], **changes: str) -> Path:
    """An episode whose turns carry these verdicts."""

    async def record() -> None:
        writer = EpisodeWriter(folder, episode_info(**changes))
        for index, found in enumerate(verdicts):
            writer.turn(
                Turn(index=index, side=Side.ENDPOINT, start=0, end=1, rate=24000, verdicts=tuple(found))
            )
        writer.event(SessionEnded(t=0.0, outcome=Outcome.COMPLETED))
        await writer.finish(episode_info(**changes, outcome=Outcome.COMPLETED, fault="nobody"))

    clock.run(record(), simulate=True)
    return folder
