"""Whose voice a speaker's name is. Pure; nothing is guessed from who speaks first or more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recordings.format import Side
from recordings.importing.lines import Line, WordsUnreadable

_KNOWN: dict[Side, frozenset[str]] = {
    Side.USER: frozenset({"user", "caller", "customer", "client", "human", "left"}),
    Side.ENDPOINT: frozenset({"endpoint", "agent", "assistant", "bot", "ai", "model", "system", "right"}),
}


def sides_of(
    lines: Iterable[Line], source: str, user: str = "", endpoint: str = ""
) -> list[tuple[Side, Line]]:
    """Each line with its side.

    Args:
        lines: Of one transcript.
        source: Its name, for the error.
        user: Name of the user in it, where it has one of its own; the other speaker is the endpoint.
        endpoint: The same for the endpoint.

    Raises:
        WordsUnreadable: A speaker is neither, or lines have no speaker.
    """
    every = list(lines)
    names = list(dict.fromkeys(one.speaker for one in every))
    by_name = {name: _side(name, names, user, endpoint) for name in names}
    strange = [name or "(none)" for name, side in by_name.items() if side is None]
    if strange:
        found = f"speakers {', '.join(strange[:5])}" + (" ..." if len(strange) > 5 else "")
        expected = "user and endpoint; say who is who with --user-speaker and --endpoint-speaker"
        raise WordsUnreadable(source, 0, found, expected)
    return [(side, one) for one in every if (side := by_name[one.speaker]) is not None]


def _side(name: str, names: Sequence[str], user: str, endpoint: str) -> Side | None:
    given = {Side.USER: user, Side.ENDPOINT: endpoint}
    for side, chosen in given.items():
        if chosen and name == chosen:
            return side
    chosen_one = [side for side, chosen in given.items() if chosen]
    if len(chosen_one) == 1 and len(names) == 2:  # the other of two
        return Side.ENDPOINT if chosen_one[0] is Side.USER else Side.USER
    if chosen_one:
        return None
    return next((side for side, known in _KNOWN.items() if name.casefold() in known), None)
