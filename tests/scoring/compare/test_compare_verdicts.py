"""Pairs, differences, and what is said of them (`scoring.compare`)."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import pytest
from rich.console import Console

from recordings.format import Outcome
from scoring.compare.metrics import COMPARED, MORE, Better, Compared, NotCompared, chosen
from scoring.compare.pairs import pair, pair_values
from scoring.compare.sides import By, NothingToCompare, between_runs, within_run
from scoring.compare.terminal import print_comparisons
from scoring.compare.verdict import Comparison, Verdict, compare
from scoring.digest.columns import Digest, Row
from scoring.metric import Statistic
from scoring.statistics.intervals import Interval
from tests.scoring.digests import BY_NAME, Made, digest

LATENCY = Compared("response_latency", Better.LOWER, 100.0)
PASSED = Compared("passed", Better.HIGHER, 0.1)


def key(row: Row) -> tuple[str, int]:
    return row.sha256, row.seed


def latencies(values: Sequence[float], endpoint: str, **more: object) -> list[Made]:
    """One call with a scenario of its own for each latency."""
    return [
        Made(f"s{n:02}", n, endpoint, {"response_latency": [value]}, **more)  # type: ignore[arg-type]
        for n, value in enumerate(values)
    ]


def compared(first: Sequence[float], second: Sequence[float], *metrics: Compared) -> Comparison:
    made = digest(*latencies(first, "fake://a"), *latencies(second, "fake://b"))
    (found,) = compare(within_run(made, By.ENDPOINT), metrics or (LATENCY,), BY_NAME)
    return found


# --- pairs --------------------------------------------------------------------------------------


def test_a_pair_is_the_same_scenario_and_seed_and_the_rest_is_counted_by_cause() -> None:
    first = digest(
        Made("both"), Made("mine"), Made("spoiled"), Made("spoiled-too", outcome=Outcome.CONNECT_FAILED),
        Made("edited", sha="old"), Made("both", seed=1),
    )  # fmt: skip
    second = digest(
        Made("both"), Made("yours"), Made("spoiled", outcome=Outcome.BEHIND_REAL_TIME), Made("spoiled-too"),
        Made("edited", sha="new"),
    )  # fmt: skip
    found = pair(first, second, key)
    assert found.count == 1
    assert (found.first.tolist(), found.second.tolist()) == ([0, -1, -1, -1, -1, -1], [0, -1, -1, -1, -1])
    assert dict(found.left_out) == {
        "not_held_on_the_other_side": 3,  # mine, yours, and the second seed of both
        "void_on_the_other_side": 2,
        "void": 2,
        "another_scenario_of_that_name": 2,
    }


def test_values_of_a_pair_are_put_together_as_the_metric_does() -> None:
    made = digest(
        Made(
            "a", values={"response_latency": [100, 900, 200], "passed": [1], "talk_over": [(1, 4), (1, 1)]}
        ),
        Made("b", values={"response_latency": [100, 400], "talk_over": [(0, 9)]}),
        Made("b", values={"response_latency": [600]}),
        Made("c"),
    )
    numbers = np.array([0, 1, 1, 2])

    def values(name: str, statistic: Statistic) -> list[float]:
        return [float(value) for value in pair_values(made.columns[name], statistic, numbers, 3)]

    nan = pytest.approx(float("nan"), nan_ok=True)
    # the second and third episode are one value: the median of 100, 400 and 600
    assert values("response_latency", Statistic.MEDIAN) == [200, 400, nan]
    # (1 + 1) / (4 + 1), not the mean of 1/4 and 1
    assert values("talk_over", Statistic.RATIO) == [0.4, 0, nan]
    assert values("talk_over", Statistic.MEAN) == [0.625, 0, nan]


# --- verdicts -----------------------------------------------------------------------------------

STEADY = [500.0 + 10 * n for n in range(12)]


def test_a_difference_that_is_large_and_never_chance_has_a_verdict() -> None:
    found = compared(STEADY, [value + 200 for value in STEADY]).metrics["response_latency"]
    assert (found.verdict, found.n, found.difference) == (Verdict.WORSE, 12, 200)
    assert isinstance(found.interval, Interval)
    assert found.interval.to_json() == pytest.approx([200, 200])
    assert found.p == found.corrected == 2 / 2**12
    better = compared([value + 200 for value in STEADY], STEADY).metrics["response_latency"]
    assert (better.verdict, better.difference) == (Verdict.BETTER, -200)


def test_a_difference_that_does_not_matter_is_none_however_certain() -> None:
    found = compared(STEADY, [value + 99 for value in STEADY]).metrics["response_latency"]
    assert found.corrected is not None and found.corrected < 0.001
    assert found.verdict is Verdict.NO_DIFFERENCE
    # what is exactly the smallest that matters does matter
    exact = compared(STEADY, [value + 100 for value in STEADY]).metrics["response_latency"]
    assert exact.verdict is Verdict.WORSE


def test_a_difference_that_chance_gives_as_often_is_none_however_large() -> None:
    swings = [value + (900 if n % 2 else -500) for n, value in enumerate(STEADY)]
    found = compared(STEADY, swings).metrics["response_latency"]
    assert found.difference == 200 and found.verdict is Verdict.NO_DIFFERENCE


def test_so_few_pairs_that_nothing_could_be_seen_are_said_to_be_too_few() -> None:
    # of five pairs the smallest p is 2/2^5 = 0.0625; of six 0.031
    assert compared([0] * 5, [9999] * 5).metrics["response_latency"].verdict is Verdict.TOO_LITTLE
    assert compared([0] * 6, [9999] * 6).metrics["response_latency"].verdict is Verdict.WORSE


def test_every_metric_more_asks_for_more_pairs() -> None:
    first = [Made(f"s{n}", n, "fake://a", {"response_latency": [0], "passed": [1]}) for n in range(6)]
    second = [Made(f"s{n}", n, "fake://b", {"response_latency": [500], "passed": [0]}) for n in range(6)]
    made = digest(*first, *second)
    (both,) = compare(within_run(made, By.ENDPOINT), (LATENCY, PASSED), BY_NAME)
    # each must reach 0.05 / 2: six pairs cannot (0.031), so neither is judged
    assert {one.verdict for one in both.metrics.values()} == {Verdict.TOO_LITTLE}
    assert both.metrics["passed"].corrected is None


def test_a_metric_without_values_costs_the_others_nothing() -> None:
    found = compared([0] * 6, [500] * 6, LATENCY, PASSED)
    assert found.metrics["response_latency"].verdict is Verdict.WORSE
    assert (found.metrics["passed"].n, found.metrics["passed"].verdict) == (0, Verdict.TOO_LITTLE)


def test_endpoints_that_are_equal_are_rarely_told_apart() -> None:
    """Sixty comparisons of two metrics, each at 5 % for both together: three expected, at most eight."""
    rng = np.random.default_rng(11)
    alarms = 0
    for _ in range(60):
        sides = []
        for name in ("fake://a", "fake://b"):
            for n in range(15):
                latency = 600 + 40 * n + rng.gamma(2, 150)
                passed = float(rng.random() < 0.3 + n / 25)
                values = {"response_latency": [latency], "passed": [passed]}
                sides.append(Made(f"s{n}", n, name, values))
        (found,) = compare(within_run(digest(*sides), By.ENDPOINT), (LATENCY, PASSED), BY_NAME)
        verdicts = {one.verdict for one in found.metrics.values()}
        alarms += bool(verdicts & {Verdict.BETTER, Verdict.WORSE})
    assert alarms <= 8


# --- sides --------------------------------------------------------------------------------------


def test_endpoints_of_a_run_are_compared_with_the_one_that_was_planned_first() -> None:
    made = digest(*(Made(f"s{n}", n, f"fake://{name}") for n in range(2) for name in "cab"))
    names = [(one.first.name, one.second.name) for one in within_run(made, By.ENDPOINT, first="s0-1")]
    assert names == [("fake://a", "fake://c"), ("fake://a", "fake://b")]
    named = within_run(made, By.ENDPOINT, against="//b")
    assert {one.first.name for one in named} == {"fake://b"}
    with pytest.raises(NothingToCompare, match="'fake' names 3 of"):
        within_run(made, By.ENDPOINT, against="fake")
    with pytest.raises(NothingToCompare, match="all calls have one user"):
        within_run(made, By.USER)


def test_users_and_conditions_are_compared_endpoint_by_endpoint() -> None:
    made = digest(
        *(
            Made("s", n, endpoint, {"response_latency": [500.0 + 300 * (user == "frank")]}, user=user)
            for n in range(8)
            for endpoint in ("fake://a", "fake://b")
            for user in ("anna", "frank")
        )
    )
    found = compare(within_run(made, By.USER), (LATENCY,), BY_NAME)
    assert [(one.within, one.pairs) for one in found] == [("fake://a", 8), ("fake://b", 8)]
    assert {one.metrics["response_latency"].difference for one in found} == {300}
    quiet, loud = (digest(*latencies(STEADY, "fake://a", condition=name)) for name in ("", "cafe"))
    noisy = Digest.join([quiet, loud])
    (one,) = within_run(noisy, By.CONDITION)
    assert (one.first.name, one.second.name) == ("clean", "cafe")
    assert pair(one.first.digest, one.second.digest, one.key).count == 12


def test_runs_of_one_endpoint_each_are_compared_whatever_it_is() -> None:
    old, new = digest(*latencies(STEADY, "fake://a")), digest(*latencies(STEADY, "fake://b"))
    (one,) = between_runs(old, new, ("old", "new"))
    assert (one.about, one.within, one.first.name) == ("run", "", "old")
    both = Digest.join([old, new])
    (shared,) = between_runs(both, digest(*latencies(STEADY, "fake://b")), ("old", "new"))
    assert shared.within == "fake://b"
    with pytest.raises(NothingToCompare, match="no endpoint is in both runs"):
        between_runs(both, digest(*latencies(STEADY, "fake://c"), *latencies(STEADY, "fake://d")), ("", ""))


def test_runs_of_two_users_are_a_comparison_of_the_users() -> None:
    old = digest(*latencies(STEADY, "fake://a", user="anna"))
    new = digest(*latencies(STEADY, "fake://a", user="frank"))
    (question,) = between_runs(old, new, ("old", "new"))
    (found,) = compare([question], (LATENCY,), BY_NAME)
    assert (found.about, found.pairs) == ("user", 12)


# --- what is compared ---------------------------------------------------------------------------


def test_every_metric_that_is_compared_exists_and_is_told_once() -> None:
    assert set(COMPARED) | set(MORE) <= set(BY_NAME)
    assert not set(COMPARED) & set(MORE)


def test_metrics_and_effects_can_be_named() -> None:
    assert chosen(["first_byte"], {"first_byte": 20.0}) == [Compared("first_byte", Better.LOWER, 20.0)]
    assert [one.metric for one in chosen([], {})] == list(COMPARED)
    for names, effects in ((["latency"], {}), ([], {"latency": 3.0})):
        with pytest.raises(NotCompared, match="'latency' cannot be compared"):
            chosen(names, effects)


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits_the_terminal_and_says_what_can_be_said(width: int) -> None:
    out = Console(file=io.StringIO(), width=width, highlight=False)
    print_comparisons([compared(STEADY, [value + 250 for value in STEADY], *chosen([], {}))], out)
    assert isinstance(out.file, io.StringIO)
    text = out.file.getvalue()
    assert "worse: response latency +250 ms" in text
    assert "12 pairs" in text
    assert ("0.000" in text) is (width == 120)
    (row,) = (line for line in text.splitlines() if line.startswith("response latency"))
    assert "…" not in row and row.rstrip().endswith("worse")
