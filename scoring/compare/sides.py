"""Which sides the episodes of a run make, or of two runs, and what of them is compared. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum

from scoring.compare.pairs import Key
from scoring.compare.verdict import Question, Side
from scoring.digest.columns import Digest, Row


class By(StrEnum):
    """What the sides of one run differ in."""

    ENDPOINT = "endpoint"
    USER = "user"
    CONDITION = "condition"


class NothingToCompare(ValueError):
    """There are no two sides."""


_NAMES: dict[By, Callable[[Row], str]] = {
    By.ENDPOINT: lambda row: row.endpoint,
    By.USER: lambda row: row.user or "the machine's own voice",
    By.CONDITION: lambda row: row.condition or "clean",
}

_KEYS: dict[By, Key] = {
    By.ENDPOINT: lambda row: (row.sha256, row.seed),
    By.USER: lambda row: (row.asked_by, row.seed),
    By.CONDITION: lambda row: (row.asked_under, row.seed),
}


def within_run(digest: Digest, by: By, against: str = "", first: str = "") -> list[Question]:
    """One side against each of the others; of users and conditions, endpoint by endpoint.

    Args:
        digest: The episodes of the run.
        by: What the sides differ in.
        against: Name of the side that the others are compared with, or a part of it that only it has; by
            default the one that was planned first.
        first: Id of the episode that was planned first, if that is known.

    Raises:
        NothingToCompare: There are not two sides, or not that one.
    """
    name = _NAMES[by]
    sides = list(dict.fromkeys(name(row) for row in digest.rows))
    if len(sides) < 2:
        raise NothingToCompare(
            f"all calls have one {by} ({', '.join(sides)}), so there is nothing to compare. Name two runs, "
            "or hold the run with several (--endpoint, --user, --condition)."
        )
    planned = [name(row) for row in digest.rows if row.id == first]
    base = _named(sides, against) if against else (planned or sides)[0]
    others = [side for side in sides if side != base]
    if by is By.ENDPOINT:
        return [
            Question(by.value, _side(digest, name, base), _side(digest, name, other), _KEYS[by])
            for other in others
        ]
    questions = []
    for endpoint in dict.fromkeys(row.endpoint for row in digest.rows):
        own = digest.select(digest.where(row.endpoint == endpoint for row in digest.rows))
        questions += [
            Question(by.value, _side(own, name, base), _side(own, name, other), _KEYS[by], endpoint)
            for other in others
        ]
    return questions


def between_runs(first: Digest, second: Digest, names: tuple[str, str]) -> list[Question]:
    """The second run against the first, endpoint by endpoint; of one endpoint each, whatever they are.

    Where the runs were held by other users, or under other conditions, that is what is compared: the pairs
    are then of the same scenario but for its user or its conditions.

    Raises:
        NothingToCompare: Each has several endpoints, and none in common.
    """
    mine = list(dict.fromkeys(row.endpoint for row in first.rows))
    yours = list(dict.fromkeys(row.endpoint for row in second.rows))
    if len(mine) == len(yours) == 1:
        shared = [(mine[0], yours[0])]
    else:
        shared = [(endpoint, endpoint) for endpoint in mine if endpoint in yours]
    if not shared:
        raise NothingToCompare(
            f"no endpoint is in both runs: {', '.join(mine)} against {', '.join(yours)}. Only runs of one "
            "endpoint each can be compared whatever it is."
        )
    about, key = _differ(first, second)
    several = len(shared) > 1
    return [
        Question(
            about,
            Side(names[0], first.select(first.where(row.endpoint == one for row in first.rows))),
            Side(names[1], second.select(second.where(row.endpoint == other for row in second.rows))),
            key,
            one if several or one == other else "",
        )
        for one, other in shared
    ]


def _differ(first: Digest, second: Digest) -> tuple[str, Key]:
    """What two runs differ in besides their time, and what makes a pair of their episodes."""
    for by in (By.USER, By.CONDITION):
        mine, yours = ({_NAMES[by](row) for row in digest.rows} for digest in (first, second))
        if mine.isdisjoint(yours):
            return by.value, _KEYS[by]
    return "run", _KEYS[By.ENDPOINT]


def _side(digest: Digest, name: Callable[[Row], str], side: str) -> Side:
    return Side(side, digest.select(digest.where(name(row) == side for row in digest.rows)))


def _named(sides: Iterable[str], against: str) -> str:
    sides = list(sides)
    found = [side for side in sides if side == against] or [side for side in sides if against in side]
    if len(found) != 1:
        raise NothingToCompare(f"{against!r} names {len(found)} of {', '.join(sides)}; name one")
    return found[0]
