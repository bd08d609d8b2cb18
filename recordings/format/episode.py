"""episode.json: what was called, how, and what came of it."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from recordings.format.outcome import Fault, Outcome
from recordings.format.record import LONGEST_S, Record

EPISODE_VERSION = 1
"""Version of the episode format."""


class Absent(StrEnum):
    """What a finished episode does not hold."""

    USER_CLEAN = "user_clean"  # the voice before conditions: unknown, or the same; `user` stands for it
    OVERLAP = "overlap"  # who spoke while the other did: both were mixed, and told apart by words
    ARRIVALS = "arrivals"  # what arrived, and when: received.wav and its index


class SourceFile(Record):
    """A file that an imported episode was made of: its name without folders."""

    name: str
    sha256: str


class Imported(Record):
    """Where an episode comes from that we did not record, and what in it was not observed but inferred.

    Attributes:
        format: What was read ("stereo", "pair", "tau2", "pipecat").
        files: What it was made of.
        words: Where the words are from: the names of files, or "" if there are none but a recogniser's.
        inferred: What was derived from the audio or the words, by field, and how.
        notes: What was left out or did not fit, in sentences.
    """

    format: str
    files: tuple[SourceFile, ...] = ()
    words: str = ""
    inferred: dict[str, str] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Model(Record):
    """A model that took part."""

    role: str
    family: str
    name: str
    version: str
    sha256: str = ""


class Lateness(Record):
    """How late the 20 ms ticks were, in milliseconds."""

    ticks: int
    median: float
    p99: float
    worst: float
    skipped: int = 0


class EndpointInfo(Record):
    """The endpoint as it was called; no secrets."""

    address: str
    protocol: str
    session: str = ""
    model: str = ""
    capabilities: dict[str, Any] = Field(default_factory=dict)


class EpisodeInfo(Record):
    """episode.json: written at the start with outcome `unfinished`, and last of all, atomically.

    Attributes:
        scenario: The whole scenario as it was run; what is absent has its default.
        scenario_sha256: Hash of its canonical JSON: two episodes with the same hash are comparable.
        clock: "wall" or "simulated"; "unknown" of an imported call.
        user: Who called.
        reason: A sentence for people about the outcome.
        unheard_tail_ms: Audio that arrived and was not played before the end of the session.
        absent: What was not recorded; its files are not there.
        imported: Where the recording comes from, if it was made elsewhere.
        fusion: How its pack makes one label of content, manner and voice quality ("content-first@1"); "" if
            it does not say.
    """

    schema_version: int = EPISODE_VERSION
    id: str
    run: str = ""
    pack: str = ""
    fusion: str = ""
    scenario: dict[str, Any]
    scenario_sha256: str
    endpoint: EndpointInfo
    seed: int
    repeat: int = 0
    clock: Literal["wall", "simulated", "unknown"]
    user: Literal["simulated", "person"] = "simulated"
    started_at_utc: str
    user_rate: int = Field(gt=0)
    endpoint_rate: int = Field(gt=0)
    duration_s: float = Field(default=0.0, ge=0, le=LONGEST_S)
    outcome: Outcome = Outcome.UNFINISHED
    fault: Fault = Fault.US
    reason: str = ""
    lateness: Lateness | None = None
    unheard_tail_ms: float = 0.0
    late_pieces: int = 0
    models: tuple[Model, ...] = ()
    vivavoce: str = ""
    absent: tuple[Absent, ...] = ()
    imported: Imported | None = None

    def part(self, name: str) -> dict[str, Any]:
        """A part of the scenario ("limits"); {} if it is absent, or of another shape than ours."""
        found = self.scenario.get(name)
        return found if isinstance(found, dict) else {}
