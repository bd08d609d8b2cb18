"""The rules on the user's manner: how often they see a reaction to it, and one where there is none."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from scoring.judge.contract import Question
from scoring.judge.dimensions import Reply, Spoken, Task
from scoring.judge.reaction_rules import findings
from scoring.statistics.intervals import Interval, share_interval

REPLIES = Path("tests/data/reactions/replies.jsonl")
STYLETALK = Path("tests/data/styletalk/replies.csv")
STYLES = {"sad": "sad", "unfriendly": "angry", "cheerful": "cheerful"}
"""StyleTalk's emotions, and the manners that they are nearest to."""


def labelled() -> dict[str, Any]:
    """By words alone: replies labelled by hand; StyleTalk's to moved users, and to neutral ones."""
    rows = [json.loads(line) for line in REPLIES.read_text(encoding="utf-8").splitlines()]
    seen = Counter((row["label"], outcome(row["perceive"], row["reply"])) for row in rows)
    with STYLETALK.open(encoding="utf-8", newline="") as file:
        talk = [(row["user_emotion"], row["reply"]) for row in csv.DictReader(file)]
    neutral = [reply for emotion, reply in talk if emotion == "neutral"]
    found = {
        f"styletalk_{emotion}": f"{_share(style, (r for e, r in talk if e == emotion))}, to neutral users "
        f"{_share(style, neutral)}"
        for emotion, style in STYLES.items()
    }
    return {
        "replies": len(rows),
        "outcomes": {f"{label}: {rating}": count for (label, rating), count in sorted(seen.items())},
        **found,
    }


def outcome(perceive: str, words: str) -> str:
    """The rating of a reply, or why it has none."""
    found = findings(Task(Question(""), Spoken(""), perceive=perceive), Reply(Spoken(words)))[-1]
    return found.rating.value if found.rating else found.cause


def _share(style: str, replies: Iterable[str]) -> str:
    """Replies that are seen to react, with their share's 95 % interval."""
    hits = [outcome(style, reply) in ("good", "acceptable") for reply in replies]
    interval = share_interval(hits)
    assert isinstance(interval, Interval)
    return f"{sum(hits)}/{len(hits)} [{interval.low:.3f}, {interval.high:.3f}]"
