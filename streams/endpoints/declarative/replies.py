"""Which reply audio and words belong to, where the wire does not say; and when a reply is over."""

from __future__ import annotations

import math
from collections.abc import Sequence

from streams.endpoints.declarative.model import Description
from streams.endpoints.declarative.rule_model import LateAudio
from streams.endpoints.events import (
    EndpointEvent,
    Flush,
    ItemEnded,
    ResponseEnded,
    ResponseStarted,
    ResponseStatus,
)
from streams.endpoints.pieces import Stamp

_GAP_S = 0.8

Belongs = tuple[str, str]
"""An item, and the response around it."""


class Replies:
    """Names what has no name, and closes what has no end.

    Items without an id are `item-1`, `item-2`, ..., replies `reply-1`, ... A reply is a `response` of the
    events only if some rule tells its begin or its end.
    """

    def __init__(self, description: Description) -> None:
        rules = description.rules
        self._ends = any(rule.reply_end or rule.item_end for rule in rules)
        self._bounds = any(rule.reply_end or rule.reply_start for rule in rules)
        self._gap_s = description.audio.receive.gap_s or (math.inf if self._ends else _GAP_S)
        self._items = self._replies = self._users = 0
        self._last_at = 0.0
        self._upto: float | None = None
        self._late = ""
        self._user_open = False
        self._unannounced = False  # the open reply has begun with its audio or words
        self.item = self.response = ""
        """What is open; "" if nothing is."""
        self._latest: Belongs = ("", "")

    def start(self, response: str, stamp: Stamp) -> Sequence[EndpointEvent]:
        """A reply begins."""
        ended = self._end_item(stamp)
        self.response, self._unannounced = response or self._next_reply(), False
        return [*ended, ResponseStarted(**stamp, response=self.response)]

    def audio(
        self, item: str, response: str, order: float | None, stamp: Stamp
    ) -> tuple[Sequence[EndpointEvent], Belongs]:
        """Audio comes: what ends before it, and where it belongs."""
        if order is not None and self._upto is not None and order <= self._upto:
            return [], (self._late, self._late)
        ended = self._open(item, response, stamp)
        self._last_at = stamp["at"]
        return ended, self._latest

    def words(
        self, item: str, response: str, *, last: bool, stamp: Stamp
    ) -> tuple[Sequence[EndpointEvent], Belongs]:
        """Words come: the same. `last`: they are of the latest reply, and begin none."""
        if item:
            return [], (item, response or self.response)
        if last and self._latest[0]:
            return [], self._latest
        return self._open("", response, stamp), self._latest

    def user(self, item: str, *, final: bool) -> str:
        """The user's turn that a transcript is of."""
        if item:
            return item
        if not self._user_open:
            self._users += 1
        self._user_open = not final
        return f"user-{self._users}"

    def end_item(self, item: str, stamp: Stamp) -> Sequence[EndpointEvent]:
        """All audio of an item was sent."""
        if not item or item == self.item:
            return self._end_item(stamp)
        return [ItemEnded(**stamp, item=item, response=self.response)]

    def end(
        self, response: str, status: ResponseStatus, reason: str, stamp: Stamp
    ) -> Sequence[EndpointEvent]:
        """A reply was sent, or given up; the end of nothing is no event."""
        response = response or self.response
        if not response:
            return self._end_item(stamp)
        ended: Sequence[EndpointEvent] = []
        if response == self.response:
            ended = self._end_item(stamp)
            self.response = ""
        return [*ended, ResponseEnded(**stamp, response=response, status=status, reason=reason)]

    def flush(self, upto: float | None, rest: LateAudio, stamp: Stamp) -> Sequence[EndpointEvent]:
        """What was not heard is dropped, and what comes late with it."""
        cut = [self.response] if self.response else []
        if upto is not None:
            self._replies += 1
            self._upto, self._late = upto, f"late-{self._replies}"
            cut.append(self._late)
        if rest is LateAudio.LATE and self.response:
            return [Flush(**stamp, responses=tuple(cut))]
        ended = self._end_item(stamp)
        self.response = ""
        return [*ended, Flush(**stamp, responses=tuple(cut))]

    def _open(self, item: str, response: str, stamp: Stamp) -> Sequence[EndpointEvent]:
        ended: Sequence[EndpointEvent] = []
        item = item or response  # one item a reply, where only replies have names
        if self.item:
            gap = stamp["at"] - self._last_at >= self._gap_s
            over = not self._ends and item != self.item if item else gap
            ended = self._end_item(stamp) if over else []
            if over and self._unannounced:
                self.response = ""
        if self._bounds and not (response or self.response):
            self.response, self._unannounced = self._next_reply(), True
        if not (item or self.item):
            self._items += 1
            self._last_at = stamp["at"]
            self.item = f"item-{self._items}"
        self.item = item or self.item
        self._latest = self.item, response or self.response
        return ended

    def _end_item(self, stamp: Stamp) -> list[EndpointEvent]:
        item, self.item = self.item, ""
        return [ItemEnded(**stamp, item=item, response=self.response)] if item else []

    def _next_reply(self) -> str:
        self._replies += 1
        return f"reply-{self._replies}"
