from __future__ import annotations

from pathlib import Path

import pytest

from agent.observers import Nobody
from agent.suite.budget import Budget, Meter, Prices, Spent, tokens_of
from agent.suite.estimate import estimate, held_before
from agent.suite.limits import RunLimits
from agent.suite.plan import plan
from recordings.format import Attempt, Outcome, Planned, RunInfo, UsageReported
from recordings.run import Run
from scenarios.load import from_scenario
from scenarios.schema import Limits, Scenario, Turn


def test_a_budget_is_exhausted_by_the_first_limit_that_is_reached() -> None:
    budget = Budget(usd=2.0, tokens=1000, minutes=10)
    assert budget.exhausted(Spent(9.9, 999, 1.99)) == ""
    assert budget.exhausted(Spent(1, 1, 2.0)) == "the budget is spent: 2.00 of 2 US dollars"
    assert budget.exhausted(Spent(1, 1000, 0)) == "the budget is spent: 1000 of 1000 tokens"
    assert budget.exhausted(Spent(10.02, 1, 0)) == "the budget is spent: 10.0 of 10 minutes of call"


def test_what_a_call_cost_and_nobody_knows_ends_a_budget_in_money_alone() -> None:
    unknown = Spent(1, 1, 0.5) + Spent(1, 1, None)
    assert unknown == Spent(2, 2, None)
    assert Budget(usd=100).exhausted(unknown) == "the budget is spent: an unknown sum of 100 US dollars"
    assert Budget(minutes=3).exhausted(unknown) == ""
    assert Budget(usd=0).exhausted(Spent()) != ""


@pytest.mark.parametrize(
    ("values", "tokens"),
    [
        ({"total_tokens": 253, "input_tokens": 132, "output_tokens": 121}, 253),  # OpenAI Realtime
        ({"input_tokens": 132, "output_tokens": 121, "input_token_details.audio_tokens": 13}, 253),
        ({"transcription.total_tokens": 22, "transcription.input_tokens": 20}, 22),
        ({"totalTokenCount": 40, "promptTokenCount": 30}, 40),  # Gemini Live
        ({"prompt_tokens": 5, "completion_tokens": 6}, 11),
        ({"seconds": 3.0}, 0),
        ({"total_tokens": float("nan")}, 0),
    ],
)
def test_tokens_are_counted_once_whatever_their_names(values: dict[str, float], tokens: int) -> None:
    assert tokens_of(values) == tokens


def test_reports_that_count_from_the_start_replace_each_other_and_others_add_up() -> None:
    meter = Meter(Nobody())
    for values, cumulative in ((10.0, False), (5.0, False), (100.0, True), (130.0, True)):
        meter.event(
            UsageReported(t=0, unit="tokens", values={"total_tokens": values}, cumulative=cumulative)
        )
    meter.event(UsageReported(t=0, unit="seconds", values={"total_tokens": 7}))
    assert meter.tokens == 145
    assert len(meter.reports) == 5


# --- estimates ----------------------------------------------------------------------------------

ONE = from_scenario(
    Scenario(id="one", title="One", turns=(Turn(text="Hi."),), limits=Limits(max_duration_s=60))
)
TWO = from_scenario(
    Scenario(id="two", title="Two", turns=(Turn(text="Ho."),), limits=Limits(max_duration_s=120))
)
A, B = "fake://?replies=1", "openai+ws://host/v1/realtime"


def test_an_estimate_follows_the_limits_and_does_not_guess_what_is_unknown() -> None:
    jobs = plan([ONE, TWO], [A, B], 2)
    found = estimate(jobs, RunLimits(2, breath_s=0), Prices({A: 0.5}), {ONE.sha256: 30.0})
    first, second = found.shares
    # twice 60 s and twice 120 s
    assert (first.calls, first.at_most_minutes, first.at_most_usd) == (4, 6.0, 3.0)
    assert (first.minutes, first.usd, second.at_most_usd) == (None, None, None)
    assert (found.seconds, found.known) == (None, 4)
    # both endpoints at once: 60 + 60 + 120 + 120
    assert found.at_most_seconds == 360


def test_an_estimate_from_earlier_calls_is_what_they_took() -> None:
    jobs = plan([ONE, TWO], [A], 3)
    before = {ONE.sha256: 30.0, TWO.sha256: 40.0}
    found = estimate(jobs, RunLimits(1, breath_s=1), Prices({A: 0.6}), before)
    # 3 x 30 + 3 x 40 = 210 s of call, five breaths between them
    assert found.shares[0].minutes == pytest.approx(3.5)
    assert found.shares[0].usd == pytest.approx(2.1)
    assert found.seconds == 215
    slow = estimate(jobs, RunLimits(8, starts_per_minute=1), Prices({}), before)
    assert slow.seconds == 5 * 60 + 40


def test_earlier_calls_are_found_in_the_manifests_beside_and_void_ones_tell_nothing(tmp_path: Path) -> None:
    lengths = {
        "a": (30.0, Outcome.COMPLETED),
        "b": (50.0, Outcome.COMPLETED),
        "c": (1.0, Outcome.CANCELLED),
    }
    episodes = tuple(
        Planned(
            id=id, scenario="one", pack="", endpoint=A, repeat=0, seed=0, scenario_sha256="x", state="done",
            outcome=outcome, attempts=(Attempt(folder=id, outcome=outcome, duration_s=seconds),),
        )
        for id, (seconds, outcome) in lengths.items()
    )  # fmt: skip
    info = RunInfo(id="r", started_at_utc="2026-01-01T00:00:00Z", episodes=episodes)
    Run.create(tmp_path / "r", info).close()
    (tmp_path / "other").mkdir()
    (tmp_path / "other/run.json").write_text("[]")
    assert held_before(tmp_path) == {"x": 40.0}
    assert held_before(tmp_path / "nowhere") == {}
