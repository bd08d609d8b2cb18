"""What the studio needs of other rooms, as protocols: `agent.cli.studio.listen` puts the parts in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel

from recordings.studio.library import Found


class Episodes(Protocol):
    """Makes what is shown of an episode; called in threads."""

    def episode(self, folder: Path, id: str, *, live: bool) -> BaseModel:
        """The whole view.

        Raises:
            RecordingError: The episode cannot be read.
        """

    def outline(self, folder: Path, id: str, *, live: bool) -> BaseModel:
        """What can be told at once.

        Raises:
            RecordingError: The episode cannot be read.
        """

    def curves(self, folder: Path) -> BaseModel:
        """Pitch and loudness.

        Raises:
            RecordingError: The episode cannot be read.
        """


class Tables(Protocol):
    """Makes tables of many episodes; called in threads."""

    def catalogue(self, found: Sequence[Found]) -> Mapping[str, Any]:
        """Runs, and all episodes in columns: `runs`, `count`, `columns`."""

    def warm_up(self, found: Sequence[Found]) -> None:
        """Read what the first look at the table would wait for."""

    def compare(
        self, found: Sequence[Found], first: Path, second: Path | None, by: str
    ) -> Mapping[str, Any]:
        """What differs between two runs, or inside one.

        Raises:
            RecordingError: An episode cannot be read.
            NotComparable: There are no two sides.
        """


class NotComparable(ValueError):
    """There is nothing to compare, and why."""


@dataclass(frozen=True, slots=True)
class Parts:
    """All of them."""

    episodes: Episodes
    tables: Tables
