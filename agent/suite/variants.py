"""Conditions and users that a run puts in the place of those of its scenarios, to compare them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scenarios.conditions import Conditions
from scenarios.document import read_document
from scenarios.load import LoadedScenario, scenario_sha256
from scenarios.manners import MannerError, style, voice
from scenarios.problems import Problem, ScenarioError
from scenarios.validate import validated

CLEAN, WRITTEN = "clean", "as-written"
"""Names of the condition that does nothing, and of what the scenario itself says."""


@dataclass(frozen=True, slots=True)
class Variant:
    """What is put in the place of a part of every scenario.

    Attributes:
        name: As people know it; "" leaves scenarios as they are written.
        slug: The same in the ids of episodes.
        conditions: What room and line do, or None.
        voice: Who speaks, or None.
        style: In which manner, or None.
    """

    name: str = ""
    slug: str = ""
    conditions: Conditions | None = None
    voice: str | None = None
    style: str | None = None

    def applied(self, loaded: LoadedScenario) -> LoadedScenario:
        """A scenario with this in its place; its hash is another if anything changed."""
        changes: dict[str, Any] = {}
        if self.conditions is not None:
            changes["conditions"] = self.conditions
        persona = {k: v for k, v in (("voice", self.voice), ("style", self.style)) if v is not None}
        if persona:
            changes["persona"] = loaded.scenario.persona.model_copy(update=persona)
        if not changes:
            return loaded
        scenario = loaded.scenario.model_copy(update=changes)
        return replace(loaded, scenario=scenario, sha256=scenario_sha256(scenario))


AS_WRITTEN = Variant()
"""Leaves every scenario as it is."""


def condition(name: str) -> Variant:
    """A condition by name: `as-written`, `clean`, or a YAML file with what stands below `conditions:`.

    Raises:
        ScenarioError: The file cannot be read, or is not valid; names every problem.
    """
    if name == WRITTEN:
        return Variant(WRITTEN, f"c-{WRITTEN}")
    if name == CLEAN:
        return Variant(CLEAN, f"c-{CLEAN}", conditions=Conditions())
    path = Path(name).expanduser()
    if not path.is_file():
        expected = f"{WRITTEN}, {CLEAN}, or a YAML file with room and line as in a scenario"
        raise ScenarioError([Problem(path, 0, 0, (), "no condition of that name", expected, "")])
    document = read_document(path)
    found = validated(document, Conditions)
    if found is None or document.problems:
        raise ScenarioError(document.problems)
    # scenarios name sounds relative to themselves, this file relative to itself
    noise = tuple(
        bed.model_copy(update={"bed": str((path.parent / bed.bed).resolve())}) if bed.file else bed
        for bed in found.noise
    )
    return Variant(path.stem, f"c-{_slug(path.stem)}", conditions=found.model_copy(update={"noise": noise}))


def user(spec: str) -> Variant:
    """A user by voice and manner: `anna`, `frank, whispering`, or `as-written`.

    Raises:
        MannerError: Voice or style is not known, or they do not go together.
    """
    if spec == WRITTEN:
        return Variant(WRITTEN, f"u-{WRITTEN}")
    who, comma, how = (part.strip() for part in spec.partition(","))
    _ = voice(who) + style(how)
    if not who and not how:
        raise MannerError("an empty user", "VOICE, or VOICE, STYLE", "`viva voices` lists them")
    name = f"{who}, {how}" if comma else who
    return Variant(name, f"u-{_slug(name)}", voice=who, style=how)


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
