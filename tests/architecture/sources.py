"""The Python files of the project, parsed: what the rules are kept on."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]

ROOMS = ("agent", "user_sim", "streams", "scoring", "scenarios", "recordings")
"""The import packages of the project."""

BESIDE = ("tests", "examples", "benchmarks")
"""Python beside the rooms: may import them all, and is imported by none."""


@dataclass(frozen=True)
class Source:
    """A Python file: its path below the root, its lines, its syntax tree."""

    path: Path
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    @property
    def module(self) -> str:
        """Its name as an import."""
        parts = self.path.with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def sources(root: Path, folders: tuple[str, ...] = ROOMS) -> Iterator[Source]:
    """Every Python file below these folders of a root, in order."""
    for folder in folders:
        for file in sorted((root / folder).rglob("*.py")):
            yield parse(root, file)


@functools.cache
def parse(root: Path, file: Path) -> Source:
    """One file below a root; each is read once."""
    text = file.read_text(encoding="utf-8")
    return Source(file.relative_to(root), text, ast.parse(text, str(file)))
