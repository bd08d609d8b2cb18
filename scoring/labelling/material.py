"""What can be labelled of recorded calls: replies to something, and pairs of replies to the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from recordings.labels import turn_item
from recordings.reader import Episode
from scoring.arena.episodes import Match, matches
from scoring.judge.material import Answered, answered
from scoring.judge.rate import Heard
from scoring.labelling.plan import Unit, units


@dataclass(frozen=True, slots=True)
class Reply:
    """A turn of an endpoint, and where it is.

    Attributes:
        system: Whose reply it is.
        call: What it is drawn together with in a bootstrap: RUN/EPISODE.
    """

    item: str
    system: str
    call: str
    episode: Path
    found: Answered


@dataclass(frozen=True, slots=True)
class Material:
    """Everything that can be labelled.

    Attributes:
        replies: By item.
        matches: Pairs of them, with all that makes a battle.
        left_out: Episodes and replies that cannot be labelled or compared, by cause.
    """

    replies: Mapping[str, Reply]
    matches: tuple[Match, ...]
    left_out: Counter[str] = field(default_factory=Counter)

    def units(self) -> tuple[Unit, ...]:
        """What is listened to together."""
        return units(self.replies, (match.items for match in self.matches))


def opened(folder: Path) -> Heard:
    """An episode without its sound, and without what was read to find its replies: there may be thousands.

    Raises:
        RecordingError: It cannot be read.
    """
    episode = Episode.load(folder)
    return Heard(replace(episode), tuple(answered(episode, None)))


def material(calls: Sequence[tuple[str, Heard]], unreadable: int = 0) -> Material:
    """What can be labelled of episodes, each given with its system; and how many could not be read."""
    left_out = Counter({"unreadable": unreadable})
    replies: dict[str, Reply] = {}
    by_system: dict[str, list[Heard]] = {}
    for system, heard in calls:
        info = heard.episode.info
        by_system.setdefault(system, []).append(heard)
        if info.outcome.void:
            continue
        if not heard.replies:
            left_out["no_reply"] += 1
        for found in heard.replies:
            item = turn_item(info, found.turn)
            if item in replies:
                left_out["same_name"] += 1
                continue
            call = item.rpartition("/")[0]
            replies[item] = Reply(item, system, call, heard.episode.path, found)
    pairs = matches(by_system)
    known = tuple(match for match in pairs.found if set(match.items) <= replies.keys())
    return Material(replies, known, +left_out + pairs.left_out)
