"""The tables of science as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scoring.science.dialogue import LEVELS, Mean
from scoring.science.run import DialogueTable, Science
from scoring.science.stage_coupling import Coupled
from scoring.science.stages import Cell, StageTable
from scoring.statistics.undefined import Undefined

VERSION = 2
"""Raised whenever the JSON changes."""


def to_json(science: Science) -> dict[str, Any]:
    """All tables as plain data."""
    return {
        "version": VERSION,
        "stages": [_stages(table) for table in science.stages],
        "dialogues": [_dialogues(table) for table in science.dialogues],
        "coupling": [_coupled(pair) for pair in science.coupling],
        "contrasts": [contrast.to_json() for contrast in science.contrasts],
    }


def _stages(table: StageTable) -> dict[str, Any]:
    return {
        "system": table.system,
        "condition": table.condition,
        "questions": table.questions,
        "all": _row(table.whole),
        "domains": {name: _row(row) for name, row in table.by_domain.items()},
        "features": {name: _row(row) for name, row in table.by_feature.items()},
        "heat": {name: {d: _row(row) for d, row in found.items()} for name, found in table.heat.items()},
        "macro": {name: dict(found) for name, found in table.macro.items()},
    }


def _row(row: Mapping[str, Cell]) -> dict[str, Any]:
    return {name: cell.to_json() for name, cell in row.items()}


def _dialogues(table: DialogueTable) -> dict[str, Any]:
    scores = table.scores
    return {
        "system": table.system,
        "judges": dict(table.judges),
        "guessers": dict(table.guessers),
        "dialogues": scores.dialogues,
        "factuality_loose": scores.loose.to_json(),
        "factuality_strict": scores.strict.to_json(),
        "adaptation": scores.adaptation.to_json(),
        "distance": scores.distance.value,
        "distance_interval": _interval(scores.distance),
        "distance_of_wrong_guesses": scores.distance_wrong.value,
        "distance_of_wrong_guesses_interval": _interval(scores.distance_wrong),
        "levels": [level.value for level in LEVELS],
        "confusion": [[scores.confusion.get((a, b), 0) for b in LEVELS] for a in LEVELS],
        "mean_turns": scores.turns.value,
        "mean_turns_interval": _interval(scores.turns),
        "completed_within_8": scores.within.to_json(),
        "never_completed": scores.never.to_json(),
    }


def _coupled(pair: Coupled) -> dict[str, Any]:
    rho, r2, split, items = pair.systems.rho, pair.systems.r2, pair.systems.split, pair.items
    return {
        "part": pair.part,
        "stages": [pair.first.value, pair.second.value],
        "measures": list(pair.measures),
        "systems": pair.systems.n,
        "spearman": _undefined(rho)
        if isinstance(rho, Undefined)
        else {"value": rho.value, "p": rho.p, "exact": rho.exact},
        "r2": _undefined(r2) if isinstance(r2, Undefined) else {"value": r2},
        "odds_ratio": _undefined(split)
        if isinstance(split, Undefined)
        else {"value": split.odds_ratio, "interval": split.interval().to_json()},
        "items_odds_ratio": _undefined(items)
        if isinstance(items, Undefined)
        else {"value": items.odds_ratio, "interval": items.interval.to_json(), "n": items.n},
    }


def _interval(mean: Mean) -> list[float] | None:
    return None if mean.interval is None else mean.interval.to_json()


def _undefined(why: Undefined) -> dict[str, Any]:
    return {"value": None, "undefined": why.cause}
