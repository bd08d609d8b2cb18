from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recordings.check import Severity, check
from recordings.format import Side, Turn
from recordings.heard import account
from recordings.reader import Episode
from tests.recordings.calls import ENDPOINT_RATE, USER_RATE, Call, Delivery, noise, record


def lines_changed(path: Path, change: Callable[[list[dict[str, Any]]], object]) -> None:
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    change(lines)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def info_changed(folder: Path, **changes: object) -> None:
    path = folder / "episode.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()) | changes))


def found(folder: Path) -> list[str]:
    return [str(problem) for problem in check(Episode.load(folder))]


@pytest.fixture
def episode(tmp_path: Path) -> Path:
    """Two items; the second is cut at 2.2 s, and more of it comes at 2.3 s."""
    deliveries = [
        Delivery(1.1, "i1", noise(12000, 1)),
        Delivery(1.2, "i2", noise(24000, 2)),  # heard from 1.6 s, behind i1
        Delivery(2.3, "i2", noise(2400, 3)),  # late
        Delivery(2.5, "i3", noise(24000, 4), response="r2"),  # 0.5 s of it is never heard
    ]
    record(Call(tmp_path / "e", deliveries=deliveries, cuts=[2.2]))
    return tmp_path / "e"


def test_every_sample_that_arrived_is_accounted_for(episode: Path) -> None:
    loaded = Episode.load(episode)
    accounts = account(loaded.received, loaded.events, loaded.track("endpoint")[0].size)
    assert found(episode) == []
    assert accounts.received == 12000 + 24000 + 2400 + 24000
    assert accounts.kept == (12000, 14400, 0, 24000)  # i2: 1.6 to 2.2 s = 14400
    assert accounts.heard == 12000 + 14400 + 12000
    assert (accounts.flushed, accounts.late, accounts.tail) == (9600, 2400, 12000)
    assert loaded.info.unheard_tail_ms == 500.0


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 190), st.integers(0, 20000), st.integers(1, 3)), max_size=8),
    st.lists(st.integers(1, 199), max_size=3),
)
def test_whatever_arrives_and_is_cut_the_recording_agrees_with_itself(
    tmp_path_factory: pytest.TempPathFactory, arrivals: list[tuple[int, int, int]], cuts: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("check") / "e"
    deliveries = [
        Delivery(t / 100, f"i{item}", noise(samples, t), response=f"r{item}")
        for t, samples, item in sorted(arrivals)
    ]
    record(Call(folder, seconds=2, deliveries=deliveries, cuts=[cut / 100 for cut in sorted(cuts)]))
    assert found(folder) == []
    loaded = Episode.load(folder)
    accounts = account(loaded.received, loaded.events, loaded.track("endpoint")[0].size)
    assert accounts.heard + accounts.flushed + accounts.late + accounts.tail == accounts.received
    assert accounts.heard == np.count_nonzero(loaded.track("endpoint")[0])


def test_a_heard_track_that_is_one_sample_off_is_found(episode: Path) -> None:
    path = episode / "endpoint.wav"
    data = path.read_bytes()
    path.write_bytes(data[:44] + b"\0\0" + data[44:-2])
    (problem,) = found(episode)
    # i1 arrives at 1.1 s = sample 26400
    assert problem.startswith("error: endpoint.wav: sample 26400 (1.100 s): found 0, and 38")


def test_a_tail_that_is_not_declared_is_found(episode: Path) -> None:
    info_changed(episode, unheard_tail_ms=0.0, late_pieces=0)
    assert found(episode) == [
        "error: episode.json: unheard_tail_ms: found 0.0, expected 500, what was left to play",
        "error: episode.json: late_pieces: found 0, expected 1, the pieces without a start",
    ]


def test_tracks_of_different_lengths_are_found(episode: Path) -> None:
    path = episode / "user_clean.wav"
    path.write_bytes(path.read_bytes()[:-640])
    assert found(episode) == [
        "error: user_clean.wav: found 47680 samples, expected 48000, the session's length"
    ]


def test_a_rate_that_is_not_the_declared_one_is_found(episode: Path) -> None:
    info_changed(episode, user_rate=8000)
    assert "error: user.wav: found 16000 Hz, expected 8000 Hz" in found(episode)


def test_pieces_that_leave_a_gap_or_come_before_their_arrival_are_found(episode: Path) -> None:
    def change(lines: list[dict[str, Any]]) -> None:
        lines[1]["offset"] += 5
        lines[3]["start"] -= 1

    lines_changed(episode / "received.jsonl", change)
    problems = found(episode)
    assert (
        "error: received.jsonl:2: found offset 12005, expected 12000, where the piece before ends"
        in problems
    )
    assert any(
        problem.startswith("error: received.jsonl:4: found heard from sample 59999") for problem in problems
    )


def test_received_audio_without_an_index_is_found(episode: Path) -> None:
    path = episode / "received.wav"
    path.write_bytes(path.read_bytes() + bytes(200))
    assert found(episode) == [
        "error: received.wav: found 62500 samples, expected 62400, the sum of its pieces"
    ]


def test_playback_that_claims_more_than_arrived_is_found(episode: Path) -> None:
    def change(lines: list[dict[str, Any]]) -> None:
        for line in lines:
            if line["kind"] == "playback_reported" and line["item"] == "i1":
                line["received"] = 99999

    lines_changed(episode / "events.jsonl", change)
    (problem,) = found(episode)
    assert "item i1: 12000 samples heard of 99999, expected heard <= received <= 12000" in problem


def test_a_flush_that_disagrees_with_its_own_place_is_found(episode: Path) -> None:
    def change(lines: list[dict[str, Any]]) -> None:
        for line in lines:
            if line["kind"] == "flushed":
                line["at"] += 24

    lines_changed(episode / "events.jsonl", change)
    (problem,) = found(episode)
    assert (
        "item i2: 14400 samples heard, expected 14424, which stand before the cut at sample 52824"
        in problem
    )


def test_events_out_of_order_are_found(episode: Path) -> None:
    lines_changed(episode / "events.jsonl", lambda lines: lines.append({**lines[0], "t": 0.5}))
    (problem,) = found(episode)
    assert problem.endswith("found t = 0.5, expected at least 3.0, the time of the line before")


def test_turns_out_of_range_are_found(tmp_path: Path) -> None:
    turns = [
        Turn(index=1, side=Side.ENDPOINT, start=10, end=5, rate=ENDPOINT_RATE),
        Turn(index=3, side=Side.USER, start=0, end=48001, rate=ENDPOINT_RATE),
    ]
    record(Call(tmp_path / "e", extra=list(turns)))
    assert found(tmp_path / "e") == [
        "error: turns.jsonl: turn 1: found samples 10 to 5, expected a stretch of 0 to 72000",
        "error: turns.jsonl: turn 3: found index 3, expected 2: turns count from 0 without gaps",
        f"error: turns.jsonl: turn 3: found 24000 Hz, expected {USER_RATE} Hz, the rate of its side",
    ]


def test_an_utterance_outside_its_track_is_found(episode: Path) -> None:
    def change(lines: list[dict[str, Any]]) -> None:
        for line in lines:
            if line["kind"] == "utterance_started":
                line.update(start=48001, audible_start=48001, audible_end=64002)

    lines_changed(episode / "events.jsonl", change)
    start, audible = found(episode)
    assert "utterance u1: found start 48001, expected 0 to 48000" in start
    assert "found audible from 48001 to 64002, expected a stretch of its samples, 48001 to 64001" in audible


def test_a_scenario_that_is_not_the_hashed_one_is_found(episode: Path) -> None:
    info_changed(episode, scenario={"id": "other"})
    (problem,) = found(episode)
    assert problem.startswith("error: episode.json: scenario: found SHA-256 ")


@pytest.mark.parametrize(
    ("secret", "kind"),
    [
        ("sk-proj-abcdefghijklmnopqrstuvwx", "an OpenAI-style key"),
        ("AIza" + "Ab1_-" * 7, "a Google key"),
        ("Authorization: Bearer abcdefghijklmnop1234", "a bearer token"),
        ("wss://host/path?model=x&api_key=abcdefgh1234", "a key in an address"),
        ("wss://me:hunter22@host/path", "a password in an address"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.x", "a JSON web token"),
    ],
)
def test_a_secret_is_found_and_not_repeated(episode: Path, secret: str, kind: str) -> None:
    info_changed(episode, reason=f"failed with {secret}")
    (problem,) = found(episode)
    assert f"found what looks like {kind}, expected no secrets" in problem
    assert secret not in problem


@pytest.mark.parametrize(
    "innocent", ["wss://127.0.0.1:8765/v1/realtime?model=x", "sk-short", "a@b.example"]
)
def test_ordinary_text_is_no_secret(episode: Path, innocent: str) -> None:
    info_changed(episode, reason=innocent)
    assert found(episode) == []


def test_a_file_that_cannot_be_read_is_a_problem_too(episode: Path) -> None:
    (episode / "endpoint.wav").write_bytes(b"nonsense")
    assert found(episode) == [
        f"error: {episode}/endpoint.wav: found is no WAV file, expected a file that can be read"
    ]


def test_what_a_killed_process_lost_is_only_a_warning(episode: Path) -> None:
    info_changed(episode, outcome="unfinished", duration_s=0.0, unheard_tail_ms=0.0)
    for name in ("endpoint.wav", "events.jsonl"):
        data = (episode / name).read_bytes()
        (episode / name).write_bytes(data[:-3000] if name == "endpoint.wav" else data[:-5])
    problems = check(Episode.load(episode))
    assert {problem.severity for problem in problems} == {Severity.WARNING}
    assert [problem.place for problem in problems] == ["*.jsonl", "endpoint.wav"]
