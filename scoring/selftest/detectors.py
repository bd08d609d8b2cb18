"""The rules by which the self-test calls a defect from what was measured. Pure.

Each threshold lies halfway between what the clean endpoint is made to do and the smallest dose that is
planted, as both are written in `agent.selftest.plan` and `streams.reference.rehearsed`; where the clean
value is not made but measured (words, noise, breaking off), the threshold was fixed on calls with seeds
below 3000, which no report uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scoring.selftest.readings import Readings

Rule = Callable[[Readings], float | None]
"""Gives the dose that was measured if the defect is there, else None."""


@dataclass(frozen=True, slots=True)
class Detector:
    """One rule.

    Attributes:
        unit: Of the dose.
        finds: The rule.
        says: In words.
    """

    unit: str
    finds: Rule
    says: str


CLEAN_LATENCY_S = 1.0
CLEAN_YIELD_S = 0.8


def _above(value: float | None, threshold: float, less: float = 0.0) -> float | None:
    return value - less if value is not None and value > threshold else None


def _below(value: float | None, threshold: float) -> float | None:
    return value if value is not None and value < threshold else None


def _never(r: Readings) -> float | None:
    return 1.0 if r.went_on and (r.to_stop_s or 0.0) > 2.0 else None


def _late_stop(r: Readings) -> float | None:
    late = not r.went_on and (r.to_stop_s or 0.0) > (CLEAN_YIELD_S + 1.5) / 2
    return (r.cut_s or r.to_stop_s) if late else None


DETECTORS: Mapping[str, Detector] = {
    "late": Detector("s", lambda r: _above(r.latency_s, 1.15, CLEAN_LATENCY_S), "median latency > 1.15 s"),
    "never_yields": Detector("", _never, "goes on for > 2 s, to its own end"),
    "yields_late": Detector("s", _late_stop, "time to yield > 1.15 s"),
    "yields_to_backchannel": Detector("s", lambda r: r.mm_hm_stop_s, "a false yield"),
    "cuts_in": Detector("s", lambda r: r.cut_in_s, "begins to talk in a declared pause"),
    "talks_over": Detector("s", lambda r: r.talk_over_s, "begins to talk while the user is heard"),
    "dead_air": Detector("s", lambda r: _above(r.hole_s, 0.575), "silence > 0.575 s within a reply"),
    "drops_words": Detector("share", lambda r: _above(r.dropped, 0.06), "> 6 % of its words not heard"),
    "swaps_fact": Detector("share", lambda r: _above(r.wrong_facts, 0.0), "a fact is contradicted"),
    "swaps_number": Detector("share", lambda r: _above(r.wrong_numbers, 0.0), "a number is contradicted"),
    "clips": Detector("share", lambda r: _above(r.clipped, 0.005), "> 0.5 % of the samples at full scale"),
    "noise": Detector("dB", lambda r: _below(r.noise_db, 30.0), "background less than 30 dB below speech"),
    "echo": Detector("dB", lambda r: r.echo_db, "the user's voice comes back, correlation > 0.5"),
    "repeats": Detector("count", lambda r: _above(r.repeated, 0.5), "its last six words were said before"),
    "answers_previous": Detector("count", lambda r: r.behind, "states facts of an earlier question only"),
    "stops_mid_word": Detector("", lambda r: _above(r.broken_off, 0.5), "most replies end above -18 dB"),
    "goes_silent": Detector("count", lambda r: r.answered, "the last two turns or more get no reply"),
    "leaks": Detector("count", lambda r: r.leaked_in, "six words of its instructions are heard"),
    "falls_behind": Detector("share", lambda r: _below(r.speed, 0.925), "audio comes below 0.925 x"),
}
"""By the name of the defect."""

IMPLIES: Mapping[str, Mapping[str, str]] = {
    "stops_mid_word": {"drops_words": "the words after the place where it stops are not heard"},
}
"""Findings that come with a defect and are no false alarm: by what is planted and found, and why."""


def findings(readings: Readings) -> dict[str, float]:
    """The defects that are found in a call, each with the dose that was measured."""
    found = {name: detector.finds(readings) for name, detector in DETECTORS.items()}
    return {name: dose for name, dose in found.items() if dose is not None}
