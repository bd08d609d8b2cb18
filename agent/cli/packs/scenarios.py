"""`viva scenarios`: list, check, schema, new."""

from __future__ import annotations

import sys
from pathlib import Path

from agent.cli import exits
from agent.cli.output import complain, print_json


def list_scenarios(packs: list[str], json: bool) -> int:
    """List packs and their scenarios."""
    from rich.console import Console
    from rich.table import Table

    from scenarios.load import find, shipped_packs
    from scenarios.problems import ScenarioError

    try:
        loaded = [item for name in packs or shipped_packs() for item in find(name)]
    except ScenarioError as error:
        return complain(error, exits.BAD_INPUT)
    rows = [
        {
            "pack": item.pack.id if item.pack else "",
            "id": item.scenario.id,
            "title": item.scenario.title,
            "policy": item.scenario.policy.value,
            "language": item.scenario.language,
            "path": str(item.path),
        }
        for item in loaded
    ]
    if json:
        print_json({"scenarios": rows})
        return exits.PASS
    table = Table("pack", "scenario", "policy", "title", box=None)
    for row in rows:
        table.add_row(row["pack"], row["id"], row["policy"], row["title"])
    Console().print(table)
    return exits.PASS


def check(paths: list[str], json: bool) -> int:
    """Check scenario files; 0 if all are good, 2 if one is not."""
    from scenarios.load import find
    from scenarios.problems import ScenarioError

    problems: list[str] = []
    warnings: list[str] = []
    good = 0
    for path in paths:
        try:
            for item in find(path):
                good += 1
                warnings += [str(warning) for warning in item.warnings]
        except ScenarioError as error:
            problems += [str(problem) for problem in error.problems]
    if json:
        print_json({"good": good, "problems": problems, "warnings": warnings})
    else:
        for line in (*problems, *(f"warning: {warning}" for warning in warnings)):
            sys.stderr.write(f"{line}\n")
        sys.stderr.write(f"{good} good, {len(problems)} problems, {len(warnings)} warnings\n")
    return exits.BAD_INPUT if problems else exits.PASS


def schema() -> int:
    """Print the JSON Schema of a scenario."""
    from scenarios.schema_json import schema_text

    sys.stdout.write(schema_text())
    return exits.PASS


def new(path: Path, policy: str) -> int:
    """Write a scenario to start from."""
    from scenarios.problems import ScenarioError
    from scenarios.schema import PolicyKind
    from scenarios.template import new_scenario

    kinds = [kind.value for kind in PolicyKind]
    if policy not in kinds:
        return complain(ValueError(f"--policy is {policy!r}, expected {', '.join(kinds)}"), exits.BAD_INPUT)
    try:
        text = new_scenario(path.stem, PolicyKind(policy))
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        found = FileExistsError(f"{path} exists already. Choose another name: no file is overwritten.")
        return complain(found, exits.BAD_INPUT)
    except (OSError, ScenarioError) as error:
        return complain(error, exits.BAD_INPUT)
    sys.stderr.write(f"wrote {path}; check it with: viva scenarios check {path}\n")
    return exits.PASS
