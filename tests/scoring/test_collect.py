"""Reports of many episodes: from their digest, with some of them shown one by one (`scoring.report`)."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from recordings.format import Outcome
from scoring.report import collect as collecting
from scoring.report.collect import collect, collect_json
from scoring.report.html import render_html
from scoring.report.repeats import repeats, sensitivity, sensitivity_lines
from scoring.report.terminal import print_report
from scoring.score import RunScores
from streams.clock import run
from tests.scoring.digests import Made, digest
from tests.scoring.episodes import CallMaker, tone


def call(latency: float, turns: int = 1) -> CallMaker:
    made = CallMaker()
    for turn in range(turns):
        start = 4.0 * turn + 1
        made.user(start, start + 1).reply(start + 1 + latency, tone(1.0, 24000), item=f"i{turn}")
    return made


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    """Six calls with two endpoints: one without a reply, one void."""
    for number in range(2):
        for name in ("a", "b"):
            call(0.5 + number, 5).write(tmp_path / f"{name}{number}", endpoint=f"fake://{name}")
    CallMaker(length=30).user(1, 2).write(tmp_path / "silent", endpoint="fake://b")
    call(0.5).write(tmp_path / "void", outcome=Outcome.CONNECT_FAILED, endpoint="fake://b")
    return tmp_path


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes more than two episodes many, of which one is shown."""
    monkeypatch.setattr(collecting, "WHOLE_UP_TO", 2)
    monkeypatch.setattr(collecting, "SHOWN", 1)


def printed(scores: RunScores) -> str:
    out = Console(file=io.StringIO(), width=120, highlight=False)
    print_report(scores, out)
    assert isinstance(out.file, io.StringIO)
    return out.file.getvalue()


def gathered(folder: Path, **more: Any) -> RunScores:
    return run(collect([folder], **more))


def test_many_episodes_give_the_tables_of_few(run_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = gathered(run_folder)
    monkeypatch.setattr(collecting, "WHOLE_UP_TO", 2)
    many = gathered(run_folder)
    assert (len(whole.episodes), whole.digest) == (6, None)
    assert many.episodes == () and many.digest is not None
    assert many.metrics == whole.metrics
    assert many.usage == whole.usage
    assert printed(many) == printed(whole)


def test_of_many_those_that_did_not_pass_are_shown_first(run_folder: Path, few: None) -> None:
    scores = gathered(run_folder, one_by_one=True)
    assert [episode.info.id for episode in scores.episodes] == ["silent"]
    page = render_html(scores)
    assert "1 calls are shown one by one" in page and "5 more are in the numbers above" in page
    assert page.count("<article") == 1


def test_a_program_is_told_every_episode_however_many_there_are(
    run_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run(collect_json([run_folder]))
    monkeypatch.setattr(collecting, "WHOLE_UP_TO", 2)
    assert run(collect_json([run_folder])) == whole
    assert [episode["id"] for episode in whole["episodes"]] == ["a0", "a1", "b0", "b1", "silent", "void"]


# --- repeats and users --------------------------------------------------------------------------


def calls(endpoint: str, scenario: str, passed: str, user: str = "") -> list[Made]:
    """A call for each letter: p passed, f failed, v void."""
    return [
        Made(
            scenario, seed, endpoint, {"passed": [float(letter == "p")]}, user=user,
            outcome=Outcome.BEHIND_REAL_TIME if letter == "v" else Outcome.COMPLETED,
        )
        for seed, letter in enumerate(passed)
    ]  # fmt: skip


def test_chances_over_repeats_are_means_over_scenarios_and_void_calls_are_no_trials() -> None:
    made = digest(
        *calls("fake://a", "one", "ppfvf"), *calls("fake://a", "two", "pp"), *calls("fake://b", "one", "p")
    )
    (found,) = repeats(made)  # the other endpoint was called once
    assert found.endpoint == "fake://a"
    # one: 2 of 4 passed, two: 2 of 2. k = 2: (5/6 + 1) / 2 and (1/6 + 1) / 2; k = 3: of scenario one alone
    told = [(c.k, round(c.any, 4), round(c.every, 4), c.tasks, c.few) for c in found.chances]
    assert told == [
        (1, 0.75, 0.75, 2, 0), (2, 0.9167, 0.5833, 2, 0), (3, 1.0, 0.0, 1, 1), (4, 1.0, 0.0, 1, 1),
    ]  # fmt: skip
    assert found.to_json()["k"][0]["pass_hat_k"] == 0.75


def test_another_user_on_the_same_calls_is_told_and_other_scenarios_are_no_comparison() -> None:
    anna = [one for n in range(8) for one in calls("fake://a", f"s{n}", "p", "anna")]
    frank = [one for n in range(8) for one in calls("fake://a", f"s{n}", "f", "frank")]
    (found,) = sensitivity(digest(*anna, *frank))
    assert found.pairs == 8
    (line,) = sensitivity_lines([found])
    assert line.startswith("frank instead of anna (8 pairs, fake://a): worse: calls that passed -100.0 %")
    # each scenario has its own user: nothing was called twice
    apart = digest(*calls("fake://a", "one", "p", "anna"), *calls("fake://a", "two", "p", "frank"))
    assert sensitivity(apart) == []
    assert sensitivity(digest(*anna)) == []
