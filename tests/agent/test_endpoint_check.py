"""`viva endpoint check` and `viva endpoint schema`."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from agent.cli.endpoints.traffic import Recorded, TrafficInvalid, read_traffic
from tests.agent.cli_calls import Viva

FILE = """
name: mine
parameters: {rate: {help: samples per second, type: integer, default: 16000}}
connect: {url: "ws://127.0.0.1:9000/", headers: {X-Key: "${MY_KEY}"}, opening: {type: hello}}
audio:
  send: {rate: "${rate}", form: json, message: {type: in, data: "{audio}"}}
  receive: {rate: "${rate}", form: json}
rules:
  - {kind: out, audio: {data: data}}
  - {kind: say, text: {text: text}}
  - {kind: bye, ending: {}}
  - {kind: ping, reply: {type: pong, n: "{n}"}}
commands: {text: {type: typed, text: "{text}"}}
"""
SOUND = base64.b64encode(bytes(640)).decode()


def lines(folder: Path, *records: dict[str, Any]) -> str:
    path = folder / "raw.jsonl"
    head = {"format": "vivavoce raw traffic", "version": 1}
    path.write_text(
        "".join(json.dumps(each) + "\n" for each in (head, {"t": 0, "note": "sample 0"}, *records))
    )
    return str(path)


def message(direction: str, t: float = 1.0, **fields: Any) -> dict[str, Any]:
    return {"t": t, "direction": direction, "text": json.dumps(fields)}


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "mine.yaml"
    path.write_text(FILE)
    return str(path)


def test_a_file_that_is_right_is_described(viva: Viva, file: str) -> None:
    done = viva("endpoint", "check", f"{file}?rate=8000")
    assert done.code == 0
    assert "valid; mine, 4 rules" in done.out
    assert "sends pcm16 at 8000 Hz (json), receives pcm16 at 8000 Hz (json)" in done.out
    assert "needs MY_KEY in the environment" in done.out
    parsed = viva("endpoint", "check", file, "--json").json
    assert (parsed["valid"], parsed["rules"], parsed["environment"]) == (True, 4, ["MY_KEY"])


def test_a_vendor_is_checked_by_its_name(viva: Viva) -> None:
    assert "valid; ElevenLabs Agents" in viva("endpoint", "check", "elevenlabs").out
    done = viva("endpoint", "check", "elevenlab")
    assert done.code == 2 and "Vendors are assemblyai, cartesia, deepgram" in done.err


def test_a_file_that_is_wrong_is_bad_input_with_every_fault(viva: Viva, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(FILE.replace("ending:", "endin:").replace("form: json}", "form: jsn}"))
    done = viva("endpoint", "check", str(path), "--json")
    assert done.code == 2
    assert done.json["valid"] is False and len(done.json["problems"]) == 2
    assert f"{path}:11:17: rules[2].endin: found an unknown key `endin`" in done.err
    assert "did you mean `ending`?" in done.err


def test_every_message_is_explained(viva: Viva, file: str, tmp_path: Path) -> None:
    traffic = lines(
        tmp_path,
        message("sent", 0.0, type="hello"),
        message("sent", 0.02, type="in", data=SOUND),
        message("sent", 0.04, type="in", data=SOUND),
        message("received", 1.5, type="out", data=SOUND),
        message("received", 1.6, type="say", text="Good morning."),
        message("received", 2.0, type="ping", n=3),
        message("sent", 2.0, type="pong", n=3),
    )
    done = viva("endpoint", "check", file, "--traffic", traffic)
    assert done.code == 0
    for line in (
        "    0.000 -> hello: connect.opening",
        "    0.020 -> audio: audio.send (2 times, up to 0.040)",
        "    1.500 <- out: rule 1 (audio)\n               AudioReceived item=item-1 samples=320",
        "    1.600 <- say: rule 2 (text)\n               TextReceived text='Good morning.' mode=final",
        "    2.000 <- ping: rule 4 (reply)\n    2.000 -> pong: the reply of rule 4",
        "3 received, 4 sent",
        "  events: AudioReceived 1, TextReceived 1",
        "  rules that nothing fitted: rule 3 (ending)",
    ):
        assert line in done.out
    found = viva("endpoint", "check", file, "--traffic", traffic, "--json").json
    assert found["traffic"]["good"] and found["traffic"]["idle"] == ["rule 3 (ending)"]
    assert found["messages"][3] == {
        "t": 1.5,
        "direction": "received",
        "kind": "out",
        "matched": ["rule 1 (audio)"],
        "events": ["AudioReceived item=item-1 samples=320"],
        "unknown": False,
        "problems": [],
    }


def test_sound_without_words_is_named(viva: Viva, tmp_path: Path) -> None:
    binary = tmp_path / "binary.yaml"
    head = FILE.partition("rules:")[0]
    head = head.replace('json, message: {type: in, data: "{audio}"}', "binary").replace("json", "binary")
    binary.write_text(head)
    sound = {"t": 1.5, "direction": "received", "base64": SOUND}
    done = viva("endpoint", "check", str(binary), "--traffic", lines(tmp_path, sound))
    assert "    1.500 <- audio: audio.receive\n               AudioReceived item=item-1" in done.out


def test_what_the_file_does_not_know_fails_the_check(viva: Viva, file: str, tmp_path: Path) -> None:
    traffic = lines(
        tmp_path,
        message("received", type="brand_new"),
        message("sent", type="odd"),
        message("received", type="out", data="A?"),
        {"t": 3, "direction": "received", "text": "no JSON"},
    )
    done = viva("endpoint", "check", file, "--traffic", traffic)
    assert done.code == 1
    assert "<- brand_new: UNKNOWN: no rule fits" in done.out
    assert "-> odd: UNKNOWN: the file does not send this" in done.out
    assert "unknown: brand_new 1, odd 1, text 1" in done.out
    assert (
        "not as the file says: 1.000 s, out: rule 1 (audio): field data: str, expected base64" in done.out
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "JSONDecodeError"),
        ("[]", "TypeError"),
        ('{"t": 1, "direction": "up", "text": ""}', "direction 'up'"),
        ('{"t": 1, "direction": "sent"}', "KeyError 'head'"),
        ('{"t": 1, "direction": "sent", "base64": "?"}', "base64: "),
    ],
)
def test_a_line_that_is_no_message_is_bad_input(
    viva: Viva, file: str, tmp_path: Path, line: str, said: str
) -> None:
    path = tmp_path / "raw.jsonl"
    path.write_text(json.dumps(message("sent", type="hello")) + f"\n{line}\n")
    done = viva("endpoint", "check", file, "--traffic", str(path))
    assert done.code == 2
    assert f"{path}:2: " in done.err and said in done.err and "expected a line" in done.err
    with pytest.raises(TrafficInvalid):
        list(read_traffic(path))


def test_traffic_that_is_not_there_is_bad_input(viva: Viva, file: str) -> None:
    done = viva("endpoint", "check", file, "--traffic", "nowhere.jsonl")
    assert done.code == 2 and "viva: nowhere.jsonl: No such file or directory" in done.err


def test_sound_that_was_left_out_is_silence_of_its_length(tmp_path: Path) -> None:
    path = Path(
        lines(
            tmp_path,
            {"t": 1, "direction": "sent", "text": '{"a": "(640 bytes elided)"}'},
            {"t": 2, "direction": "sent", "text": '{"a": 1}', "binary": True},
            {"t": 3, "direction": "sent", "base64": "AQI="},
            {"t": 4, "direction": "received", "bytes": 5, "head": "AQI="},
            {"t": 5, "direction": "received", "bytes": 50, "head": base64.b64encode(b"RIFF1234").decode()},
        )
    )
    assert list(read_traffic(path, lambda size: b"s" * size)) == [
        Recorded(1.0, "sent", json.dumps({"a": base64.b64encode(b"s" * 640).decode()})),
        Recorded(2.0, "sent", b'{"a": 1}'),
        Recorded(3.0, "sent", b"\x01\x02"),
        Recorded(4.0, "received", b"\x01\x02\0\0\0"),
        Recorded(5.0, "received", b"s" * 50),
    ]


def test_the_schema_is_json(viva: Viva) -> None:
    done = viva("endpoint", "schema")
    assert done.code == 0
    assert json.loads(done.out)["title"] == "Description"
