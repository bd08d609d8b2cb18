"""The scenario schema: what should happen in a call. It never names an endpoint."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

SCENARIO_VERSION = 1
"""Version of the scenario format."""

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""Text that says something: empty is an error."""

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=80)]
"""A name that is safe as a folder's name."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


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


class Persona(_Strict):
    """Who calls.

    Attributes:
        voice: Name of the user's voice; "" is the default of the machine.
        style: Manner of speaking.
        patience_s: Seconds of silence after which the user asks again, or gives up.
    """

    name: Text = "Alex"
    description: str = ""
    expertise: Expertise = Expertise.UNDERGRADUATE
    trait: Trait = Trait.CURIOUS
    voice: str = ""
    style: str = ""
    patience_s: float = Field(default=8.0, gt=0, le=120)


class Say(_Strict):
    """Words to say: written, and spoken where the two differ; or a recording.

    Attributes:
        audio: Path of a WAV or FLAC file, relative to the scenario's file.
    """

    text: Text
    spoken: Text | None = None
    style: str = ""
    audio: str | None = None


class Fact(_Strict):
    """Something a good answer states.

    Attributes:
        keywords: Groups of alternatives. The fact counts as stated if of every group at least one
            alternative is heard: `[[guide rna, guide], [matches, complementary]]`.
        wrong: Phrases that contradict the fact.
        point: What the user calls it when it asks again ("how the target is found"), without giving
            the answer away; "" takes the words of the id.
    """

    id: Slug
    text: Text
    point: str = ""
    keywords: tuple[tuple[Text, ...], ...] = Field(min_length=1)
    wrong: tuple[Text, ...] = ()
    source: str = ""


class Turn(Say):
    """One turn of a scripted user.

    Attributes:
        pause_s: Seconds to wait after the reply before this turn.
        facts: What the reply should state.
    """

    pause_s: float = Field(default=0.0, ge=0, le=60)
    facts: tuple[Fact, ...] = ()


class Aspect(_Strict):
    """One topic the dialogue must cover.

    Attributes:
        follow_ups: What to say when a fact is missing, one after the other; then a generic one.
        tries: How many turns at most before the user moves on.
    """

    id: Slug
    question: Say
    facts: tuple[Fact, ...] = Field(min_length=1)
    follow_ups: tuple[Say, ...] = ()
    tries: int = Field(default=3, ge=1, le=10)


class Limits(_Strict):
    """Where a session ends at the latest."""

    max_duration_s: float = Field(default=300.0, gt=0, le=7200)
    max_turns: int = Field(default=20, ge=1, le=500)
    reply_timeout_s: float = Field(default=20.0, gt=0, le=300)


class Scenario(_Strict):
    """One call.

    Attributes:
        opening: Who speaks first. With "endpoint" the user waits for a greeting.
        aim: What the user wants, for an LLM user and for judges.
        repeats: How often a run calls with it.
        seed: Base of every random choice; the same for every endpoint.
    """

    version: Literal[1] = 1
    id: Slug
    title: Text
    language: Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]+)*$")] = "en"
    persona: Persona = Persona()
    policy: PolicyKind = PolicyKind.SCRIPTED
    opening: Literal["user", "endpoint"] = "user"
    aim: str = ""
    turns: tuple[Turn, ...] = ()
    aspects: tuple[Aspect, ...] = ()
    goodbye: Say | None = None
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


class Pack(_Strict):
    """The manifest of a pack: `pack.yaml` in its folder."""

    version: Literal[1] = 1
    id: Slug
    title: Text
    description: str = ""
    licence: Text
    author: str = ""
