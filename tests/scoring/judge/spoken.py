"""What tests of judges of sound share: blueprints with chosen values, and pairs of replies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from scoring.blueprint.measure import Instruments, blueprint_of
from scoring.blueprint.record import Blueprint
from scoring.judge.ask import Asker
from scoring.judge.contract import Question
from scoring.judge.dimensions import Dimension, Item, Pair, Reply, Spoken, Task, Verdict
from scoring.judge.trace_llm import Shown, TraceLlm, View
from streams.language.client import Message
from tests.scoring.blueprint.sounds import talk
from tests.scoring.blueprint.test_blueprint_record import Listener
from tests.scoring.judging import GUIDE, SAID, Model, nonce_in

GOOD: dict[str, dict[str, Any]] = {
    "pitch": {"mean_hz": 150.0, "range_semitones": 8.0, "voiced_share": 0.6},
    "pace": {"articulation_wpm": 160.0, "pause_longest_s": 0.4},
    "loudness": {"integrated_lufs": -23.0},
    "signal": {"snr_db": 40.0, "clipped_share": 0.0, "dropouts": 0},
}


@cache
def _measured() -> Blueprint:
    return blueprint_of(talk(), 16000, instruments=Instruments(Listener()))


def sounding(overall: float = 3.4, background: float = 4.0, **changes: dict[str, Any]) -> Blueprint:
    """A blueprint of clean, lively speech, with changes by part."""
    made = _measured()
    assert made.quality is not None
    plain = made.quality.plain.model_copy(update={"overall": overall, "background": background})
    parts: dict[str, Any] = {"quality": made.quality.model_copy(update={"plain": plain})}
    missing = set(made.unscored)
    for name, values in GOOD.items():
        values = values | changes.get(name, {})
        parts[name] = getattr(made, name).model_copy(update=values)
        missing -= {f"{name}.{field}" for field in values}
    causes = {place: made.unscored[place] for place in sorted(missing)}
    return made.model_copy(update={**parts, "unscored": causes})


def reply(blueprint: Blueprint | None = None, words: str = SAID, *neutral: Blueprint) -> Reply:
    return Reply(Spoken(words, blueprint or sounding(), b"RIFFreply", 2.3), neutral)


def task(*, manner: str = "", facts: bool = True) -> Task:
    user = Spoken("How does it work?", sounding(pitch={"mean_hz": 220.0}), b"RIFFuser", 1.0)
    return Task(Question("How does it work?", (GUIDE,) if facts else ()), user, manner=manner)


def item(one: Reply | None = None, **changes: Any) -> Item:
    return Item("call/1", task(**changes), one or reply())


def pair(first: Reply | None = None, second: Reply | None = None, **changes: Any) -> Pair:
    return Pair("call#1", task(**changes), first or reply(), second or reply())


def labelling(
    content: str, paralinguistics: str = "both_good", voice_quality: str = "both_good"
) -> Callable[[Sequence[Message]], str]:
    """A model's answer with these labels."""

    def answer(chat: Sequence[Message]) -> str:
        labels = {"content": content, "paralinguistics": paralinguistics, "voice_quality": voice_quality}
        return json.dumps({"nonce": nonce_in(chat), "reason": "so it is", **labels})

    return answer


def llm(model: Model, **shown: Any) -> TraceLlm:
    return TraceLlm(Asker(model), Shown(**shown) if shown else Shown(View.BLUEPRINT))


def compared(judge: Any, asked: Pair) -> Verdict:
    found: Verdict = asyncio.run(judge.compare(asked))
    return found


def labels(verdict: Verdict) -> dict[str, str | None]:
    return {d.value: verdict.labels[d].label for d in Dimension}
