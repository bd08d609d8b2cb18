"""`viva run` as a user and as a program meet it; in simulated time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recordings.check import check
from recordings.reader import Episode
from recordings.writer import EpisodeWriter
from tests.agent.cli_calls import ENGINES, HELLO, Viva, outcomes, texts

CANARY = "sk-canary0123456789abcdefgh"


def test_one_json_object_on_standard_output_and_everything_else_on_standard_error(viva: Viva) -> None:
    done = viva.simulated("fake://?replies=2&delay=0.7&text=hi", "--json")
    assert done.code == 0
    found = done.json
    assert set(found) == {"run", "episodes", "usage", "metrics"}
    assert found["run"] == "run"
    (episode,) = found["episodes"]
    assert (episode["id"], episode["scenario"], episode["outcome"]) == ("hello", "hello", "completed")
    assert episode["endpoint"] == "fake://?replies=2&delay=0.7&text=hi"
    assert Path(episode["path"], "episode.json").is_file()
    first = episode["turns"][0]
    # 0.6 speech + 0.7 delay = 1.3
    assert (first["user_end_s"], first["endpoint_start_s"], first["latency_ms"]) == (0.6, 1.3, 700.0)
    assert (first["intended"], first["said"], first["heard"]) == ("Hello there.", None, None)
    assert first["unscored"]["heard"] == "no_recogniser"
    for metrics in (episode["metrics"], found["metrics"]):
        assert metrics["response_latency"] == {
            "value": 700.0, "n": 2, "unscored": {}, "unit": "ms", "version": 1,
        }  # fmt: skip
        assert all(set(m) >= {"value", "n", "unscored", "unit", "version"} for m in metrics.values())
    assert "Hello there." in done.err and "run/report.html" in done.err


def test_without_json_the_report_is_for_people(viva: Viva) -> None:
    done = viva.simulated("fake://?replies=2")
    assert done.code == 0
    assert "response latency" in done.out and "600 ms" in done.out
    assert (viva.folder / "run/report.html").is_file()
    assert check(Episode.load(viva.folder / "run/hello")) == []


def test_the_manifest_says_what_was_asked_and_what_became_of_it(viva: Viva) -> None:
    viva.simulated("fake://?replies=2", "--repeats", "2", "--concurrency", "2")
    manifest = viva.manifest()
    assert manifest["command"][:3] == ["viva", "run", "hello.yaml"]
    assert [planned["id"] for planned in manifest["episodes"]] == ["hello--r1", "hello--r2"]
    assert outcomes(manifest) == [("done", "completed")] * 2


# --- bad input ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run",), "Missing argument"),
        (("run", "hello.yaml"), "Missing option '--endpoint'"),
        (("run", "hello.yaml", "--endpoint", "fake://", "--repeats", "0"), "--repeats"),
        (("rum",), "Did you mean 'run'?"),
        (("run", "dem", "--endpoint", "fake://"), "did you mean `demo`?"),
        (("run", "demo/crisp", "--endpoint", "fake://"), "did you mean `demo/crispr`?"),
        (("run", "hello.yaml", "--endpoint", "opena://x"), "Did you mean openai?"),
        (("run", "hello.yaml", "--endpoint", "fake://?replys=1"), "Did you mean replies?"),
        (("run", "hello.yaml", "--endpoint", "nonsense"), "no scheme"),
        (("run", "hello.yaml", "--endpoint", "pcm+ws://127.0.0.1:99999/?rate=16000"), "1 to 65535"),
        (("run", "hello.yaml", "--endpoint", "pcm+ws://127.0.0.1:9/"), "Add the rate"),
        (("run", "hello.yaml", "--endpoint", "openai://x"), "Set the environment variable OPENAI_API_KEY"),
        (("run", "hello.yaml", "--endpoint", "pcm+ws://h/?rate=8000&key_env=MY"), "variable MY"),
        (("run", "hello.yaml", "--endpoint", "replay:nowhere"), "nowhere"),
        (("run", "hello.yaml", "--endpoint", "reference://?mode=no"), "mode"),
        (
            ("run", "hello.yaml", "--simulated", "--endpoint", "pcm+ws://127.0.0.1:9/?rate=16000"),
            "Leave out --simulated",
        ),
    ],
)
def test_bad_usage_is_exit_code_2_with_a_remedy_and_nothing_is_written(
    viva: Viva, arguments: tuple[str, ...], message: str
) -> None:
    done = viva(*arguments, *(ENGINES if len(arguments) > 2 else ()))
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert "Traceback" not in done.err
    assert sorted(path.name for path in viva.folder.iterdir()) == ["hello.yaml"]


@pytest.mark.parametrize(
    ("option", "spec", "message"),
    [
        ("--voice", "festival", "Known are:"),
        ("--voice", "tone:long", "Expected tone:SECONDS"),
        ("--voice", "openai:tts-1@alloy", "Set OPENAI_API_KEY"),
        ("--recogniser", "vosk", "Known are:"),
        ("--recogniser", "whisper:huge", "no model and no path"),
        ("--detector", "webrtc", "Known are:"),
        ("--llm", "gpt", "http://HOST:PORT/v1#MODEL"),
        ("--llm", "openai:gpt", "Set OPENAI_API_KEY"),
    ],
)
def test_an_engine_that_is_misnamed_is_bad_input(viva: Viva, option: str, spec: str, message: str) -> None:
    done = viva.simulated("fake://", option, spec)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("title:", "titel:", "hello.yaml:3"),
        ("  - text: Hello there.", "  - text: ''", "hello.yaml:10"),
        ("  - text: Hello there.", "  - text: Hello\n    audio: missing.wav", "missing.wav"),
        ("turns:", "turns: [", "hello.yaml"),
        ("max_duration_s: 20", "max_duration_s: .nan", "hello.yaml:7"),
    ],
)
def test_a_scenario_that_is_not_valid_is_named_with_its_line(
    viva: Viva, old: str, new: str, message: str
) -> None:
    (viva.folder / "hello.yaml").write_text(HELLO.replace(old, new))
    done = viva.simulated("fake://")
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert not (viva.folder / "run").exists()


def test_a_user_played_by_a_language_model_needs_one_before_anything_is_called(viva: Viva) -> None:
    viva("scenarios", "new", "play.yaml", "--policy", "llm")
    done = viva.simulated("fake://", scenario="play.yaml")
    assert (done.code, done.out) == (2, "")
    assert "the user of play needs one. Add --llm" in done.err


def test_a_second_run_into_the_same_folder_is_refused_and_the_first_is_untouched(viva: Viva) -> None:
    viva.simulated("fake://?replies=2")
    before = dict(texts(viva.folder / "run"))
    done = viva.simulated("fake://?replies=2", "--json")
    assert (done.code, done.out) == (2, "")
    assert "holds a run already" in done.err and "Choose another folder" in done.err
    assert dict(texts(viva.folder / "run")) == before


def test_older_runs_below_the_folder_are_not_part_of_the_new_one(viva: Viva) -> None:
    viva.simulated("fake://?replies=2", out="all/old")
    done = viva.simulated("fake://?replies=2", "--json", out="all")
    assert [episode["path"] for episode in done.json["episodes"]] == ["all/hello"]


@pytest.mark.parametrize("out", ["hello.yaml", "hello.yaml/below", "/proc/nowhere"])
def test_a_folder_that_cannot_be_made_is_bad_input(viva: Viva, out: str) -> None:
    done = viva.simulated("fake://", out=out)
    assert done.code == 2
    assert "Choose another folder" in done.err


def test_scenarios_of_one_name_are_told_apart_by_their_packs_or_refused(viva: Viva) -> None:
    for pack in ("one", "two"):
        (viva.folder / pack).mkdir()
        (viva.folder / pack / "hello.yaml").write_text(HELLO.replace("Hello there", f"Hello {pack}"))
    arguments = (
        "run",
        "one/hello.yaml",
        "two/hello.yaml",
        "--endpoint",
        "fake://?replies=2",
        "--simulated",
    )
    done = viva(*arguments, "--out", "run", *ENGINES)
    assert done.code == 2
    assert "one/hello.yaml, two/hello.yaml: these scenarios have the same id, 'hello'" in done.err
    for pack in ("one", "two"):
        manifest = f"version: 1\nid: {pack}\ntitle: A pack\nlicence: CC0-1.0\n"
        (viva.folder / pack / "pack.yaml").write_text(manifest)
    done = viva(*arguments, "--out", "run", "--json", *ENGINES)
    assert done.code == 0, done.err
    assert [episode["id"] for episode in done.json["episodes"]] == ["one--hello", "two--hello"]


def test_an_endpoint_named_twice_is_called_twice_and_a_scenario_once(viva: Viva) -> None:
    twice = ("hello.yaml", "--endpoint", "fake://?replies=2")
    done = viva("run", *twice, *twice, "--simulated", "--json", "--out", "run", *ENGINES)
    assert [episode["id"] for episode in done.json["episodes"]] == ["hello--e1-fake", "hello--e2-fake"]


# --- one failure leaves the others alone --------------------------------------------------------


def test_an_endpoint_that_cannot_be_reached_leaves_the_others_alone(viva: Viva) -> None:
    down = "pcm+ws://127.0.0.1:9/?rate=16000"
    short = ("--endpoint", "fake://?replies=2&seconds=0.3&delay=0.1", "--json", "--repeats", "2")
    done = viva.run(down, *short, "--concurrency", "4")
    assert done.code == 3
    found = [(e["endpoint"].partition(":")[0], e["outcome"]) for e in done.json["episodes"]]
    assert sorted(found) == [("fake", "completed")] * 2 + [("pcm+ws", "connect_failed")] * 2
    assert done.json["metrics"]["response_latency"]["n"] == 4
    assert {state for state, _ in outcomes(viva.manifest())} == {"done"}
    last = done.err.splitlines()[-1]
    assert "2 calls" in last and "nothing listens at" in last and "Start the server" in last
    assert "viva: to hold the void calls again: viva run --resume run\n" in done.err


def test_a_recording_that_fails_leaves_the_others_alone(
    viva: Viva, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the second call's folder is taken by something else
    taken = viva.folder / "run/hello--r2"
    taken.mkdir(parents=True)
    (taken / "user.wav").write_bytes(b"mine")
    done = viva.simulated("fake://?replies=2", "--repeats", "3", "--json")
    assert done.code == 3
    assert [episode["id"] for episode in done.json["episodes"]] == ["hello--r1", "hello--r3"]
    assert outcomes(viva.manifest()) == [
        ("done", "completed"), ("done", "harness_failed"), ("done", "completed"),
    ]  # fmt: skip
    assert "viva: hello--r2: not recorded to its end" in done.err
    assert "Traceback" not in done.err
    assert (taken / "user.wav").read_bytes() == b"mine"


def test_a_fault_of_ours_in_one_call_is_contained_too(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    def finish(writer: EpisodeWriter, info: object) -> None:
        raise TypeError("a fault")

    monkeypatch.setattr(EpisodeWriter, "finish", finish)
    done = viva.simulated("fake://?replies=1", "--repeats", "2", "--json")
    assert done.code == 3
    assert [episode["outcome"] for episode in done.json["episodes"]] == ["unfinished"] * 2
    assert "viva: 2 calls (hello--r1, ...): not recorded to its end: TypeError: a fault" in done.err
    assert "Traceback" not in done.err


def test_a_fault_of_ours_outside_the_calls_is_exit_code_3_and_not_a_gate(
    viva: Viva, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise TypeError("a fault")

    monkeypatch.setattr("agent.cli.runs.run.default_folder", broken)
    done = viva("run", "hello.yaml", "--endpoint", "fake://", "--simulated", *ENGINES)
    assert done.code == 3
    assert "TypeError: a fault" in done.err and "Please report it" in done.err


def test_a_voice_that_fails_before_the_call_leaves_an_episode_that_says_so(
    viva: Viva, monkeypatch: pytest.MonkeyPatch
) -> None:
    from streams.speech.fake import ToneVoice
    from streams.speech.interfaces import SpeechError

    async def speak(self: ToneVoice, text: str) -> None:
        raise SpeechError("tone", "the loudspeaker is gone", "Buy another.")

    monkeypatch.setattr(ToneVoice, "speak", speak)
    done = viva.simulated("fake://?replies=2", "--json")
    assert done.code == 3
    assert done.json["episodes"][0]["outcome"] == "user_failed"
    assert "the loudspeaker is gone" in done.err


def test_the_run_goes_on_without_a_report_if_that_cannot_be_written(
    viva: Viva, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "report.html")

    monkeypatch.setattr("scoring.report.html.write_html", full)
    done = viva.simulated("fake://?replies=2", "--json")
    assert done.code == 3
    assert done.json["episodes"][0]["outcome"] == "completed"
    assert "report.html" in done.err and "No space left on device" in done.err


# --- secrets ------------------------------------------------------------------------------------


def test_a_key_written_into_an_address_reaches_no_file_and_no_screen(viva: Viva) -> None:
    done = viva.run(f"pcm+ws://127.0.0.1:9/?rate=16000&api_key={CANARY}", "--json")
    assert done.code == 3
    assert CANARY not in done.out + done.err
    assert [path for path, data in texts(viva.folder) if CANARY.encode() in data] == []
    assert json.loads(done.out)["episodes"][0]["endpoint"].endswith("api_key=***")


# --- viva.toml ----------------------------------------------------------------------------------


def test_flags_go_before_the_environment_and_that_before_the_file(
    viva: Viva, monkeypatch: pytest.MonkeyPatch
) -> None:
    (viva.folder / "viva.toml").write_text(
        'voice = "tone:1.0"\nrecogniser = "none"\ndetector = "energy"\nturn_detector = "none"\n'
        '[run]\nendpoint = "fake://?replies=2"\nsimulated = true\n'
    )

    def spoken(*more: str) -> float:
        out = f"run{len(list(viva.folder.iterdir()))}"
        done = viva("run", "hello.yaml", "--out", out, "--json", *more)
        assert done.code == 0, done.err
        return float(done.json["episodes"][0]["turns"][0]["user_end_s"])

    assert spoken() == 1.0
    monkeypatch.setenv("VIVA_VOICE", "tone:0.8")
    assert spoken() == 0.8
    assert spoken("--voice", "tone:0.6") == 0.6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[run]\nconcurrency = 'two'\n", "viva.toml: [run] concurrency is 'two', expected a whole number"),
        ("json = 1\n", "viva.toml: json is 1, expected true or false"),
        ("voice = 3\n", "expected a text"),
        ("[run]\nendpoint = [1]\n", "expected texts"),
        ("[run]\nendpiont = 'x'\n", "did you mean 'endpoint'?"),
        (f"api_key = '{CANARY}'\n", "secrets are read from the environment only"),
        ("voice = \n", "viva.toml"),
    ],
)
def test_a_file_of_defaults_that_is_wrong_is_bad_input(viva: Viva, text: str, message: str) -> None:
    (viva.folder / "viva.toml").write_text(text)
    done = viva("run", "hello.yaml")
    assert done.code == 2
    assert message in done.err and CANARY not in done.err
