"""What a good answer must do, in content and in manner: the four levels of S2S-Arena.

Level 1 asks for words alone. At level 2 the user's manner must be noticed (a child, a whisper, tears),
and the content must suit it. At level 3 the answer must be spoken in a manner that the user asks for. Level
4 is both: the user's manner is noticed, and answered in a manner that suits it.
"""

from __future__ import annotations

from enum import IntEnum

from pydantic import Field, field_validator, model_validator

from scenarios.basics import Slug, Strict, Text
from scenarios.manners import MannerError, style


class Level(IntEnum):
    """How much of an answer is in the voice (S2S-Arena)."""

    SEMANTIC = 1
    PERCEIVE = 2
    EXPRESS = 3
    BOTH = 4

    @property
    def perceives(self) -> bool:
        """Whether the user's manner must be noticed."""
        return self in (Level.PERCEIVE, Level.BOTH)

    @property
    def expresses(self) -> bool:
        """Whether the answer must have a manner."""
        return self in (Level.EXPRESS, Level.BOTH)


class Expression(Strict):
    """What a good answer to a turn must do.

    Attributes:
        level: 1 words alone, 2 notice the user's manner, 3 speak in a manner, 4 both.
        task: The kind of task, the same at all levels, such as `storytelling`.
        content: What the answer must do in its words, one demand each.
        perceive: The user's manner that must be noticed: the style in which the turn is spoken. At levels 2
            and 4 alone.
        manner: The manner that the answer must have, such as `calm` or `calm; rate=0.8`. At levels 3 and 4
            alone.
    """

    level: Level
    task: Slug
    content: tuple[Text, ...] = Field(min_length=1)
    perceive: str = ""
    manner: str = ""

    @field_validator("perceive", "manner")
    @classmethod
    def _is_a_style(cls, spec: str) -> str:
        try:
            style(spec)
        except MannerError as error:
            hint = f" ({error.hint})" if error.hint else ""
            raise ValueError(f"{error.found} needs {error.expected}{hint}") from error
        return spec

    @model_validator(mode="after")
    def _level_is_what_it_says(self) -> Expression:
        for key, spec, wanted in (
            ("perceive", self.perceive, self.level.perceives),
            ("manner", self.manner, self.level.expresses),
        ):
            found = f"`{key}: {spec}`" if spec else f"no `{key}`"
            if wanted and spec in ("", "neutral"):
                needed = f"`{key}` with a style that is heard"
                raise ValueError(f"level {self.level:d} with {found} needs {needed}")
            if spec and not wanted:
                raise ValueError(f"level {self.level:d} with {found} needs no `{key}`")
        return self
