"""The episode format, schema version 1: the models of every file of an episode.

All times named `t` are seconds since sample 0 of the session. Positions named `start`, `end`,
`samples` and `offset` are samples at the rate of the track they stand on: they are the truth, seconds are
derived from them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

EPISODE_VERSION = 1
"""Version of the episode format."""

RUN_VERSION = 2
"""Version of the run manifest. Version 1 has no attempts and no scenarios: read, never resumed."""


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Fault(StrEnum):
    """Whose fault an outcome is."""

    NOBODY = "nobody"
    ENDPOINT = "endpoint"
    SCENARIO = "scenario"
    US = "us"


class Outcome(StrEnum):
    """How a session ended. The second group is void: it never lowers an endpoint's score."""

    COMPLETED = "completed"
    ENDPOINT_HUNG_UP = "endpoint_hung_up"
    ENDPOINT_SILENT = "endpoint_silent"
    ENDPOINT_ERROR = "endpoint_error"
    SESSION_LIMIT = "session_limit"
    MAX_DURATION = "max_duration"
    MAX_TURNS = "max_turns"
    USER_STOPPED = "user_stopped"

    SCENARIO_INVALID = "scenario_invalid"
    CONNECT_FAILED = "connect_failed"
    RATE_LIMITED = "rate_limited"
    BEHIND_REAL_TIME = "behind_real_time"
    USER_FAILED = "user_failed"
    HARNESS_FAILED = "harness_failed"
    CANCELLED = "cancelled"
    UNFINISHED = "unfinished"

    @property
    def void(self) -> bool:
        """True if the episode says nothing about the endpoint."""
        return self in _VOID

    @property
    def fault(self) -> Fault:
        """Whose fault it is."""
        return _FAULTS.get(self, Fault.US if self.void else Fault.NOBODY)


_VOID = frozenset(
    {
        Outcome.SCENARIO_INVALID,
        Outcome.CONNECT_FAILED,
        Outcome.RATE_LIMITED,
        Outcome.BEHIND_REAL_TIME,
        Outcome.USER_FAILED,
        Outcome.HARNESS_FAILED,
        Outcome.CANCELLED,
        Outcome.UNFINISHED,
    }
)

_FAULTS = {
    Outcome.ENDPOINT_HUNG_UP: Fault.ENDPOINT,
    Outcome.ENDPOINT_SILENT: Fault.ENDPOINT,
    Outcome.ENDPOINT_ERROR: Fault.ENDPOINT,
    Outcome.SESSION_LIMIT: Fault.ENDPOINT,
    Outcome.SCENARIO_INVALID: Fault.SCENARIO,
    Outcome.CANCELLED: Fault.NOBODY,
}


class Side(StrEnum):
    """Whose turn."""

    USER = "user"
    ENDPOINT = "endpoint"


# --- events.jsonl ------------------------------------------------------------------------------


LONGEST_S = 1e7
"""No session lasts longer, and nothing in a recording lies further from its start: four months."""


class _Event(_Record):
    t: float


class SessionStarted(_Event):
    """Sample 0: the endpoint is ready and the first tick is due in 20 ms.

    Attributes:
        user_rate: Rate of the user's track.
        endpoint_rate: Rate of the endpoint's track.
    """

    kind: Literal["session_started"] = "session_started"
    session: str = ""
    model: str = ""
    user_rate: int = 0
    endpoint_rate: int = 0


class Role(StrEnum):
    """What a user's utterance is for: the ground truth of who wanted what.

    The first group wants an answer, and takes the turn; the second does not, and a good endpoint goes on as
    if nothing had been said.
    """

    TURN = "turn"  # the scenario's own question, follow-up or goodbye
    BARGE_IN = "barge_in"  # cuts into a reply and wants another answer
    CORRECTION = "correction"  # a change of mind before the reply began
    REPROMPT = "reprompt"  # nothing came: "are you still there?"

    BACKCHANNEL = "backchannel"  # "mm-hm" while the endpoint talks
    ASIDE = "aside"  # said to somebody else in the room
    TIC = "tic"  # a cough, a throat cleared
    TALK_OVER = "talk_over"  # talks at the same time, and does not care

    @property
    def wants_answer(self) -> bool:
        """True if the endpoint should answer."""
        return self in _WANTS_ANSWER


_WANTS_ANSWER = frozenset({Role.TURN, Role.BARGE_IN, Role.CORRECTION, Role.REPROMPT})


class UtteranceStarted(_Event):
    """The user's voice goes into the microphone.

    Attributes:
        role: What it is for.
        behaviour: Id of the scenario's behaviour that made it, or "".
        pauses: Silences inside the utterance that the scenario asked for, as (first sample, one past the
            last) on the user's track: the user has not finished there.
        voice: Who spoke, as the scenario has it; "" is the machine's own voice, or a recording.
        style: Manner of speaking, likewise.
        gain_db: What brought a recording to the level of speech.
        start: First sample on the user's track.
        samples: Length of the clip.
        audible_start: First sample on the user's track that can be heard (a clip may begin with silence).
        audible_end: One past the last sample on the user's track that can be heard: latency counts from it.
    """

    kind: Literal["utterance_started"] = "utterance_started"
    utterance: str
    text: str
    spoken: str = ""
    label: str = ""
    expected: tuple[str, ...] = ()
    role: Role = Role.TURN
    behaviour: str = ""
    pauses: tuple[tuple[int, int], ...] = ()
    voice: str = ""
    style: str = ""
    gain_db: float = 0.0
    start: int
    samples: int
    audible_start: int
    audible_end: int


class UtteranceEnded(_Event):
    """The user's voice has ended, or was cut off after `samples`."""

    kind: Literal["utterance_ended"] = "utterance_ended"
    utterance: str
    samples: int
    cut: bool = False


class BehaviourSettled(_Event):
    """A behaviour that the scenario asks for has happened, or can no longer happen.

    Attributes:
        behaviour: Its id.
        type: What it is: "barge_in", "hesitation" ...
        happened: False is `did_not_happen`: it is left out of every rate, and counted.
        cause: Why it did not happen ("keyword_not_heard", "reply_too_short", "call_ended").
        utterance: The utterance that carried it, or "".
        trigger: What set it off, in words ("2.0 s of reply heard").
    """

    kind: Literal["behaviour_settled"] = "behaviour_settled"
    behaviour: str
    type: str
    happened: bool
    cause: str = ""
    utterance: str = ""
    trigger: str = ""


class KeysPressed(_Event):
    """The user pressed telephone keys.

    Attributes:
        by: "protocol": a message told the endpoint; "tones": they sounded on the user's track.
        start: First sample of the tones on the user's track.
        samples: Length of the tones.
    """

    kind: Literal["keys_pressed"] = "keys_pressed"
    digits: str
    behaviour: str = ""
    by: Literal["protocol", "tones"] = "protocol"
    start: int = 0
    samples: int = 0


class DeviceOpened(_Event):
    """A person calls: by what they speak and listen. Times in seconds.

    What the person says is on the user's track `capture_delay_s` (and the device's `input_latency_s`) after
    they have said it; what stands on the endpoint's track is in their ear `playback_delay_s` (and
    `output_latency_s`) later.

    Attributes:
        device: Its name.
        mode: "free", "guided" or "co-pilot".
        input_rate: Samples per second of what it captures.
        output_rate: The same of what it plays.
        input_latency_s: As the device says; 0.0 if it does not.
        output_latency_s: Likewise.
    """

    kind: Literal["device_opened"] = "device_opened"
    device: str
    mode: str
    input_rate: int
    output_rate: int
    capture_delay_s: float
    playback_delay_s: float
    input_latency_s: float = 0.0
    output_latency_s: float = 0.0


class DeviceTrouble(_Event):
    """A sound device did something to the sound.

    Attributes:
        fault: "overrun" (captured samples are lost), "late" (they came late: the track lags by more from
            here on), "shift" (the device's time jumped), "underrun" or "dropped" (the person did not hear
            some of it).
        seconds: How much; 0.0 if unknown, negative if it was skipped.
    """

    kind: Literal["device_trouble"] = "device_trouble"
    fault: str
    seconds: float


class DeviceReport(_Event):
    """What a sound device was like, over the whole call; written at its end.

    Attributes:
        input_drift_ppm: By how much its clock was faster than ours; the track is mended by it.
        output_drift_ppm: The same of what it played.
        clipped: Captured samples at full scale.
        echo_delay_s: The endpoint was heard in the microphone, so much later; None if it was not.
        echo_gain_db: Its level there, against what was played.
        echo_correlation: How sure that is, 0 to 1.
    """

    kind: Literal["device_report"] = "device_report"
    input_drift_ppm: float
    output_drift_ppm: float
    clipped: int = 0
    echo_delay_s: float | None = None
    echo_gain_db: float | None = None
    echo_correlation: float | None = None


class LineProposed(_Event):
    """A person was shown what to ask next.

    Attributes:
        text: The words.
        label: What it is for.
        expected: Ids of the facts that an answer should state.
        spoken: True if it has to be said in these words (co-pilot), False if any words will do (guided).
    """

    kind: Literal["line_proposed"] = "line_proposed"
    text: str
    label: str = ""
    expected: tuple[str, ...] = ()
    spoken: bool = False


class LineCondition(_Event):
    """What the line and the room do to the user's voice in this call; written at its start.

    Attributes:
        settings: Every parameter as it is applied: beds, levels in dBov, seeds, codec, loss model.
        delay_samples: By how much the wire lags behind the clean track, in samples of the user's track.
    """

    kind: Literal["line_condition"] = "line_condition"
    settings: dict[str, Any]
    delay_samples: int = 0


class LineReport(_Event):
    """What the line did, over the whole call; written at its end.

    Attributes:
        values: Frames sent, lost, concealed, delayed; clipped samples; levels and SNR per utterance in dB.
    """

    kind: Literal["line_report"] = "line_report"
    values: dict[str, Any]


class UserThinking(_Event):
    """Seconds the user needed to find and prepare its words: ours, never the endpoint's."""

    kind: Literal["user_thinking"] = "user_thinking"
    seconds: float


class HeardSpeech(_Event):
    """The user's ear: a stretch of endpoint speech began or ended, in samples of its track.

    Attributes:
        at: The edge, on the endpoint's track (it lies before `t`, when it was noticed).
    """

    kind: Literal["heard_speech"] = "heard_speech"
    edge: Literal["start", "stop"]
    at: int


class TurnEnded(_Event):
    """The user decided that the endpoint's turn is over.

    Attributes:
        start: First audible sample of the turn, on the endpoint's track.
        end: One past the last audible sample.
        heard: What the user made of it, or None if it understood nothing.
        by: What decided ("smart-turn", "silence", "user_spoke", "closed").
        probability: Of the end-of-turn model, if it was asked.
    """

    kind: Literal["turn_ended"] = "turn_ended"
    turn: int
    start: int = 0
    end: int = 0
    heard: str | None = None
    by: str
    probability: float | None = None


class EndpointText(_Event):
    """The endpoint's own text of a reply."""

    kind: Literal["endpoint_text"] = "endpoint_text"
    text: str
    mode: str
    item: str = ""
    response: str = ""


class EndpointUserText(_Event):
    """The endpoint's transcript of the user."""

    kind: Literal["endpoint_user_text"] = "endpoint_user_text"
    text: str
    mode: str
    item: str = ""
    failed: bool = False


class EndpointUserItem(_Event):
    """Where the endpoint puts a user item."""

    kind: Literal["endpoint_user_item"] = "endpoint_user_item"
    item: str
    previous: str | None = None


class EndpointUserSpeech(_Event):
    """The endpoint says that it hears the user begin or stop."""

    kind: Literal["endpoint_user_speech"] = "endpoint_user_speech"
    edge: Literal["start", "stop"]
    server_ms: float | None = None
    item: str = ""


class ResponseBegan(_Event):
    """The endpoint began a response."""

    kind: Literal["response_began"] = "response_began"
    response: str


class ResponseFinished(_Event):
    """The endpoint delivered a response or gave it up."""

    kind: Literal["response_finished"] = "response_finished"
    response: str
    status: str
    reason: str = ""


class PlaybackReported(_Event):
    """What we told the endpoint was heard of an item, cumulative."""

    kind: Literal["playback_reported"] = "playback_reported"
    item: str
    heard: int
    received: int
    state: str


class Flushed(_Event):
    """Playback was cut.

    Attributes:
        by: "endpoint" (it asked for it) or "user" (we stopped listening).
        at: Where, on the endpoint's track.
        items: Items cut, with samples heard and received so far. Empty: nothing was playing.
    """

    kind: Literal["flushed"] = "flushed"
    by: Literal["endpoint", "user"]
    at: int
    items: tuple[tuple[str, int, int], ...] = ()


class MarkReached(_Event):
    """Playback reached a mark of the endpoint's; one that a flush dropped is never reached.

    Attributes:
        at: Where it stands, on the endpoint's track. Recordings from before this was kept have None.
    """

    kind: Literal["mark_reached"] = "mark_reached"
    name: str
    at: int | None = None


class ToolCall(_Event):
    """The endpoint called a tool."""

    kind: Literal["tool_call"] = "tool_call"
    call: str
    name: str
    arguments: str
    cancelled: bool = False


class ToolFault(StrEnum):
    """Why a tool call got an error that the scenario did not ask for."""

    UNKNOWN_TOOL = "unknown_tool"  # the scenario has no tool of that name
    MALFORMED_ARGUMENTS = "malformed_arguments"  # no JSON, or not as the tool's parameters say
    NO_ANSWER = "no_answer"  # the scenario has none for these arguments
    FAILED = "failed"  # a Python tool raised, or returned what cannot be sent
    TIMEOUT = "timeout"


class ToolAnswered(_Event):
    """A tool call was answered; `t` is when the endpoint was sent the answer.

    Attributes:
        error: The answer is the words of a failure.
        fault: Why, where the scenario did not ask for it.
    """

    kind: Literal["tool_answered"] = "tool_answered"
    call: str
    name: str
    output: str
    error: bool = False
    fault: ToolFault | None = None


class UsageReported(_Event):
    """What the endpoint says was used.

    Attributes:
        cumulative: The values count from the start of the session: the last one counts, sums mean nothing.
        model: The model that was used, where it is not the session's own.
    """

    kind: Literal["usage_reported"] = "usage_reported"
    unit: str
    values: dict[str, float]
    cumulative: bool = False
    response: str = ""
    model: str = ""


class Noticed(_Event):
    """An error, warning or note from the endpoint, or from our own side.

    Attributes:
        reset_s: Seconds after which a limit that is used up is lifted, if the endpoint said so.
    """

    kind: Literal["noticed"] = "noticed"
    by: Literal["endpoint", "us"] = "endpoint"
    level: str
    code: str
    message: str
    reset_s: float | None = None


class UnknownMessage(_Event):
    """A message that the adapter does not know."""

    kind: Literal["unknown_message"] = "unknown_message"
    type: str


class EndAnnounced(_Event):
    """The endpoint says that it will close.

    Attributes:
        resumable: Only the connection ends: the session can go on over another.
    """

    kind: Literal["end_announced"] = "end_announced"
    time_left_s: float | None = None
    reason: str = ""
    resumable: bool = False


class SessionResumed(_Event):
    """The session went on over a new connection; what the user said meanwhile was sent then.

    Attributes:
        gap_s: Time without a connection, in seconds; it ends at `t`.
        held: Messages that waited for the new connection.
    """

    kind: Literal["session_resumed"] = "session_resumed"
    gap_s: float
    held: int = 0


class TickLate(_Event):
    """A 20 ms tick that came more than 5 ms late, or was skipped in silence."""

    kind: Literal["tick_late"] = "tick_late"
    lateness_ms: float
    skipped: bool = False


class VerdictGiven(_Event):
    """A live judge's verdict on a turn."""

    kind: Literal["verdict_given"] = "verdict_given"
    turn: int
    judge: str
    label: str | None = None
    unscored: str | None = None
    reason: str = ""
    evidence: tuple[str, ...] = ()


class SessionEnded(_Event):
    """The session is over."""

    kind: Literal["session_ended"] = "session_ended"
    outcome: Outcome
    reason: str = ""
    by: str = ""


Event = Annotated[
    SessionStarted
    | UtteranceStarted
    | UtteranceEnded
    | BehaviourSettled
    | KeysPressed
    | DeviceOpened
    | DeviceTrouble
    | DeviceReport
    | LineProposed
    | LineCondition
    | LineReport
    | UserThinking
    | HeardSpeech
    | TurnEnded
    | EndpointText
    | EndpointUserText
    | EndpointUserItem
    | EndpointUserSpeech
    | ResponseBegan
    | ResponseFinished
    | PlaybackReported
    | Flushed
    | MarkReached
    | ToolCall
    | ToolAnswered
    | UsageReported
    | Noticed
    | UnknownMessage
    | EndAnnounced
    | SessionResumed
    | TickLate
    | VerdictGiven
    | SessionEnded,
    Field(discriminator="kind"),
]
"""One line of events.jsonl."""


# --- received.jsonl ----------------------------------------------------------------------------


class ReceivedPiece(_Record):
    """One delivery of audio: the index of received.wav.

    Attributes:
        t: Arrival.
        offset: First sample in received.wav.
        samples: Length.
        start: First sample on the heard timeline, or None if it came after its item was cut.
        raw: Ordinal number of the wire message.
    """

    t: float
    item: str
    response: str = ""
    offset: int
    samples: int
    start: int | None
    raw: int = -1


# --- turns.jsonl -------------------------------------------------------------------------------


class Verdict(_Record):
    """A judge's answer on a turn: a label of a declared set, or unscored with a cause.

    Attributes:
        detail: How it came about: a label for each fact, and of a language model the prompt, its raw
            replies, tokens and price.
    """

    judge: str
    label: str | None = None
    unscored: str | None = None
    reason: str = ""
    evidence: tuple[str, ...] = ()
    detail: dict[str, Any] = Field(default_factory=dict)


class Turn(_Record):
    """One side's contribution.

    Attributes:
        index: Position in the call, both sides counted together, from 0.
        start: First audible sample, on that side's track.
        end: One past the last audible sample.
        intended: User: the scenario's words. Endpoint: its own text of what it says, if it sends any.
        said: User: what a recogniser makes of the clean clip. Endpoint: None live (the offline scorer
            transcribes received.wav).
        heard: User: the endpoint's transcript of it, if it sends any. Endpoint: what the user's
            recogniser made of the heard audio.
        unscored: Why a text is missing, by field ("heard": "no_speech").
        role: User: what the utterance was for. Endpoint: always `turn`.
        interrupted: The turn ended because the other side spoke or playback was cut.
    """

    index: int
    side: Side
    start: int
    end: int
    rate: int = Field(gt=0)
    intended: str | None = None
    said: str | None = None
    heard: str | None = None
    label: str = ""
    role: Role = Role.TURN
    items: tuple[str, ...] = ()
    interrupted: bool = False
    unscored: dict[str, str] = Field(default_factory=dict)
    verdicts: tuple[Verdict, ...] = ()

    @property
    def start_s(self) -> float:
        """Start in seconds."""
        return self.start / self.rate

    @property
    def end_s(self) -> float:
        """End in seconds."""
        return self.end / self.rate


# --- episode.json ------------------------------------------------------------------------------


class Absent(StrEnum):
    """What a finished episode does not hold."""

    USER_CLEAN = "user_clean"  # the voice before conditions: unknown, or the same; `user` stands for it
    OVERLAP = "overlap"  # who spoke while the other did: both were mixed, and told apart by words
    ARRIVALS = "arrivals"  # what arrived, and when: received.wav and its index


class SourceFile(_Record):
    """A file that an imported episode was made of: its name without folders."""

    name: str
    sha256: str


class Imported(_Record):
    """Where an episode comes from that we did not record, and what in it was not observed but inferred.

    Attributes:
        format: What was read ("stereo", "pair", "tau2", "pipecat").
        files: What it was made of.
        words: Where the words are from: the names of files, or "" if there are none but a recogniser's.
        inferred: What was derived from the audio or the words, by field, and how.
        notes: What was left out or did not fit, in sentences.
    """

    format: str
    files: tuple[SourceFile, ...] = ()
    words: str = ""
    inferred: dict[str, str] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Model(_Record):
    """A model that took part."""

    role: str
    family: str
    name: str
    version: str
    sha256: str = ""


class Lateness(_Record):
    """How late the 20 ms ticks were, in milliseconds."""

    ticks: int
    median: float
    p99: float
    worst: float
    skipped: int = 0


class EndpointInfo(_Record):
    """The endpoint as it was called; no secrets."""

    address: str
    protocol: str
    session: str = ""
    model: str = ""
    capabilities: dict[str, Any] = Field(default_factory=dict)


class EpisodeInfo(_Record):
    """episode.json: written at the start with outcome `unfinished`, and last of all, atomically.

    Attributes:
        scenario: The whole scenario as it was run; what is absent has its default.
        scenario_sha256: Hash of its canonical JSON: two episodes with the same hash are comparable.
        clock: "wall" or "simulated"; "unknown" of an imported call.
        user: Who called.
        reason: A sentence for people about the outcome.
        unheard_tail_ms: Audio that arrived and was not played before the end of the session.
        absent: What was not recorded; its files are not there.
        imported: Where the recording comes from, if it was made elsewhere.
        fusion: How its pack makes one label of content, manner and voice quality ("content-first@1"); "" if
            it does not say.
    """

    schema_version: int = EPISODE_VERSION
    id: str
    run: str = ""
    pack: str = ""
    fusion: str = ""
    scenario: dict[str, Any]
    scenario_sha256: str
    endpoint: EndpointInfo
    seed: int
    repeat: int = 0
    clock: Literal["wall", "simulated", "unknown"]
    user: Literal["simulated", "person"] = "simulated"
    started_at_utc: str
    user_rate: int = Field(gt=0)
    endpoint_rate: int = Field(gt=0)
    duration_s: float = Field(default=0.0, ge=0, le=LONGEST_S)
    outcome: Outcome = Outcome.UNFINISHED
    fault: Fault = Fault.US
    reason: str = ""
    lateness: Lateness | None = None
    unheard_tail_ms: float = 0.0
    late_pieces: int = 0
    models: tuple[Model, ...] = ()
    vivavoce: str = ""
    absent: tuple[Absent, ...] = ()
    imported: Imported | None = None

    def part(self, name: str) -> dict[str, Any]:
        """A part of the scenario ("limits"); {} if it is absent, or of another shape than ours."""
        found = self.scenario.get(name)
        return found if isinstance(found, dict) else {}


# --- run.json ----------------------------------------------------------------------------------


class Attempt(_Record):
    """One call that was begun for a planned episode. Its folder stays, whatever became of it.

    Attributes:
        folder: Its name in the folder of the run.
        outcome: None while it is under way.
        reason: A sentence for people about a void outcome.
    """

    folder: str
    outcome: Outcome | None = None
    reason: str = ""
    duration_s: float = 0.0


class Planned(_Record):
    """One planned episode and its state.

    Attributes:
        endpoint_number: Place of its endpoint among those of the run, from 1.
        condition: Name of the condition it is held under; "" is as its scenario says.
        user: Name of the user who calls; "" is as its scenario says.
        outcome: Of the last attempt.
        attempts: In order; the last is the episode, those before it were void.
    """

    id: str
    scenario: str
    pack: str
    endpoint: str
    repeat: int
    seed: int
    endpoint_number: int = 1
    scenario_sha256: str = ""
    condition: str = ""
    user: str = ""
    state: Literal["planned", "running", "done"] = "planned"
    outcome: Outcome | None = None
    attempts: tuple[Attempt, ...] = ()

    @property
    def left(self) -> bool:
        """True if it is still to be held: not begun, broken off, or void for a reason that may pass."""
        spoiled = self.outcome is not None and self.outcome.void
        return self.state != "done" or (spoiled and self.outcome is not Outcome.SCENARIO_INVALID)


class PlannedScenario(_Record):
    """A scenario as it is called with: the run goes on with it even if its file changes.

    Attributes:
        path: Its file: recordings that it names are relative to it.
        pack: The manifest of its pack, or None.
    """

    sha256: str
    path: str
    pack: dict[str, Any] | None = None
    scenario: dict[str, Any]


class RunInfo(_Record):
    """run.json: the manifest of a run, and what became of it up to the last time it was put together.

    What has happened since stands in run.jsonl, one `Marked` a line; `recordings.run.load_run` reads both.

    Attributes:
        endpoints: Addresses in the order in which they were named, keys masked.
        settings: Who examines, and how, as options of the command line.
    """

    schema_version: int = RUN_VERSION
    id: str
    command: tuple[str, ...] = ()
    started_at_utc: str
    vivavoce: str = ""
    endpoints: tuple[str, ...] = ()
    settings: dict[str, Any] = Field(default_factory=dict)
    scenarios: tuple[PlannedScenario, ...] = ()
    episodes: tuple[Planned, ...] = ()


class Marked(_Record):
    """One line of run.jsonl: how a planned episode stands from now on. Later lines replace earlier ones."""

    id: str
    state: Literal["planned", "running", "done"]
    outcome: Outcome | None = None
    attempts: tuple[Attempt, ...] = ()
