"""What a page shows of a call. Frozen, strict, and plain JSON: no NaN, no infinity.

Every `start` and `end` is a whole number of *ticks* from sample 0 of the session; `ShownEpisode.rate` is
ticks per second: a multiple of the rates of all tracks, so ticks / `ShownTrack.step` is the exact sample.
Lanes and latencies are in `spans`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import Field

from recordings.format import Fault, Outcome, Role, Side
from scoring.episode_view.spans import Bracket, Lane, Shown, ShownTrack, Words
from scoring.text import Op
from scoring.text.marking import Mark

SHOWN_VERSION: Literal[1] = 1
"""Raised whenever a field changes its meaning or goes."""


class Word(Shown):
    """A word of a text.

    Attributes:
        op: What happened to it: a hit, a substitution, an insertion; a deletion is a word that is missing.
        text: The word; of a deletion, the missing one.
        expected: Of a substitution, what it should have been.
        mark: A term or an abbreviation of what was to be heard.
    """

    text: Words
    op: Op = Op.HIT
    expected: Words = ""
    mark: Mark | None = None


class Errors(Shown):
    """Errors over what could be wrong: `wrong` of `of`."""

    wrong: int
    of: int


class TextKind(StrEnum):
    """Which of the three texts of a turn it is."""

    INTENDED = "intended"
    SAID = "said"
    HEARD = "heard"


class ShownText(Shown):
    """A text of a turn.

    Attributes:
        by: Whose words these are, for people: "scenario", "recogniser of the call", "the endpoint's own".
        text: As it stands; "" if there is none.
        words: The same word by word, where there is something to mark: normalised where it is compared,
            otherwise as it stands. Empty: show `text`.
        errors: Word errors against what was intended; None if it is not compared.
        terms: The same for terms.
        abbreviations: The same for abbreviations, in any case and spacing.
        unscored: Why there is no text; "" if there is one.
    """

    kind: TextKind
    by: Words
    text: Words = ""
    words: tuple[Word, ...] = ()
    errors: Errors | None = None
    terms: Errors | None = None
    abbreviations: Errors | None = None
    unscored: Words = ""


class Evidence(Shown):
    """What a verdict rests on.

    Attributes:
        start: Where it is to be heard; None if its place cannot be told.
        exact: False: its place was estimated from where the words stand in the text.
    """

    text: Words
    start: int | None = None
    end: int | None = None
    exact: bool = False


class ShownVerdict(Shown):
    """A judge's answer.

    Attributes:
        dimension: What it is about ("content"); "" of verdicts on the facts.
        label: Or None, and `unscored` says why.
        live: Given while the call went on.
    """

    judge: Words
    dimension: Words = ""
    label: Words | None = None
    unscored: Words = ""
    reason: Words = ""
    evidence: tuple[Evidence, ...] = ()
    live: bool = False


class ShownTurn(Shown):
    """One side's contribution.

    Attributes:
        number: From 1, in the order in which they begin, both sides counted together.
        exchange: Which question and answer it belongs to, from 0; None of what neither asks nor answers.
        recorded: Indices of the turns in turns.jsonl that it is made of: those of labels and blueprints.
        role: What the user's words are for; `turn` of the endpoint.
        start: First audible tick.
        end: One past the last.
        segments: Where it is audible.
        interrupted: It was not heard to its end, or the other side talked into it.
    """

    number: int
    side: Side
    exchange: int | None
    recorded: tuple[int, ...] = ()
    role: Role = Role.TURN
    label: Words = ""
    start: int
    end: int
    segments: tuple[tuple[int, int], ...] = ()
    interrupted: bool = False
    texts: tuple[ShownText, ...] = ()
    verdicts: tuple[ShownVerdict, ...] = ()


class Figure(Shown):
    """A value of a metric.

    Attributes:
        turn: Number of the user's turn it is of; None if it is of the whole call.
        at: Where it happened; None if it has no place.
        text: The value for people, or the cause.
    """

    turn: int | None = None
    at: int | None = None
    value: float | None = None
    text: str = ""
    unscored: str = ""


class ShownMetric(Shown):
    """A metric of the call, with every value.

    Attributes:
        value: All values put together; None if nothing could be scored, or if it is withheld.
        unscored: How many could not be measured, by cause.
    """

    name: str
    title: str
    topic: str
    description: str
    unit: str
    version: int
    value: float | None
    text: str
    n: int
    unscored: dict[str, int] = Field(default_factory=dict)
    values: tuple[Figure, ...] = ()


class Notice(Shown):
    """Something that whoever looks at the page should know: a file that cannot be used, a void call."""

    level: Literal["info", "warning", "error"]
    text: Words


class CurvesState(Shown):
    """Whether there are curves; fetched apart."""

    available: bool
    cause: str = ""


class ModelUsed(Shown):
    """A model that took part."""

    role: Words
    family: Words
    name: Words
    version: Words


class ShownEpisode(Shown):
    """A call.

    Attributes:
        id: By which the studio's other routes know it; "" in a file of its own.
        live: It is being recorded now: look again.
        complete: Everything is there; an outline has what can be told without listening, and comes first.
        rate: Ticks per second.
        duration: Ticks.
        turns: In the order in which they begin.
    """

    schema_version: Literal[1] = SHOWN_VERSION
    id: str = ""
    episode: Words
    run: Words = ""
    title: Words
    scenario: Words
    pack: Words = ""
    scenario_sha256: str = ""
    language: Words = "en"
    endpoint: Words
    protocol: Words
    model: Words = ""
    user: Words = ""
    condition: Words = ""
    seed: int
    repeat: int = 0
    clock: str
    started_at_utc: Words
    vivavoce: Words = ""
    outcome: Outcome
    fault: Fault
    void: bool
    reason: Words = ""
    live: bool = False
    complete: bool = True
    rate: int
    duration: int
    duration_s: float
    tracks: tuple[ShownTrack, ...]
    lanes: tuple[Lane, ...] = ()
    brackets: tuple[Bracket, ...] = ()
    turns: tuple[ShownTurn, ...] = ()
    metrics: tuple[ShownMetric, ...] = ()
    models: tuple[ModelUsed, ...] = ()
    curves: CurvesState
    notices: tuple[Notice, ...] = ()


class Curve(Shown):
    """Evenly spaced points, the first at `start`, the last at `end`; None where there is nothing."""

    start: int
    end: int
    points: tuple[float | None, ...]


class TurnCurves(Shown):
    """The curves of one recorded turn.

    Attributes:
        recorded: Index of the turn in turns.jsonl.
        pitch: In Hz; None if it has none.
        loudness: In LUFS (ITU-R BS.1770).
        unscored: Why one is missing, by name.
    """

    recorded: int
    side: Side
    start: int
    end: int
    pitch: Curve | None = None
    loudness: Curve | None = None
    unscored: dict[str, str] = Field(default_factory=dict)


class ShownCurves(Shown):
    """Pitch and loudness of all turns.

    Attributes:
        by: "blueprint": 20 points a turn, as judges are told; "measured": every frame, for the page alone.
    """

    rate: int
    by: Literal["blueprint", "measured"] = "measured"
    turns: tuple[TurnCurves, ...] = ()
