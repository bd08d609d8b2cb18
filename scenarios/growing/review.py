"""The queue of people's check: `review.jsonl`, one scenario a line. Pure.

A person hears what the user says and answers two questions with yes or no: does the prompt belong to its
level, and is its manner what it says (the user is heard in the style of `perceive`, the words ask for that
of `manner`; at a level without either, that there is none)? Answers given in the studio are kept beside, in
a file for each person; they may be filled in here by hand, too. What is null is not answered here.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence

from pydantic import BaseModel, ConfigDict, ValidationError

from scenarios.expression_task import Level
from scenarios.growing.cells import example
from scenarios.growing.records import Unreadable
from scenarios.schema import Scenario

REVIEW_VERSION = 1
"""Version of the queue's format."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Answers(_Part):
    """A person's answers; null where there is none yet.

    Attributes:
        level: The prompt belongs to its level.
        manner: Its manner is as declared.
    """

    level: bool | None = None
    manner: bool | None = None


class Review(_Part):
    """A scenario to look at.

    Attributes:
        scenario: Its id in the pack.
        audio: What the user says in the turn that asks: a WAV file, its path from the queue's folder; ""
            if it was not spoken.
        before: What the user says before, or "".
        text: What it asks.
        perceive: The style in which it is spoken, or "".
        manner: The manner that the answer must have, or "".
        content: What a good answer does.
        reviewer: Who answered.
        note: Anything they want to say.
    """

    version: int = REVIEW_VERSION
    scenario: str
    audio: str = ""
    domain: str
    task: str
    level: int
    before: str = ""
    text: str
    perceive: str = ""
    manner: str = ""
    content: list[str]
    answers: Answers = Answers()
    reviewer: str = ""
    note: str = ""


def review_of(scenario: Scenario, audio: str = "") -> Review:
    """The line of a scenario that is still to be answered.

    Raises:
        ValueError: It has no turn that asks for an expression.
    """
    one = example(scenario.id, scenario)
    if one is None:
        raise ValueError(f"{scenario.id} has no turn with an expression")
    task = one.expression
    return Review(
        scenario=scenario.id,
        audio=audio,
        domain=scenario.domain,
        task=task.task,
        level=int(task.level),
        before=one.before.text if one.before else "",
        text=one.ask.text,
        perceive=task.perceive,
        manner=task.manner,
        content=list(task.content),
    )


def sampled(ids: Iterable[str], size: int, seed: int) -> list[str]:
    """A random sample, in a random order; the same for the same ids and seed.

    Each id has a rank of its own, so that a pack that grows changes little of it.
    """

    def rank(id: str) -> float:
        return random.Random(f"{seed} review {id}").random()  # noqa: S311 (no secret)

    return sorted(ids, key=rank)[:size]


def to_queue(
    kept: Sequence[Review], sample: Sequence[str], answered: Collection[str] = ()
) -> tuple[list[Review], list[str]]:
    """What stays in a queue when the sample is drawn anew, and the ids that are missing in it.

    Whatever somebody has answered or noted stays, also if the sample has moved on.

    Args:
        kept: The queue.
        sample: Ids that should be in it.
        answered: Ids that somebody has answered elsewhere, in the studio.
    """
    touched = [line for line in kept if line.answers != Answers() or line.reviewer or line.note]
    ids = {line.scenario for line in touched} | {x.scenario for x in kept if x.scenario in answered}
    waiting = [line for line in kept if line.scenario in sample and line.scenario not in ids]
    there = ids | {line.scenario for line in waiting}
    stay = [line for line in kept if line.scenario in there]
    return stay, [id for id in sample if id not in there]


def read_queue(text: str) -> list[Review]:
    """The lines of a queue.

    Raises:
        Unreadable: A line is none, a scenario stands there twice, or a level that does not exist.
    """
    lines: list[Review] = []
    seen: set[str] = set()
    for number, raw in enumerate(text.split("\n"), 1):
        if not raw.strip():
            continue
        try:
            line = Review.model_validate_json(raw)
            Level(line.level)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise Unreadable(number, f"{place}: {first['msg']}" if place else first["msg"]) from None
        except ValueError as error:
            raise Unreadable(number, f"level: {error}") from None
        if line.scenario in seen:
            raise Unreadable(number, f"{line.scenario} a second time; one line to a scenario is expected")
        seen.add(line.scenario)
        lines.append(line)
    return lines
