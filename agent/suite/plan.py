"""Which episodes a run is made of. Pure."""

from __future__ import annotations

import fnmatch
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from agent.suite.variants import AS_WRITTEN, Variant
from scenarios.load import LoadedScenario
from streams.endpoints.secrets import redact_url


@dataclass(frozen=True, slots=True)
class Job:
    """One episode to be made: an entry of the plan. It can be pickled.

    Attributes:
        endpoint: Its address, as it was named; may hold a key.
        endpoint_number: Its place among the endpoints of the run, from 1.
        condition: Name of the condition it is held under; "" is as the scenario says.
        user: Name of the user who calls; "" is as the scenario says.
    """

    id: str
    scenario: LoadedScenario
    endpoint: str = field(repr=False)
    repeat: int
    seed: int
    endpoint_number: int = 1
    condition: str = ""
    user: str = ""

    @property
    def shown(self) -> str:
        """The address with keys masked: for screens and files."""
        return redact_url(self.endpoint)


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of the scenarios that were named are called with: those that fit every rule given.

    Attributes:
        only: Patterns (`*`, `?`, `[ab]`) of ids or of `pack/id`; one must fit.
        tags: One must be among the scenario's.
        domains: One must be the scenario's.
        sample: So many of them, drawn; None takes all.
        sample_seed: Of the draw. It draws the same scenarios in whatever order they are named, and
            a larger sample holds the smaller one.
    """

    only: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    sample: int | None = None
    sample_seed: int = 0


class NothingToCall(ValueError):
    """No scenario is left."""


class SameName(ValueError):
    """Two scenarios of one run have the same id, and so would write the same episode."""


def choose(scenarios: Sequence[LoadedScenario], choice: Choice) -> list[LoadedScenario]:
    """The scenarios that a choice leaves, in their order; one that is named twice is there once.

    Raises:
        NothingToCall: None is left; says what there was.
    """
    distinct = list({loaded.sha256: loaded for loaded in scenarios}.values())
    found = [loaded for loaded in distinct if _fits(loaded, choice)]
    if not found:
        raise NothingToCall(_nothing_left(distinct, choice))
    if choice.sample is None:
        return found
    drawn = sorted(found, key=lambda loaded: _lot(loaded, choice.sample_seed))[: choice.sample]
    kept = {loaded.sha256 for loaded in drawn}
    return [loaded for loaded in found if loaded.sha256 in kept]


def plan(
    scenarios: Sequence[LoadedScenario],
    endpoints: Sequence[str],
    repeats: int | None = None,
    conditions: Sequence[Variant] = (AS_WRITTEN,),
    users: Sequence[Variant] = (AS_WRITTEN,),
) -> list[Job]:
    """Every scenario under every condition, with every user, `repeats` times, with every endpoint.

    The seed depends on scenario and repeat alone: every endpoint is called by the same user, and the calls
    that are compared stand side by side. A scenario that is named twice is called once; an endpoint that is
    named twice is called twice.

    Args:
        scenarios: What to call with.
        endpoints: Their addresses.
        repeats: Calls of each; by default the scenario's own number.
        conditions: What room and line do; by default what the scenario says.
        users: Who calls; by default whom the scenario names.

    Raises:
        SameName: Two scenarios cannot be told apart.
    """
    distinct = list({loaded.sha256: loaded for loaded in scenarios}.values())
    jobs: list[Job] = []
    for loaded, name in zip(distinct, _names(distinct), strict=True):
        count = repeats or loaded.scenario.repeats
        for condition in conditions:
            for user in users:
                called = user.applied(condition.applied(loaded))
                for repeat in range(count):
                    for number, endpoint in enumerate(endpoints, start=1):
                        parts = [name, *(variant.slug for variant in (condition, user) if variant.slug)]
                        if len(endpoints) > 1:
                            parts.append(f"e{number}-{_slug(endpoint)}")
                        if count > 1:
                            parts.append(f"r{repeat + 1}")
                        seed = loaded.scenario.seed + repeat
                        jobs.append(
                            Job(
                                "--".join(parts),
                                called,
                                endpoint,
                                repeat,
                                seed,
                                number,
                                condition.name,
                                user.name,
                            )
                        )
    return jobs


def _fits(loaded: LoadedScenario, choice: Choice) -> bool:
    scenario = loaded.scenario
    names = (scenario.id, loaded.name)
    return (
        (not choice.only or any(fnmatch.fnmatchcase(n, p) for n in names for p in choice.only))
        and (not choice.tags or not set(choice.tags).isdisjoint(scenario.tags))
        and (not choice.domains or scenario.domain in choice.domains)
    )


def _lot(loaded: LoadedScenario, seed: int) -> str:
    return hashlib.sha256(f"{seed}:{loaded.name}".encode()).hexdigest()


def _nothing_left(scenarios: Sequence[LoadedScenario], choice: Choice) -> str:
    rules = (("--only", choice.only), ("--tag", choice.tags), ("--domain", choice.domains))
    asked = [f"{option} {', '.join(values)}" for option, values in rules if values]
    ids = sorted(loaded.name for loaded in scenarios)
    tags = sorted({tag for loaded in scenarios for tag in loaded.scenario.tags})
    domains = sorted({loaded.scenario.domain for loaded in scenarios} - {""})
    known = [
        f"{what}: {', '.join(names[:12])}{', ...' if len(names) > 12 else ''}"
        for what, names in (("scenarios", ids), ("tags", tags), ("domains", domains))
        if names
    ]
    return f"none of {len(scenarios)} scenarios fits {' and '.join(asked)}. There are {'; '.join(known)}."


def _names(scenarios: Sequence[LoadedScenario]) -> list[str]:
    """What each scenario's episodes are called: its id, after its pack's where ids are not unique."""
    ids = [loaded.scenario.id for loaded in scenarios]
    twice = {id for id in ids if ids.count(id) > 1}
    names = [
        f"{loaded.pack.id}--{id}" if loaded.pack and id in twice else id
        for loaded, id in zip(scenarios, ids, strict=True)
    ]
    for name in names:
        if names.count(name) > 1:
            files = ", ".join(str(s.path) for s, n in zip(scenarios, names, strict=True) if n == name)
            raise SameName(f"{files}: these scenarios have the same id, {name!r}. Rename one of them.")
    return names


def _slug(endpoint: str) -> str:
    """A short name for an endpoint that is safe as a folder's name."""
    return re.sub(r"[^a-z0-9]+", "-", redact_url(endpoint).split("?")[0].lower()).strip("-")[:40]
