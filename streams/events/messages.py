"""The messages on the bus, version 1: flat JSON objects. Pure.

A reader ignores fields that it does not know: a field that is added changes no version. A field that is
taken away, or means something else, does.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

VERSION = 1
"""Version of the messages."""

LONGEST_TEXT = 2000
"""Characters of a text; what is longer is cut, and ends in "…". The episode has it whole."""

LINES = 8
"""Lines of the transcript in the state of a session."""


def _text(value: object) -> object:
    """What an endpoint says is data: cut to a length, and made UTF-8 where it is not."""
    if not isinstance(value, str):
        return value
    if len(value) > LONGEST_TEXT:
        value = value[: LONGEST_TEXT - 1] + "…"
    return value.encode("utf-8", "replace").decode("utf-8")


Text = Annotated[str, BeforeValidator(_text)]


class Header(BaseModel):
    """What every message begins with.

    Attributes:
        v: Version of the messages.
        run: Id of the run.
        episode: Id of the planned episode, or "" if the message is about the run.
        source: Who published it: another one for each sitting of a run.
        seq: Counts all messages of a source, from 1. A gap is a message that was dropped, or replaced by a
            newer one of the same topic before it could be sent.
        at: Calendar time at which it happened, UTC, ISO 8601.
        kind: Which message it is; the last level of its topic.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    v: Literal[1] = 1
    run: str = ""
    episode: str = ""
    source: str = ""
    seq: int = 0
    at: str = ""
    kind: str


class Presence(Header):
    """Whether a run is there. `lost` is its last will: the broker says it when the connection breaks.

    Attributes:
        state: `online`, `ended` (it has said goodbye), or `lost`.
    """

    kind: Literal["presence"] = "presence"
    state: Literal["online", "ended", "lost"]


class Progress(Header):
    """How far a run has come.

    Attributes:
        state: `running`, `paused` (no call begins until `resume`), `stopping` (calls under way are held to
            their end), or `ended`.
        total: Episodes of the plan.
        done: Of them, also those of earlier sittings.
        void: Calls of this sitting that were void.
        live: Calls under way.
        left_s: Seconds to the end at the pace of this sitting; null while that cannot be told.
        outcomes: Calls of this sitting that have ended, by outcome.
        endpoints: Their addresses, keys masked.
    """

    kind: Literal["progress"] = "progress"
    state: Literal["running", "paused", "stopping", "ended"] = "running"
    total: int
    done: int = 0
    void: int = 0
    live: int = 0
    left_s: float | None = None
    outcomes: dict[str, int] = Field(default_factory=dict)
    endpoints: tuple[Text, ...] = ()


class Loss(Header):
    """What this source could not publish since it began.

    Attributes:
        dropped: Messages lost, by kind: the broker was away or slow for too long.
        replaced: Messages that a newer one of the same topic took the place of before they were sent.
    """

    kind: Literal["loss"] = "loss"
    dropped: dict[str, int] = Field(default_factory=dict)
    replaced: int = 0


class Line(BaseModel):
    """One line of the transcript, as far as it is known.

    Attributes:
        t: Seconds of session time.
        side: `user`, `endpoint`, or `us` for a note.
        text: The words, or what there is to note.
        latency_ms: From the user's last audible sample; of the first reply to a question only.
        verdicts: Labels of the live judges, by judge.
        note: It is about the call, not words of it.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    t: float
    side: str
    text: Text
    latency_ms: float | None = None
    verdicts: dict[str, str] = Field(default_factory=dict)
    note: bool = False


class SessionState(Header):
    """All that a screen shows of a call: the last message is enough to know it.

    Attributes:
        state: `calling` (not yet open), `talking`, or `ended`.
        scenario: Its id.
        endpoint: Its address, keys masked.
        t: Seconds of session time.
        endpoint_speaks: The endpoint is being heard.
        replies: Replies that a latency is known of.
        median_latency_ms: Of these; null before the first.
        outcome: As in episode.json; null until it has ended.
        fault: Whose: `nobody`, `endpoint`, `scenario`, `us`; null until it has ended.
        reason: A sentence for people about the outcome.
        lines: The last lines of the transcript, oldest first.
    """

    kind: Literal["session"] = "session"
    state: Literal["calling", "talking", "ended"] = "calling"
    scenario: str = ""
    endpoint: Text = ""
    t: float = 0.0
    endpoint_speaks: bool = False
    replies: int = 0
    median_latency_ms: float | None = None
    outcome: str | None = None
    fault: str | None = None
    reason: Text = ""
    lines: tuple[Line, ...] = ()


class TurnSpoken(Header):
    """One side has said something.

    Attributes:
        side: `user`: it begins to say it; `endpoint`: its turn was heard to the end.
        turn: Position in the call, of the endpoint's turns.
        text: The user's words; what the user heard of the endpoint, null if it was not understood.
        role: What the user's words are for (`turn`, `barge_in`, `backchannel` ...).
        start_s: First audible sample, in seconds of session time.
        end_s: Last audible sample, likewise.
    """

    kind: Literal["turn"] = "turn"
    side: Literal["user", "endpoint"]
    turn: int | None = None
    text: Text | None = None
    role: str = "turn"
    start_s: float
    end_s: float


class Latency(Header):
    """From the user's last audible sample to the first audible one of the reply.

    Attributes:
        turn: Position of the reply in the call.
        latency_ms: Negative if the reply cut in.
    """

    kind: Literal["latency"] = "latency"
    turn: int
    latency_ms: float


class VerdictSpoken(Header):
    """A live judge's verdict on a turn.

    Attributes:
        turn: Position of the turn in the call.
        judge: Its name.
        label: Of the judge's set; null if unscored.
        unscored: Why there is none.
        reason: In words.
    """

    kind: Literal["verdict"] = "verdict"
    turn: int
    judge: str
    label: str | None = None
    unscored: str | None = None
    reason: Text = ""


class LevelsShown(Header):
    """Peaks of the last frames, five times a second at most.

    Attributes:
        t: Seconds of session time.
        user_db: dBFS; null is digital silence.
        endpoint_db: Likewise.
    """

    kind: Literal["levels"] = "levels"
    t: float
    user_db: float | None = None
    endpoint_db: float | None = None


class Note(Header):
    """A warning or an error, from the endpoint or from our own side.

    Attributes:
        t: Seconds of session time.
        by: `endpoint` or `us`.
        level: `warning`, `error` or `rate_limit`.
        code: What it is, for programs.
        message: What it is, for people.
    """

    kind: Literal["notice"] = "notice"
    t: float
    by: str
    level: str
    code: Text
    message: Text


class Cleared(Header):
    """The broker forgets the state of a session: an empty message, as MQTT has it."""

    kind: Literal["session"] = "session"


CommandName = Literal["pause", "resume", "stop", "say", "take_over", "give_back"]


class Command(BaseModel):
    """What somebody asks of a run, published to PREFIX/RUN/command, not retained.

    Attributes:
        id: Chosen by the sender; a command that comes twice is obeyed once.
        name: `pause`: no call begins until `resume`. `stop`: no more calls begin, and the run ends; with
            an episode, that call ends now. `say`: the user says this next. `take_over`: a person speaks in
            the user's place, by the microphone of the machine that holds the call. `give_back`: the
            simulated user speaks again.
        episode: Of which call; needed by `say`, `take_over` and `give_back`.
        text: Words to say.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    v: Literal[1] = 1
    id: str = Field(min_length=1, max_length=100)
    name: CommandName
    episode: str = Field(default="", max_length=500)
    text: str = Field(default="", max_length=LONGEST_TEXT)


class Ack(Header):
    """The answer to a command.

    Attributes:
        id: Of the command; "" if it had none that could be read.
        name: Of the command; "" likewise.
        status: `done`; `refused` (not in the allow-list); `invalid` (no command of version 1);
            `not_available` (not now, or not here).
        reason: In words.
        repeated: The command came again; this is the answer it got first, and nothing was done.
    """

    kind: Literal["ack"] = "ack"
    id: str = ""
    name: str = ""
    status: Literal["done", "refused", "invalid", "not_available"]
    reason: Text = ""
    repeated: bool = False


Published = (
    Presence
    | Progress
    | Loss
    | SessionState
    | TurnSpoken
    | Latency
    | VerdictSpoken
    | LevelsShown
    | Note
    | Ack
)
"""Every message that a run publishes."""
