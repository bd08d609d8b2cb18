"""What differs between servers that speak OpenAI Realtime: one frozen record each.

Event names are no part of a record: the codec accepts both the GA and the beta names always.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from streams.audio import AudioFormat
from streams.endpoints.protocol import Pace, TurnMode


class Shape(StrEnum):
    """How `session.update` is laid out."""

    GA = "ga"  # nested: session.audio.input.format
    BETA = "beta"  # flat: session.input_audio_format


class KeyHeader(StrEnum):
    """How the key is sent in the handshake."""

    BEARER = "bearer"  # Authorization: Bearer KEY
    API_KEY = "api-key"  # api-key: KEY


_SERVER_VAD = frozenset({TurnMode.SERVER_VAD})
_ALL = frozenset(TurnMode)
_PCM_16K = AudioFormat(16000)
_PCM_24K = AudioFormat(24000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One server's variety of the protocol.

    Attributes:
        name: As in `dialect=NAME`.
        url: The vendor's own address with `{model}` and `{resource}` to fill in; empty if it has none.
        key_env: Environment variable that holds the key; empty if no key is needed.
        headers: Sent with every handshake.
        input: Audio that we send unless the options say otherwise.
        output: Audio that we ask for unless the options say otherwise.
        pace: How fast audio is delivered, where it is known.
        turn_modes: What the server offers.
        truncate: `conversation.item.truncate` and `.delete` exist.
        transcription: Model for the transcript of the user; empty leaves it to the server.
        semantic_vad: The name of semantic turn detection.
        vad_flags: Turn detection takes `create_response` and `interrupt_response`.
        turns_on_top: `voice` and `turn_detection` stand at the top of a GA session.
        rate_in_name: A beta session names rates: `pcm16_16000hz`, `input_audio_sampling_rate`.
        pcm_name: The beta name of PCM16.
        format_names: Names of formats that only this server uses, and what they mean.
        nested_tools: A tool is `{"type": "function", "function": {...}}`.
        max_session_s: Longest session.
    """

    name: str
    shape: Shape
    url: str = ""
    key_header: KeyHeader = KeyHeader.BEARER
    key_env: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    input: AudioFormat = _PCM_24K
    output: AudioFormat = _PCM_24K
    pace: Pace = Pace.BURST
    turn_modes: frozenset[TurnMode] = _ALL
    truncate: bool = True
    transcription: str = ""
    semantic_vad: str = "semantic_vad"
    vad_flags: bool = True
    turns_on_top: bool = False
    rate_in_name: bool = False
    pcm_name: str = "pcm16"
    format_names: Mapping[str, AudioFormat] = field(default_factory=dict)
    nested_tools: bool = False
    max_session_s: float | None = None

    def key_headers(self, key: str) -> dict[str, str]:
        """The handshake's headers with this key; an empty key sends none."""
        if not key:
            return dict(self.headers)
        if self.key_header is KeyHeader.API_KEY:
            return {**self.headers, "api-key": key}
        return {**self.headers, "Authorization": f"Bearer {key}"}


_TABLE = (
    Dialect(
        name="openai",
        shape=Shape.GA,
        url="wss://api.openai.com/v1/realtime?model={model}",
        key_env="OPENAI_API_KEY",
        transcription="gpt-4o-mini-transcribe",
        max_session_s=3600,
    ),
    Dialect(
        # dead at OpenAI itself (close 4000, beta_api_shape_disabled), alive in gateways and clones
        name="openai-beta",
        shape=Shape.BETA,
        url="wss://api.openai.com/v1/realtime?model={model}",
        key_env="OPENAI_API_KEY",
        headers={"OpenAI-Beta": "realtime=v1"},
        transcription="whisper-1",
    ),
    Dialect(
        name="azure",
        shape=Shape.GA,
        url="wss://{resource}.openai.azure.com/openai/v1/realtime?model={model}",
        key_header=KeyHeader.API_KEY,
        key_env="AZURE_OPENAI_API_KEY",
        transcription="whisper-1",
    ),
    Dialect(
        name="voice-live",
        shape=Shape.BETA,
        url=(
            "wss://{resource}.services.ai.azure.com/voice-live/realtime?api-version=2026-07-15&model={model}"
        ),
        key_header=KeyHeader.API_KEY,
        key_env="AZURE_VOICELIVE_API_KEY",
        transcription="azure-speech",
        pace=Pace.UNKNOWN,
        semantic_vad="azure_semantic_vad",
        rate_in_name=True,
    ),
    Dialect(
        name="qwen",
        shape=Shape.BETA,
        url="wss://dashscope-intl.aliyuncs.com/api-ws/v1/realtime?model={model}",
        key_env="DASHSCOPE_API_KEY",
        input=_PCM_16K,
        pace=Pace.UNKNOWN,
        truncate=False,
        vad_flags=False,
        pcm_name="pcm",
        format_names={"pcm24": _PCM_24K},
        nested_tools=True,
        max_session_s=7200,
    ),
    Dialect(
        name="xai",
        shape=Shape.GA,
        url="wss://api.x.ai/v1/realtime?model={model}",
        key_env="XAI_API_KEY",
        pace=Pace.UNKNOWN,
        turn_modes=_SERVER_VAD,
        transcription="grok-transcribe",
        vad_flags=False,
        turns_on_top=True,
        max_session_s=1800,
    ),
    Dialect(
        # Hugging Face speech-to-speech: 16 kHz unless a rate is named, and 24 kHz is the only one it lets
        # a client name; truncation is accepted and does nothing; transcripts are always on
        name="s2s",
        shape=Shape.GA,
        turn_modes=_SERVER_VAD,
        truncate=False,
    ),
)

DIALECTS: Mapping[str, Dialect] = {each.name: each for each in _TABLE}
"""All dialects by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RealtimeOptions:
    """What a session asks of the server; None leaves it to the server or to the dialect.

    Attributes:
        voice: The server's name of the voice.
        instructions: System prompt.
        turns: Who decides that the user's turn is over.
        transcription: Model for the transcript of the user; empty turns it off.
        language: Language hint for that transcript, as `en`.
        tools: Functions in the GA shape, `{"type": "function", "name": ..., "parameters": ...}`.
        input: Audio that we send.
        output: Audio that we ask for.
    """

    voice: str | None = None
    instructions: str | None = None
    turns: TurnMode = TurnMode.SERVER_VAD
    transcription: str | None = None
    language: str | None = None
    tools: tuple[Mapping[str, object], ...] = ()
    input: AudioFormat | None = None
    output: AudioFormat | None = None
