"""A gate as annotations of GitHub Actions: lines of output that its runner shows beside the change.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Iterator

from scoring.gate.checks import Check, GateResult, Kind, Status, reason_of
from scoring.report.safe import neutralise

MOST = 10
"""GitHub shows ten annotations of a kind for each step."""


def annotate(result: GateResult) -> Iterator[str]:
    """Lines to print: errors, thresholds and regressions first, and one for the rest; warnings."""
    failed = [*result.having(Status.FAILED), *result.having(Status.UNDECIDED)]
    failed.sort(key=lambda check: check.kind is Kind.EXPECTATION)
    shown = failed if len(failed) <= MOST else failed[: MOST - 1]
    for check in shown:
        yield _annotation("error", check)
    if len(failed) > len(shown):
        yield f"::error title=viva gate::{len(failed) - len(shown)} more failed"
    for check in result.compared_with_nothing[:MOST]:
        yield _annotation("warning", check)


def _annotation(level: str, check: Check) -> str:
    title = _escaped(f"viva gate: {check.kind.value} {check.name}").replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={title}::{_escaped(reason_of(check))}"


def _escaped(text: str) -> str:
    """A text of others stays one line, and none of its per cent signs begins an escape of GitHub's."""
    return neutralise(text).replace("%", "%25")
