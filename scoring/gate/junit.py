"""A gate as JUnit XML, which every continuous integration shows: a suite for each kind and endpoint."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from scoring.gate.checks import Check, GateResult, Status
from scoring.report.safe import neutralise

_TAGS = {Status.FAILED: "failure", Status.UNDECIDED: "error", Status.SKIPPED: "skipped"}


def write_junit(result: GateResult, path: Path) -> None:
    """Write the file.

    Raises:
        OSError: It cannot be written.
    """
    path.write_bytes(junit(result))


def junit(result: GateResult) -> bytes:
    """The document, UTF-8."""
    root = ElementTree.Element("testsuites", {"name": _text(result.run), **_counts(result.checks)})
    suites: dict[tuple[str, str], list[Check]] = {}
    for check in result.checks:
        suites.setdefault((check.kind.value, check.endpoint), []).append(check)
    for (kind, endpoint), checks in suites.items():
        name = _text(f"{kind}: {endpoint}")
        suite = ElementTree.SubElement(root, "testsuite", {"name": name, **_counts(checks)})
        for check in checks:
            case = ElementTree.SubElement(
                suite, "testcase", classname=name, name=_text(check.name), time=f"{check.seconds:.3f}"
            )
            if tag := _TAGS.get(check.status):
                ElementTree.SubElement(case, tag, message=_text(check.reason))
            elif check.reason:
                ElementTree.SubElement(case, "system-out").text = _text(check.reason)
    ElementTree.indent(root)
    document: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _counts(checks: tuple[Check, ...] | list[Check]) -> dict[str, str]:
    def count(status: Status) -> str:
        return str(sum(check.status is status for check in checks))

    return {
        "tests": str(len(checks)),
        "failures": count(Status.FAILED),
        "errors": count(Status.UNDECIDED),
        "skipped": count(Status.SKIPPED),
        "time": f"{sum(check.seconds for check in checks):.3f}",
    }


def _text(text: str) -> str:
    """Text of others: XML has no word for control characters, half characters and non-characters."""
    return neutralise(text).translate(
        {0xFFFE: "\N{REPLACEMENT CHARACTER}", 0xFFFF: "\N{REPLACEMENT CHARACTER}"}
    )
