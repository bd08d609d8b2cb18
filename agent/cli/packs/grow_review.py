"""People's check of a grown pack: the sample that is queued, and `viva scenarios review`."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.output import complain, print_json

if TYPE_CHECKING:
    from agent.cli.packs.grow_store import Store
    from agent.cli.packs.spoken_queries import Bench
    from scenarios.growing.records import Growth
    from scoring.growing.opinions import Opinions


async def queued(growth: Growth, store: Store, bench: Bench, size: int, seed: int) -> None:
    """Bring the queue up to the sample; what somebody answered stays, each new one gets its sound.

    Raises:
        FolderUnfit: The queue can't be read.
        RecordingError: A file of people's labels can't.
        UserVoiceFailed: A prompt could not be spoken, which it was before.
        OSError: The queue or a sound can't be written.
    """
    from agent.cli.packs.grow_loop import in_folder
    from agent.cli.packs.grow_sound import record
    from agent.cli.packs.grow_store import SOUNDS
    from scenarios.growing.review import review_of, sampled, to_queue

    scenarios = {line.scenario.id: line.scenario for line in growth.grown}
    touched = {asked.item for given in _opinions(store).values() for asked in given}
    lines, missing = to_queue(store.queue(), sampled(scenarios, size, seed), touched)
    for id in missing:
        audio = f"{SOUNDS}/{id}.wav"
        await record(in_folder(scenarios[id], store), bench, store.folder / audio)
        lines.append(review_of(scenarios[id], audio))
    if lines:
        store.write_queue(lines)


def refused_out(store: Store) -> list[str]:
    """Take what people refuse out of the pack; ids of those that were in it.

    Raises:
        FolderUnfit: The queue or the journal can't be read.
        RecordingError: A file of people's labels can't.
        OSError: The pack can't be written.
    """
    from scoring.growing.opinions import refused

    return store.take_out(refused(store.queue(), _opinions(store)))


def answered(store: Store) -> int:
    """How many scenarios of the queue have an answer to both questions, by whomever."""
    from scoring.growing.opinions import QUESTIONS, consistent

    everybody = _opinions(store)
    return sum(
        all(consistent(line.scenario, name, everybody) is not None for name in QUESTIONS)
        for line in store.queue()
    )


def _opinions(store: Store) -> Opinions:
    from recordings.label_files import FOLDER, LabelFolder
    from scoring.growing.opinions import opinions

    return opinions(store.queue(), LabelFolder(store.folder / FOLDER))


def review(file: Path, take_out: bool, json: bool) -> int:
    """Say how consistent a grown pack is by what people say of its queue, and take out what is not."""
    from agent.cli.packs.grow_store import REVIEW, FolderUnfit
    from recordings.errors import RecordingError
    from scenarios.growing.records import Unreadable

    file = file / REVIEW if file.is_dir() else file
    try:
        found = _found(file, take_out)
    except Unreadable as error:
        return complain(ValueError(f"{file}, {error}"), exits.BAD_INPUT)
    except UnicodeDecodeError as error:
        return complain(ValueError(f"{file}: {error}, expected UTF-8 text"), exits.BAD_INPUT)
    except FileNotFoundError:
        remedy = "name the review.jsonl that `viva scenarios grow` wrote, or its folder"
        return complain(ValueError(f"{file}: No such file; {remedy}"), exits.BAD_INPUT)
    except (FolderUnfit, RecordingError) as error:
        return complain(error, exits.BAD_INPUT)
    except OSError as error:
        return complain(error, exits.for_disk(error))
    if not found["scenarios"]:
        return complain(
            ValueError(f"{file}: an empty queue, expected a line to a scenario"), exits.BAD_INPUT
        )
    if json:
        print_json(found)
    else:
        _print(found)
    if not found["level"]["n"] and not found["manner"]["n"]:
        sys.stderr.write(f"viva: nothing is answered yet: viva listen {file.parent} --review NAME\n")
    elif found["left_in"]:
        left = len(found["left_in"])
        remedy = f"viva scenarios review {file.parent} --take-out"
        sys.stderr.write(f"viva: {left} not consistent and still in the pack: {remedy}\n")
    return exits.PASS


def _found(file: Path, take_out: bool) -> dict[str, Any]:
    """The report, with what was taken out of the pack by now, and what was not.

    Raises:
        Unreadable: A line of the queue is none.
        FolderUnfit: The pack cannot be read, or grows at the moment.
        RecordingError: A file of labels cannot be read.
        OSError: The disk fails.
    """
    from agent.cli.packs.grow_store import Store
    from recordings.label_files import FOLDER, LabelFolder
    from scenarios.growing.review import read_queue
    from scoring.growing.consistency import report
    from scoring.growing.opinions import notes, opinions, refused

    lines, folder = read_queue(file.read_text(encoding="utf-8")), LabelFolder(file.parent / FOLDER)
    everybody = opinions(lines, folder)
    wrong = refused(lines, everybody)
    found = report(lines, everybody, notes(folder))
    if not take_out:
        there = _in_pack(file.parent)
        return {**found, "taken_out": [], "left_in": [id for id in wrong if id in there]}
    with closing(Store.there(file.parent)) as store:
        return {**found, "taken_out": store.take_out(wrong), "left_in": []}


def _in_pack(folder: Path) -> set[str]:
    """Ids of the scenarios of a pack; none of a queue without one."""
    from agent.cli.packs.grow_store import SCENARIOS
    from scenarios.growing.documents import ids

    path = folder / SCENARIOS
    return ids(path.read_text(encoding="utf-8")) if path.is_file() else set()


def _print(found: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from scoring.growing.opinions import QUESTIONS
    from scoring.report.safe import neutralise

    table = Table("", "consistent", "95 % interval", "n", "unanswered", "published", box=None)
    rows = [(name, found[name], found["published"][name]) for name in QUESTIONS]
    parts = [(f"of level {level}", shares) for level, shares in found["by_level"].items()]
    if len(found["by_person"]) > 1:
        parts += [(f"by {neutralise(name)}", shares) for name, shares in found["by_person"].items()]
    rows += [(f"{name}, {of}", shares[name], None) for of, shares in parts for name in QUESTIONS]
    for name, part, published in rows:
        value = "unscored" if part["share"] is None else f"{part['share']:.1%}"
        low, high = part["interval"] or (None, None)
        between = "" if low is None else f"{low:.1%} to {high:.1%}"
        there = "" if published is None else f"{published:.0%}"
        table.add_row(Text(name), value, between, str(part["n"]), str(part["unanswered"]), there)
    console = Console()
    console.print(table)
    for name, between in found["between_people"].items():
        for pair in between.get("pairs", ()):
            who = f"{neutralise(pair['a'])} and {neutralise(pair['b'])}"
            console.print(Text(f"{name}: {who} agree on {pair['right']} of {pair['n']}"))
    for name, again in found["with_themselves"].items():
        for one in again:
            who = neutralise(one["person"])
            console.print(Text(f"{name}: {who} said the same again of {one['same']} of {one['n']}"))
    for row in found["inconsistent"]:
        asked = ", ".join(row["questions"])
        console.print(Text(neutralise(f"not consistent: {row['scenario']} ({asked}) {row['note']}")))
    if found["taken_out"]:
        console.print(Text(f"taken out of the pack: {', '.join(found['taken_out'])}"))
