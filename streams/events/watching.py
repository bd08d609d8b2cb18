"""Runs as they are seen from the broker alone. Pure: messages in, what is known out.

States hold all that a screen shows, and the broker keeps the last of each: it does not matter when one
begins to watch, nor whether a message comes twice.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

from streams.events.coding import Unreadable, decode
from streams.events.messages import Header, LevelsShown, Loss, Presence, Progress, Published, SessionState
from streams.events.topics import DELIVERIES, name_of

REMEMBERED = 200
"""Ended calls of a run that are remembered."""

NUMBERS = 5000
"""Numbers of messages of a run that are remembered."""


@dataclass(slots=True)
class RunSeen:
    """One run.

    Attributes:
        sessions: By episode, in the order in which they were seen first.
        levels: Newest levels of the calls under way, by episode.
        unreadable: Messages that are none of a version that is known here.
    """

    run: str
    presence: Presence | None = None
    progress: Progress | None = None
    loss: Loss | None = None
    sessions: dict[str, SessionState] = field(default_factory=dict)
    levels: dict[str, LevelsShown] = field(default_factory=dict)
    unreadable: int = 0
    _numbers: OrderedDict[tuple[str, int], None] = field(default_factory=OrderedDict, repr=False)

    def is_new(self, message: Header) -> bool:
        """Whether a message of a stream comes for the first time; a broker may deliver it twice."""
        number = (message.source, message.seq)
        if number in self._numbers:
            return False
        self._numbers[number] = None
        if len(self._numbers) > NUMBERS:
            self._numbers.popitem(last=False)
        return True

    @property
    def online(self) -> bool:
        """False if the run has ended or is lost, or never said that it is there."""
        return self.presence is not None and self.presence.state == "online"

    @property
    def live(self) -> list[SessionState]:
        """Calls under way; none if the run is gone, nor of a sitting before the one that is there."""
        there = self.presence
        if there is not None and not self.online:
            return []
        under_way = [one for one in self.sessions.values() if one.state != "ended"]
        return [one for one in under_way if there is None or one.source == there.source]

    @property
    def ended(self) -> list[SessionState]:
        """Calls that have ended, of those that are remembered."""
        return [one for one in self.sessions.values() if one.state == "ended"]


class Watch:
    """All runs under one prefix.

    Args:
        prefix: Of their topics.
        remembered: Ended calls of a run that are remembered.
    """

    def __init__(self, prefix: str, remembered: int = REMEMBERED) -> None:
        self._remembered = remembered
        self._depth = len(prefix.split("/"))
        self.runs: dict[str, RunSeen] = {}

    def take(self, topic: str, payload: bytes) -> Published | None:
        """Take a message as it arrives; returns it if it is news, and None if it is old or unreadable."""
        parts = topic.split("/")[self._depth :]
        delivery = DELIVERIES.get(parts[-1]) if parts else None
        if delivery is None or len(parts) != (2 if delivery.about == "run" else 3):
            return None
        name = name_of(parts[0])
        if not payload:  # a state that the broker has forgotten
            self._forget(name, parts)
            return None
        run = self.runs.setdefault(name, RunSeen(name))
        try:
            message = decode(payload)
        except Unreadable:
            run.unreadable += 1
            return None
        return message if self._note(run, message) else None

    def lines(self) -> Iterable[RunSeen]:
        """The runs: those that are there, then the others, the last one first."""
        online = [run for run in self.runs.values() if run.online]
        gone = [run for run in self.runs.values() if not run.online]
        gone.sort(key=lambda run: run.presence.at if run.presence else "", reverse=True)
        return online + gone

    def _note(self, run: RunSeen, message: Published) -> bool:
        match message:
            case Presence():
                return self._note_presence(run, message)
            case Progress() if newer(message, run.progress):
                run.progress = message
            case Loss() if newer(message, run.loss):
                run.loss = message
            case SessionState() if newer(message, run.sessions.get(message.episode)):
                self._note_session(run, message)
            case LevelsShown() if newer(message, run.levels.get(message.episode)):
                state = run.sessions.get(message.episode)
                if state is not None and state.state != "ended":
                    run.levels[message.episode] = message
            case Progress() | Loss() | SessionState() | LevelsShown():
                return False
            case _:
                return run.is_new(message)
        return True

    def _note_presence(self, run: RunSeen, message: Presence) -> bool:
        known = run.presence
        late_will = message.state == "lost" and known is not None and known.source != message.source
        if known == message or late_will or (message.state != "lost" and not newer(message, known)):
            return False
        run.presence = message
        return True

    def _note_session(self, run: RunSeen, message: SessionState) -> None:
        run.sessions[message.episode] = message
        if message.state == "ended":
            run.levels.pop(message.episode, None)
            ended = [name for name, one in run.sessions.items() if one.state == "ended"]
            for name in ended[: max(len(ended) - self._remembered, 0)]:
                del run.sessions[name]

    def _forget(self, name: str, parts: list[str]) -> None:
        run = self.runs.get(name)
        if run is not None and len(parts) == 2 and parts[1] == "presence":
            del self.runs[name]


def newer(message: Header, known: Header | None) -> bool:
    """Whether a message says more than the last one of its topic: a later sitting wins over an earlier."""
    if known is None:
        return True
    if message.source == known.source:
        return message.seq > known.seq
    return message.at >= known.at
