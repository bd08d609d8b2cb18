"""What the labelling pages show and send. Nothing here can say whose reply it is, but for `Revealed`.

Tokens are opaque: they name a question or a sound, for one person and as long as the server runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Offer(_Message):
    """An answer that can be given, and its key."""

    label: str
    key: str
    title: str


SoundName = Literal["asked", "reply", "first", "second", "line"]
"""What the user said, a reply alone, two replies in the order in which they are offered; and what the user
of a scenario that was grown says."""


class Sound(_Message):
    """Something to be listened to.

    Attributes:
        token: Of its WAV file; "" if nothing was recorded.
        words: As they were heard; "" if they are not known.
    """

    name: SoundName
    token: str
    seconds: float
    words: str = ""


class Given(_Message):
    """What the person had answered."""

    label: str | None
    unscored: str | None = None
    note: str = ""


class Card(_Message):
    """A question.

    Attributes:
        part: "absolute": of one reply; "relative": of two; "battle": which of two is better; "check":
            whether a scenario is what it says.
        dimension: What it is about; "" of a battle.
        asked: The words that were replied to.
        wanted: What a good reply does or states.
        facts: What else must be known, each with its name.
        offers: Labels and their keys.
        withheld: Causes for which no label is given, and their keys.
        given: The answer so far, if it is shown again to be corrected.
    """

    token: str
    part: Literal["absolute", "relative", "battle", "check"]
    dimension: str
    question: str
    asked: str
    wanted: tuple[str, ...]
    sounds: tuple[Sound, ...]
    offers: tuple[Offer, ...]
    withheld: tuple[Offer, ...]
    facts: tuple[tuple[str, str], ...] = ()
    given: Given | None = None


class Progress(_Message):
    """How far a person is.

    Attributes:
        answered: Questions that the person has answered.
        left: Questions that are left; of comparisons only some will have to be asked.
        units: Replies, or groups of replies to the same words, that are this person's.
        open: Of those, how many have a question left.
        can_go_back: Whether there is an answer to correct.
    """

    answered: int
    left: int
    units: int
    open: int
    can_go_back: bool = False


class Next(_Message):
    """The next question, or none if all is done."""

    card: Card | None
    progress: Progress


class AnswerSent(_Message):
    """An answer, or a correction.

    Attributes:
        person: Who answers.
        token: Of the card.
        label: One of those offered; or None, and `unscored` is one of the causes.
        plays: How often each sound was played.
        words_shown: Whether the replies' words were looked at.
    """

    person: str
    token: str
    label: str | None = None
    unscored: str | None = None
    note: str = Field(default="", max_length=4000)
    plays: Mapping[str, int] = Field(default_factory=dict, max_length=4)
    words_shown: bool = False


class About(_Message):
    """What there is to do.

    Attributes:
        person: Who works here, if that is settled; else the page asks.
        people: Who has worked on it.
        dimensions: What is asked about.
        left_out: What cannot be labelled or compared, by cause.
    """

    person: str
    people: tuple[str, ...]
    dimensions: tuple[str, ...]
    units: int
    replies: int
    pairs: int
    left_out: Mapping[str, int]


class Revealed(_Message):
    """Whose replies somebody has labelled, and what was said of them; only after all of it is labelled."""

    replies: tuple[Mapping[str, Any], ...]


class CannotAnswer(Exception):
    """A request that cannot be met.

    Attributes:
        status: Of HTTP.
        code: For machines.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        self.status, self.code = status, code
        super().__init__(message)


class Asks(Protocol):
    """Asks people. Methods block, on the disk; they may be called from several threads.

    Every method raises `CannotAnswer` for a person, a token or an answer that is none, and
    `recordings.errors.RecordingError` for a disk that fails: then nothing was taken.
    """

    def about(self) -> About:
        """What there is to do."""

    def next(self, person: str) -> Next:
        """The next question."""

    def answer(self, sent: AnswerSent) -> Next:
        """Take an answer, or a correction; when this returns, it is on the disk."""

    def back(self, person: str, steps: int) -> Card:
        """A question that was answered so many answers ago, to be corrected."""

    def sound(self, token: str) -> bytes:
        """A WAV file."""


class AsksBlind(Asks, Protocol):
    """Asks people who do not know whose replies they hear."""

    def reveal(self, person: str, token: str) -> Revealed:
        """What a card was about, once all about it is answered."""


class AsksForLabels(AsksBlind, Protocol):
    """Asks for labels, which are compared."""

    def agreement(self) -> Mapping[str, Any]:
        """How far people agree with each other and with a judge, by what is labelled so far."""


class ChecksScenarios(Asks, Protocol):
    """Asks whether scenarios are what they say."""

    def report(self) -> Mapping[str, Any]:
        """How many are, by what is answered so far."""
