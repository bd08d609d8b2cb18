"""What every part of a scenario is made of: names, words to say, and facts that an answer should state."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""Text that says something: empty is an error."""

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=80)]
"""A name that is safe as a folder's name."""


class Strict(BaseModel):
    """Base of everything in a scenario: unknown keys are errors, values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)


class Say(Strict):
    """Words to say: written, and spoken where the two differ; or a recording.

    Attributes:
        audio: Path of a WAV or FLAC file, relative to the scenario's file.
    """

    text: Text
    spoken: Text | None = None
    style: str = ""
    audio: str | None = None

    @property
    def aloud(self) -> str:
        """The form that is spoken."""
        return self.spoken or self.text


class Fact(Strict):
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
