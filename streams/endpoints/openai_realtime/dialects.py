"""The dialects of OpenAI Realtime: one record each, nothing in code.

What no record says is OpenAI's own way. The names of the beta are known to every dialect when receiving;
a record names only what is neither GA nor beta. `source` says where the facts were read, and what was
looked for in vain; a limit that is not known is none.
"""

from __future__ import annotations

from collections.abc import Mapping

from streams.audio import Encoding
from streams.endpoints.events import TextMode
from streams.endpoints.openai_realtime.dialect import (
    ALAW,
    MULAW,
    PCM_8K,
    PCM_16K,
    PCM_24K,
    Dialect,
    Evidence,
    RealtimeOptions,
    Shape,
)
from streams.endpoints.protocol import Pace, PlaybackReport, TurnMode

__all__ = ["DIALECTS", "Dialect", "RealtimeOptions"]

_SERVER_VAD = frozenset({TurnMode.SERVER_VAD})
_WITH_MANUAL = frozenset({TurnMode.SERVER_VAD, TurnMode.MANUAL})

_TABLE = (
    Dialect(
        name="openai",
        source="openai 3.57.0, types/realtime; 60 minutes: openai/openai-agents-js#1278",
        scheme="openai",
        url="wss://api.openai.com/v1/realtime?model={model}",
        key_env="OPENAI_API_KEY",
        shape=Shape.GA,
        rates=(24000,),
        transcription="gpt-4o-mini-transcribe",
        max_session_s=3600,
    ),
    Dialect(
        name="openai-beta",
        source=(
            "openai 3.57.0, types/beta/realtime. OpenAI itself closes it (code 4000,"
            " beta_api_shape_disabled); gateways and clones live on"
        ),
        url="wss://api.openai.com/v1/realtime?model={model}",
        key_env="OPENAI_API_KEY",
        headers={"OpenAI-Beta": "realtime=v1"},
        shape=Shape.BETA,
        transcription="whisper-1",
    ),
    Dialect(
        name="azure",
        source="pipecat-ai 1.14.0 services/azure/realtime, livekit-plugins-openai 1.8.9. No limit found",
        scheme="azure-openai",
        url="wss://{resource}.openai.azure.com/openai/v1/realtime?model={model}",
        key_env="AZURE_OPENAI_API_KEY",
        key_header="api-key",
        key_value="{key}",
        shape=Shape.GA,
        rates=(24000,),
        transcription="whisper-1",
    ),
    Dialect(
        name="azure-beta",
        source=(
            "the same, for dated versions:"
            " openai+wss://RESOURCE.openai.azure.com/openai/realtime?api-version=DATE&deployment=NAME"
        ),
        key_env="AZURE_OPENAI_API_KEY",
        key_header="api-key",
        key_value="{key}",
        shape=Shape.BETA,
        transcription="whisper-1",
    ),
    Dialect(
        name="voice-live",
        source="azure-ai-voicelive 1.3.1. No limit found",
        scheme="azure-voice-live",
        url=(
            "wss://{resource}.services.ai.azure.com/voice-live/realtime?api-version=2026-07-15&model={model}"
        ),
        key_env="AZURE_VOICELIVE_API_KEY",
        key_header="api-key",
        key_value="{key}",
        shape=Shape.BETA,
        rates=(8000, 16000, 24000),
        output_names={
            "pcm16": PCM_24K,
            "pcm16_16000hz": PCM_16K,
            "pcm16_8000hz": PCM_8K,
            "g711_ulaw": MULAW,
            "g711_alaw": ALAW,
        },
        rate_field="input_audio_sampling_rate",
        pace=Pace.UNKNOWN,
        semantic_vad="azure_semantic_vad",
        transcription="azure-speech",
        silent=frozenset(
            {
                "response.audio_timestamp.delta",
                "response.audio_timestamp.done",
                "response.animation_viseme.delta",
                "response.animation_viseme.done",
                "response.animation_blendshapes.delta",
                "response.animation_blendshapes.done",
            }
        ),
    ),
    Dialect(
        name="qwen",
        source=(
            "dashscope 2.0.2 audio/qwen_omni; alibabacloud.com/help/en/model-studio/client-events. No"
            " truncation in it; session.finish is refused (dashscope-sdk-python#140). No limit found"
        ),
        scheme="qwen",
        url="wss://dashscope-intl.aliyuncs.com/api-ws/v1/realtime?model={model}",
        key_env="DASHSCOPE_API_KEY",
        shape=Shape.BETA,
        nested_tools=True,
        input=PCM_16K,
        input_names={"pcm": PCM_16K},
        output_names={"pcm": PCM_24K, "pcm24": PCM_24K},
        pace=Pace.UNKNOWN,
        vad_flags=False,
        user_text=TextMode.FINAL,
        playback=PlaybackReport.NONE,
    ),
    Dialect(
        name="xai",
        source=(
            "livekit-plugins-xai 1.8.9; docs.x.ai/developers/models/speech-to-speech: 120 minutes, where an"
            " older page (April 2026) says 30. Manual turns are not stable, says livekit"
        ),
        scheme="xai",
        url="wss://api.x.ai/v1/realtime?model={model}",
        key_env="XAI_API_KEY",
        shape=Shape.GA,
        turns_on_top=True,
        rates=(8000, 16000, 22050, 24000, 32000, 44100, 48000),
        pace=Pace.UNKNOWN,
        turn_modes=_SERVER_VAD,
        vad_flags=False,
        transcription="grok-transcribe",
        user_text=TextMode.CUMULATIVE,
        silent=frozenset({"ping"}),
        max_session_s=7200,
    ),
    Dialect(
        name="glm",
        source=(
            "MetaGLM/glm-realtime-sdk, GLM-Realtime-doc-for-llm.md; zai-rs 0.6.0 for raw PCM. No truncation"
            " in it. Audio has no item ids, calls have no ids. No limit found"
        ),
        scheme="glm",
        url="wss://open.bigmodel.cn/api/paas/v4/realtime",
        key_env="ZHIPUAI_API_KEY",
        shape=Shape.BETA,
        session={"beta_fields": {"chat_mode": "audio", "tts_source": "e2e"}},
        model_in_session=True,
        input=PCM_16K,
        input_names={"pcm16": PCM_16K, "pcm24": PCM_24K},
        output_names={"pcm": PCM_24K},
        pace=Pace.UNKNOWN,
        turn_modes=_WITH_MANUAL,
        manual="client_vad",
        vad_flags=False,
        user_text=TextMode.FINAL,
        playback=PlaybackReport.NONE,
        silent=frozenset({"heartbeat"}),
    ),
    Dialect(
        name="stepfun",
        source=(
            "platform.stepfun.com/docs/api-reference/realtime/chat; stepfun-realtime-api 0.1.3: the client"
            " cannot truncate. Outside China the host is api.stepfun.ai. No limit found"
        ),
        scheme="stepfun",
        url="wss://api.stepfun.com/v1/realtime?model={model}",
        key_env="STEPFUN_API_KEY",
        shape=Shape.BETA,
        nested_tools=True,
        input_names={"pcm16": PCM_24K},
        output_names={"pcm16": PCM_24K},
        pace=Pace.UNKNOWN,
        turn_modes=_WITH_MANUAL,
        vad_flags=False,
        playback=PlaybackReport.NONE,
    ),
    Dialect(
        name="s2s",
        source=(
            "speech-to-speech 1.1.0, called: 16 kHz unless a rate is named, and 24 kHz is the only one that"
            " may be; truncation is accepted and does nothing; transcripts are always on; counts text only"
        ),
        evidence=Evidence.RUN,
        scheme="s2s",
        shape=Shape.GA,
        turn_modes=_SERVER_VAD,
        user_text=TextMode.FINAL,
        playback=PlaybackReport.NONE,
        silent=frozenset({"speech_to_speech.input_audio_transcription.snapshot"}),
    ),
    Dialect(
        name="vllm-omni",
        source=(
            "vllm-omni 0.30.0, protocol/realtime and protocol/duplex: the session of ?duplex=1; without it"
            " the server speaks something else. No limit found"
        ),
        scheme="vllm-omni",
        query={"duplex": "1"},
        shape=Shape.GA,
        encodings={
            Encoding.PCM16: "audio/pcm",
            Encoding.MULAW: "audio/g711_ulaw",
            Encoding.ALAW: "audio/g711_alaw",
        },
        input=PCM_16K,
        pace=Pace.UNKNOWN,
        turn_modes=_WITH_MANUAL,
        user_text=TextMode.FINAL,
        playback=PlaybackReport.ACKNOWLEDGE,
        events={"session.created": "session.updated"},  # its answer to the first session.update
        silent=frozenset(
            {
                "duplex.raw",
                "output_audio_buffer.cleared",
                "overlap.decision",
                "playback.acknowledged",
                "response.listen",
                "response.speak",
                "session.heartbeat_ack",
                "session.resync_required",
                "turn.event",
            }
        ),
        closing="session.close",
    ),
)

DIALECTS: Mapping[str, Dialect] = {each.name: each for each in _TABLE}
"""All dialects by name."""
