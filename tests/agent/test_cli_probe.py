"""`viva endpoint probe` as programs and people call it."""

from __future__ import annotations

import socket

import pytest

from tests.agent.cli_calls import ENGINES, Viva

KEYS = [
    "protocol",
    "connected",
    "input",
    "output",
    "pace",
    "first_audio_ms",
    "latency_ms",
    "heard",
    "events",
    "unknown_events",
    "problems",
]


def test_the_object_for_programs_begins_with_the_agreed_keys(viva: Viva) -> None:
    done = viva("endpoint", "probe", "fake://?delay=0.6", "--simulated", "--json", *ENGINES)
    assert done.code == 0
    assert list(done.json)[: len(KEYS)] == KEYS
    assert (done.json["protocol"], done.json["connected"], done.json["pace"]) == ("fake", True, "burst")
    assert done.json["latency_ms"] == pytest.approx(600, abs=20)  # to the frame that ends the user's words
    assert done.json["heard"] is None
    assert any("no transcript" in problem for problem in done.json["problems"])


def test_people_get_a_short_report(viva: Viva) -> None:
    done = viva("endpoint", "probe", "fake://?delay=0.6", "--simulated", *ENGINES)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "fake://?delay=0.6"
    assert "sent pcm16 24000, got pcm16 24000" in lines[1]
    assert any(line.startswith("latency ") for line in lines) and len(lines) < 16


def test_the_sentence_and_the_recording_are_ones_own_to_choose(viva: Viva) -> None:
    done = viva(
        *("endpoint", "probe", "fake://", "--simulated", "--json", "--say", "What is a cell?"),
        *("--out", "kept", *ENGINES),
    )
    assert done.json["said"] == "What is a cell?"
    assert (viva.folder / "kept/episode.json").is_file()


def test_no_reply_fails_the_probe(viva: Viva) -> None:
    done = viva("endpoint", "probe", "fake://?replies=0", "--simulated", "--wait", "1", "--json", *ENGINES)
    assert done.code == 1
    assert (done.json["connected"], done.json["latency_ms"]) == (True, None)
    assert done.json["problems"][0].startswith("no reply")


@pytest.mark.wall_clock
def test_an_endpoint_that_is_not_there_fails_the_probe_with_a_remedy(viva: Viva) -> None:
    with socket.socket() as taken:  # bound, and not listened on: whoever connects is refused
        taken.bind(("127.0.0.1", 0))
        address = f"pcm+ws://127.0.0.1:{taken.getsockname()[1]}/?rate=16000"
        done = viva("endpoint", "probe", address, "--json", *ENGINES)
    assert done.code == 1
    assert (done.json["connected"], done.json["protocol"], done.json["events"]) == (False, "pcm", {})
    (problem,) = done.json["problems"]
    assert problem.endswith("Start the server, or check host and port.")


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("opneai://x", "Did you mean openai?"),
        ("openai://gpt-realtime-2.1", "OPENAI_API_KEY"),
        ("x", "scheme"),
    ],
)
def test_a_bad_address_or_a_key_that_is_not_set_is_bad_input(
    viva: Viva, monkeypatch: pytest.MonkeyPatch, address: str, words: str
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = viva("endpoint", "probe", address, "--json", *ENGINES)
    assert done.code == 2
    assert done.json["connected"] is False and words in done.json["problems"][0]


def test_a_remote_endpoint_has_no_simulated_time(viva: Viva) -> None:
    done = viva("endpoint", "probe", "pcm+ws://127.0.0.1:9/?rate=16000", "--simulated", *ENGINES)
    assert done.code == 2 and "--simulated" in done.out
