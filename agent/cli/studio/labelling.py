"""Labelling and A/B listening in the studio, put together: what is labelled, by whom, where it is kept."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from recordings.studio.library import Library
    from scoring.labelling.battle_desk import BattleDesk
    from scoring.labelling.desk import LabellingDesk
    from scoring.labelling.material import Material
    from scoring.labelling.plan import Work


@dataclass(frozen=True, slots=True)
class LabelRequest:
    """How people are asked in the studio.

    Attributes:
        label: Who labels here, and sees nothing else; "" opens the whole studio, and asks for a name.
        ab: Who listens to pairs here, likewise.
        review: Who checks the sample of a grown pack here; "" lets anybody give a name.
        dimensions: What is asked about; none takes content, voice quality and paralinguistics.
        twice: Share of the replies, or of a pack's sample, that two people label, the others being labelled
            by one; None: everybody labels everything.
        again: Share that each person labels a second time, at the end.
        judge: The judge that people are compared with; "" takes the only one that has rated.
        seed: Of the orders.
        labels: Folder of the labels; None takes `labels` in the first folder that is shown.
        store: Where battles are kept.
    """

    label: str = ""
    ab: str = ""
    review: str = ""
    dimensions: tuple[str, ...] = ()
    twice: float | None = None
    again: float = 0.0
    judge: str = ""
    seed: int = 0
    labels: Path | None = None
    store: Path = Path("battles.jsonl")

    @property
    def blind(self) -> bool:
        """Whether the studio is for labelling only."""
        return bool(self.label or self.ab)

    @property
    def page(self) -> str:
        """What comes after the address of the studio to open the page that is meant."""
        return "#/label" if self.label else "#/ab" if self.ab else "#/review" if self.review else ""


def label_routes(request: LabelRequest, library: Library) -> tuple[list[BaseRoute], list[str]]:
    """Routes of labelling and A/B listening, and the names of both.

    Raises:
        DimensionUnknown: There is no such dimension.
        NameUnfit: Nobody can be called so.
        NothingToLabel: Somebody is to label here, and there is nothing.
    """
    from recordings.label_files import person_named
    from recordings.studio.label_routes import ab_routes, labelling_routes
    from scoring.labelling.protocol import dimensions_named

    for name in filter(None, (request.label, request.ab)):
        person_named(name)
    dimensions_named(request.dimensions)
    desks = Desks(request, library)
    if request.blind:
        _tell(desks.material, request)
    return [*labelling_routes(desks.for_labels), *ab_routes(desks.for_battles)], ["labelling", "ab"]


class NothingToLabel(ValueError):
    """No reply, or no pair of replies, and what to do."""


class Desks:
    """Both desks over one material, made when they are first asked for: that reads every episode."""

    def __init__(self, request: LabelRequest, library: Library) -> None:
        self._request = request
        self._library = library
        self._making = threading.RLock()

    def for_labels(self) -> LabellingDesk:
        """The desk that asks for labels; may be called from several threads."""
        with self._making:
            return self._labelling

    def for_battles(self) -> BattleDesk:
        """The desk that asks for battles; may be called from several threads."""
        with self._making:
            return self._battles

    @cached_property
    def material(self) -> Material:
        """What can be labelled; an episode that cannot be read is counted, and told on standard error."""
        from pydantic import ValidationError

        from agent.cli.judging.trace import NamedRun, systems
        from recordings.errors import RecordingError
        from recordings.studio.library import NotHere
        from scoring.labelling.material import material, opened

        calls = []
        unreadable = 0
        for found in self._library.episodes():
            try:
                folder = self._library.episode(found.id)
                calls.append((NamedRun(folder.parent), opened(folder)))
            except (RecordingError, NotHere, ValidationError) as error:
                unreadable += 1
                sys.stderr.write(f"viva: {found.path}: left out ({error})\n")
        named = [(name, heard) for name, calls_of in systems(calls).items() for heard in calls_of]
        return material(named, unreadable)

    @cached_property
    def _work(self) -> Work:
        from scoring.labelling.plan import Work
        from scoring.labelling.protocol import dimensions_named

        asked = self._request
        dimensions = dimensions_named(asked.dimensions)
        return Work(self.material.units(), dimensions, asked.seed, asked.twice, asked.again)

    @cached_property
    def _labelling(self) -> LabellingDesk:
        from recordings.label_files import LabelFolder
        from scoring.labelling.desk import LabellingDesk
        from scoring.labelling.growth import Growth

        growth = Growth(self._request.judge, self._request.store)
        return LabellingDesk(
            self.material, self._work, LabelFolder(self._labels), growth, utc, self._request.label
        )

    @cached_property
    def _battles(self) -> BattleDesk:
        from recordings.label_files import LabelFolder
        from scoring.labelling.battle_desk import BattleDesk

        asked = self._request
        return BattleDesk(self.material, asked.store, LabelFolder(self._labels), utc, asked.ab, asked.seed)

    @property
    def _labels(self) -> Path:
        from recordings.errors import RecordingError
        from recordings.label_files import FOLDER

        root = self._library.roots[0]
        if self._request.labels is None and (root / FOLDER).resolve() != root / FOLDER:
            raise RecordingError(root / FOLDER, "leads elsewhere", "Name a folder: --labels DIR.")
        return self._request.labels or root / FOLDER


def _tell(material: Material, request: LabelRequest) -> None:
    """Say what there is to do, on standard error.

    Raises:
        NothingToLabel: There is nothing.
    """
    left_out = ", ".join(f"{count} {cause}" for cause, count in sorted(material.left_out.items()))
    pairs = len(material.matches)
    if not material.replies or (request.ab and not pairs):
        what = "no pair of replies to the same words" if request.ab else "no reply to anything"
        remedy = "Name two runs of the same scenarios and seeds." if request.ab else "Name another run."
        raise NothingToLabel(f"there is {what} here{f' ({left_out})' if left_out else ''}. {remedy}")
    sys.stderr.write(
        f"{len(material.replies)} replies, {pairs} pairs{f'; left out: {left_out}' if left_out else ''}\n"
    )


def utc() -> str:
    """The time, as labels have it."""
    from streams.clock import utc_now

    return utc_now().isoformat(timespec="microseconds")
