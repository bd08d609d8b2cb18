"""Which pair of replies a person hears next, and the battle that the answer makes. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recordings.labels import pair_item
from scoring.agreement.battled import compared
from scoring.arena.battles import Battle, First, Label
from scoring.arena.episodes import Match
from scoring.arena.pairing import Plan, propose

PERSON = "person:"
"""Comes before a person's name where a judge's would stand."""

ALL = 1_000_000
"""No cap: what bounds a person's work is the recordings there are."""


def queue(
    matches: Sequence[Match], battles: Sequence[Battle], person: str, seed: int, count: int = 1
) -> list[Match]:
    """The pairs that a person should hear next, by the arena's rule: those whose outcome would say most.

    Args:
        matches: All that can be heard.
        battles: Of the store, by whomever: their outcomes say what is uncertain. Only the person's own
            rule a pair out.
        person: Who listens.
        seed: Of what is drawn; one person's draws are not another's.
        count: How many.
    """
    left = open_to(matches, battles, person)
    drawn = hashlib.sha256(f"{seed}\0{person}\0{len(matches) - len(left)}".encode()).digest()
    found = propose(
        # a pair is a prompt of its own: on one prompt of the store two systems may answer several times
        [battle.model_copy(update={"prompt": battle.id}) for battle in battles],
        Plan(count, per_pair=ALL, per_prompt=ALL, seed=int.from_bytes(drawn[:8])),
        prompts=left,
        systems={name for match in left.values() for name in (match.system_a, match.system_b)},
        possible={(frozenset((match.system_a, match.system_b)), name) for name, match in left.items()},
    )
    return [left[pairing.prompt] for pairing in found]


def open_to(matches: Sequence[Match], battles: Sequence[Battle], person: str) -> dict[str, Match]:
    """The pairs that a person has not judged, by their names."""
    judged = judged_by(battles, person)
    return {name: match for match in matches if (name := pair_item(*match.items)) not in judged}


def judged_by(battles: Sequence[Battle], person: str) -> dict[str, Battle]:
    """What a person said of pairs, by their names."""
    mine = ((compared(battle), battle) for battle in battles if battle.judge == PERSON + person)
    return {pair_item(*items): battle for items, battle in mine if items}


def first_shown(match: Match, person: str, seed: int) -> First:
    """Which side this person hears first; it depends on the pair's names, the person and the seed alone."""
    names = "\0".join((str(seed), person, pair_item(*match.items)))
    lesser_first = not hashlib.sha256(names.encode()).digest()[0] & 1
    a_is_lesser = match.items[0] < match.items[1]
    return First.A if lesser_first == a_is_lesser else First.B


@dataclass(frozen=True, slots=True)
class Heard:
    """What a person heard of a pair, and said.

    Attributes:
        label: Sides are as shown; None if there is no answer, with its cause in `unscored`.
        first: The side that was shown first.
        levels: By item, its loudness and the gain it was played with.
        more: Whatever else is kept as evidence.
    """

    person: str
    label: str | None
    unscored: str | None
    first: First
    levels: Mapping[str, Mapping[str, float | None]]
    more: Mapping[str, Any]


def shown_label(match: Match, given: Battle, first: First) -> str | None:
    """What a person said of a pair, sides being named as they are shown; None without a label."""
    label = given.label
    if label is not None and (given.system_a == match.system_a) == (first is First.B):
        label = label.swapped
    return None if label is None else {Label.A: "1", Label.B: "2"}.get(label, label.value)


def battle(match: Match, heard: Heard, corrects: Battle | None = None) -> Battle:
    """The battle, as it goes into a store; two first answers of one person to a pair have the same id.

    Args:
        match: The pair.
        heard: What was said of it.
        corrects: The person's answer of before, if this is to take its place.
    """
    sides = {"1": Label.A, "2": Label.B, "both_good": Label.BOTH_GOOD, "both_bad": Label.BOTH_BAD}
    label = None if heard.label is None else sides[heard.label]
    if label is not None and heard.first is First.B:
        label = label.swapped
    judge = PERSON + heard.person
    parts = [pair_item(*match.items), *sorted((match.system_a, match.system_b)), judge]
    if corrects is not None:
        parts += [corrects.id, str(heard.more.get("at_utc", ""))]
    a, b = match.pair.first.spoken.seconds, match.pair.second.spoken.seconds
    return Battle(
        id=hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24],
        prompt=match.prompt,
        system_a=match.system_a,
        system_b=match.system_b,
        first=heard.first,
        judge=judge,
        label=label,
        unscored=None if label is not None else heard.unscored,
        evidence={
            "asked": match.pair.task.question.asked,
            "items": list(match.items),
            "levels": {item: dict(level) for item, level in heard.levels.items()},
            **heard.more,
        },
        domain=match.domain,
        level=match.level,
        duration_a_s=a or None,
        duration_b_s=b or None,
        corrects=corrects and corrects.id,
    )
