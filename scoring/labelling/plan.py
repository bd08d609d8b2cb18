"""Who is asked what, and in which order: a pure function of the items, a seed, and a name.

Everything random is a hash of the seed and the names at hand, so that neither the order in which episodes
were found nor the day on which one comes back to the work changes anything: items are sorted by hash, and
one item more leaves the others in their order.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from recordings.labels import pair_item
from scoring.labelling.protocol import DEFAULT, Answer, Part, decided


class Key(NamedTuple):
    """One question to one person.

    Attributes:
        item: A turn (`recordings.labels.turn_item`), or two (`pair_item`).
        round: 1, or 2 if it is asked again.
    """

    part: Part
    item: str
    dimension: str
    round: int = 1


Answers = Mapping[Key, Answer]
"""What one person has said so far; of corrections the last."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Replies that are listened to together: all to the same words of the same scenario and seed.

    Attributes:
        replies: Their items, sorted.
        pairs: Two of them each, sorted, the lesser first.
    """

    replies: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...] = ()

    @property
    def id(self) -> str:
        """Its name, for hashes and files; never shown."""
        return self.replies[0]


def units(replies: Iterable[str], pairs: Iterable[tuple[str, str]] = ()) -> tuple[Unit, ...]:
    """Replies that any pair links, together; every other one alone. Sorted by name."""
    linked = sorted({(min(pair), max(pair)) for pair in pairs})
    members = {reply: [reply] for reply in replies}  # those of one unit share one list
    for one, other in linked:
        mine, theirs = members[one], members[other]
        if mine is not theirs:
            mine += theirs
            members |= dict.fromkeys(theirs, mine)
    names = {id(found): min(found) for found in members.values()}
    of: dict[str, list[tuple[str, str]]] = {}
    for pair in linked:
        of.setdefault(names[id(members[pair[0]])], []).append(pair)
    return tuple(
        Unit(tuple(sorted(found)), tuple(of.get(reply, ())))
        for reply, found in sorted(members.items())
        if reply == names[id(found)]
    )


@dataclass(frozen=True, slots=True)
class Work:
    """What is to be done by everybody.

    Attributes:
        dimensions: What is asked about, in this order.
        seed: Of everything random.
        twice: None: everybody labels everything. Else one person labels each unit, and two people this
            share of them, from 0 to 1.
        again: Share of the units that whoever labelled them is asked about a second time, at the end.
    """

    units: tuple[Unit, ...]
    dimensions: tuple[str, ...] = DEFAULT
    seed: int = 0
    twice: float | None = None
    again: float = 0.0

    def people_for(self) -> dict[str, int] | None:
        """How many people each unit wants; None for everybody."""
        if self.twice is None:
            return None
        double = drawn([unit.id for unit in self.units], self.twice, self.seed, "twice")
        return {unit.id: 2 if unit.id in double else 1 for unit in self.units}


def drawn(names: Collection[str], share: float, seed: int, purpose: str) -> frozenset[str]:
    """A share of some names, rounded up: those with the smallest hashes."""
    count = math.ceil(share * len(names) - 1e-9)
    return frozenset(sorted(names, key=lambda name: _hash(seed, purpose, name))[:count])


def in_order(work: Work, person: str) -> tuple[Unit, ...]:
    """All units, as this person is asked about them."""
    return tuple(sorted(work.units, key=lambda unit: _hash(work.seed, "order", person, unit.id)))


def shown_first(work: Work, person: str, pair: tuple[str, str], round_: int = 1) -> int:
    """Which of a pair this person hears first: 0 or 1."""
    return int(_hash(work.seed, "first", person, pair_item(*pair), str(round_))[0] & 1)


def questions(work: Work, unit: Unit, person: str, round_: int = 1) -> Iterator[Key]:
    """Everything that a unit asks: each reply in every dimension, then each pair."""

    def shuffled(names: Iterable[str]) -> list[str]:
        return sorted(names, key=lambda name: _hash(work.seed, "within", person, str(round_), name))

    for part, items in (
        (Part.ABSOLUTE, shuffled(unit.replies)),
        (Part.RELATIVE, shuffled(pair_item(*pair) for pair in unit.pairs)),
    ):
        for item in items:
            yield from (Key(part, item, dimension, round_) for dimension in work.dimensions)


@dataclass(frozen=True, slots=True)
class Remaining:
    """What one person has still to do.

    Attributes:
        asked: Questions, in order. A comparison is there as long as it may have to be asked.
        derived: Comparisons that the person's own ratings decide, and that are not in the files so.
        units: Those that are this person's: begun, or still wanted.
        open: Units of them with a question left.
    """

    asked: tuple[Key, ...]
    derived: Mapping[Key, Answer]
    units: tuple[Unit, ...]
    open: int


def remaining(work: Work, person: str, by: Mapping[str, Answers], begun: Begun | None = None) -> Remaining:
    """What is left for a person.

    Args:
        work: What is to be done.
        person: Who asks; need not be in `by`.
        by: What everybody has answered.
        begun: Units that people have before them, without an answer yet.
    """
    mine = by.get(person, {})
    theirs = _mine(work, person, by, begun or {})
    asked: list[Key] = []
    derived: dict[Key, Answer] = {}
    open_units: set[str] = set()
    again = drawn([unit.id for unit in work.units], work.again, work.seed, "again")
    for round_, unit in (
        *((1, unit) for unit in theirs),
        *((2, unit) for unit in _second(work, person, [u for u in theirs if u.id in again])),
    ):
        pairs = {pair_item(*pair): pair for pair in unit.pairs}
        before = len(asked)
        for key in questions(work, unit, person, round_):
            known = mine.get(key)
            if key.part is Part.ABSOLUTE:
                asked += [key] if known is None else []
                continue
            one, other = (
                mine.get(Key(Part.ABSOLUTE, reply, key.dimension, round_)) for reply in pairs[key.item]
            )
            answer = decided(one, other) if one and other else None
            if answer is not None:
                derived |= {key: answer} if known != answer else {}
            elif known is None or known.derived:
                asked.append(key)
        open_units |= {unit.id} if len(asked) > before else set()
    return Remaining(tuple(asked), derived, tuple(theirs), len(open_units))


Begun = Mapping[str, Collection[str]]
"""Units by person."""


def _mine(work: Work, person: str, by: Mapping[str, Answers], begun: Begun) -> Sequence[Unit]:
    """Units that this person has begun, or that want one person more, in this person's order."""
    wanted = work.people_for()
    mine = in_order(work, person)
    if wanted is None:
        return mine
    unit_of = {reply: unit.id for unit in work.units for reply in unit.replies}
    who: dict[str, set[str]] = {unit.id: set() for unit in work.units}
    for name, answers in by.items():
        for key in answers:
            if key.part is Part.ABSOLUTE and key.item in unit_of:
                who[unit_of[key.item]].add(name)
    for name, held in begun.items():
        for unit in held:
            who[unit].add(name)
    return [u for u in mine if person in who[u.id] or len(who[u.id]) < wanted[u.id]]


def _second(work: Work, person: str, chosen: Iterable[Unit]) -> list[Unit]:
    return sorted(chosen, key=lambda unit: _hash(work.seed, "second", person, unit.id))


def _hash(seed: int, *names: str) -> bytes:
    return hashlib.sha256("\0".join((str(seed), *names)).encode()).digest()
