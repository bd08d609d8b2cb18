"""The options of `viva run`: as given, or as a run was begun with that is now resumed.

A run that is resumed goes on as it began. Who examines (voice, ears, judge) cannot change in the middle of
it; how it is held (sessions at a time, retries, budgets, gates) can, by saying so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recordings.errors import RecordingError

MASK = "***"

PLANNED = (
    "scenarios", "only", "tag", "domain", "sample", "sample_seed", "repeats", "condition", "user", "out",
)  # fmt: skip
"""Options that make the plan: it is made once."""

EXAMINES = (
    "simulated", "voice", "recogniser", "detector", "turn_detector", "llm", "judge", "judge_llm",
    "max_lateness",
)  # fmt: skip
"""Options of who examines: the same for all calls of a run."""

HELD = (
    "concurrency", "per_endpoint", "starts_per_minute", "retries", "budget_usd", "budget_tokens",
    "budget_minutes", "workers", "on", "price", "judge_cache", "judge_tokens", "judge_usd", "raw_log",
)  # fmt: skip
"""Options of how a run is held: a resumed run goes on with them unless others are named. What is made of it
in the end (reports, gates) is asked of each command anew."""


class Unresumable(ValueError):
    """An option that does not go with `--resume`."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one command.

    Attributes:
        values: By name, as declared in `agent.cli.commands.suites`.
        given: Names of those that stand on the command line.
    """

    values: Mapping[str, Any]
    given: Collection[str]

    def stored(self) -> dict[str, Any]:
        """What the manifest keeps for a resume: plain values, no secrets."""
        return {name: _plain(self.values[name]) for name in (*EXAMINES, *HELD)}

    def resumed(self, stored: Mapping[str, Any], folder: Path) -> Options:
        """The same for a run that is resumed.

        Args:
            stored: What its manifest keeps.
            folder: The run's, for errors.

        Raises:
            Unresumable: An option would change what examines, or what was planned.
            RecordingError: A value holds a key, which no file knows.
        """
        for name in PLANNED:
            if name in self.given:
                raise Unresumable(f"{flag(name)} does not go with --resume: the plan is in {folder}")
        values = dict(self.values)
        for name in (*EXAMINES, *HELD):
            if name not in stored:
                continue
            if name not in self.given:
                if MASK in str(stored[name]):
                    found = f"was begun with {flag(name)} {stored[name]}, whose key is in no file"
                    raise RecordingError(folder, found, f"Name it again with {flag(name)}.")
                values[name] = stored[name]
            elif name in EXAMINES and _plain(self.values[name]) != stored[name]:
                raise Unresumable(
                    f"{folder} was begun with {flag(name)} {stored[name]}; calls with another are not "
                    "comparable. Leave the option out, or start another run."
                )
        return Options(values, self.given)


def _plain(value: Any) -> Any:
    from agent.suite.manifest import without_keys

    if isinstance(value, Path):
        return str(value)
    if isinstance(value, str):
        return without_keys(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def flag(name: str) -> str:
    """An option as it is typed."""
    names = {"scenarios": "a scenario"}
    return names.get(name, "--" + name.replace("_", "-"))
