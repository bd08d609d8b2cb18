"""The rules judge: how well it labels the test half of the hand-labelled set, and how fast a verdict is."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from scenarios.schema import Fact
from scoring.agreement.compare import Comparison, compare
from scoring.agreement.labels import Labels, LabelSet
from scoring.judge.contract import FactLabel, Question, ReplyToJudge
from scoring.judge.rules import RulesJudge
from scoring.judge.select import encoder
from scoring.statistics.intervals import Interval

TRIPLES = Path("tests/data/judge_triples/triples.jsonl")
FACTS_OF_A_TURN = 3
LABELS = LabelSet(tuple(label.value for label in FactLabel))


def labelled() -> dict[str, Any]:
    """Agreement with the hand-made labels of the test half; intervals by bootstrap over facts."""
    rows = triples("test")
    whole, keywords = (comparison(rows, RulesJudge(model)) for model in (encoder(), None))
    kinds = {
        kind: [row for row in rows if row["kind"] == kind] for kind in sorted({r["kind"] for r in rows})
    }
    by_kind = {kind: comparison(some, RulesJudge(encoder())).dropped for kind, some in kinds.items()}
    return {
        "triples": len(rows),
        "macro_F1": shown(whole, "macro_f1"),
        "kappa": shown(whole, "cohen_kappa"),
        "accuracy": round(whole.dropped.right / whole.dropped.n, 3),
        "unscored": sum(whole.unscored_b.values()),
        "macro_F1_without_sentence_model": shown(keywords, "macro_f1"),
        "F1_by_label": {
            name: round(float(c.f1), 3) for name, c in whole.per_class.items() if isinstance(c.f1, float)
        },
        "right_by_kind": {kind: f"{share.right}/{share.n}" for kind, share in by_kind.items()},
    }


def speed() -> dict[str, Any]:
    """Time from the heard text of a turn to its verdict, three facts to judge, after warming up."""
    rows = triples("dev") + triples("test")
    judge = RulesJudge(encoder())

    async def main() -> list[float]:
        await judge.warm_up()
        seconds = []
        for row in rows:
            fact = Fact.model_validate(row["fact"])
            facts = tuple(fact.model_copy(update={"id": f"f{n}"}) for n in range(FACTS_OF_A_TURN))
            heard = " ".join(other["reply"] for other in rows if other["fact"]["id"] == fact.id)
            reply = ReplyToJudge.of(Question(row["question"], facts), heard[:400])
            began = time.perf_counter()
            await judge.judge(reply)
            seconds.append(time.perf_counter() - began)
        return seconds

    ms = 1000 * np.array(asyncio.run(main()))
    return {
        "verdicts": len(ms),
        "facts": FACTS_OF_A_TURN,
        "median_ms": round(float(np.median(ms)), 1),
        "p95_ms": round(float(np.percentile(ms, 95)), 1),
        "worst_ms": round(float(ms.max()), 1),
    }


def triples(split: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in TRIPLES.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["split"] == split]


def comparison(rows: Sequence[dict[str, Any]], judge: RulesJudge) -> Comparison:
    found = {}
    for row in rows:
        question = Question(row["question"], (Fact.model_validate(row["fact"]),))
        (verdict,) = judge.verdict(ReplyToJudge.of(question, row["reply"])).facts
        found[row["id"]] = verdict
    hand = Labels("hand", {row["id"]: row["label"] for row in rows})
    machine = Labels(
        judge.name,
        {item: verdict.label.value for item, verdict in found.items() if verdict.label},
        {item: verdict.cause for item, verdict in found.items() if not verdict.label},
    )
    return compare(hand, machine, LABELS, cluster=lambda item: item.rpartition("-")[0])


def shown(found: Comparison, name: str) -> str:
    """A value with its 95 % interval."""
    value, interval = found.values[name], found.intervals[name]
    assert isinstance(value, float) and isinstance(interval, Interval)
    return f"{value:.3f} [{interval.low:.3f}, {interval.high:.3f}]"
