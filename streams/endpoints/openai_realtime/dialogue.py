"""What the server has begun, delivered and been told: the state behind flushes and truncations."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Item:
    """Audio of one output item.

    Attributes:
        received: Samples that arrived.
        ended: The server says that no more will come.
        told: A truncation or deletion was sent for it.
    """

    response: str
    received: int = 0
    ended: bool = False
    told: bool = False


@dataclass(slots=True)
class _Response:
    done: bool = False
    unheard: set[str] = field(default_factory=set)


class Dialogue:
    """Keeps account by id, never by a flag: responses overlap, and audio of a cut one arrives late."""

    def __init__(self) -> None:
        self.items: dict[str, Item] = {}
        self._responses: dict[str, _Response] = {}
        self._finished: set[str] = set()

    @property
    def active(self) -> tuple[str, ...]:
        """Responses that have begun and are not done."""
        return tuple(name for name, response in self._responses.items() if not response.done)

    def begin(self, response: str) -> None:
        """A response begins, or shows itself by its first audio."""
        if response and response not in self._finished:
            self._responses.setdefault(response, _Response())

    def audio(self, item: str, response: str, samples: int) -> None:
        """Audio of an item arrived."""
        state = self.items.setdefault(item, Item(response))
        state.received += samples
        self.begin(response)
        if response in self._responses:
            self._responses[response].unheard.add(item)

    def end_item(self, item: str) -> None:
        """All audio of an item has arrived."""
        if item in self.items:
            self.items[item].ended = True

    def finish(self, response: str) -> list[str]:
        """A response is done; returns its items."""
        self._finished.add(response)
        if response in self._responses:
            self._responses[response].done = True
        items = [name for name, item in self.items.items() if item.response == response]
        for name in items:
            self.end_item(name)
        self._forget()
        return items

    def settle(self, item: str) -> None:
        """An item was heard to its end, or dropped."""
        for response in self._responses.values():
            response.unheard.discard(item)
        self._forget()

    def flush(self) -> tuple[str, ...]:
        """Responses that a flush cuts: those not done, and those whose audio may still be playing."""
        cut = tuple(self._responses)
        for response in self._responses.values():
            response.unheard.clear()
        self._forget()
        return cut

    def _forget(self) -> None:
        self._responses = {
            name: each for name, each in self._responses.items() if not each.done or each.unheard
        }
