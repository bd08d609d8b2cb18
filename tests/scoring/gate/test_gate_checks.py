"""What a gate lets pass: expectations, thresholds, regressions (`scoring.gate`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import pytest

from recordings.format import Attempt, Outcome, Planned
from scoring.compare.metrics import Better, Compared, chosen
from scoring.digest.columns import Digest
from scoring.gate.checks import Check, Kind, Status
from scoring.gate.gate import gate
from scoring.gate.regression import NEEDS, regressions
from scoring.gate.thresholds import Bound, thresholds
from tests.scoring.digests import BY_NAME, Made, digest

LATENCY = Compared("response_latency", Better.LOWER, 100.0)
PASSED = Compared("passed", Better.HIGHER, 0.1)


def calls(passed: Sequence[int | None], **more: object) -> list[Made]:
    """One call for each: passed, failed, or unscored."""
    return [
        Made(
            f"s{n:02}", n,
            values={} if one is None else {"passed": [one]},
            missing={"passed": ["not_judged"]} if one is None else {},
            failed=() if one else ("fact a: missing",),
            **more,  # type: ignore[arg-type]
        )
        for n, one in enumerate(passed)
    ]  # fmt: skip


def checks(made: Digest, *bounds: Bound, baseline: Digest | None = None) -> list[Check]:
    return list(gate("run", made, bounds, BY_NAME, baseline, (LATENCY, PASSED)).checks)


def told(made: Digest, *bounds: Bound, kind: Kind = Kind.THRESHOLD) -> list[tuple[str, str, str]]:
    return [(c.name, c.status.value, c.reason) for c in checks(made, *bounds) if c.kind is kind]


# --- expectations -------------------------------------------------------------------------------


def test_every_call_must_pass_and_what_is_void_or_unscored_says_nothing() -> None:
    made = digest(
        *calls([1, 0, None]), Made("void", outcome=Outcome.CONNECT_FAILED, values={"passed": [0]})
    )
    assert told(made, kind=Kind.EXPECTATION) == [
        ("s00-0", "passed", ""),
        ("s01-1", "failed", "fact a: missing"),
        ("s02-2", "skipped", "unscored: not judged"),
        ("void-3", "skipped", "void: connect failed"),
    ]
    assert gate("run", made, (), BY_NAME).status is Status.FAILED


def test_with_a_threshold_on_calls_that_pass_a_single_one_may_fail() -> None:
    made = digest(*calls([1, 1, 1, 0]))
    relaxed = gate("run", made, (Bound("passed", least=0.75),), BY_NAME)
    assert relaxed.status is Status.PASSED
    assert [c.status for c in relaxed.checks if c.kind is Kind.EXPECTATION][-1] is Status.SKIPPED
    strict = gate("run", made, (Bound("passed", least=0.76),), BY_NAME)
    (failed,) = strict.having(Status.FAILED)
    assert failed.reason == "calls that passed 75.0 %, asked for: at least 76.0 % (n = 4)"


# --- the plan -----------------------------------------------------------------------------------


State = Literal["planned", "running", "done"]


def planned(number: int, state: State, endpoint: str = "fake://a") -> Planned:
    attempts = (Attempt(folder=f"s{number:02}-{number}"),) if state == "done" else ()
    return Planned(
        id=f"s{number:02}", scenario="s", pack="", endpoint=endpoint, repeat=0, seed=number, state=state,
        attempts=attempts,
    )  # fmt: skip


def test_a_run_that_was_not_held_to_its_end_is_not_let_pass() -> None:
    made = digest(*calls([1, 1, 1]))
    done = [planned(n, "done") for n in range(3)]
    assert gate("run", made, (), BY_NAME, plan=done).status is Status.PASSED
    half = [*done, planned(3, "running"), planned(4, "planned"), planned(0, "planned", "fake://b")]
    result = gate("run", made, (), BY_NAME, plan=half)
    assert result.status is Status.UNDECIDED
    assert result.to_json()["reasons"] == [
        "threshold held (fake://a): 2 of 5 calls of the plan are not held: viva run --resume holds them",
        "threshold held (fake://b): 1 of 1 calls of the plan are not held: viva run --resume holds them",
    ]
    # what fails has failed, whatever is left
    assert gate("run", digest(*calls([1, 0, 1])), (), BY_NAME, plan=half).status is Status.FAILED


def test_a_call_that_left_no_recording_is_counted_as_void() -> None:
    made = digest(*calls([1] * 9))
    plan = [planned(n, "done") for n in range(9)]
    lost = planned(9, "done", "fake://b")
    assert gate("run", made, (), BY_NAME, plan=[*plan, planned(9, "done")]).status is Status.PASSED
    two = gate("run", made, (), BY_NAME, plan=[*plan, planned(9, "done"), planned(10, "done")])
    assert two.to_json()["reasons"] == [
        "threshold void_share (fake://a): 2 of 11 calls void (18.2 %), asked for: at most 10.0 %"
    ]
    (reason,) = gate("run", made, (), BY_NAME, plan=[*plan, lost]).to_json()["reasons"]
    assert reason.startswith("threshold void_share (fake://b): 1 of 1 calls void")


def test_a_gate_that_saw_no_call_scored_does_not_pass() -> None:
    result = gate("run", digest(*calls([None, None])), (), BY_NAME)
    assert result.status is Status.UNDECIDED
    (reason,) = result.to_json()["reasons"]
    assert reason.startswith("threshold passed (fake://a): no call could be scored (2")
    assert gate("run", digest(*calls([None, 1])), (), BY_NAME).status is Status.PASSED


def test_an_endpoint_whose_calls_we_spoiled_has_missed_no_bound() -> None:
    void = digest(*(Made("v", n, outcome=Outcome.CONNECT_FAILED) for n in range(3)))
    assert gate("run", void, (Bound("response_latency", most=900),), BY_NAME).status is Status.UNDECIDED


# --- thresholds ---------------------------------------------------------------------------------


def test_a_bound_is_kept_endpoint_by_endpoint() -> None:
    quick = [Made("s", n, "fake://quick", {"response_latency": [500, 700]}) for n in range(2)]
    slow = [Made("s", n, "fake://slow", {"response_latency": [1500]}) for n in range(2)]
    found = checks(digest(*quick, *slow), Bound("response_latency", most=600))
    assert [(c.endpoint, c.status) for c in found if c.name == "response_latency"] == [
        ("fake://quick", Status.PASSED), ("fake://slow", Status.FAILED),
    ]  # fmt: skip


def test_what_could_not_be_measured_does_not_keep_its_bound() -> None:
    made = digest(Made(missing={"endpoint_wer_heard": ["no_text", "no_text"]}))
    bound = Bound("endpoint_wer_heard", most=0.1)
    (found, _) = told(made, bound)
    why = "could not be measured (2\N{NO-BREAK SPACE}no\N{NO-BREAK SPACE}text); asked for: at most 10.0 %"
    assert found[1:] == ("failed", why)
    assert "no occasion" in told(digest(Made()), Bound("yield_rate", least=0.9))[0][2]


def test_too_many_void_calls_leave_the_gate_undecided_and_not_failed() -> None:
    void = [Made("v", n, outcome=Outcome.BEHIND_REAL_TIME) for n in range(2)]
    made = digest(*calls([1] * 8), *void)
    result = gate("run", made, (), BY_NAME)
    assert result.status is Status.UNDECIDED
    assert result.to_json()["reasons"] == [
        "threshold void_share (fake://a): 2 of 10 calls void (20.0 %), asked for: at most 10.0 %"
    ]
    assert gate("run", made, (Bound("void_share", most=0.2),), BY_NAME).status is Status.PASSED
    # a run in which nothing was held is never let pass
    all_void = (Bound("void_share", most=1.0),)
    assert gate("run", digest(*void), all_void, BY_NAME).status is Status.UNDECIDED


@pytest.mark.parametrize(
    ("bound", "value", "kept"),
    [
        (Bound("x", most=0.1), 0.1, True),
        (Bound("x", most=0.3), 0.1 + 0.2, True),  # 0.30000000000000004
        (Bound("x", least=0.5, most=1), 0.49, False),
        (Bound("x", least=-5), -5, True),
    ],
)
def test_a_bound_includes_its_ends(bound: Bound, value: float, kept: bool) -> None:
    assert bound.keeps(value) is kept


def test_bounds_are_checked_for_every_metric_there_is() -> None:
    made = digest(Made())
    every = [Bound(name, least=0) for name in BY_NAME]
    assert len(list(thresholds(made, every, BY_NAME))) == len(BY_NAME) + 1  # and the share of void calls


# --- regressions --------------------------------------------------------------------------------


def run_of(rng: np.random.Generator, latency: float = 700, passes: float = 0.9, calls: int = 24) -> Digest:
    """A run of calls that differ from scenario to scenario, and from time to time."""
    return digest(
        *(
            Made(
                f"s{n:02}",
                n,
                values={
                    "response_latency": [latency + 20 * n + rng.gamma(2, 60) for _ in range(3)],
                    "passed": [float(rng.random() < passes)],
                },
            )
            for n in range(calls)
        )
    )


def regressed(before: Digest, now: Digest, *metrics: Compared) -> dict[str, Status]:
    return {c.name: c.status for c in regressions(now, before, metrics or (LATENCY, PASSED), BY_NAME)}


def test_an_endpoint_that_got_worse_is_found_and_one_that_got_better_is_not() -> None:
    rng = np.random.default_rng(1)
    before, slower, worse = run_of(rng), run_of(rng, latency=1100), run_of(rng, passes=0.3)
    assert regressed(before, slower) == {"response_latency": Status.FAILED, "passed": Status.PASSED}
    assert regressed(before, worse) == {"response_latency": Status.PASSED, "passed": Status.FAILED}
    assert set(regressed(slower, before).values()) == {Status.PASSED}
    (found, _) = regressions(slower, before, (LATENCY, PASSED), BY_NAME)
    assert found.reason.endswith("; worse by 377 ms, and the intervals part")  # 400 were planted


def test_a_difference_that_does_not_matter_is_none_though_the_intervals_part() -> None:
    before = digest(*(Made(f"s{n}", n, values={"response_latency": [500]}) for n in range(12)))
    now = digest(*(Made(f"s{n}", n, values={"response_latency": [599]}) for n in range(12)))
    assert regressed(before, now, LATENCY) == {"response_latency": Status.PASSED}
    enough = Compared("response_latency", Better.LOWER, 99.0)
    assert regressed(before, now, enough) == {"response_latency": Status.FAILED}


def test_too_few_episodes_say_nothing() -> None:
    rng = np.random.default_rng(2)
    few = run_of(rng, calls=NEEDS - 1)
    found = list(regressions(run_of(rng, latency=5000, calls=NEEDS - 1), few, (LATENCY,), BY_NAME))
    assert [c.status for c in found] == [Status.SKIPPED]
    assert "too little data: 7 and 7 episodes, 8 are needed" in found[0].reason


def test_only_calls_that_both_runs_have_are_looked_at() -> None:
    # the run has slow scenarios that the baseline lacks: they make nothing worse
    rng = np.random.default_rng(3)
    before = run_of(rng)
    slow = [Made(f"slow{n}", n, values={"response_latency": [9000]}) for n in range(30)]
    assert regressed(before, Digest.join([run_of(rng), digest(*slow)]))["response_latency"] is Status.PASSED
    (nothing,) = regressions(digest(*slow), before, (LATENCY,), BY_NAME)
    assert nothing.status is Status.SKIPPED and "no call of the baseline" in nothing.reason


def test_an_endpoint_that_the_baseline_does_not_have_is_told() -> None:
    rng = np.random.default_rng(4)
    others = [Made(f"s{n:02}", n, "fake://new", {"passed": [1.0]}) for n in range(24)]
    found = list(regressions(Digest.join([run_of(rng), digest(*others)]), run_of(rng), (PASSED,), BY_NAME))
    assert [(c.name, c.endpoint, c.status) for c in found] == [
        ("passed", "fake://a", Status.PASSED),
        ("all", "fake://new", Status.SKIPPED),
    ]
    assert found[1].reason == "the baseline has no call with this endpoint"


def test_a_share_of_none_or_all_has_a_width_too() -> None:
    # no failure in 24, then three: not more than chance, though a bootstrap of 24 ones has no width
    perfect = digest(*calls([1] * 24))
    assert regressed(perfect, digest(*calls([1] * 21 + [0] * 3)), PASSED) == {"passed": Status.PASSED}
    assert regressed(perfect, digest(*calls([1] * 12 + [0] * 12)), PASSED) == {"passed": Status.FAILED}


def test_equal_runs_are_rarely_held_up() -> None:
    """A hundred comparisons of all metrics that these runs have; docs/benchmarks.md has more of them."""
    rng = np.random.default_rng(5)
    every = chosen((), {})
    alarms = sum(Status.FAILED in regressed(run_of(rng), run_of(rng), *every).values() for _ in range(100))
    assert alarms <= 5
