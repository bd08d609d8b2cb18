"""The scenario schema: what should happen in a call. It never names an endpoint."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from scenarios.basics import Fact as Fact
from scenarios.basics import Say as Say
from scenarios.basics import Slug as Slug
from scenarios.basics import Strict, Text
from scenarios.behaviours import BargeIn, Behaviour, ChangeOfMind
from scenarios.conditions import Conditions
from scenarios.expression_task import Expression
from scenarios.tools import ExpectedCall, Tool

SCENARIO_VERSION = 1
"""Version of the scenario format."""


class Expertise(StrEnum):
    """How much the user knows (S3-Bench, dialogue profiles)."""

    BEGINNER = "beginner"
    UNDERGRADUATE = "undergraduate"
    GRADUATE = "graduate"
    EXPERT = "expert"


class Trait(StrEnum):
    """How the user is (S3-Bench, dialogue profiles)."""

    CURIOUS = "curious"
    PATIENT = "patient"
    ANXIOUS = "anxious"
    OVERCONFIDENT = "overconfident"
    PRACTICAL = "practical"


class PolicyKind(StrEnum):
    """Who decides what the user says next."""

    SCRIPTED = "scripted"  # the turns as written
    ADAPTIVE = "adaptive"  # works through the aspects, checks, follows up
    LLM = "llm"  # a language model plays the persona


class Persona(Strict):
    """Who calls.

    Attributes:
        voice: Who speaks, such as `anna` (`viva voices` lists them); "" is the machine's own voice.
        style: Manner of speaking, such as `calm` or `calm; rate=0.8`; a line may have another.
        patience_s: Seconds of silence after which the user asks again, or gives up.
    """

    name: Text = "Alex"
    description: str = ""
    expertise: Expertise = Expertise.UNDERGRADUATE
    trait: Trait = Trait.CURIOUS
    voice: str = ""
    style: str = ""
    patience_s: float = Field(default=8.0, gt=0, le=120)


class Keywords(Strict):
    """Words that a relevant answer holds, by what they name (S3-Bench, Relevant Rate).

    Each is traceable: it stands in the question, the answer, the explanation or the reasoning of its item.
    """

    core_entity: tuple[Text, ...] = ()
    target_concept: tuple[Text, ...] = ()
    knowledge_anchor: tuple[Text, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.core_entity or self.target_concept or self.knowledge_anchor)


class ItemKind(StrEnum):
    """How a question of knowledge is asked."""

    CHOICE = "choice"
    OPEN = "open"


class Feature(StrEnum):
    """What makes a scientific text hard to say and to hear (S3-Bench)."""

    TERMINOLOGY = "terminology"
    ABBREVIATION = "abbreviation"
    SPECIAL_EXPRESSION = "special_expression"


class Item(Strict):
    """A question of knowledge with its key (S3-Knowledge): what the turn asks is its query.

    Attributes:
        options: Texts by letter, A first; empty for an open question.
        answer: The letter of the right option, or the short answer of an open question.
        accept: Other wordings of the right answer.
        explanation: Why it is right.
        reasoning: The steps that lead there.
        features: What is hard about its words.
        source: Where the facts are from.
        pair: Id that two items share which differ in one thing only: choice and open, or abbreviation and
            full name.
    """

    kind: ItemKind
    options: dict[Annotated[str, StringConstraints(pattern=r"^[A-J]$")], Text] = Field(default_factory=dict)
    answer: Text
    accept: tuple[Text, ...] = ()
    explanation: str = ""
    reasoning: str = ""
    keywords: Keywords = Keywords()
    features: tuple[Feature, ...] = ()
    terms: tuple[Text, ...] = ()
    source: str = ""
    pair: str = ""

    @model_validator(mode="after")
    def _key_is_an_option(self) -> Item:
        if self.kind is ItemKind.OPEN:
            if self.options:
                raise ValueError("an item needs no options where its kind is open")
            return self
        texts = [" ".join(text.casefold().split()) for text in self.options.values()]
        if self.answer not in self.options or len(self.options) < 2 or len(set(texts)) < len(texts):
            raise ValueError(
                "an item of kind choice needs two or more different options, one of them the answer"
            )
        return self


class AspectKind(StrEnum):
    """The five aspects of a dialogue, in their order (S3-Dialogue)."""

    CONCEPT = "concept"
    MECHANISM = "mechanism"
    MILESTONE = "milestone"
    CHARACTERISTICS = "characteristics"
    APPLICATION = "application"


class Turn(Say):
    """One turn of a scripted user.

    Attributes:
        pause_s: Seconds to wait after the reply before this turn.
        facts: What the reply should state.
        item: The question of knowledge that this turn asks, with its key. The options of a multiple choice
            are read aloud after `text` and `spoken`, which hold the question alone (`scenarios.items`).
    """

    pause_s: float = Field(default=0.0, ge=0, le=60)
    facts: tuple[Fact, ...] = ()
    item: Item | None = None
    expression: Expression | None = None


class Aspect(Strict):
    """One topic the dialogue must cover.

    Attributes:
        follow_ups: What to say when a fact is missing, one after the other; then a generic one.
        tries: How many turns at most before the user moves on.
        kind: Which of the five aspects of S3-Dialogue it is, if it is one.
        keywords: Words of a relevant answer, by category.
    """

    id: Slug
    kind: AspectKind | None = None
    keywords: Keywords = Keywords()
    question: Say
    facts: tuple[Fact, ...] = Field(min_length=1)
    follow_ups: tuple[Say, ...] = ()
    tries: int = Field(default=3, ge=1, le=10)


class Limits(Strict):
    """Where a session ends at the latest."""

    max_duration_s: float = Field(default=300.0, gt=0, le=7200)
    max_turns: int = Field(default=20, ge=1, le=500)
    reply_timeout_s: float = Field(default=20.0, gt=0, le=300)


class Scenario(Strict):
    """One call.

    Attributes:
        opening: Who speaks first. With "endpoint" the user waits for a greeting.
        aim: What the user wants, for an LLM user and for judges.
        domain: Field of knowledge ("physics"), for tables.
        repeats: How often a run calls with it.
        seed: Base of every random choice; the same for every endpoint.
        behaviours: What makes the conversation messy: interruptions, pauses, coughs.
        conditions: What room and line do to the user's voice.
        tools: What the endpoint may call, and what it is answered.
        expect: Calls of tools that should be made, or not.
    """

    version: Literal[1] = 1
    id: Slug
    title: Text
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$")] = "en"
    persona: Persona = Persona()
    policy: PolicyKind = PolicyKind.SCRIPTED
    opening: Literal["user", "endpoint"] = "user"
    aim: str = ""
    domain: str = ""
    turns: tuple[Turn, ...] = ()
    aspects: tuple[Aspect, ...] = ()
    goodbye: Say | None = None
    behaviours: tuple[Behaviour, ...] = ()
    conditions: Conditions = Conditions()
    tools: tuple[Tool, ...] = ()
    expect: tuple[ExpectedCall, ...] = ()
    limits: Limits = Limits()
    repeats: int = Field(default=1, ge=1, le=1000)
    seed: int = 0
    tags: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _policy_has_its_material(self) -> Scenario:
        needed = {
            PolicyKind.SCRIPTED: ("turns", self.turns),
            PolicyKind.ADAPTIVE: ("aspects", self.aspects),
            PolicyKind.LLM: ("aim", self.aim),
        }
        name, material = needed[self.policy]
        if not material:
            raise ValueError(f"a scenario with policy: {self.policy} needs `{name}`")
        return self


def scenario_facts(scenario: Scenario) -> list[Fact]:
    """Everything that any answer of the call should state."""
    turns = [fact for turn in scenario.turns for fact in turn.facts]
    aspects = [fact for aspect in scenario.aspects for fact in aspect.facts]
    asked = [b.facts for b in scenario.behaviours if isinstance(b, BargeIn | ChangeOfMind)]
    return [*turns, *aspects, *(fact for facts in asked for fact in facts)]


FusionName = Literal["", "content-first@1", "acceptability-cap@1", "majority@1", "rating-min@1"]
"""A policy that makes one label of content, manner and voice quality, with its version; "" is none."""


class Pack(Strict):
    """The manifest of a pack: `pack.yaml` in its folder.

    Attributes:
        fusion: How labels of content, manner and voice quality become one, where a command does not say.
    """

    version: Literal[1] = 1
    id: Slug
    title: Text
    description: str = ""
    licence: Text
    author: str = ""
    fusion: FusionName = ""
