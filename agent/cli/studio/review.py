"""People's check of a pack that was grown, in the studio: which pack, by whom."""

from __future__ import annotations

import sys
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from agent.cli.studio.labelling import LabelRequest
    from scoring.labelling.review_desk import ReviewDesk


class NothingToReview(ValueError):
    """No pack, more than one, or no sample in it, and what to do."""


def packs_among(paths: Sequence[Path]) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Folders of packs that have grown, and all other paths; the queue of a pack names the pack."""
    from agent.cli.packs.grow_store import REVIEW, SETTINGS

    packs: list[Path] = []
    others: list[Path] = []
    for path in paths:
        folder = path.parent if path.name == REVIEW and path.is_file() else path
        if (folder / SETTINGS).is_file():
            packs.append(folder)
        else:
            others.append(path)
    return tuple(dict.fromkeys(packs)), tuple(others)


def packs_checked(paths: Sequence[Path], person: str) -> None:
    """See that there is one pack for a person to check, if there is a person or a pack.

    Raises:
        NothingToReview: There is none, or more than one.
    """
    packs, _ = packs_among(paths)
    if len(packs) > 1 or (person and not packs):
        found = f"{len(packs)} packs that have grown" if packs else "no pack that has grown"
        remedy = "Name one: the --out of viva scenarios grow."
        raise NothingToReview(f"{found} to be checked among the paths. {remedy}")


def review_routes_of(packs: Sequence[Path], asked: LabelRequest) -> tuple[list[BaseRoute], list[str]]:
    """Routes of the check, and its name; none without a pack.

    Args:
        packs: That were named: none, or one.
        asked: How people are asked.

    Raises:
        NothingToReview: No sample waits in the pack.
        RecordingError: The sample cannot be read.
        NameUnfit: Nobody can be called so.
    """
    from recordings.label_files import person_named
    from recordings.studio.label_routes import review_routes

    if asked.review:
        person_named(asked.review)
    if not packs:
        return [], []
    made = _Desk(packs[0], asked)
    made.tell()
    return review_routes(made.get), ["review"]


class _Desk:
    """The desk, made when it is first asked for."""

    def __init__(self, pack: Path, asked: LabelRequest) -> None:
        from agent.cli.packs.grow_store import REVIEW

        self._pack, self._asked = pack, asked
        self._queue = pack / REVIEW
        self._making = threading.Lock()

    def get(self) -> ReviewDesk:
        """The desk; may be called from several threads."""
        with self._making:
            return self._desk

    @cached_property
    def _desk(self) -> ReviewDesk:
        from agent.cli.studio.labelling import utc
        from recordings.errors import RecordingError
        from recordings.label_files import FOLDER, LabelFolder
        from scoring.labelling.review_desk import ReviewDesk

        labels = self._pack / FOLDER
        if labels.resolve() != self._pack.resolve() / FOLDER:
            raise RecordingError(labels, "leads elsewhere", "Labels of a pack are kept in its folder.")
        asked = self._asked
        return ReviewDesk(
            *(self._queue, LabelFolder(labels), utc),
            person=asked.review,
            seed=asked.seed,
            twice=asked.twice,
            again=asked.again,
        )

    def tell(self) -> None:
        """Say what there is to do, on standard error.

        Raises:
            NothingToReview: There is nothing.
        """
        units = self.get().about().units if self._queue.is_file() else 0
        if not units:
            remedy = f"Draw one: viva scenarios grow ... --out {self._pack} --sample 50"
            raise NothingToReview(f"{self._queue}: no sample waits. {remedy}")
        sys.stderr.write(f"{units} scenarios of {self._pack} to be checked\n")
