"""The examples run as they are."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from examples import examine_an_endpoint, own_endpoint, own_metric, own_policy, read_an_episode
from recordings.format import Outcome
from recordings.reader import Episode
from recordings.run import RUN
from scoring.digest import store

ROOT = Path(__file__).parents[2]


@pytest.fixture
def viva_help() -> str:
    command = [sys.executable, "-m", "agent.cli.main", "run", "--help"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_the_insistent_user_hangs_up_when_it_hears_a_number() -> None:
    info = own_policy.main()
    assert info.outcome is Outcome.COMPLETED
    assert info.scenario["id"] == "bones"


def test_the_parrot_says_back_what_it_heard(capsys: pytest.CaptureFixture[str]) -> None:
    folder = own_endpoint.main()
    user, endpoint, *_ = Episode.load(folder).turns
    # the parrot needs 0.5 s of silence to know that the turn is over, and says the 0.6 s back
    assert endpoint.start_s - user.end_s == pytest.approx(0.5)
    assert endpoint.end_s - endpoint.start_s == pytest.approx(0.6)
    capsys.readouterr()
    read_an_episode.main(folder)
    assert "all files agree" in capsys.readouterr().out
    result = own_metric.main(folder)
    assert (result.n, dict(result.unscored)) == (0, {"nothing_understood": 2})


@pytest.mark.models
def test_an_endpoint_is_examined_in_a_few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = examine_an_endpoint.SCENARIO
    # one question shows it all, in half the time
    short = whole.model_copy(update={"turns": whole.turns[:1]})
    monkeypatch.setattr(examine_an_endpoint, "SCENARIO", short)
    scores = examine_an_endpoint.main()
    latency = scores.metrics["response_latency"]
    assert latency.n == 1 and latency.value is not None and latency.value > 0
    heard = [texts.heard or "" for texts in scores.episodes[0].view.texts]
    assert "DNA" in heard[0]


PACK = """\
version: 1
id: {id}
title: {turns} questions
persona: {{patience_s: 1}}
limits: {{max_duration_s: 20, reply_timeout_s: 1.5}}
turns: [{{text: Hello there.}}{more}]
"""


def test_an_endpoint_is_a_test_for_each_scenario_under_pytest(tmp_path: Path) -> None:
    # the endpoint has one reply: a call with two questions does not come to what is expected
    scenarios = (
        PACK.format(id="one", turns=1, more=""),
        PACK.format(id="two", turns=2, more=', {text: "And?"}'),
    )
    (tmp_path / "calls.yaml").write_text("---\n".join(scenarios))
    engines = "--voice tone --recogniser none --detector energy --turn-detector none --judge none"
    environ = {
        **os.environ,
        "VIVA_PACK": str(tmp_path / "calls.yaml"),
        "VIVA_ENDPOINT": "fake://?replies=1",
        "VIVA_OPTIONS": f"--simulated {engines}",
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rf", "--no-header"]
    done = subprocess.run(
        [*command, str(ROOT / "examples/pytest_endpoint.py")],
        cwd=ROOT,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "[two]" in done.stdout and "turn 2: no reply" in done.stdout


def test_the_example_of_a_workflow_names_options_and_files_that_there_are(viva_help: str) -> None:
    text = (ROOT / "examples/ci/voice-gate.yml").read_text()
    steps = yaml.safe_load(text)["jobs"]["voice"]["steps"]
    (called,) = (step["run"] for step in steps if "viva run" in step.get("run", ""))
    options = set(re.findall(r"--[a-z-]+", called))
    assert {"--gate", "--baseline", "--junit", "--summary"} <= options
    assert options <= set(re.findall(r"--[a-z-]+", viva_help))
    saved = next(step["run"] for step in steps if "cp run/" in step.get("run", ""))
    assert saved.endswith("cp run/digest.npz run/run.json baseline/")
    assert (store.FILE, RUN) == ("digest.npz", "run.json")
