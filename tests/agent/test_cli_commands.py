"""The smaller commands: help, scenarios, models, doctor, score and report."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
from pathlib import Path

import pytest
import typer

from agent.cli.main import app
from tests.agent.cli_calls import Viva, texts


def commands() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for group, prefix in ((app, ()), *((g.typer_instance, (g.name,)) for g in app.registered_groups)):
        assert isinstance(group, typer.Typer)
        for command in group.registered_commands:
            assert command.callback is not None
            found.append((*map(str, prefix), command.name or command.callback.__name__))
    return found


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_has_an_example_in_its_help(viva: Viva, command: tuple[str, ...]) -> None:
    done = viva(*command, "--help")
    assert done.code == 0
    assert f"Example:  viva {' '.join(command)}" in done.out


def test_the_help_of_all_says_where_to_start(viva: Viva) -> None:
    done = viva("--help")
    assert done.code == 0
    assert "viva demo" in done.out and "viva run demo --endpoint" in done.out


def test_the_version_is_that_of_the_package(viva: Viva) -> None:
    done = viva("--version")
    assert done.code == 0
    assert done.out.strip() == f"vivavoce {importlib.metadata.version('vivavoce')}"


@pytest.mark.parametrize(("environment", "threads"), [("", "1"), ("4", "4")])
def test_numpy_computes_with_one_thread_unless_the_environment_says_otherwise(
    viva: Viva, monkeypatch: pytest.MonkeyPatch, environment: str, threads: str
) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", environment)
    if not environment:
        monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    assert viva("--version").code == 0
    assert os.environ["OPENBLAS_NUM_THREADS"] == threads


# --- score and report ---------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["score", "report"])
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere", "Name an episode, a run, or a folder"),
        ("empty", "holds no episode"),
        ("hello.yaml", "is no folder"),
    ],
)
def test_scoring_nothing_is_bad_input(viva: Viva, command: str, name: str, message: str) -> None:
    (viva.folder / "empty").mkdir()
    more = ("--recogniser", "none") if command == "score" else ()
    done = viva(command, name, "--json", *more)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_score_and_report_give_what_the_run_gave(viva: Viva) -> None:
    first = viva.simulated("fake://?replies=2&text=hi", "--json").json
    scored = viva("score", "run", "--recogniser", "none", "--json")
    reported = viva("report", "run", "--json")
    assert scored.code == reported.code == 0
    assert scored.json == reported.json == first


def test_a_report_where_none_can_be_written_names_the_file(viva: Viva) -> None:
    viva.simulated("fake://?replies=2")
    done = viva("report", "run", "--html", "no/such/report.html")
    assert done.code == 2
    assert "viva: no/such/report.html: No such file or directory" in done.err


def test_a_damaged_episode_is_named(viva: Viva) -> None:
    viva.simulated("fake://?replies=2")
    (viva.folder / "run/hello/episode.json").write_text("{")
    done = viva("score", "run", "--recogniser", "none")
    assert done.code == 2
    assert "run/hello/episode.json" in done.err and "Traceback" not in done.err


# --- scenarios ----------------------------------------------------------------------------------


def test_scenarios_are_listed(viva: Viva) -> None:
    rows = viva("scenarios", "list", "demo", "--json").json["scenarios"]
    assert [row["id"] for row in rows] == ["crispr", "mrna", "museum"]
    assert all(Path(row["path"]).is_file() for row in rows)
    assert "crispr" in viva("scenarios", "list").out
    done = viva("scenarios", "list", "dmeo", "--json")
    assert (done.code, done.out) == (2, "")
    assert "did you mean `demo`?" in done.err


def test_the_schema_is_json(viva: Viva) -> None:
    schema = viva("scenarios", "schema").json
    assert "turns" in schema["properties"]


@pytest.mark.parametrize("policy", ["scripted", "adaptive", "llm"])
def test_a_new_scenario_is_good_as_it_is(viva: Viva, policy: str) -> None:
    made = viva("scenarios", "new", "pack/first.yaml", "--policy", policy)
    assert made.code == 0 and "viva scenarios check pack/first.yaml" in made.err
    done = viva("scenarios", "check", "pack/first.yaml", "--json")
    assert done.code == 0
    assert (done.json["good"], done.json["problems"]) == (1, [])


def test_a_new_scenario_overwrites_nothing(viva: Viva) -> None:
    before = (viva.folder / "hello.yaml").read_text()
    done = viva("scenarios", "new", "hello.yaml")
    assert done.code == 2
    assert "hello.yaml exists already. Choose another name" in done.err
    assert (viva.folder / "hello.yaml").read_text() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("x.yaml", "--policy", "script"), "--policy is 'script', expected scripted, adaptive, llm"),
        (("My Scenario.yaml",), "small letters"),
    ],
)
def test_a_new_scenario_that_cannot_be_is_refused(
    viva: Viva, arguments: tuple[str, ...], message: str
) -> None:
    done = viva("scenarios", "new", *arguments)
    assert done.code == 2
    assert message in done.err


def test_every_problem_of_every_file_is_told(viva: Viva) -> None:
    (viva.folder / "bad.yaml").write_text("version: 1\nid: BAD\nturns: []\n")
    done = viva("scenarios", "check", "hello.yaml", "bad.yaml", "nowhere", "--json")
    assert done.code == 2
    assert done.json["good"] == 1
    assert len(done.json["problems"]) >= 3
    people = viva("scenarios", "check", "bad.yaml")
    assert (people.code, people.out) == (2, "")
    assert "bad.yaml:2" in people.err


# --- models and doctor --------------------------------------------------------------------------


def test_models_are_listed_with_licence_and_origin(viva: Viva) -> None:
    rows = viva("models", "list", "--json").json["models"]
    by_id = {row["id"]: row for row in rows}
    assert by_id["whisper-base"]["licence"] == "MIT"
    assert set(by_id["piper-joe"]) == {
        "id", "job", "version", "licence", "size", "sha256", "origin", "path",
    }  # fmt: skip
    assert "whisper-base" in viva("models", "list").out


def test_a_model_that_is_not_known_is_bad_input(viva: Viva) -> None:
    done = viva("models", "verify", "whisper-bass", "--json")
    assert done.code == 2
    assert done.json["good"] == []
    assert "whisper-base" in done.json["problems"][0]
    assert viva("models", "fetch", "whisper-bass").code == 2


@pytest.mark.models
def test_models_that_are_here_are_the_pinned_ones(viva: Viva) -> None:
    done = viva("models", "verify", "silero-vad", "whisper-tiny", "--json")
    assert (done.code, done.json) == (0, {"good": ["silero-vad", "whisper-tiny"], "problems": []})


@pytest.mark.models
@pytest.mark.wall_clock
def test_the_doctor_says_what_works(viva: Viva) -> None:
    done = viva("doctor", "--json")
    assert done.code == 0, done.out
    assert done.json["ready"] is True
    checks = {check["name"]: check for check in done.json["checks"]}
    assert {"python", "voice", "hearing", "speech activity", "end of turn", "OPENAI_API_KEY"} <= set(checks)
    assert checks["hearing"]["state"] == "works"
    missing = [check for check in checks.values() if check["state"] == "missing"]
    assert all(check["remedy"] for check in missing)


def test_the_command_runs_in_a_process_of_its_own(viva: Viva) -> None:
    process = viva.start("scenarios", "list", "--json")
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    assert len(json.loads(out)["scenarios"]) >= 3
    assert isinstance(process, subprocess.Popen)
    assert dict(texts(viva.folder)).keys() == {viva.folder / "hello.yaml"}
