"""What waits to be published: bounded, and it counts what it had to drop. Pure; not thread-safe."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from streams.events.messages import Header
from streams.events.topics import DELIVERIES, Rank

CAPACITY = 2000
"""Messages that wait at most: some minutes of ten calls, a few megabytes."""


@dataclass(slots=True)
class Lost:
    """What was not published.

    Attributes:
        dropped: By kind, since there was no room, or no time at the end.
        replaced: By a newer message of the same topic.
    """

    dropped: Counter[str] = field(default_factory=Counter)
    replaced: int = 0


_Key = tuple[str, str, str] | int
"""Run, episode and kind where the newest message counts; else the message's own number."""


class Buffer:
    """Messages in the order of their numbers; when it is full, the least important ones go, oldest first.

    Args:
        capacity: Messages that it holds at most.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._waiting: dict[Rank, OrderedDict[_Key, Header]] = {rank: OrderedDict() for rank in Rank}
        self.lost = Lost()

    def __len__(self) -> int:
        return sum(len(waiting) for waiting in self._waiting.values())

    def put(self, message: Header) -> None:
        """Let a message wait."""
        waiting, key = self._place(message)
        if waiting.pop(key, None) is not None:
            self.lost.replaced += 1
        waiting[key] = message
        self._make_room()

    def put_back(self, messages: Sequence[Header]) -> None:
        """Let messages that could not be sent wait again, where they were."""
        for message in reversed(messages):
            waiting, key = self._place(message)
            if key in waiting:  # a newer one of its topic has come meanwhile
                self.lost.replaced += 1
                continue
            waiting[key] = message
            waiting.move_to_end(key, last=False)
        self._make_room()

    def remind(self, messages: Sequence[Header]) -> None:
        """Let states wait again that were sent before, unless newer ones wait."""
        for message in messages:
            waiting, key = self._place(message)
            if key not in waiting:
                waiting[key] = message
        self._make_room()

    def drop_all(self) -> None:
        """Give up what waits."""
        while (message := self.take()) is not None:
            self.lost.dropped[message.kind] += 1

    def take(self) -> Header | None:
        """The message with the lowest number, or None."""
        heads = [
            (next(iter(waiting.values())).seq, waiting) for waiting in self._waiting.values() if waiting
        ]
        if not heads:
            return None
        _, waiting = min(heads, key=lambda head: head[0])
        return waiting.popitem(last=False)[1]

    def _place(self, message: Header) -> tuple[OrderedDict[_Key, Header], _Key]:
        delivery = DELIVERIES[message.kind]
        key: _Key = (message.run, message.episode, message.kind) if delivery.latest else message.seq
        return self._waiting[delivery.rank], key

    def _make_room(self) -> None:
        while len(self) > self._capacity:
            waiting = next(waiting for waiting in self._waiting.values() if waiting)
            _, message = waiting.popitem(last=False)
            self.lost.dropped[message.kind] += 1
