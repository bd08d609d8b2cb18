"""`viva compare`, `viva gate` and `viva run --gate`, as a pipeline meets them; in simulated time."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.agent.cli_calls import ENGINES, HELLO, Viva

GOOD, SILENT = "fake://?replies=2&delay=0.5", "fake://?replies=0"


@pytest.fixture(autouse=True)
def not_in_github(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests may themselves run in GitHub Actions."""
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)


def nine(viva: Viva, endpoint: str, out: str, *more: str) -> None:
    """A run of nine calls."""
    done = viva.simulated(endpoint, "--repeats", "9", "--concurrency", "9", "--no-report", *more, out=out)
    assert done.code == 0, done.err


# --- viva run --gate ----------------------------------------------------------------------------


def test_a_run_that_comes_to_what_its_scenarios_expect_passes_the_gate(viva: Viva) -> None:
    done = viva.simulated(GOOD, "--gate", "--json")
    assert done.code == 0
    assert done.json["gate"]["status"] == "passed"
    assert "gate passed: expectations: 1 passed; thresholds: 1 passed" in done.err


def test_a_run_that_does_not_ends_with_exit_code_1_and_the_reasons(viva: Viva) -> None:
    files = ("--junit", "gate.xml", "--summary", "summary.md")
    done = viva.simulated(SILENT, "--gate", "--json", *files)
    assert done.code == 1
    assert done.json["gate"]["reasons"] == [
        f"expectation hello ({SILENT}): endpoint_silent; turn 1: no reply"
    ]
    assert f"viva: expectation hello ({SILENT}): endpoint_silent" in done.err
    root = ElementTree.parse(viva.folder / "gate.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    assert (viva.folder / "summary.md").read_text().startswith("## viva gate failed")
    # without --gate the same files are written, and how an endpoint behaves changes no exit code
    quiet = viva.simulated(SILENT, "--json", *files, out="again")
    assert (quiet.code, quiet.json["gate"]["status"]) == (0, "failed")


def test_thresholds_are_read_before_anything_is_called(viva: Viva) -> None:
    (viva.folder / "viva.toml").write_text("[thresholds]\nresponse_latncy = {max = 500}\n")
    done = viva.simulated(GOOD, "--gate")
    assert (done.code, done.out) == (2, "")
    assert "[thresholds] response_latncy is no metric; did you mean 'response_latency'?" in done.err
    assert not (viva.folder / "run").exists()


def test_a_file_that_cannot_be_written_is_told_before_anything_is_called(viva: Viva) -> None:
    for flag, file in (("--junit", "nowhere/gate.xml"), ("--summary", ".")):
        done = viva.simulated(GOOD, "--gate", flag, file)
        assert (done.code, done.out) == (2, "")
        assert f"viva: {flag} {file}: expected a file in a folder that there is" in done.err
        assert not (viva.folder / "run").exists()


def test_a_run_with_calls_left_is_not_let_pass_by_a_later_gate_either(viva: Viva) -> None:
    budget = ("--repeats", "6", "--budget-minutes", "0.2")
    held = viva.simulated(GOOD, *budget, "--gate", "--junit", "gate.xml")
    later = viva("gate", "run")
    for done in (held, later):
        assert done.code == 3
        assert "calls of the plan are not held: viva run --resume holds them" in done.err
    root = ElementTree.parse(viva.folder / "gate.xml").getroot()
    assert (root.get("failures"), root.get("errors")) == ("0", "1")
    for command in (("report", "run"), ("report", "run", "--json"), ("compare", "run", "run")):
        shown = viva(*command)
        assert shown.code == 0
        assert "calls of the plan are not held yet: viva run --resume run" in shown.err
    assert viva("run", "--resume", "run", "--budget-minutes", "9", "--gate").code == 0
    assert viva("gate", "run").code == 0
    assert "not held yet" not in viva("report", "run").err


@pytest.mark.parametrize(("most", "code"), [(400, 1), (600, 0)])
def test_a_threshold_of_viva_toml_decides(viva: Viva, most: int, code: int) -> None:
    (viva.folder / "viva.toml").write_text(f"[thresholds]\nresponse_latency = {{max = {most}}}\n")
    done = viva.simulated(GOOD, "--gate", "--json")
    assert done.code == code, done.err
    told = {check["name"]: check["reason"] for check in done.json["gate"]["checks"]}
    assert told["response_latency"] == f"response latency 500 ms, asked for: at most {most} ms (n = 2)"


def test_calls_that_our_own_side_spoiled_leave_the_gate_undecided_with_exit_code_3(viva: Viva) -> None:
    done = viva.run("pcm+ws://127.0.0.1:9/?rate=16000", "--gate", "--json")
    assert done.code == 3
    assert done.json["gate"]["status"] == "undecided"


# --- viva gate ----------------------------------------------------------------------------------


def test_a_planted_regression_is_found_and_the_same_endpoint_passes(viva: Viva) -> None:
    nine(viva, "fake://?replies=2&delay=0.5", "before")
    nine(viva, "fake://?replies=2&delay=0.52", "same")
    nine(viva, "fake://?replies=2&delay=0.7", "slower")
    same = viva("gate", "same", "--baseline", "before", "--json")
    assert (same.code, same.json["status"]) == (0, "passed")
    slower = viva("gate", "slower", "--baseline", "before", "--json")
    assert slower.code == 1
    (reason,) = slower.json["reasons"]
    assert reason.startswith("regression response_latency (fake://?replies=2&delay=0.7): response latency")
    assert "worse by " in reason and "the intervals part" in reason
    # what got better is no regression
    assert viva("gate", "before", "--baseline", "slower").code == 0
    (viva.folder / "viva.toml").write_text("[effects]\nresponse_latency = 1000\n")
    assert viva("gate", "slower", "--baseline", "before").code == 0


def test_in_github_actions_what_failed_is_annotated(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    viva.simulated(SILENT, "--no-report")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    done = viva("gate", "run")
    assert done.code == 1
    assert done.out.startswith("::error title=viva gate%3A expectation hello::expectation hello")
    with_json = viva("gate", "run", "--json")
    assert with_json.json["status"] == "failed"  # standard output is one object
    assert "::error title=" in with_json.err


def test_a_call_that_was_held_again_is_checked_once(viva: Viva) -> None:
    viva.run("pcm+ws://127.0.0.1:9/?rate=16000", "--no-report")
    viva("run", "--resume", "run", "--no-report")
    assert sorted(p.name for p in (viva.folder / "run").iterdir() if p.is_dir()) == ["hello", "hello+2"]
    checks = viva("gate", "run", "--json").json["checks"]
    assert [c["name"] for c in checks if c["kind"] == "expectation"] == ["hello+2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gate", "nowhere"), "nowhere"),
        (("gate", "run", "--baseline", "nowhere"), "nowhere"),
        (("run", "hello.yaml", "--endpoint", GOOD, "--gate", "--baseline", "nowhere"), "nowhere"),
        (("compare", "run"), "all calls have one endpoint"),
        (("compare", "run", "--metric", "latency"), "'latency' cannot be compared; known are"),
        (("compare", "run", "run", "run"), "3 runs; name one or two"),
        (("compare", "run", "--by", "weather"), "weather"),
    ],
)
def test_what_cannot_be_checked_or_compared_is_bad_input(
    viva: Viva, arguments: tuple[str, ...], message: str
) -> None:
    viva.simulated(GOOD, "--no-report")
    done = viva(*arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err and "Traceback" not in done.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("thresholds = 3", "thresholds"),
        ("[thresholds]\npassed = 0.9", "expected {min = ...}, {max = ...} or both"),
        ("[thresholds]\npassed = {least = 0.9}", "expected {min = ...}"),
        ("[thresholds]\npassed = {min = 'all'}", "[thresholds] passed min is 'all', expected a number"),
        ("[thresholds]\npassed = {min = nan}", "expected a number"),
        ("[effects]\nlatency = 3", "'latency' cannot be compared"),
    ],
)
def test_bounds_that_are_none_are_named_with_their_place(viva: Viva, text: str, message: str) -> None:
    (viva.folder / "viva.toml").write_text(text)
    done = viva("gate", "run")
    assert done.code == 2
    assert "viva.toml" in done.err and message in done.err


# --- viva compare -------------------------------------------------------------------------------


def test_endpoints_of_one_run_are_compared_on_the_same_scenarios_and_seeds(viva: Viva) -> None:
    nine(viva, GOOD, "run", "--endpoint", "fake://?replies=2&delay=0.7")
    done = viva("compare", "run", "--json")
    assert done.code == 0
    (found,) = done.json["comparisons"]
    assert (found["pairs"], found["first"]["name"]) == (9, GOOD)
    latency = found["metrics"]["response_latency"]
    assert (latency["verdict"], latency["pairs"]) == ("worse", 9)
    assert latency["difference"] == pytest.approx(200, abs=25)
    assert found["metrics"]["passed"]["verdict"] == "no difference seen"
    people = viva("compare", "run", "--against", "delay=0.7")
    assert "better: response latency" in people.out


def test_two_runs_are_compared_and_void_calls_are_counted(viva: Viva) -> None:
    nine(viva, GOOD, "old")
    nine(viva, "fake://?replies=2&delay=0.7", "new")
    done = viva("compare", "old", "new")
    assert done.code == 0
    assert "first   old: 9 calls" in done.out and "9 pairs" in done.out
    assert "worse: response latency +" in done.out


def test_a_gate_whose_baseline_fits_nothing_says_so(viva: Viva, monkeypatch: pytest.MonkeyPatch) -> None:
    viva.simulated(GOOD, "--no-report", out="before")
    (viva.folder / "hello.yaml").write_text(HELLO.replace("How are you?", "How are you today?"))
    viva.simulated(GOOD, "--no-report", out="now")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    done = viva("gate", "now", "--baseline", "before")
    assert done.code == 0
    assert (
        f"viva: regression all ({GOOD}): no call of the baseline has the same scenario and seed" in done.err
    )
    assert done.out.startswith("::warning title=viva gate%3A regression all::regression all")


def test_an_endpoint_that_only_one_of_two_runs_has_is_said_to_be_left_out(viva: Viva) -> None:
    other = "fake://?replies=2&delay=0.7"
    viva.simulated(GOOD, "--no-report", out="old")
    viva.simulated(GOOD, "--endpoint", other, "--no-report", out="new")
    done = viva("compare", "old", "new", "--json")
    assert len(done.json["comparisons"]) == 1
    assert f"viva: {other} is not compared: only new has calls with it" in done.err


def test_a_scenario_that_was_changed_in_between_is_compared_with_nothing(viva: Viva) -> None:
    nine(viva, GOOD, "old")
    Path(viva.folder, "hello.yaml").write_text(HELLO.replace("How are you?", "How are you today?"))
    nine(viva, GOOD, "new")
    (found,) = viva("compare", "old", "new", "--json").json["comparisons"]
    assert (found["pairs"], found["left_out"]) == (0, {"another_scenario_of_that_name": 18})
    assert {metric["verdict"] for metric in found["metrics"].values()} == {"too little data"}


def test_the_environment_of_a_pipeline_is_left_as_it_was(viva: Viva) -> None:
    before = dict(os.environ)
    viva("run", "hello.yaml", "--endpoint", GOOD, "--simulated", "--gate", "--out", "run", *ENGINES)
    assert dict(os.environ) == before
