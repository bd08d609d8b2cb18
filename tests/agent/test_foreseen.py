from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from agent.cli.runs.foreseen import foreseen
from agent.suite.budget import Prices
from recordings.format import Outcome
from scoring.digest.store import save
from scoring.usage import Usage
from tests.scoring.digests import Made, digest

TOKENS, BY_MINUTE, OWN = "openai://gpt-realtime-2.1", "xai://grok-voice-latest", "pcm+ws://127.0.0.1:9/"


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "XAI_API_KEY"):
        monkeypatch.setenv(name, "k")


def run_that_cost(folder: Path, *calls: tuple[str, float, float | None, Outcome]) -> None:
    """A run that was scored: address, minutes, US dollars and outcome of each call."""
    folder.mkdir(parents=True)
    (folder / "run.json").write_text("{}")
    made = digest(*(Made(seed=n, endpoint=call[0], outcome=call[3]) for n, call in enumerate(calls)))
    rows = [
        dataclasses.replace(row, usage=Usage(minutes=minutes, usd=usd).to_json())
        for row, (_, minutes, usd, _) in zip(made.rows, calls, strict=True)
    ]
    save(folder, dataclasses.replace(made, rows=tuple(rows)))


def per_minute(beside: Path, **named: float) -> dict[str, float]:
    addresses = [(address, address) for address in (TOKENS, BY_MINUTE, OWN)]
    return dict(foreseen(Prices(named), addresses, beside).per_minute)


def test_a_vendor_that_takes_the_same_for_each_minute_is_known_and_others_are_not(tmp_path: Path) -> None:
    assert per_minute(tmp_path / "nowhere") == {BY_MINUTE: 0.05}
    assert per_minute(tmp_path / "nowhere", **{BY_MINUTE: 0.3, OWN: 1.0}) == {BY_MINUTE: 0.3, OWN: 1.0}


def test_what_a_minute_has_cost_is_what_it_will_cost(tmp_path: Path) -> None:
    run_that_cost(
        tmp_path / "a",
        (TOKENS, 2.0, 0.5, Outcome.COMPLETED),
        (TOKENS, 9.0, 0.0, Outcome.CONNECT_FAILED),  # void: it tells nothing
        (OWN, 2.0, None, Outcome.COMPLETED),  # what it cost is not known
    )
    run_that_cost(tmp_path / "b", (TOKENS, 1.0, 0.4, Outcome.COMPLETED))
    (tmp_path / "c").mkdir()
    (tmp_path / "c/run.json").write_text("{}")  # one that was never scored
    # 0.9 US dollars for three minutes
    assert per_minute(tmp_path) == {BY_MINUTE: 0.05, TOKENS: pytest.approx(0.3)}
