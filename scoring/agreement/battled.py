"""A store of battles as label sources: what its judges say of two replies, by dimension and overall.

A battle between two recorded turns is named by them (`recordings.labels.pair_item`), so that people and
judges are compared on the same pair whoever was shown it in which order; any other one by its id.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recordings.labels import pair_item
from scoring.agreement.labels import FIRST, OVERALL, SECOND, LabelError, Labels, other_side
from scoring.agreement.probes import DIMENSIONS
from scoring.arena.battles import Battle, BattleError, Label
from scoring.arena.store import read

_SIDES = {Label.A: FIRST, Label.B: SECOND}


def battle_sources(path: Path, *, named: bool = False) -> list[Labels]:
    """The labels of each judge, "content" and so on; with its name before, if there are several judges.

    Label "1" is for system a, or for the turn whose name is the lesser where turns are known.

    Args:
        path: The store.
        named: The judge's name comes before in any case: "trace-rules@1/content".

    Raises:
        LabelError: The store cannot be read.
    """
    try:
        battles = read(path).battles
    except BattleError as error:
        place = f"{path}:{error.line}" if error.line else str(path)
        raise LabelError(place, error.found, error.remedy) from error
    judges = sorted({battle.judge for battle in battles})
    found = []
    for judge in judges:
        held = [battle for battle in battles if battle.judge == judge]
        prefix = f"{judge}/" if named or len(judges) > 1 else ""
        found += [labels for name in (*DIMENSIONS, OVERALL) if (labels := _labels(held, name, prefix))]
    return found


def _labels(battles: list[Battle], name: str, prefix: str) -> Labels | None:
    """The labels of one kind; None if no battle has any. Of two battles on one pair the first counts."""
    labels: dict[str, str] = {}
    unscored: dict[str, str] = {}
    prompts: dict[str, str] = {}
    for battle in battles:
        for label, cause in _told(battle, name):
            item, turned = _item(battle)
            if item in labels:
                continue
            prompts[item] = battle.prompt
            if label is None:
                unscored[item] = cause
            else:
                labels[item] = other_side(label) if turned else label
                unscored.pop(item, None)
    return Labels(prefix + name, labels, unscored, clusters=prompts) if prompts else None


def _told(battle: Battle, name: str) -> Iterator[tuple[str | None, str]]:
    """The label and the cause of its absence, if the battle knows of any."""
    if name == OVERALL:
        label = None if battle.label is None else _SIDES.get(battle.label, battle.label.value)
        yield label, battle.unscored or ""
        return
    told: Any = battle.evidence.get("dimensions")
    found = told.get(name) if isinstance(told, dict) else None
    if isinstance(found, dict):
        given = found.get("label")
        yield (given if isinstance(given, str) else None), str(found.get("unscored") or "no_label")


def compared(battle: Battle) -> tuple[str, str] | None:
    """The turns that a battle compared, of system a and of system b; None if it does not say."""
    items: Any = battle.evidence.get("items")
    if isinstance(items, list) and len(items) == 2 and all(isinstance(item, str) for item in items):
        return items[0], items[1]
    return None


def _item(battle: Battle) -> tuple[str, bool]:
    """The name of what was compared, and whether system a is the second of the two in it."""
    items = compared(battle)
    return (pair_item(*items), items[0] > items[1]) if items else (battle.id, False)
