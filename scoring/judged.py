"""What judges said of each fact: live, or afterwards by `viva judge`. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from recordings.format import Turn

LABELS = ("stated", "contradicted", "missing")
"""The declared set of labels; what is not in it is no label."""


@dataclass(frozen=True, slots=True)
class JudgedFacts:
    """The labels of one reply.

    Attributes:
        judge: Who gave them.
        labels: By fact; None where the judge failed, or gave what is no label.
    """

    judge: str
    labels: Mapping[str, str | None] = field(default_factory=dict)


def judged_later(scores: Any) -> dict[int, JudgedFacts]:
    """The labels of `scores/judge.json` by turn; of a file that is something else, none."""
    found: dict[int, JudgedFacts] = {}
    for entry in _list(scores, "turns"):
        verdict = entry.get("verdict") if isinstance(entry, dict) else None
        if isinstance(verdict, dict) and isinstance(entry.get("turn"), int):
            found[entry["turn"]] = _facts(verdict)
    return found


def judged(turns: Iterable[Turn], later: Mapping[int, JudgedFacts]) -> JudgedFacts | None:
    """The labels of a reply, which may have been several turns: who judged later is asked first.

    Of several verdicts on a turn the last is on all of it. Of several turns a contradicted fact stays
    contradicted, and a stated one stated.
    """
    found = [one for turn in turns if (one := later.get(turn.index) or _live(turn)) is not None]
    if not found:
        return None
    names = dict.fromkeys(name for one in found for name in one.labels)
    given = {name: [one.labels[name] for one in found if name in one.labels] for name in names}
    return JudgedFacts(found[-1].judge, {name: _worst(labels) for name, labels in given.items()})


def _live(turn: Turn) -> JudgedFacts | None:
    verdicts = [verdict for verdict in turn.verdicts if _list(verdict.detail, "facts")]
    return _facts({"judge": verdicts[-1].judge, **verdicts[-1].detail}) if verdicts else None


def _facts(verdict: Mapping[str, Any]) -> JudgedFacts:
    facts = [fact for fact in _list(verdict, "facts") if isinstance(fact, dict)]
    return JudgedFacts(
        str(verdict.get("judge", "")),
        {
            str(fact.get("fact", "")): fact.get("label") if fact.get("label") in LABELS else None
            for fact in facts
        },
    )


def _list(data: Any, name: str) -> list[Any]:
    found = data.get(name) if isinstance(data, Mapping) else None
    return found if isinstance(found, list) else []


def _worst(labels: list[str | None]) -> str | None:
    for label in ("contradicted", "stated", None):
        if label in labels:
            return label
    return "missing"
