"""A pack that grows, as tests grow it: a language model at a socket, a voice and ears without models."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from agent.cli.packs.spoken_queries import Bench
from streams.audio import Samples
from streams.speech.fake import ToneVoice
from streams.speech.interfaces import ModelIdentity, Speech, Transcript
from tests.streams.openai_server import Reply, Request, chat

SEEDS = """\
id: advice-1
title: A present
domain: social
persona: {voice: anna}
limits: {max_turns: 3, max_duration_s: 90}
turns:
  - text: What can I give to a friend who loves cooking?
    expression: {level: 1, task: advice, content: [names a present]}
---
id: advice-3
title: A push
domain: social
persona: {voice: ben}
turns:
  - text: Good morning. What can we talk about?
  - text: Convince me in a cheerful voice to go for a walk.
    expression: {level: 3, task: advice, manner: cheerful, content: [gives a reason]}
"""
TIRED = """\
---
id: advice-2
title: Long day
domain: social
persona: {voice: ben}
turns:
  - text: I have come home just now. What shall I do this evening?
    style: tired
    expression: {level: 2, task: advice, perceive: tired, content: [proposes something quiet]}
"""
SUBJECTS = (
    *("umbrellas", "bicycles", "violins", "tomatoes", "passports", "lighthouses", "kittens", "chess"),
    *("sourdough", "glaciers", "origami", "telescopes", "wool", "beehives", "submarines", "marathons"),
    *("puppets", "cacti", "pancakes", "volcanoes"),
)


def seeds(folder: Path, more: str = "") -> str:
    """A small pack to grow from; returns its name."""
    path = folder / "seeds"
    path.mkdir(exist_ok=True)
    (path / "pack.yaml").write_text("version: 1\nid: seeds\ntitle: Seeds\nlicence: CC0-1.0\n")
    (path / "all.yaml").write_text(SEEDS + more)
    return "./seeds"


Answer = Mapping[str, Any] | str | Reply
"""Changes of a good answer; or what is said in its place; or a reply of the server."""


class Writer:
    """A language model that writes good prompts, except where it is told otherwise.

    Args:
        otherwise: What to do at a question, by its number; called or taken as it is.
    """

    def __init__(self, otherwise: Mapping[int, Answer | Callable[[], Answer]] | None = None) -> None:
        self.otherwise = dict(otherwise or {})
        self.asked: list[dict[str, Any]] = []

    def __call__(self, request: Request) -> Reply:
        message = request.json["messages"][-1]["content"]
        found = re.search(r"<<<DATA (\S+)\n(.*)\nDATA", message)
        assert found is not None
        data = json.loads(found[2])
        self.asked.append({**data, "temperature": request.json["temperature"]})
        answer = self.otherwise.get(data["question"], {})
        if callable(answer):
            answer = answer()
        if isinstance(answer, Reply):
            return answer
        if isinstance(answer, str):
            return chat(answer)
        return chat(json.dumps({"nonce": found[1], **good(data), **answer}))


def good(data: Mapping[str, Any]) -> dict[str, Any]:
    """What a good answer to a question holds."""
    wanted, number = data["wanted"], data["question"]
    level, subject = wanted["level"], SUBJECTS[number % len(SUBJECTS)]
    return {
        "domain": wanted["domain"],
        "task": wanted["task"],
        "level": level,
        "title": f"About {subject}",
        "text": f"Can you tell me something about {subject} and number {number}?",
        "perceive": "tired" if level in (2, 4) else "",
        "manner": "calm" if level in (3, 4) else "",
        "content": [f"says something about {subject}"],
    }


class Ears(ToneVoice):
    """A voice and a recogniser that hears what was said last, unless it is told otherwise."""

    def __init__(self, mishears: Mapping[str, str] | None = None) -> None:
        super().__init__(0.3, rate=16000)
        self.said = ""
        self._mishears = dict(mishears or {})
        self.identity = ModelIdentity("fake", "ears", "1")

    async def speak(self, text: str) -> Speech:
        self.said = text
        return await super().speak(text)

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        heard = self.said
        for said, instead in self._mishears.items():
            heard = heard.replace(said, instead)
        return Transcript(heard)


def bench(
    mishears: Mapping[str, str] | None = None, quality: Callable[[str], float] | None = None
) -> Bench:
    """What speaks and hears; without a cache, so that every line is spoken anew."""
    ears = Ears(mishears)

    def p808(samples: Samples) -> float:
        return quality(ears.said) if quality else 4.0

    return Bench(ears, ears, p808)
