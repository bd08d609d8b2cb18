"""Scientific questions and what a system made of them, and how they are found in an episode. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from pydantic import ValidationError

from recordings.format import UtteranceStarted
from scenarios.items import query
from scenarios.schema import Aspect, Item, Keywords, Scenario
from scoring.texts import Texts
from scoring.timeline import Exchange
from scoring.view import EpisodeView

ANSWER = "answer"
"""Id of the fact that the answer to an item is, in verdicts."""

_ABOUT = re.compile(r"aspect (\S+), try (\d+)")


class Condition(StrEnum):
    """How a question was put."""

    SPEECH = "speech"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Answered:
    """A question and what came back. A text that is None has its cause in `unscored`, by field.

    Attributes:
        id: The same for every system that is asked the same question, and for repeats.
        asked: The question in written form.
        aloud: The form that was spoken, "" if it is the same.
        item: With its key, if it is a question of knowledge.
        keywords: Words of a relevant answer.
        recognised: What the system says it heard of the question.
        answer: The reply as it was heard; in the condition text, as it was written.
        written: The system's own text of its reply.
        spoken: What a recogniser makes of the reply's speech.
        right: What a judge, or the source of the result, says of it.
        unasked: Fields that say nothing here, such as a transcript in the condition text.
    """

    id: str
    system: str
    condition: Condition = Condition.SPEECH
    asked: str = ""
    aloud: str = ""
    item: Item | None = None
    keywords: Keywords = field(default_factory=Keywords)
    domain: str = ""
    recognised: str | None = None
    answer: str | None = None
    written: str | None = None
    spoken: str | None = None
    right: bool | None = None
    unscored: Mapping[str, str] = field(default_factory=dict)
    unasked: frozenset[str] = frozenset()

    @property
    def features(self) -> tuple[str, ...]:
        """What is hard about the item's words; "none" stands for nothing."""
        found = tuple(str(feature.value) for feature in self.item.features) if self.item else ()
        return found or ("none",)

    def cause(self, name: str) -> str:
        """Why a field is None."""
        return self.unscored.get(name, "not_given")


@dataclass(frozen=True, slots=True)
class Subject:
    """What an exchange is about: a question of knowledge, or an aspect of a dialogue."""

    id: str
    item: Item | None = None
    aspect: Aspect | None = None
    attempt: int = 1

    @property
    def keywords(self) -> Keywords:
        """Words of a relevant answer."""
        if self.item is not None:
            return self.item.keywords
        return self.aspect.keywords if self.aspect is not None else Keywords()


def scenario_of(view: EpisodeView) -> Scenario | None:
    """The scenario of an episode; None if it is of another version of the format."""
    return _scenario(json.dumps(view.info.scenario, sort_keys=True))


@lru_cache(maxsize=256)
def _scenario(text: str) -> Scenario | None:
    # asked for by every metric of an episode, and by every repeat of a call
    try:
        return Scenario.model_validate_json(text)
    except ValidationError:
        return None


def items_of(scenario: Scenario) -> list[tuple[str, str, Item]]:
    """The questions of knowledge of a scenario: id, words, and key.

    The id is that of the scenario, with a number from 1 where there are several.
    """
    asking = [(query(turn).text, turn.item) for turn in scenario.turns if turn.item is not None]
    return [
        (scenario.id if len(asking) == 1 else f"{scenario.id}/{number}", text, item)
        for number, (text, item) in enumerate(asking, 1)
    ]


def subjects(view: EpisodeView) -> Iterator[tuple[Exchange, Texts, Subject]]:
    """The exchanges that ask about an item or an aspect."""
    written = view.info.scenario
    turns = written.get("turns")
    asking = isinstance(turns, list | tuple) and any(
        isinstance(turn, Mapping) and "item" in turn for turn in turns
    )
    if not (written.get("aspects") or asking):
        return
    scenario = scenario_of(view)
    if scenario is None:
        return
    items = {text: Subject(name, item) for name, text, item in items_of(scenario)}
    aspects = {aspect.id: aspect for aspect in scenario.aspects}
    labels = {e.utterance: e.label for e in view.events if isinstance(e, UtteranceStarted)}
    for exchange, texts in zip(view.timeline.exchanges, view.texts, strict=True):
        for utterance in exchange.user.utterances:
            subject = items.get(utterance.text)
            about = _ABOUT.fullmatch(labels.get(utterance.id, ""))
            if subject is None and about and about[1] in aspects:
                name, attempt = about[1], int(about[2])
                subject = Subject(f"{scenario.id}/{name}/{attempt}", None, aspects[name], attempt)
            if subject is not None:
                yield exchange, texts, subject
                break


def answers(view: EpisodeView) -> list[tuple[int, Answered]]:
    """Every question of an episode that has an item or keywords, with the index of its exchange."""
    domain = str(view.info.scenario.get("domain", ""))
    return [
        (exchange.index, _answered(view, domain, exchange, texts, subject))
        for exchange, texts, subject in subjects(view)
        if subject.item is not None or subject.keywords
    ]


def _answered(
    view: EpisodeView, domain: str, exchange: Exchange, texts: Texts, subject: Subject
) -> Answered:
    spoken, cause = texts.endpoint_said, texts.unscored.get("endpoint_said", "")
    if spoken is None:
        # what was heard is the speech too, if it was heard to its end
        spoken = None if exchange.interrupted else texts.heard
        cause = "interrupted" if exchange.interrupted else texts.unscored.get("heard", cause)
    judged = view.judged.get(exchange.index)
    label = judged.labels.get(ANSWER) if judged else None
    return Answered(
        id=subject.id,
        system=view.info.endpoint.address,
        asked=texts.intended,
        aloud=texts.aloud if texts.aloud != texts.intended else "",
        item=subject.item,
        keywords=subject.keywords,
        domain=domain,
        recognised=texts.endpoint_heard_user,
        answer=texts.heard,
        written=texts.endpoint_text,
        spoken=spoken,
        right=None if label is None else label == "stated",
        unscored={
            "recognised": texts.unscored.get("endpoint_heard_user", ""),
            "answer": texts.unscored.get("heard", ""),
            "written": texts.unscored.get("endpoint_text", ""),
            "spoken": cause,
        },
    )
