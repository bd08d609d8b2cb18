"""The person's check of a grown pack: the sample that is queued, and `viva scenarios review`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.output import complain, print_json

if TYPE_CHECKING:
    from agent.cli.grow_store import Store
    from agent.cli.spoken_queries import Bench
    from scenarios.growing.records import Growth


async def queued(growth: Growth, store: Store, bench: Bench, size: int, seed: int) -> None:
    """Bring the queue up to the sample; what somebody answered stays, each new one gets its sound.

    Raises:
        FolderUnfit: The queue can't be read.
        UserVoiceFailed: A prompt could not be spoken, which it was before.
        OSError: The queue or a sound can't be written.
    """
    from agent.cli.grow_loop import in_folder
    from agent.cli.grow_sound import record
    from agent.cli.grow_store import SOUNDS
    from scenarios.growing.review import review_of, sampled, to_queue

    scenarios = {line.scenario.id: line.scenario for line in growth.grown}
    lines, missing = to_queue(store.queue(), sampled(scenarios, size, seed))
    for id in missing:
        audio = f"{SOUNDS}/{id}.wav"
        await record(in_folder(scenarios[id], store), bench, store.folder / audio)
        lines.append(review_of(scenarios[id], audio))
    if lines:
        store.write_queue(lines)


def review(file: Path, json: bool) -> int:
    """Say how consistent a grown pack is by the answers in its queue."""
    from scenarios.growing.records import Unreadable
    from scenarios.growing.review import read_queue
    from scoring.growing.consistency import report

    try:
        lines = read_queue(file.read_text(encoding="utf-8"))
    except Unreadable as error:
        return complain(ValueError(f"{file}, {error}"), exits.BAD_INPUT)
    except UnicodeDecodeError as error:
        return complain(ValueError(f"{file}: {error}, expected UTF-8 text"), exits.BAD_INPUT)
    except FileNotFoundError:
        remedy = "name the review.jsonl that `viva scenarios grow` wrote"
        return complain(ValueError(f"{file}: No such file; {remedy}"), exits.BAD_INPUT)
    except OSError as error:
        return complain(error, exits.for_disk(error))
    if not lines:
        return complain(
            ValueError(f"{file}: an empty queue, expected a line to a scenario"), exits.BAD_INPUT
        )
    found = report(lines)
    if json:
        print_json(found)
    else:
        _print(found)
    if not found["level"]["n"] and not found["manner"]["n"]:
        sys.stderr.write("viva: nothing is answered yet: fill in `answers` with true or false\n")
    return exits.PASS


def _print(found: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from scoring.report.safe import neutralise

    table = Table("", "consistent", "95 % interval", "n", "unanswered", "published", box=None)
    rows = [(name, found[name], found["published"][name]) for name in ("level", "manner")]
    for level, parts in found["by_level"].items():
        rows += [(f"{name}, of level {level}", parts[name], None) for name in ("level", "manner")]
    for name, part, published in rows:
        value = "unscored" if part["share"] is None else f"{part['share']:.1%}"
        low, high = part["interval"] or (None, None)
        between = "" if low is None else f"{low:.1%} to {high:.1%}"
        there = "" if published is None else f"{published:.0%}"
        table.add_row(name, value, between, str(part["n"]), str(part["unanswered"]), there)
    console = Console()
    console.print(table)
    for row in found["inconsistent"]:
        asked = ", ".join(row["questions"])
        console.print(Text(neutralise(f"not consistent: {row['scenario']} ({asked}) {row['note']}")))
