"""All checks of a run. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from recordings.format import Planned
from scoring.compare.metrics import Compared
from scoring.digest.columns import Digest
from scoring.gate.checks import Check, GateResult, Kind, Status
from scoring.gate.plan import held, unrecorded
from scoring.gate.regression import regressions
from scoring.gate.thresholds import Bound, thresholds
from scoring.metric import Metric
from scoring.report.figures import counts_text

PASSED = "passed"
"""The metric of expectations: with a bound of its own, single calls may fail."""


def gate(
    run: str,
    digest: Digest,
    bounds: Sequence[Bound],
    metrics: Mapping[str, Metric],
    baseline: Digest | None = None,
    compared: Sequence[Compared] = (),
    plan: Sequence[Planned] = (),
) -> GateResult:
    """Check a run.

    Args:
        run: Its name.
        digest: Its episodes.
        bounds: What its metrics must keep. Without one on `passed` every call must pass.
        metrics: All metrics by name.
        baseline: An earlier run: what got worse since fails.
        compared: What is looked at for that.
        plan: What was to be held; nothing if that is not known.

    Raises:
        NothingToCompare: Run and baseline have several endpoints, and none in common.
    """
    bound = any(each.metric == PASSED for each in bounds)
    checks = [
        *expectations(digest, digest.void.tolist(), counted=bound),
        *held(plan),
        *(() if bound else _unseen(digest)),
        *thresholds(digest, bounds, metrics, unrecorded(plan, digest)),
    ]
    if baseline is not None:
        checks += regressions(digest, baseline, compared, metrics)
    return GateResult(run, tuple(checks))


def _unseen(digest: Digest) -> Iterator[Check]:
    """Endpoints of which no call could be scored: a gate that passes what it did not see is none."""
    column = digest.columns[PASSED]
    scored = {digest.rows[place].endpoint for place in column.episode.tolist()}
    causes: dict[str, Counter[str]] = {}
    for place, code in column.missing.tolist():
        if not digest.void[place]:
            causes.setdefault(digest.rows[place].endpoint, Counter())[column.causes[code]] += 1
    for endpoint, missing in causes.items():
        if endpoint not in scored:
            why = f"no call could be scored ({counts_text(missing)})"
            yield Check(Kind.THRESHOLD, PASSED, endpoint, Status.UNDECIDED, why)


def expectations(digest: Digest, void: Sequence[bool], *, counted: bool) -> Iterator[Check]:
    """What became of each call.

    Args:
        digest: The episodes.
        void: Which of them say nothing.
        counted: A bound says how many must pass: a single one may fail.
    """
    column = digest.columns[PASSED]
    passed = dict(zip(column.episode.tolist(), column.values.values.tolist(), strict=True))
    unscored = {place: column.causes[code] for place, code in column.missing.tolist()}
    for place, row in enumerate(digest.rows):
        status, reason = Status.SKIPPED, f"unscored: {unscored.get(place, '').replace('_', ' ')}"
        if void[place]:
            reason = f"void: {row.outcome.value.replace('_', ' ')}"
        elif passed.get(place) == 1.0:
            status, reason = Status.PASSED, ""
        elif place in passed:
            reason = "; ".join(row.failed)
            status = Status.SKIPPED if counted else Status.FAILED
            reason = f"did not pass, which the threshold counts: {reason}" if counted else reason
        yield Check(Kind.EXPECTATION, row.id, row.endpoint, status, reason, row.duration_s, row.path)
