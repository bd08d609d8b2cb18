"""Numbers of the events, and the payload that begins a session.

Source: volcengine.com/docs/6561/1594356, section 2.3, as of March 2026.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from streams.audio import AudioFormat
from streams.endpoints.protocol import TurnMode

Json = dict[str, object]

INPUT = AudioFormat(16000)
OUTPUT = AudioFormat(24000)

_FIRST_MODELS = frozenset({"O", "SC"})
"""Models before 2.0, which cannot truncate."""


class Client(IntEnum):
    """What we send."""

    START_CONNECTION = 1
    FINISH_CONNECTION = 2
    START_SESSION = 100
    FINISH_SESSION = 102
    TASK_REQUEST = 200  # audio
    END_ASR = 400  # push to talk: the user has finished
    CHAT_TEXT_QUERY = 501
    CONVERSATION_TRUNCATE = 513
    CLIENT_INTERRUPT = 515  # push to talk only


class Server(IntEnum):
    """What we get."""

    CONNECTION_STARTED = 50
    CONNECTION_FAILED = 51
    CONNECTION_FINISHED = 52
    SESSION_STARTED = 150
    SESSION_FINISHED = 152
    SESSION_FAILED = 153
    USAGE = 154
    CONFIG_UPDATED = 251
    TTS_SENTENCE_START = 350
    TTS_SENTENCE_END = 351
    TTS_RESPONSE = 352  # audio
    TTS_ENDED = 359
    ASR_INFO = 450  # the first word of the user: stop playing
    ASR_RESPONSE = 451
    ASR_ENDED = 459
    CHAT_RESPONSE = 550
    CHAT_TEXT_QUERY_CONFIRMED = 553
    CHAT_ENDED = 559
    CONVERSATION_TRUNCATED = 570
    DIALOG_COMMON_ERROR = 599


SILENT = frozenset(
    {
        Server.CONFIG_UPDATED,
        Server.TTS_SENTENCE_END,
        Server.CHAT_TEXT_QUERY_CONFIRMED,
        Server.CHAT_ENDED,
        Server.CONVERSATION_TRUNCATED,
    }
)
"""Events that tell nothing new; the raw log has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubaoOptions:
    """What a session asks for; what is None is left to the server.

    Attributes:
        model: Version of the model: 1.2.1.1 is O2.0, 2.2.0.0 is SC2.0; O and SC came before.
        voice: `speaker`.
        instructions: `system_role` of the O models, `character_manifest` of the SC models.
        silence_ms: Silence that ends the user's turn, 500 to 50000; the server's default is 1500.
    """

    model: str = "1.2.1.1"
    voice: str | None = None
    instructions: str | None = None
    silence_ms: int | None = None
    turns: TurnMode = TurnMode.SERVER_VAD

    @property
    def truncates(self) -> bool:
        """The model may be told how much of a reply was heard."""
        return self.model not in _FIRST_MODELS


def start_session(options: DoubaoOptions) -> Json:
    """Payload of `StartSession`. What is empty is left out: the server refuses nulls."""
    extra: Json = {"model": options.model}
    if options.truncates:
        extra["enable_conversation_truncate"] = True
    if options.turns is TurnMode.MANUAL:
        extra["input_mod"] = "push_to_talk"
    dialog: Json = {"extra": extra}
    if options.instructions is not None:
        acting = options.model.startswith(("SC", "2."))
        dialog["character_manifest" if acting else "system_role"] = options.instructions
    sound: Json = {"channel": 1, "format": "pcm_s16le", "sample_rate": OUTPUT.rate}
    speech: Json = {"audio_config": sound}
    if options.voice is not None:
        speech["speaker"] = options.voice
    asked: Json = {"dialog": dialog, "tts": speech}
    if options.silence_ms is not None:
        asked["asr"] = {"extra": {"end_smooth_window_ms": options.silence_ms}}
    return asked
