"""Label sources made of counts, and the tables of published counts."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from scoring.agreement.labels import Labels

DATA = Path(__file__).parents[2] / "data"
AUDIOJUDGE = DATA / "audiojudge"


def pair(counts: Mapping[tuple[str, str], int]) -> tuple[Labels, Labels]:
    """Two sources in which each pair of labels occurs so often."""
    pairs = [labels for labels, count in counts.items() for _ in range(count)]
    names = [f"item {k}" for k in range(len(pairs))]
    return (
        Labels("a", dict(zip(names, (a for a, _ in pairs), strict=True))),
        Labels("b", dict(zip(names, (b for _, b in pairs), strict=True))),
    )


def square(table: Sequence[Sequence[int]], names: Sequence[str] = "xyz") -> tuple[Labels, Labels]:
    """The same from a table: rows are the first source's labels."""
    return pair({(names[r], names[c]): n for r, row in enumerate(table) for c, n in enumerate(row)})


def labels(name: str = "a", /, **by_item: str) -> Labels:
    """A source of items with short names."""
    return Labels(name, by_item)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
