"""What is told of replies after they were labelled: whose they are, and what judges say of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recordings.reader import Episode
from recordings.studio.label_cards import Revealed
from scoring.judge.dimensions import Dimension
from scoring.judge.rated import ratings
from scoring.labelling.material import Reply
from scoring.report.safe import neutralise


def revealed(replies: Sequence[Reply]) -> Revealed:
    """Everything about some replies.

    Raises:
        RecordingError: An episode, or what a judge left beside it, cannot be read.
    """
    return Revealed(replies=tuple(_told(reply) for reply in replies))


def _told(reply: Reply) -> dict[str, Any]:
    episode = Episode.load(reply.episode)
    turn = next(turn for turn in episode.turns if turn.index == reply.found.turn)
    judge, rated = ratings(reply.episode)
    found = rated.get(reply.found.turn, ())
    return {
        "item": reply.item,
        "system": neutralise(reply.system),
        "endpoint": neutralise(episode.info.endpoint.address),
        "judge": judge,
        "ratings": [
            {"dimension": dimension.value, "label": one.label, "reason": neutralise(one.reason)}
            for dimension, one in zip(Dimension, found, strict=False)
        ],
        "verdicts": [
            {
                "judge": one.judge,
                "label": one.label,
                "unscored": one.unscored,
                "reason": neutralise(one.reason),
            }
            for one in turn.verdicts
        ],
    }
