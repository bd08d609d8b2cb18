"""A gate in Markdown, for the summary of a pipeline or a comment on a change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from scoring.gate.checks import Check, GateResult, Kind, Status
from scoring.report.safe import neutralise

MOST = 50
"""Rows of a table; the rest is counted."""

_HEADLINES = {
    Status.PASSED: "passed",
    Status.FAILED: "failed",
    Status.UNDECIDED: "could not be decided",
}


def write_markdown(result: GateResult, path: Path) -> None:
    """Append the summary to a file, as `$GITHUB_STEP_SUMMARY` wants it.

    Raises:
        OSError: It cannot be written.
    """
    with path.open("a", encoding="utf-8", errors="replace") as file:
        file.write(markdown(result))


def markdown(result: GateResult) -> str:
    """The summary."""
    return "\n".join(_lines(result)) + "\n"


def _lines(result: GateResult) -> Iterator[str]:
    yield f"## viva gate {_HEADLINES[result.status]}"
    yield ""
    yield f"`{_code(result.run)}`: {counted(result)}"
    failed = [*result.having(Status.FAILED), *result.having(Status.UNDECIDED)]
    if failed:
        yield ""
        yield from _table("what failed", failed)
    others = [c for c in result.checks if c.kind is not Kind.EXPECTATION and c not in failed]
    if others:
        yield ""
        yield "<details><summary>Thresholds and comparisons that hold, or say nothing</summary>"
        yield ""
        yield from _table("what was looked at", others)
        yield ""
        yield "</details>"
    yield ""


def counted(result: GateResult) -> str:
    """How many checks of each kind came out how: "expectations: 11 passed, 1 failed; ..."."""
    parts = []
    for kind in Kind:
        own = [check for check in result.checks if check.kind is kind]
        if own:
            counts = [(s, sum(check.status is s for check in own)) for s in Status]
            told = ", ".join(f"{count} {status.value}" for status, count in counts if count)
            parts.append(f"{kind.value}s: {told}")
    return "; ".join(parts)


def _table(heading: str, checks: Sequence[Check]) -> Iterator[str]:
    yield f"| {heading} | endpoint | status | |"
    yield "| --- | --- | --- | --- |"
    for check in checks[:MOST]:
        what = f"{check.kind.value} {check.name}"
        yield f"| {_cell(what)} | {_cell(check.endpoint)} | {check.status.value} | {_cell(check.reason)} |"
    if len(checks) > MOST:
        yield f"| ... and {len(checks) - MOST} more | | | |"


def _cell(text: str) -> str:
    """Text of others as text: neither markup nor the end of its cell."""
    plain = neutralise(text).replace("\\", "\\\\")
    for sign in "|*_`[]<>#~":
        plain = plain.replace(sign, f"\\{sign}")
    return " ".join(plain.split())


def _code(text: str) -> str:
    return " ".join(neutralise(text).replace("`", "'").split())
