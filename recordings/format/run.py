"""run.json and run.jsonl: the manifest of a run, and its journal."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from recordings.format.outcome import Outcome
from recordings.format.record import Record

RUN_VERSION = 2
"""Version of the run manifest. Version 1 has no attempts and no scenarios: read, never resumed."""


class Attempt(Record):
    """One call that was begun for a planned episode. Its folder stays, whatever became of it.

    Attributes:
        folder: Its name in the folder of the run.
        outcome: None while it is under way.
        reason: A sentence for people about a void outcome.
    """

    folder: str
    outcome: Outcome | None = None
    reason: str = ""
    duration_s: float = 0.0


class Planned(Record):
    """One planned episode and its state.

    Attributes:
        endpoint_number: Place of its endpoint among those of the run, from 1.
        condition: Name of the condition it is held under; "" is as its scenario says.
        user: Name of the user who calls; "" is as its scenario says.
        outcome: Of the last attempt.
        attempts: In order; the last is the episode, those before it were void.
    """

    id: str
    scenario: str
    pack: str
    endpoint: str
    repeat: int
    seed: int
    endpoint_number: int = 1
    scenario_sha256: str = ""
    condition: str = ""
    user: str = ""
    state: Literal["planned", "running", "done"] = "planned"
    outcome: Outcome | None = None
    attempts: tuple[Attempt, ...] = ()

    @property
    def left(self) -> bool:
        """True if it is still to be held: not begun, broken off, or void for a reason that may pass."""
        spoiled = self.outcome is not None and self.outcome.void
        return self.state != "done" or (spoiled and self.outcome is not Outcome.SCENARIO_INVALID)


class PlannedScenario(Record):
    """A scenario as it is called with: the run goes on with it even if its file changes.

    Attributes:
        path: Its file: recordings that it names are relative to it.
        pack: The manifest of its pack, or None.
    """

    sha256: str
    path: str
    pack: dict[str, Any] | None = None
    scenario: dict[str, Any]


class RunInfo(Record):
    """run.json: the manifest of a run, and what became of it up to the last time it was put together.

    What has happened since stands in run.jsonl, one `Marked` a line; `recordings.run.load_run` reads both.

    Attributes:
        endpoints: Addresses in the order in which they were named, keys masked.
        settings: Who examines, and how, as options of the command line.
    """

    schema_version: int = RUN_VERSION
    id: str
    command: tuple[str, ...] = ()
    started_at_utc: str
    vivavoce: str = ""
    endpoints: tuple[str, ...] = ()
    settings: dict[str, Any] = Field(default_factory=dict)
    scenarios: tuple[PlannedScenario, ...] = ()
    episodes: tuple[Planned, ...] = ()


class Marked(Record):
    """One line of run.jsonl: how a planned episode stands from now on. Later lines replace earlier ones."""

    id: str
    state: Literal["planned", "running", "done"]
    outcome: Outcome | None = None
    attempts: tuple[Attempt, ...] = ()
