import json
from pathlib import Path

import pytest

from streams.audio import AudioFormat, Encoding, Frame
from streams.endpoints.address import connect
from streams.endpoints.events import AudioReceived, TextMode, Unknown, UserTextReceived
from streams.endpoints.openai_realtime import dialect_file
from streams.endpoints.openai_realtime.codec import RealtimeCodec
from streams.endpoints.openai_realtime.dialect import Dialect, RealtimeOptions, Shape
from streams.endpoints.openai_realtime.dialects import DIALECTS
from streams.endpoints.protocol import Pace, PlaybackReport, PlaybackState, Played, TurnMode
from streams.endpoints.strict_yaml import FileInvalid
from streams.endpoints.websocket import WebsocketEndpoint
from tests.streams.endpoints import dialect_table
from tests.streams.endpoints.realtime_messages import Json, delta, done, receive, sent, server, updated

EXAMPLE = Path("examples/dialects/inhouse.yaml")


def written(folder: Path, text: str) -> Path:
    file = folder / "mine.yaml"
    file.write_text(text)
    return file


def codec_of(dialect: Dialect, options: RealtimeOptions | None = None) -> RealtimeCodec:
    made = RealtimeCodec(dialect, options)
    made.opening()
    receive(made, updated())
    return made


def test_the_example_says_every_field_that_an_address_of_ones_own_may_need() -> None:
    found = dialect_file.load(EXAMPLE)
    assert found.shape is Shape.BETA
    assert (found.input, found.output) == (AudioFormat(16000), AudioFormat(24000))
    assert found.output_names["ulaw"] == AudioFormat(8000, Encoding.MULAW)
    assert found.turn_modes == {TurnMode.SERVER_VAD, TurnMode.MANUAL}
    assert (found.pace, found.user_text) == (Pace.BURST, TextMode.CUMULATIVE)
    assert found.max_session_s == 900


def test_two_lines_are_a_dialect_and_the_rest_is_openais_way(tmp_path: Path) -> None:
    made = dialect_file.load(written(tmp_path, "name: openai\nshape: ga\n"))
    ours = DIALECTS["openai"]
    given = {"source", "scheme", "url", "key_env", "rates", "transcription", "max_session_s"}
    assert made.model_dump(exclude=given) == ours.model_dump(exclude=given)


def test_an_address_takes_url_key_and_protocol_from_the_file() -> None:
    made = connect(f"openai://large-3?dialect={EXAMPLE}", {"VOICE_KEY": "canary-123"})
    assert isinstance(made, WebsocketEndpoint)
    assert made.url == "wss://voice.example.com/v1/talk?model=large-3"
    assert made.headers == {"X-Client": "vivavoce", "X-Voice-Key": "Token canary-123"}
    assert made.capabilities.protocol == "openai-realtime/inhouse"
    assert made.capabilities.max_session_s == 900
    assert "canary" not in f"{made!r}"


def test_a_file_without_a_key_needs_none(tmp_path: Path) -> None:
    file = written(tmp_path, "name: open\nshape: ga\nurl: ws://127.0.0.1:9/{model}\n")
    made = connect(f"openai://m?dialect={file}", {})
    assert isinstance(made, WebsocketEndpoint)
    assert (made.url, made.headers) == ("ws://127.0.0.1:9/m", {})


def test_events_of_other_names_are_read_as_ours() -> None:
    made = codec_of(dialect_file.load(EXAMPLE))
    chunk = delta(b"\1\2\3\4", "a1", "r1", name="audio.chunk")
    (audio,) = receive(made, chunk)
    assert isinstance(audio, AudioReceived)
    assert audio.pcm == b"\1\2\3\4"
    for message in (
        server("user.transcript", item_id="u1", transcript="hello th"),
        server("conversation.item.input_audio_transcription.delta", item_id="u1", delta="hello th"),
    ):
        (words,) = receive(made, message)
        assert isinstance(words, UserTextReceived)
        assert (words.text, words.mode) == ("hello th", TextMode.CUMULATIVE)
    assert receive(made, server("debug.timing")) == []
    assert [type(event) for event in receive(made, server("debug.other"))] == [Unknown]


def test_a_keep_alive_is_answered_and_the_goodbye_said() -> None:
    made = codec_of(dialect_file.load(EXAMPLE))
    assert receive(made, server("keepalive")) == []
    assert sent(made.replies()) == [{"type": "keepalive.ack"}]
    assert sent(made.closing("")) == [{"type": "session.close"}]


def test_the_session_is_asked_for_in_the_files_words() -> None:
    options = RealtimeOptions(turns=TurnMode.MANUAL)
    (message,) = sent(RealtimeCodec(dialect_file.load(EXAMPLE), options).opening())
    assert message["session"] == {
        "modalities": ["text", "audio"],
        "input_audio_format": "pcm",
        "output_audio_format": "pcm",
        "turn_detection": {"type": "client_vad"},
        "input_audio_transcription": {"model": "whisper-1"},
        "temperature": 0.7,
    }


def test_a_named_format_of_a_file_crosses_the_wire() -> None:
    mulaw = AudioFormat(8000, Encoding.MULAW)
    made = codec_of(dialect_file.load(EXAMPLE), RealtimeOptions(input=mulaw, output=mulaw))
    assert made.capabilities.input == mulaw
    (message,) = sent(made.audio(Frame(bytes(320), 8000)))
    assert len(str(message["audio"])) == 216  # 160 bytes in base64


ACK = "name: acks\nshape: ga\nplayback: acknowledge\n"


@pytest.mark.parametrize("state", [PlaybackState.DROPPED, PlaybackState.COMPLETED])
def test_what_was_heard_is_acknowledged_once_where_that_is_the_way(
    tmp_path: Path, state: PlaybackState
) -> None:
    made = codec_of(dialect_file.load(written(tmp_path, ACK)))
    assert made.capabilities.playback_report is PlaybackReport.ACKNOWLEDGE
    receive(made, delta(bytes(2 * 2400), "a1", "r1"), done("r1"))
    # 1200 samples at 24 kHz are 50 ms
    expected: Json = {"type": "playback.ack", "item_id": "a1", "response_id": "r1", "played_ms": 50}
    assert sent(made.played(Played("a1", 1200, 2400, state))) == [expected]
    assert made.played(Played("a1", 1200, 2400, state)) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("transcripton: x", r"mine.yaml:3:1: transcripton: found an unknown key.*`transcription`"),
        ("shape: gamma", r"mine.yaml:3:1: shape: found the key a second time"),
        ("input: opus", r"mine.yaml:3:8: input: found 'opus', expected audio format 'opus' is not known"),
        ("max_session_s: -1", r"max_session_s: found the number -1, expected greater than 0"),
        ("playback: truncated", r"playback: .*did you mean `truncate`"),
        ("playback: marks", r"playback: found 'marks', expected truncate, acknowledge or none"),
        ("events: {a.b: response.audio_delta}", r"mine.yaml:3:15: .*an event of OpenAI Realtime.*did you"),
        ("url: ws://voice.example/x", r"url: found 'ws://voice.example/x', expected wss://"),
        ("url: wss://voice.example/{key}", r"url: found \{key\}, expected \{model\} and"),
        ("headers: {X-Api-Key: abcdef}", r"headers.X-Api-Key: found what looks like a key.*key_env"),
        ("query: {token: abcdef}", r"query.token: found what looks like a key"),
        ("input: g711_ulaw\nencodings: {pcm16: audio/pcm}", r"input: found mulaw, which has no name"),
        ("key_env: X\nkey_value: abcdef", r"key_value: found 'abcdef', expected .*\{key\} in it"),
        ("voice: !!python/object:os.system x", r"expected plain YAML without tags"),
    ],
)  # fmt: skip
def test_a_wrong_file_says_where_and_what_would_be_right(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(FileInvalid, match=message):
        dialect_file.load(written(tmp_path, f"name: mine\nshape: ga\n{line}\n"))


def test_every_dialect_of_ours_could_be_a_file(tmp_path: Path) -> None:
    for name, dialect in DIALECTS.items():
        text = json.dumps(dialect.model_dump(mode="json", exclude_defaults=True))
        assert dialect_file.load(written(tmp_path, text)) == dialect, name


def test_every_dialect_of_ours_names_its_source() -> None:
    assert [name for name, each in DIALECTS.items() if not each.source] == []


def test_the_page_of_protocols_has_the_table_as_it_is() -> None:
    page = dialect_table.PAGE.read_text(encoding="utf-8")
    remedy = "run: python -m tests.streams.endpoints.dialect_table"
    assert dialect_table.between_markers(page) == dialect_table.table(), remedy
