"""Which commands are obeyed, and each of them once. Pure: payloads in, answers out."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from typing import get_args

from streams.events.coding import Unreadable, decode_command
from streams.events.messages import Ack, Command, CommandName

REMEMBERED = 1000
"""Commands whose answers are remembered."""

NAMES: tuple[str, ...] = get_args(CommandName)

_BACK = {"pause": "resume", "take_over": "give_back"}
"""What goes with what is allowed."""

Obey = Callable[[Command], Ack]
"""Does what a command asks for, at once, and answers; the answer's id and name are filled in."""


_OF_CALLS = ("say", "take_over", "give_back")
"""What is asked of one call."""


class NotAllowable(ValueError):
    """An allow-list names a command that there is none of."""


def allowed(names: Iterable[str]) -> frozenset[str]:
    """The commands of an allow-list such as "pause,take-over"; who may do a thing may undo it.

    Raises:
        NotAllowable: One of them is unknown.
    """
    found = {as_named(name) for name in names if name.strip()}
    if unknown := sorted(found - set(NAMES)):
        raise NotAllowable(f"there is no command {unknown[0]!r}; there are {', '.join(NAMES)}")
    return frozenset(found | {back for name, back in _BACK.items() if name in found})


def as_named(name: str) -> str:
    """A command as it is called, from what people type."""
    return name.strip().replace("-", "_")


class Desk:
    """Takes commands, has those obeyed that are allowed and new, and answers each.

    Args:
        allow: Names of the commands that are obeyed.
        obey: Obeys one.
    """

    def __init__(self, allow: Collection[str], obey: Obey) -> None:
        self._allow = allow
        self._obey = obey
        self._answers: OrderedDict[str, tuple[Command, Ack]] = OrderedDict()

    def take(self, payload: bytes, *, retained: bool = False) -> Ack:
        """Take a command as it arrives.

        Args:
            payload: What arrived.
            retained: The broker had kept it: it is old, and meant for nobody who comes later.
        """
        try:
            command = decode_command(payload)
        except Unreadable as error:
            return Ack(id=_id_of(payload), status="invalid", reason=str(error))
        if (known := self._answers.get(command.id)) is not None:
            return _again(command, *known)
        answer = self._answer(command, retained=retained)
        answer = answer.model_copy(update={"id": command.id, "name": command.name})
        self._answers[command.id] = (command, answer)
        if len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)
        return answer

    def _answer(self, command: Command, *, retained: bool) -> Ack:
        if retained:
            return refused("it was retained, and so may be old; publish commands without the retain flag")
        if command.name not in self._allow:
            known = ", ".join(sorted(self._allow)) or "none"
            return refused(f"this run does not take it (--mqtt-allow); it takes {known}")
        if command.name in _OF_CALLS and not command.episode:
            return Ack(status="invalid", reason=f"{command.name} needs an episode")
        if command.name == "say" and not command.text.strip():
            return Ack(status="invalid", reason="there are no words to say")
        return self._obey(command)


def _again(command: Command, known: Command, answer: Ack) -> Ack:
    """The answer to an id that has come before; another command under it is never taken for the first."""
    if command == known:
        return answer.model_copy(update={"repeated": True})
    why = f"the id {command.id!r} was that of another command ({known.name}): take a new one for each"
    return Ack(id=command.id, name=command.name, status="invalid", reason=why)


def refused(reason: str) -> Ack:
    """The answer to a command that is not obeyed."""
    return Ack(status="refused", reason=reason)


def not_available(reason: str) -> Ack:
    """The answer to a command that cannot be obeyed now, or here."""
    return Ack(status="not_available", reason=reason)


def done(reason: str) -> Ack:
    """The answer to a command that was obeyed."""
    return Ack(status="done", reason=reason)


def _id_of(payload: bytes) -> str:
    """The id of a command that cannot be read, if it has one, so that its sender finds the answer."""
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return ""
    found = value.get("id") if isinstance(value, dict) else None
    return found[:100] if isinstance(found, str) else ""
