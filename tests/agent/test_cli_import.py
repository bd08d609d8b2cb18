"""`viva import`: what was recorded elsewhere is scored as what was recorded here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from recordings.check import check
from recordings.exporting.sound import stereo as stereo_of
from recordings.format import Outcome, Role, UtteranceStarted
from recordings.reader import Episode
from tests.agent.cli_calls import Viva
from tests.scoring.episodes import CallMaker, quiet, tone

PLAIN = ("--recogniser", "none", "--detector", "none")

NEEDS_ARRIVALS = {"first_byte", "leading_silence", "endpoint_wait", "endpoint_think", "old_reply_resumed"}
"""Metrics that look at what came over the wire, and when."""

OF_WORDS = {"user_wer_said", "user_wer_heard", "endpoint_wer_said", "endpoint_wer_heard"}


def messy_call(nods: bool = True, rate: int = 16000) -> CallMaker:
    """A question, an answer with an "mm-hm", an interruption at which it stops, and an answer to that."""
    say = "What is the museum's address?"
    call = CallMaker(user_rate=rate, endpoint_rate=rate, length=24.0)
    call.user(0.5, 2.0, say).reply(2.75, tone(4.0, rate))  # heard until 6.75
    if nods:
        call.user(4.0, 4.5, "mm-hm", role=Role.BACKCHANNEL)
    call.user(9.0, 10.5, "And when is it open?").reply(11.25, tone(2.0, rate))  # until 13.25
    call.user(12.5, 14.0, "No, the shop.", role=Role.BARGE_IN).reply(14.5, tone(1.5, rate))
    call.user(17.0, 18.0, "Goodbye.", dbfs=-35.0)
    return call


def metrics(done: dict[str, Any], leave_out: set[str]) -> dict[str, Any]:
    return {name: value for name, value in done["metrics"].items() if name not in leave_out}


@pytest.mark.parametrize("words", [False, True])
def test_an_exported_call_that_is_imported_again_has_the_same_latencies_and_duplex_metrics(
    viva: Viva, words: bool
) -> None:
    # without words an "mm-hm" can't be told from a turn; with them it is one, by its words and its place
    messy_call(nods=words).write(viva.folder / "run/call")
    viva("export", "run", "--to", "wav", "--out", "stereo")
    if words:
        viva("export", "run/call", "--to", "jsonl", "--out", "turns.jsonl")
        rows = [json.loads(row) for row in (viva.folder / "turns.jsonl").read_text().splitlines()]
        lines = [json.dumps({k: v for k, v in row.items() if k != "role"}) for row in rows]
        (viva.folder / "stereo/call.jsonl").write_text("\n".join(lines))
    done = viva("import", "stereo", "--out", "again", *PLAIN, "--json")
    assert done.code == 0, done.err
    before = viva("score", "run", "--recogniser", "none", "--json").json
    after = done.json
    keys = ("user_start_s", "user_end_s", "endpoint_start_s", "endpoint_end_s", "latency_ms")
    rows = [
        [{key: turn[key] for key in keys} for turn in scores["episodes"][0]["turns"]]
        for scores in (before, after)
    ]
    assert rows[1] == rows[0]
    # 2.75 - 2.0, 11.25 - 10.5, 14.5 - 14.0; nothing answers the goodbye
    assert [row["latency_ms"] for row in rows[0]] == [750.0, 750.0, 500.0, None]
    skip = NEEDS_ARRIVALS | OF_WORDS | {"passed"}  # the last: nobody says what an imported call was for
    assert metrics(after, skip) == metrics(before, skip)
    assert after["metrics"]["time_to_yield"]["n"] == 1


def test_two_files_of_other_rates_and_lengths_are_one_call(viva: Viva) -> None:
    mine = np.concatenate([quiet(0.5, 8000), tone(1.0, 8000), quiet(0.3, 8000)])
    theirs = np.concatenate([quiet(2.0, 44100), tone(1.0, 44100), quiet(0.01, 44100)])
    soundfile.write(viva.folder / "U.flac", mine, 8000)
    soundfile.write(viva.folder / "E.wav", theirs, 44100)
    done = viva("import", "--user", "U.flac", "--endpoint", "E.wav", "--out", "o", *PLAIN, "--json").json
    (turn,) = done["episodes"][0]["turns"]
    assert turn["latency_ms"] == 500.0  # 2.0 - 1.5
    assert done["imported"] == ["o/U"]
    episode = Episode.load(viva.folder / "o/U")
    assert (episode.info.user_rate, episode.info.endpoint_rate, episode.info.duration_s) == (
        8000,
        44100,
        3.02,
    )
    assert check(episode) == []


def test_an_offset_says_which_file_began_later(viva: Viva) -> None:
    for name, start in (("U.wav", 0.5), ("E.wav", 0.5)):
        pcm = np.concatenate([quiet(start, 16000), tone(1.0, 16000), quiet(0.5, 16000)])
        soundfile.write(viva.folder / name, pcm, 16000)
    files = ("--user", "U.wav", "--endpoint", "E.wav")
    done = viva("import", *files, "--offset", "1.75", "--out", "o", *PLAIN, "--json").json
    assert done["episodes"][0]["turns"][0]["latency_ms"] == 750.0  # 0.5 + 1.75 - 1.5
    assert done["metrics"]["passed"]["unscored"] == {"no_scenario": 1}  # nobody says what it should come to


def test_the_user_may_be_on_the_right(viva: Viva) -> None:
    call = messy_call()
    soundfile.write(viva.folder / "c.wav", np.column_stack([call.endpoint_track, call.user_track]), 16000)
    done = viva("import", "--stereo", "c.wav", "--swapped", "--out", "o", *PLAIN, "--json").json
    assert done["episodes"][0]["turns"][0]["latency_ms"] == 750.0


def test_what_nobody_observed_is_absent_and_said(viva: Viva) -> None:
    messy_call().write(viva.folder / "run/call")
    viva("export", "run", "--to", "wav", "--out", "stereo")
    done = viva("import", "stereo/call.wav", "--out", "o", "--name", "my bot", *PLAIN, "--json").json
    (episode,) = done["episodes"]
    assert (episode["endpoint"], episode["outcome"]) == ("my bot", "completed")
    # the "mm-hm", which is a turn for want of words, has no reply: failed, whatever was asked
    assert done["metrics"]["passed"]["n"] == 1
    assert set(done["metrics"]["first_byte"]["unscored"]) <= {"no_arrivals", "no_reply", "session_ended"}
    assert done["metrics"]["first_byte"]["value"] is None
    assert set(episode["turns"][0]["unscored"]) == {"said", "endpoint_heard_user", "endpoint_text", "heard"}
    made = Episode.load(viva.folder / "o/call")
    assert (made.received, made.info.clock, made.info.started_at_utc) == ([], "unknown", "")
    assert made.info.imported is not None
    assert made.info.imported.inferred["edges"] == "from the audio"
    assert sorted(path.name for path in (viva.folder / "o/call").iterdir()) == [
        "endpoint.wav",
        "episode.json",
        "events.jsonl",
        "scores",
        "turns.jsonl",
        "user.wav",
    ]


SCENARIO = """\
version: 1
id: museum
title: A visit
turns:
  - text: What is the museum's address?
    facts:
      - {id: street, text: It is in Main Street., keywords: [[main street]]}
  - text: And when is it open?
goodbye: {text: Goodbye.}
"""


def test_a_scenario_is_found_in_the_words_of_the_user(viva: Viva) -> None:
    (viva.folder / "museum.yaml").write_text(SCENARIO)
    messy_call().write(viva.folder / "run/call")
    viva("export", "run", "--to", "wav", "--out", "stereo")
    said = [
        ("user", 0.5, 2.0, "what's the museums address"),
        ("user", 4.0, 4.5, "mm-hm"),
        ("user", 9.0, 10.5, "and when is it open"),
        ("user", 12.5, 14.0, "no, the shop"),
        ("user", 17.0, 18.0, "good bye"),
        ("bot", 2.75, 6.75, "It is in Main Street."),
    ]
    rows = [{"speaker": who, "start": a, "end": b, "text": text} for who, a, b, text in said]
    (viva.folder / "words.json").write_text(json.dumps({"segments": rows}))
    done = viva(
        *("import", "--stereo", "stereo/call.wav", "--transcript", "words.json"),
        *("--scenario", "museum.yaml", "--out", "o", *PLAIN, "--json"),
    )
    assert done.code == 0, done.err
    assert done.json["episodes"][0]["scenario"] == "museum"
    episode = Episode.load(viva.folder / "o/call")
    spoken = [e for e in episode.events if isinstance(e, UtteranceStarted)]
    assert [(e.text, e.label, e.expected, e.role) for e in spoken] == [
        ("What is the museum's address?", "turn 1", ("street",), Role.TURN),
        ("mm-hm", "", (), Role.BACKCHANNEL),
        ("And when is it open?", "turn 2", (), Role.TURN),
        ("no, the shop", "", (), Role.TURN),
        ("Goodbye.", "goodbye", (), Role.TURN),
    ]
    origin = episode.info.imported
    assert origin is not None
    assert origin.inferred["lines of the scenario"] == "3 of 4 utterances, by likeness of their words"
    assert origin.notes[-1] == "user: 1 utterances are like no line of scenario museum"
    heard = [turn.heard for turn in episode.turns if turn.side == "endpoint"]
    assert heard == ["It is in Main Street."]  # the other sounds stand in no line of the transcript


def test_own_words_of_the_endpoint_are_no_transcript_of_its_voice(viva: Viva) -> None:
    soundfile.write(viva.folder / "c.wav", stereo(), 16000)
    (viva.folder / "c.txt").write_text("0.5\t2.0\tuser: Hello.\n2.75\t6.75\tendpoint: Good morning.\n")
    done = viva("import", "c.wav", "--own-words", "--out", "o", *PLAIN, "--json").json
    turn = done["episodes"][0]["turns"][0]
    assert (turn["endpoint_text"], turn["heard"], turn["intended"]) == ("Good morning.", None, "Hello.")


def stereo() -> np.ndarray[Any, np.dtype[np.int16]]:
    call = messy_call()
    return np.column_stack([call.user_track, call.endpoint_track])


def test_of_a_folder_what_fails_is_told_and_the_others_are_scored(viva: Viva) -> None:
    folder = viva.folder / "calls"
    (folder / "inner").mkdir(parents=True)
    soundfile.write(folder / "a.wav", stereo(), 16000)
    soundfile.write(folder / "inner/b.flac", stereo(), 16000)
    soundfile.write(folder / "c.user.wav", stereo()[:, 0], 16000)
    soundfile.write(folder / "c.endpoint.wav", stereo()[:, 1], 16000)
    (folder / "d.wav").write_bytes(b"nonsense")
    outside = viva.folder / "secret.wav"
    soundfile.write(outside, stereo(), 16000)
    (folder / "link.wav").symlink_to(outside)
    done = viva("import", "calls", "--out", "o", *PLAIN, "--json")
    assert done.code == 2
    assert [Path(path).name for path in done.json["imported"]] == ["a", "c", "inner-b"]  # no link
    (failed,) = done.json["failed"]
    assert failed["name"] == "d"
    assert "d.wav: cannot be read as audio" in failed["error"]
    assert "d.wav: cannot be read as audio" in done.err
    assert sorted(path.name for path in (viva.folder / "o").iterdir() if path.is_dir()) == [
        "a",
        "c",
        "inner-b",
    ]


def test_an_episode_is_never_overwritten(viva: Viva) -> None:
    soundfile.write(viva.folder / "c.wav", stereo(), 16000)
    assert viva("import", "c.wav", "--out", "o", *PLAIN, "--json").code == 0
    before = (viva.folder / "o/c/episode.json").read_bytes()
    done = viva("import", "c.wav", "--out", "o", *PLAIN, "--json")
    assert (done.code, done.json["episodes"]) == (2, [])
    assert "o/c: exists already" in done.err
    assert (viva.folder / "o/c/episode.json").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "nothing to import"),
        (("--user", "c.wav"), "--user and --endpoint go together"),
        (("c.wav", "--transcript", "t.json"), "--transcript belongs to one call"),
        (("--stereo", "none.wav"), "none.wav: cannot be read"),
        (("empty",), "holds no recording"),
        (("half",), "has no endpoint beside it"),
        (("--stereo", "c.wav", "--transcript", "t.json"), "t.json: cannot be read"),
        (("--stereo", "c.wav", "--scenario", "nothing-like-it"), "nothing-like-it"),
        (("--stereo", "c.wav", "--scenario", "demo"), "holds 3 scenarios"),
        (("--stereo", "c.wav", "--offset", "nan"), "the offset is nan"),
        (("--stereo", "c.wav", "--recogniser", "ears"), "ears"),
    ],
)
def test_what_cannot_be_imported_is_said(viva: Viva, arguments: tuple[str, ...], complaint: str) -> None:
    soundfile.write(viva.folder / "c.wav", stereo(), 16000)
    (viva.folder / "empty").mkdir()
    (viva.folder / "half").mkdir()
    (viva.folder / "half/x.user.wav").write_bytes(b"")
    given = arguments if "--recogniser" in arguments else (*arguments, "--recogniser", "none")
    done = viva("import", *given, "--detector", "none", "--out", "o", "--json")
    assert done.code == 2, done.err
    assert complaint in done.err
    assert not list(viva.folder.glob("o/*"))


def a_tau2_run(folder: Path, reason: str = "agent_stop") -> Path:
    """As tau2-bench writes it; see recordings.importing.tau2."""
    audio = folder / "artifacts/task_7/sim_0a1b2c3d-99/audio"
    audio.mkdir(parents=True)
    soundfile.write(audio / "both.wav", stereo(), 16000)
    (audio / "user_labels.txt").write_text("0.400\t2.200\tWhat is the museum's address?")
    long = "It is in Main Street. " * 20
    labels = [f"2.600\t6.800\t{long[:197]}...", "11.200\t13.400\tFrom ten to six."]
    (audio / "assistant_labels.txt").write_text("\n".join(labels))
    info = {"audio_native_config": {"provider": "openai", "model": "gpt-realtime"}}
    (folder / "results.json").write_text(json.dumps({"info": info, "simulations": []}))
    (folder / "simulations").mkdir()
    ran = {"id": "0a1b2c3d-99", "task_id": "7", "termination_reason": reason, "mode": "full_duplex"}
    (folder / "simulations/sim_0.json").write_text(json.dumps(ran))
    return folder


def test_a_run_of_tau2_bench_becomes_episodes(viva: Viva) -> None:
    a_tau2_run(viva.folder / "tau")
    done = viva("import", "tau", "--out", "o", *PLAIN, "--json")
    assert done.code == 0, done.err
    (scored,) = done.json["episodes"]
    assert (scored["endpoint"], scored["outcome"]) == ("openai:gpt-realtime", "endpoint_hung_up")
    assert [turn["latency_ms"] for turn in scored["turns"]] == [750.0]  # the only line of the user's labels
    episode = Episode.load(viva.folder / "o/7-0a1b2c3d")
    texts = [(turn.side.value, turn.intended, turn.heard) for turn in episode.turns]
    assert texts == [
        ("user", "What is the museum's address?", None),
        ("endpoint", None, None),  # its label was cut off after 200 letters
        ("endpoint", "From ten to six.", None),
    ]
    assert episode.info.reason == "tau2-bench: agent_stop"


@pytest.mark.parametrize(
    ("reason", "outcome"),
    [
        ("user_stop", Outcome.COMPLETED),
        ("max_steps", Outcome.MAX_DURATION),
        ("agent_error", Outcome.ENDPOINT_ERROR),
        ("user_error", Outcome.USER_FAILED),
        ("infrastructure_error", Outcome.HARNESS_FAILED),
    ],
)
def test_how_tau2_bench_ended_a_call_is_how_the_episode_ended(
    viva: Viva, reason: str, outcome: Outcome
) -> None:
    a_tau2_run(viva.folder / "tau", reason)
    (scored,) = viva("import", "tau", "--out", "o", *PLAIN, "--json").json["episodes"]
    assert (scored["outcome"], scored["void"]) == (outcome.value, outcome.void)


def test_a_hostile_transcript_is_data(viva: Viva) -> None:
    soundfile.write(viva.folder / "c.wav", stereo(), 16000)
    words = "<script>alert(1)</script> \u202e ../../etc " + "x" * 1_000_000
    rows = [{"speaker": "user", "start": 0.5, "end": 2.0, "text": words}]
    (viva.folder / "c.json").write_text(json.dumps(rows))
    done = viva("import", "c.wav", "--out", "o", *PLAIN, "--json")
    assert done.code == 0, done.err
    assert done.json["episodes"][0]["turns"][0]["intended"].startswith("<script>")


def test_a_call_without_arrivals_cannot_be_replayed(viva: Viva) -> None:
    soundfile.write(viva.folder / "c.wav", stereo(), 16000)
    assert viva("import", "c.wav", "--out", "o", *PLAIN, "--json").code == 0
    done = viva.simulated("replay:o/c", out="again")
    assert done.code == 2, done.err
    assert "does not say when its audio arrived" in done.err


SAMPLE = Path(__file__).parents[2] / "recordings/samples/good-call"


@pytest.mark.models
@pytest.mark.parametrize("noise_dbfs", [None, -45.0])
def test_speech_is_found_in_quiet_to_the_sample_and_in_noise_nearly(
    viva: Viva, noise_dbfs: float | None
) -> None:
    both, rate = stereo_of(Episode.load(SAMPLE))
    if noise_dbfs is not None:
        level = 32768 * 10 ** (noise_dbfs / 20)
        hiss = np.random.default_rng(1).normal(0, level, len(both)).round()
        both[:, 0] = np.clip(both[:, 0] + hiss, -32768, 32767).astype(np.int16)
    soundfile.write(viva.folder / "c.wav", both, rate)
    done = viva("import", "c.wav", "--recogniser", "none", "--out", "o", "--json")
    assert done.code == 0, done.err
    before = json.loads((SAMPLE / "scores/timing.json").read_text())
    known = [one["value"] for one in before["metrics"]["response_latency"]["values"]]
    found = [turn["latency_ms"] for turn in done.json["episodes"][0]["turns"]]
    assert len(found) == len(known) == 4
    off = max(abs(one - other) for one, other in zip(found, known, strict=True))
    # a detector's window is 32 ms, and it holds on for a while: in noise the user seems to talk on
    assert off == 0 if noise_dbfs is None else off <= 200


def test_an_endpoint_in_viva_toml_is_no_file_to_import(viva: Viva) -> None:
    (viva.folder / "viva.toml").write_text('endpoint = "reference://"\n')
    soundfile.write(viva.folder / "c.wav", stereo(), 16000)
    done = viva("import", "c.wav", "--out", "o", *PLAIN, "--json")
    assert done.code == 0, done.err
