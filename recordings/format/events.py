"""events.jsonl: one event a line."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

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
)
from recordings.format.line_events import (
    DeviceOpened,
    DeviceReport,
    DeviceTrouble,
    LineCondition,
    LineReport,
)
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
from recordings.format.user_events import (
    BehaviourSettled,
    HeardSpeech,
    KeysPressed,
    LineProposed,
    TurnEnded,
    UserThinking,
    UtteranceEnded,
    UtteranceStarted,
)

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
