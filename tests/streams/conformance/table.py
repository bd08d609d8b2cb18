"""The table of situations and adapters in `docs/protocols.md`.

`python -m tests.streams.conformance.table` writes it anew.
"""

from __future__ import annotations

from pathlib import Path

from tests.streams.conformance.adapters import FAMILIES, line_to
from tests.streams.conformance.situations import SITUATIONS, Situation

PAGE = Path(__file__).parents[3] / "docs" / "protocols.md"
BEGIN, END = "<!-- conformance -->", "<!-- end of conformance -->"


def table() -> str:
    """Markdown: for each family a row a situation, a column an adapter; played now, not remembered."""
    return "\n\n".join(_family(title, list(vendors)) for title, vendors in FAMILIES.items())


def _family(title: str, names: list[str]) -> str:
    rows = [[title, *names], ["---"] * (len(names) + 1)]
    rows += [[each.title, *(_outcome(name, each) for name in names)] for each in SITUATIONS]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def between_markers(page: str) -> str:
    """The table that the page has now."""
    return page.partition(BEGIN)[2].partition(END)[0].strip()


def _outcome(name: str, case: Situation) -> str:
    line = line_to(name)
    if case.needs - line.vendor.concepts:
        return "–"
    try:
        case.play(line)
    except AssertionError:
        return "**fails**"
    return "yes"


def main() -> None:
    page = PAGE.read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    _, found, tail = rest.partition(END)
    if not found:
        raise SystemExit(f"{PAGE}: no {BEGIN} and {END}; put both where the table belongs")
    PAGE.write_text(f"{head}{BEGIN}\n\n{table()}\n\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
