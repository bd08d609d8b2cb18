"""What was said so far, on both sides, as far as it was heard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Role(StrEnum):
    """Who speaks."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"  # what a tool returned


@dataclass(frozen=True, slots=True)
class Message:
    """What one side said between two words of the other."""

    role: Role
    text: str


class NoSuchItem(LookupError):
    """An item that is not in the dialogue, or that cannot be treated like this."""


@dataclass(slots=True)
class _Spoken:
    text: str
    samples: int = 0


@dataclass(slots=True)
class _Item:
    role: Role
    text: str = ""
    spoken: list[_Spoken] = field(default_factory=list)

    @property
    def samples(self) -> int:
        return sum(part.samples for part in self.spoken)


class Dialogue:
    """The items of one session, in order."""

    def __init__(self) -> None:
        self._items: dict[str, _Item] = {}
        self._made = 0

    def add(self, role: Role, text: str = "", item: str | None = None) -> tuple[str, str | None]:
        """Put an item at the end; returns its id and that of the item before it."""
        name = item or self.new_id()
        previous = next(reversed(self._items), None)
        self._items[name] = _Item(role, text)
        return name, previous

    def new_id(self) -> str:
        """An id for an item that will be added."""
        self._made += 1
        return f"item_{self._made:04d}"

    def hear(self, item: str, text: str) -> None:
        """What the user said in this item is now known; nothing happens if it was deleted."""
        if item in self._items:
            self._items[item].text = text

    def say(self, item: str, text: str, samples: int) -> None:
        """The assistant says more: the samples belong to `text`, or to the text before if it is empty."""
        entry = self._items.get(item)
        if entry is None:  # the client deleted it while it was spoken
            return
        if text or not entry.spoken:
            entry.spoken.append(_Spoken(text))
        entry.spoken[-1].samples += samples
        entry.text = " ".join(part.text for part in entry.spoken)

    def text(self, item: str) -> str:
        """The text of an item; "" if it was deleted."""
        return self._items[item].text if item in self._items else ""

    def samples(self, item: str) -> int:
        """The samples of the assistant's item; 0 if it was deleted."""
        return self._items[item].samples if item in self._items else 0

    def delete(self, item: str) -> None:
        """Take an item out. Raises `NoSuchItem`."""
        if self._items.pop(item, None) is None:
            raise NoSuchItem(f"There is no item {item!r} in the dialogue.")

    def truncate(self, item: str, samples: int) -> None:
        """Forget what was not heard: all after `samples`, word by word within a sentence.

        Raises:
            NoSuchItem: It is not there, is not the assistant's, or is shorter.
        """
        entry = self._items.get(item)
        if entry is None or entry.role is not Role.ASSISTANT:
            raise NoSuchItem(f"There is no item {item!r} of the assistant in the dialogue.")
        if samples > entry.samples:
            raise NoSuchItem(f"Item {item!r} has {entry.samples} samples of audio, fewer than {samples}.")
        kept: list[_Spoken] = []
        left = samples
        for part in entry.spoken:
            heard = min(part.samples, left)
            left -= heard
            if heard:
                words = part.text.split()
                share = len(words) * heard // part.samples
                kept.append(_Spoken(" ".join(words[:share]), heard))
        entry.spoken = kept
        entry.text = " ".join(part.text for part in kept if part.text)

    def messages(self) -> Sequence[Message]:
        """The dialogue as alternating messages; items without text are left out."""
        messages: list[Message] = []
        for item in self._items.values():
            if not item.text:
                continue
            if messages and messages[-1].role is item.role:
                messages[-1] = Message(item.role, f"{messages[-1].text} {item.text}")
            else:
                messages.append(Message(item.role, item.text))
        return messages
