"""`viva scenarios import`: a pack of the questions of a public set."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agent.cli import exits
from agent.cli.output import complain, print_json

if TYPE_CHECKING:
    from scenarios.schema import Pack, Scenario


def import_pack(format: str, file: Path, out: Path, limit: int, json: bool) -> int:
    """Read the file, write the pack, and load it once to be sure."""
    from scenarios.imported import FORMATS, LICENCES, ImportUnreadable, read
    from scenarios.problems import ScenarioError
    from scenarios.schema import Pack

    if format not in FORMATS:
        found = ValueError(f"the format is {format!r}, expected {', '.join(FORMATS)}")
        return complain(found, exits.BAD_INPUT)
    try:
        imported = read(format, file)
        chosen = imported.scenarios[: limit or None]
        pack = Pack(
            id=f"{format}-{_slug(file.stem)}",
            title=f"Questions of {format}",
            description=f"{len(chosen)} questions of {file.name}.",
            licence=LICENCES[format],
            author=f"The authors of {format}",
        )
        write_pack(pack, chosen, out)
    except FileExistsError:
        taken = FileExistsError(f"{out} exists already. Choose another folder: no pack is overwritten.")
        return complain(taken, exits.BAD_INPUT)
    except (ImportUnreadable, ScenarioError) as error:
        return complain(error, exits.BAD_INPUT)
    except OSError as error:
        return complain(error, exits.for_disk(error))
    report = {
        "pack": str(out),
        "questions": len(chosen),
        "beyond_limit": len(imported.scenarios) - len(chosen),
        "left_out": dict(imported.left_out),
    }
    if json:
        print_json(report)
    else:
        causes = ", ".join(
            f"{count} {cause.replace('_', ' ')}" for cause, count in imported.left_out.items()
        )
        sys.stderr.write(f"wrote {len(chosen)} questions to {out}; left out: {causes or 'none'}\n")
    return exits.PASS


def write_pack(pack: Pack, scenarios: Sequence[Scenario], out: Path) -> None:
    """Write a pack into a new folder.

    Raises:
        FileExistsError: There is such a folder.
        OSError: It cannot be written.
        ScenarioError: What was written is not a pack.
    """
    import yaml

    from scenarios.load import PACK, load_pack

    def text(one: Pack | Scenario) -> str:
        data = one.model_dump(mode="json", exclude_defaults=True)
        return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100)

    out.mkdir(parents=True)
    (out / PACK).write_text(f"version: 1\n{text(pack)}", encoding="utf-8")
    (out / "questions.yaml").write_text("---\n".join(map(text, scenarios)), encoding="utf-8")
    load_pack(out)


def _slug(stem: str) -> str:
    return "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in stem.casefold())
