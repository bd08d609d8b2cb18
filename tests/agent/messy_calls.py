"""Calls with a messy user, in simulated time; the fake endpoint's replies are steady tones."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from recordings.format import BehaviourSettled, Role, UtteranceStarted
from scenarios.schema import Scenario
from streams.audio import Samples
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.speech.interfaces import ModelIdentity, Transcript
from tests.agent.calls import Call, hold, scripted

Event = TypeVar("Event")

LONG = FakeReply(pcm=tone(8.0), text="a long story", delay_s=0.61)
SHORT = FakeReply(pcm=tone(1.0), text="a word", delay_s=0.6)


def messy(*behaviours: dict[str, Any], turns: int = 2, **changes: Any) -> Scenario:
    """A scripted user with behaviours, read as from a file."""
    return with_behaviours(scripted(turns), *behaviours, **changes)


def with_behaviours(scenario: Scenario, *behaviours: dict[str, Any], **changes: Any) -> Scenario:
    plan = {**json.loads(scenario.model_dump_json()), "behaviours": behaviours, **changes}
    return Scenario.model_validate_json(json.dumps(plan), strict=True)


def barge_in(**keys: Any) -> dict[str, Any]:
    return {"id": "cut", "kind": "barge_in", "turn": 1, "say": {"text": "stop"}, **keys}


def call_with(
    tmp_path: Path, scenario: Scenario, *replies: FakeReply, stops: bool = True, **plan: Any
) -> Call:
    """A call with an endpoint that yields after 0.3 s, or not at all."""
    endpoint = FakeEndpoint(replies, reaction_s=0.3, interruptible=stops)
    texts = plan.pop("texts", [f"reply {n}" for n in range(len(replies) + 2)])
    return hold(tmp_path, endpoint, scenario, texts=texts, **plan)


def events(call: Call, kind: type[Event]) -> list[Event]:
    return [event for event in call.episode.events if isinstance(event, kind)]


def said(call: Call, *roles: Role) -> list[UtteranceStarted]:
    """Utterances, of some roles only."""
    return [event for event in events(call, UtteranceStarted) if not roles or event.role in roles]


def script(call: Call) -> list[tuple[str, str]]:
    return [(event.role.value, event.text) for event in said(call)]


def settled(call: Call) -> list[tuple[str, bool, str]]:
    return [(e.behaviour, e.happened, e.cause) for e in events(call, BehaviourSettled)]


@dataclass
class Listener:
    """A recogniser that hears one word per second of tone: "w1 w2 w3"; a list says what each word is."""

    words: Sequence[str] = tuple(f"w{n}" for n in range(1, 20))
    clips: list[float] = field(default_factory=list)
    identity: ModelIdentity = ModelIdentity("test", "listener", "1")  # noqa: RUF009 (frozen)

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        loud = np.flatnonzero(np.abs(samples) > 0.01)
        seconds = (loud[-1] + 1 - loud[0]) / 16000 if loud.size else 0.0
        self.clips.append(round(seconds, 1))
        return Transcript(" ".join(self.words[: int(seconds + 0.05)]))
