"""Writes constraints.txt: the versions, as installed here, of all that pyproject.toml needs.

Start it with `make lock`. What is installed beside that is left out.
"""

from __future__ import annotations

import importlib.metadata
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]

HEADER = """\
# Made by `make lock` from the environment in .venv; do not edit by hand.
# The versions that the test suite passed with, of everything pyproject.toml needs, all extras included.
"""


def wanted() -> list[Requirement]:
    """What pyproject.toml asks for, with every extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    texts = [
        *project["dependencies"],
        *(r for extra in project["optional-dependencies"].values() for r in extra),
    ]
    return [Requirement(text) for text in texts]


def needed_here(requirement: Requirement, extras: set[str]) -> bool:
    """Whether a dependency applies on this machine, for these extras of the package that has it."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def versions() -> dict[str, str]:
    """Name and version of all that is wanted, and of what that needs in turn."""
    found: dict[str, str] = {}
    seen: set[str] = set()
    queue = wanted()
    while queue:
        requirement = queue.pop()
        if str(requirement) in seen:
            continue
        seen.add(str(requirement))
        distribution = importlib.metadata.distribution(requirement.name)
        # a build for one kind of machine ("2.13.0+cpu") is the same release as on all others
        found[canonicalize_name(requirement.name)] = distribution.version.split("+")[0]
        needs = map(Requirement, distribution.requires or ())
        queue += [need for need in needs if needed_here(need, requirement.extras)]
    return found


def main() -> None:
    """Write the file."""
    lines = [f"{name}=={version}\n" for name, version in sorted(versions().items())]
    (ROOT / "constraints.txt").write_text(HEADER + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
