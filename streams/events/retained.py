"""What the broker should hold of a run: kept here too, since a broker may forget. Pure."""

from __future__ import annotations

from collections import OrderedDict

from streams.events.messages import Cleared, Header, Presence, SessionState
from streams.events.topics import DELIVERIES

ENDED_KEPT = 32
"""Ended calls of a run whose state stays on the broker: a run of thousands does not fill it."""


class Retained:
    """The newest state of the run, of the calls under way, and of the last ones that ended."""

    def __init__(self) -> None:
        self._run: dict[str, Header] = {}
        self._live: dict[str, SessionState] = {}
        self._ended: OrderedDict[str, SessionState] = OrderedDict()

    def note(self, message: Header) -> Cleared | None:
        """Keep a message that the broker keeps; returns what it should forget instead, if anything."""
        if isinstance(message, SessionState):
            return self._note_session(message)
        if DELIVERIES[message.kind].retain and not isinstance(message, Presence):
            self._run[message.kind] = message
        return None

    def all(self) -> list[Header]:
        """What a broker that has forgotten everything must be told, in the order of the numbers."""
        kept = [*self._run.values(), *self._ended.values(), *self._live.values()]
        return sorted(kept, key=lambda message: message.seq)

    def _note_session(self, message: SessionState) -> Cleared | None:
        name = message.episode
        self._ended.pop(name, None)  # a void call that is held again is live again
        if message.state != "ended":
            self._live[name] = message
            return None
        self._live.pop(name, None)
        self._ended[name] = message
        if len(self._ended) <= ENDED_KEPT:
            return None
        oldest, _ = self._ended.popitem(last=False)
        return Cleared(episode=oldest)
