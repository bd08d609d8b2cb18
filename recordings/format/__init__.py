"""The episode format, schema version 1: the models of every file of an episode, one module a file.

All times named `t` are seconds since sample 0 of the session. Positions named `start`, `end`,
`samples` and `offset` are samples at the rate of the track they stand on: they are the truth, seconds are
derived from them.
"""

from __future__ import annotations

from recordings.format.endpoint_events import (
    EndpointText,
    EndpointUserItem,
    EndpointUserSpeech,
    EndpointUserText,
    Flushed,
    MarkReached,
    PlaybackReported,
    ResponseBegan,
    ResponseFinished,
    ToolAnswered,
    ToolCall,
    ToolFault,
)
from recordings.format.episode import (
    EPISODE_VERSION,
    Absent,
    EndpointInfo,
    EpisodeInfo,
    Imported,
    Lateness,
    Model,
    SourceFile,
)
from recordings.format.events import Event
from recordings.format.line_events import (
    DeviceOpened,
    DeviceReport,
    DeviceTrouble,
    LineCondition,
    LineReport,
)
from recordings.format.outcome import Fault, Outcome
from recordings.format.received import ReceivedPiece
from recordings.format.record import LONGEST_S, Side
from recordings.format.run import RUN_VERSION, Attempt, Marked, Planned, PlannedScenario, RunInfo
from recordings.format.session_events import (
    EndAnnounced,
    Noticed,
    SessionEnded,
    SessionResumed,
    SessionStarted,
    TickLate,
    UnknownMessage,
    UsageReported,
    VerdictGiven,
)
from recordings.format.turns import Turn, Verdict
from recordings.format.user_events import (
    BehaviourSettled,
    HeardSpeech,
    KeysPressed,
    LineProposed,
    Role,
    TurnEnded,
    UserThinking,
    UtteranceEnded,
    UtteranceStarted,
)

__all__ = [
    "EPISODE_VERSION",
    "LONGEST_S",
    "RUN_VERSION",
    "Absent",
    "Attempt",
    "BehaviourSettled",
    "DeviceOpened",
    "DeviceReport",
    "DeviceTrouble",
    "EndAnnounced",
    "EndpointInfo",
    "EndpointText",
    "EndpointUserItem",
    "EndpointUserSpeech",
    "EndpointUserText",
    "EpisodeInfo",
    "Event",
    "Fault",
    "Flushed",
    "HeardSpeech",
    "Imported",
    "KeysPressed",
    "Lateness",
    "LineCondition",
    "LineProposed",
    "LineReport",
    "MarkReached",
    "Marked",
    "Model",
    "Noticed",
    "Outcome",
    "Planned",
    "PlannedScenario",
    "PlaybackReported",
    "ReceivedPiece",
    "ResponseBegan",
    "ResponseFinished",
    "Role",
    "RunInfo",
    "SessionEnded",
    "SessionResumed",
    "SessionStarted",
    "Side",
    "SourceFile",
    "TickLate",
    "ToolAnswered",
    "ToolCall",
    "ToolFault",
    "Turn",
    "TurnEnded",
    "UnknownMessage",
    "UsageReported",
    "UserThinking",
    "UtteranceEnded",
    "UtteranceStarted",
    "Verdict",
    "VerdictGiven",
]
