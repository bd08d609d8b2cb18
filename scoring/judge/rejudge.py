"""Recorded turns judged again, from what was heard: any time, by any judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recordings.format import Side, Turn, UtteranceStarted
from recordings.reader import Episode
from recordings.strict_json import encode, replace_file
from scenarios.items import query
from scenarios.schema import Scenario, scenario_facts
from scoring.judge.contract import CONTRACT_VERSION, Judge, Question, ReplyToJudge, TurnVerdict

FILE = Path("scores/judge.json")
"""Where verdicts go, in an episode's folder."""


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """A turn of the endpoint and what the judge says of it."""

    turn: int
    asked: str
    heard: str
    verdict: TurnVerdict


@dataclass(frozen=True, slots=True)
class JudgedEpisode:
    """An episode's verdicts.

    Attributes:
        unjudged: Turns that were not judged, by cause ("no_facts_expected", "nothing_heard").
    """

    episode: str
    judge: str
    version: int
    turns: tuple[JudgedTurn, ...]
    unjudged: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        """As in scores/judge.json."""
        facts = [fact for turn in self.turns for fact in turn.verdict.facts]
        labels = Counter(fact.label.value for fact in facts if fact.label)
        return {
            "episode": self.episode,
            "judge": self.judge,
            "version": self.version,
            "contract": CONTRACT_VERSION,
            "facts": {label: labels[label] for label in ("stated", "contradicted", "missing")},
            "unscored": dict(sorted(Counter(fact.cause for fact in facts if not fact.label).items())),
            "unjudged": self.unjudged,
            "turns": [
                {"turn": t.turn, "asked": t.asked, "heard": t.heard, "verdict": t.verdict.to_json()}
                for t in self.turns
            ],
        }


async def rejudge(path: Path, judge: Judge) -> JudgedEpisode:
    """Judge every turn of an episode that should state facts, and write scores/judge.json beside it.

    Raises:
        RecordingError: The episode cannot be read.
        OSError: The verdicts cannot be written.
    """
    episode = Episode.load(path)
    turns: list[JudgedTurn] = []
    unjudged: Counter[str] = Counter()
    for turn, question in questions(episode):
        words = turn.heard
        if not question.reference:
            unjudged["no_facts_expected"] += 1
        elif not words:
            unjudged["nothing_heard"] += 1
        else:
            verdict = await judge.judge(ReplyToJudge.of(question, words))
            turns.append(JudgedTurn(turn.index, question.asked, words, verdict))
    judged = JudgedEpisode(episode.info.id, judge.name, judge.version, tuple(turns), dict(unjudged))
    (path / FILE).parent.mkdir(exist_ok=True)
    replace_file(path / FILE, encode(judged.to_json(), indent=1) + b"\n")
    return judged


def questions(episode: Episode) -> Iterator[tuple[Turn, Question]]:
    """Each turn of the endpoint with what the user had asked last, as the live judge saw it."""
    scenario = Scenario.model_validate(episode.scenario)
    facts = {fact.id: fact for fact in scenario_facts(scenario)}
    aspects = {fact.id: aspect.id for aspect in scenario.aspects for fact in aspect.facts}
    items = {query(turn).text: turn.item for turn in scenario.turns}
    utterances = {e.audible_start: e for e in episode.events if isinstance(e, UtteranceStarted)}
    asked = Question("")
    for turn in episode.turns:
        if turn.side is Side.ENDPOINT:
            yield turn, asked
        elif turn.role.wants_answer and turn.start in utterances:
            said = utterances[turn.start]
            asked = Question(
                asked=said.text,
                facts=tuple(facts[name] for name in said.expected if name in facts),
                aspect=next((aspects[name] for name in said.expected if name in aspects), ""),
                item=items.get(said.text),
            )
