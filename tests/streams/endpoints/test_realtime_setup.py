import json

import pytest
from openai.types.beta.realtime import SessionUpdateEvent as BetaSessionUpdate
from openai.types.realtime import SessionUpdateEvent as GaSessionUpdate

from streams import g711
from streams.audio import AudioFormat, Encoding, Frame
from streams.endpoints.events import AudioReceived, Notice, NoticeLevel, Ready
from streams.endpoints.openai_realtime.codec import RealtimeCodec
from streams.endpoints.openai_realtime.dialects import DIALECTS, RealtimeOptions
from streams.endpoints.protocol import PlaybackReport, TurnMode
from tests.streams.endpoints.realtime_messages import Json, codec, delta, receive, sent, updated

TOOL = {"type": "function", "name": "hours", "description": "d", "parameters": {"type": "object"}}
VAD = {"type": "server_vad", "create_response": True, "interrupt_response": True}


def session(dialect: str, options: RealtimeOptions | None = None) -> Json:
    (message,) = sent(RealtimeCodec(DIALECTS[dialect], options).opening())
    assert message["type"] == "session.update"
    asked = message["session"]
    assert isinstance(asked, dict)
    return asked


def test_the_ga_session_names_formats_rates_and_turn_detection() -> None:
    assert session("openai", RealtimeOptions(voice="marin", instructions="Be brief.")) == {
        "type": "realtime",
        "output_modalities": ["audio"],
        "instructions": "Be brief.",
        "audio": {
            "input": {
                "format": {"type": "audio/pcm", "rate": 24000},
                "turn_detection": VAD,
                "transcription": {"model": "gpt-4o-mini-transcribe"},
            },
            "output": {"format": {"type": "audio/pcm", "rate": 24000}, "voice": "marin"},
        },
    }


def test_speech_to_speech_is_told_the_rate_since_its_default_is_another() -> None:
    audio = session("s2s")["audio"]
    assert audio == {
        "input": {"format": {"type": "audio/pcm", "rate": 24000}, "turn_detection": VAD},
        "output": {"format": {"type": "audio/pcm", "rate": 24000}},
    }


def test_the_beta_session_is_flat() -> None:
    options = RealtimeOptions(voice="alloy", turns=TurnMode.SEMANTIC_VAD, language="en")
    assert session("openai-beta", options) == {
        "modalities": ["text", "audio"],
        "voice": "alloy",
        "input_audio_format": "pcm16",
        "output_audio_format": "pcm16",
        "input_audio_transcription": {"model": "whisper-1", "language": "en"},
        "turn_detection": {**VAD, "type": "semantic_vad"},
    }


def test_xai_has_voice_and_turns_on_top() -> None:
    asked = session("xai", RealtimeOptions(voice="eve"))
    assert (asked["voice"], asked["turn_detection"]) == ("eve", {"type": "server_vad"})
    assert "type" not in asked


def test_qwen_hears_16_khz_and_speaks_24() -> None:
    asked = session("qwen", RealtimeOptions(tools=(TOOL,)))
    assert (asked["input_audio_format"], asked["turn_detection"]) == ("pcm", {"type": "server_vad"})
    function = {name: each for name, each in TOOL.items() if name != "type"}
    assert asked["tools"] == [{"type": "function", "function": function}]
    capabilities = codec("qwen").capabilities
    assert (capabilities.input.rate, capabilities.output.rate) == (16000, 24000)
    assert capabilities.playback_report is PlaybackReport.NONE


def test_voice_live_names_rates_in_its_own_way() -> None:
    audio = AudioFormat(16000)
    asked = session("voice-live", RealtimeOptions(input=audio, output=audio, turns=TurnMode.SEMANTIC_VAD))
    assert asked["input_audio_sampling_rate"] == 16000
    assert asked["output_audio_format"] == "pcm16_16000hz"
    assert asked["turn_detection"] == {**VAD, "type": "azure_semantic_vad"}


@pytest.mark.parametrize(
    ("encoding", "ga", "beta"),
    [(Encoding.MULAW, "audio/pcmu", "g711_ulaw"), (Encoding.ALAW, "audio/pcma", "g711_alaw")],
)
def test_g711_has_its_names_and_crosses_the_wire_coded(encoding: Encoding, ga: str, beta: str) -> None:
    options = RealtimeOptions(input=AudioFormat(8000, encoding), output=AudioFormat(8000, encoding))
    assert session("openai-beta", options)["input_audio_format"] == beta
    made = codec("openai", options)
    (message,) = sent(made.audio(Frame(b"\x10\x27" * 160, 8000)))
    wire = g711.encode(b"\x10\x27" * 160, encoding)
    (event,) = receive(made, delta(wire, "a1", "r1"))
    assert isinstance(event, AudioReceived)
    assert event.pcm == g711.decode(wire, encoding)
    assert json.dumps(session("openai", options)).count(ga) == 2
    assert len(str(message["audio"])) == 216  # 160 bytes in base64


def test_manual_turns_turn_detection_off() -> None:
    asked = session("openai-beta", RealtimeOptions(turns=TurnMode.MANUAL))
    assert asked["turn_detection"] is None
    assert '"turn_detection": null' in json.dumps(session("openai", RealtimeOptions(turns=TurnMode.MANUAL)))


@pytest.mark.parametrize("turns", list(TurnMode))
def test_what_we_ask_for_is_valid_to_the_official_client(turns: TurnMode) -> None:
    options = RealtimeOptions(voice="alloy", instructions="x", turns=turns, tools=(TOOL,), language="en")
    for dialect, official in (("openai", GaSessionUpdate), ("openai-beta", BetaSessionUpdate)):
        (message,) = RealtimeCodec(DIALECTS[dialect], options).opening()
        parsed = official.model_validate_json(message)
        assert not parsed.session.model_extra


def test_transcription_can_be_turned_off() -> None:
    assert "transcription" not in json.dumps(session("openai", RealtimeOptions(transcription="")))


GA_16K = {
    "audio": {
        "input": {"format": {"type": "audio/pcm", "rate": 16000}},
        "output": {"format": {"type": "audio/pcmu"}},
    }
}


@pytest.mark.parametrize(
    ("echo", "input", "output"),
    [
        ({}, AudioFormat(24000), AudioFormat(24000)),
        (GA_16K, AudioFormat(16000), AudioFormat(8000, Encoding.MULAW)),
        (
            {"audio": {"output": {"format": {"type": "audio/pcm", "rate": None}}}},
            AudioFormat(24000),
            AudioFormat(24000),
        ),
        (
            {"input_audio_format": "pcm16", "output_audio_format": "g711_alaw"},
            AudioFormat(24000),
            AudioFormat(8000, Encoding.ALAW),
        ),
        ({"output_audio_format": "pcm16_16000hz"}, AudioFormat(24000), AudioFormat(16000)),
    ],
)
def test_the_formats_that_the_server_settles_on_are_taken_over(
    echo: Json, input: AudioFormat, output: AudioFormat
) -> None:
    made = codec(ready=False)
    (ready,) = receive(made, updated(echo))
    assert isinstance(ready, Ready)
    assert (made.capabilities.input, made.capabilities.output) == (input, output)


def test_qwens_name_for_24_khz_is_known() -> None:
    made = codec("qwen", ready=False)
    receive(made, updated({"input_audio_format": "pcm16", "output_audio_format": "pcm24"}))
    assert (made.capabilities.input.rate, made.capabilities.output.rate) == (16000, 24000)


@pytest.mark.parametrize(
    "spec", ["opus", {"type": "audio/opus"}, {"type": "audio/pcm", "rate": "x"}, 7, ["pcm16"]]
)
def test_an_unknown_format_is_an_error_and_never_taken_for_pcm16(spec: object) -> None:
    (event,) = receive(codec(ready=False), updated({"output_audio_format": spec}))
    assert isinstance(event, Notice)
    assert (event.level, event.code) == (NoticeLevel.ERROR, "protocol_violation")
    assert "audio format" in event.message


def test_a_format_that_changes_during_the_session_is_an_error() -> None:
    made = codec()
    (event,) = receive(made, updated(GA_16K))
    assert isinstance(event, Notice)
    assert event.code == "audio_format_changed"
    assert made.capabilities.output == AudioFormat(24000)
