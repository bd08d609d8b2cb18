"""An endpoint under pytest: one test for each scenario of a pack.

Run:  VIVA_ENDPOINT="openai+ws://127.0.0.1:8765/v1/realtime?model=NAME" pytest examples/pytest_endpoint.py
Without an address it calls the reference endpoint. VIVA_PACK names another pack than the demo, VIVA_OPTIONS
more options of `viva run`, as "--repeats 4 --concurrency 2".

All calls are held once, before the first test. A scenario whose calls were all spoiled by our own side is
skipped with the cause, and so says nothing about the endpoint.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from scenarios.load import find

ENDPOINT = os.environ.get("VIVA_ENDPOINT", "reference://")
PACK = os.environ.get("VIVA_PACK", "demo")
OPTIONS = shlex.split(os.environ.get("VIVA_OPTIONS", ""))

Check = Mapping[str, Any]


@pytest.fixture(scope="session")
def held(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Sequence[Check]]:
    """Hold all calls; gives what became of them, by scenario."""
    out = tmp_path_factory.mktemp("voice") / "run"
    command = [sys.executable, "-m", "agent.cli.main", "run", PACK, "--endpoint", ENDPOINT]
    command += ["--out", str(out), "--gate", "--json", *OPTIONS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (ours)
    if not done.stdout:  # nothing was called: an address or a scenario is wrong, a model is missing
        pytest.fail(done.stderr)
    data = json.loads(done.stdout)
    scenario = {episode["id"]: episode["scenario"] for episode in data["episodes"]}
    found: dict[str, list[Check]] = {}
    for check in data["gate"]["checks"]:
        if check["kind"] == "expectation":
            found.setdefault(scenario[check["name"]], []).append(check)
    return found


@pytest.mark.parametrize("scenario", [loaded.scenario.id for loaded in find(PACK)])
def test_every_call_comes_to_what_its_scenario_expects(
    held: Mapping[str, Sequence[Check]], scenario: str
) -> None:
    """Fails with the reasons of the calls that did not pass."""
    checks = held.get(scenario, ())
    failed = [f"{check['name']}: {check['reason']}" for check in checks if check["status"] == "failed"]
    assert not failed, "\n".join(failed)
    if not any(check["status"] == "passed" for check in checks):
        pytest.skip("; ".join(f"{check['name']}: {check['reason']}" for check in checks) or "not held")
