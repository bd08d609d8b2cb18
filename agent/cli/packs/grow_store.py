"""The folder of a pack that grows: its journal, the pack made of it, and the queue of people's check.

The journal (`grown.jsonl`, `rejected.jsonl`) is the truth, appended line by line. `grown.yaml` follows it
and may be mended by hand: what stands in it is never written again, only added to, or taken out if people
refuse it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from recordings.strict_json import encode, replace_file
from scenarios.growing.cells import Example
from scenarios.growing.documents import without
from scenarios.growing.records import Grown, Growth, Rejected, Settings, Unreadable, read_lines
from scenarios.growing.review import Review, read_queue
from scenarios.load import PACK, load_scenarios
from scenarios.schema import Pack, Scenario

SETTINGS, GROWN, REJECTED = "grow.json", "grown.jsonl", "rejected.jsonl"
SCENARIOS, REVIEW, SOUNDS = "grown.yaml", "review.jsonl", "review"

REFUSED = "not_consistent"
"""Cause of a scenario that was taken, and that people refused."""

R = TypeVar("R", bound=BaseModel)


class FolderUnfit(ValueError):
    """A folder that cannot be gone on with."""

    def __init__(self, path: Path, found: str, remedy: str) -> None:
        self.path = path
        self.found = found
        self.remedy = remedy
        super().__init__(f"{path}: {found}. {remedy}")


class Store:
    """One folder, new or gone on with.

    Args:
        folder: Where the pack is, or will be.
        settings: What must stay the same.
        pack: Its manifest; None if it is not new.

    Raises:
        FolderUnfit: It holds something else, or was grown otherwise.
        OSError: It can't be read or written.
    """

    def __init__(self, folder: Path, settings: Settings, pack: Pack | None) -> None:
        self.folder = folder
        if (folder / SETTINGS).is_file():
            _same(folder, settings)
        elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            found = "it holds something else than a pack that grows"
            raise FolderUnfit(folder, found, "Choose another --out.")
        else:
            folder.mkdir(parents=True, exist_ok=True)
            replace_file(folder / SETTINGS, encode(settings, indent=1) + b"\n")
        self._lock = _locked(folder)
        if pack is not None and not (folder / PACK).is_file():
            replace_file(folder / PACK, _yaml(pack).encode())

    @classmethod
    def there(cls, folder: Path) -> Store:
        """A folder that a pack has grown in.

        Raises:
            FolderUnfit: There is none, or another process is growing it.
            OSError: It can't be read.
        """
        return cls(folder, _kept(folder), None)

    def close(self) -> None:
        """Let another process go on."""
        self._lock.close()

    def growth(self, seeds: Sequence[Example], pack: str) -> Growth:
        """Where the pack stands; a line that was cut off is taken away.

        Scenarios are as they stand in the pack, mended or not; one that was taken out of it is not there.

        Raises:
            FolderUnfit: The journal can't be read.
            ScenarioError: The pack can't.
        """
        growth = Growth(seeds, pack, rejected=self._read(REJECTED, Rejected))
        refused = {line.number for line in growth.rejected if line.cause == REFUSED}
        journal = [line for line in self._read(GROWN, Grown) if line.number not in refused]
        if journal and journal[-1].scenario.id not in self._text(SCENARIOS) and self._behind():
            self._add(journal[-1])
        loaded = load_scenarios(self.folder / SCENARIOS) if journal else ()
        there = {one.scenario.id: one.scenario for one in loaded}
        for line in journal:
            if scenario := there.get(line.scenario.id):
                growth.grown.append(line.model_copy(update={"scenario": scenario}))
            else:
                growth.removed.append(line)
        return growth

    def _behind(self) -> bool:
        """Whether the process ended between both files; who takes a scenario out writes the pack later."""
        pack = self.folder / SCENARIOS
        journal = self.folder / GROWN
        return not pack.is_file() or pack.stat().st_mtime_ns < journal.stat().st_mtime_ns

    def take_out(self, refused: Mapping[str, str]) -> list[str]:
        """Take scenarios out of the pack for good, and count them among what was rejected.

        Args:
            refused: By the scenario's id, who refused it and in what.

        Returns:
            Ids of those that were in the pack.

        Raises:
            FolderUnfit: The journal can't be read.
            OSError: It can't be written.
        """
        gone = {line.number for line in self._read(REJECTED, Rejected) if line.cause == REFUSED}
        out = [line for line in self._read(GROWN, Grown) if line.scenario.id in refused]
        for line in out:
            if line.number not in gone:
                about = line.model_dump(exclude={"scenario"})
                self.keep(Rejected(**about, cause=REFUSED, detail=refused[line.scenario.id][:400]))
        before = self._text(SCENARIOS)
        after = without(before, {line.scenario.id for line in out})
        if after != before:
            replace_file(self.folder / SCENARIOS, after.encode())
        return [line.scenario.id for line in out if line.number not in gone]

    def keep(self, line: Grown | Rejected) -> None:
        """Write a line to the journal; what was taken goes into the pack."""
        path = self.folder / (GROWN if isinstance(line, Grown) else REJECTED)
        with path.open("ab") as file:
            file.write(encode(line.model_dump(mode="json", exclude_defaults=True)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        if isinstance(line, Grown):
            self._add(line)

    def queue(self) -> list[Review]:
        """The lines of the person's check.

        Raises:
            FolderUnfit: They can't be read; nothing is written over them.
        """
        try:
            return read_queue(self._text(REVIEW))
        except Unreadable as error:
            raise _unreadable(self.folder / REVIEW, error) from error

    def write_queue(self, lines: Sequence[Review]) -> None:
        """Replace the queue in one step."""
        replace_file(self.folder / REVIEW, b"".join(encode(line) + b"\n" for line in lines))

    def _read(self, name: str, model: type[R]) -> list[R]:
        path = self.folder / name
        if not path.is_file():
            return []
        data = path.read_bytes()
        try:
            records, whole = read_lines(data, model)
        except Unreadable as error:
            raise _unreadable(path, error) from error
        if whole < len(data):
            os.truncate(path, whole)
        return records

    def _text(self, name: str) -> str:
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.is_file() else ""

    def _add(self, line: Grown) -> None:
        before = self._text(SCENARIOS)
        parted = f"{before.rstrip()}\n---\n" if before.strip() else _HEAD
        replace_file(self.folder / SCENARIOS, f"{parted}{_document(line)}".encode())


_HEAD = f"""\
# Scenarios that a language model wrote after examples. How each came about stands in {GROWN} beside.
"""


def _document(line: Grown) -> str:
    origin = line.origin
    made = f"question {line.number}, seed {origin.seed}, prompt {origin.prompt_version}"
    made += f", {_one_line(origin.model)}, after {_one_line(', '.join(origin.shots))}"
    return f"# {made}\n{_yaml(line.scenario)}"


def _one_line(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)


def _yaml(value: Pack | Scenario) -> str:
    data = value.model_dump(mode="json", exclude_defaults=True)
    return str(yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=100))


def _kept(folder: Path) -> Settings:
    try:
        return Settings.model_validate_json((folder / SETTINGS).read_bytes())
    except FileNotFoundError:
        found = f"no pack has grown here: it has no {SETTINGS}"
        raise FolderUnfit(folder, found, "Name the --out of viva scenarios grow.") from None
    except ValidationError as error:
        found = f"{SETTINGS} is not what was written ({error.errors()[0]['msg']})"
        raise FolderUnfit(folder, found, "Choose another --out.") from None


def _same(folder: Path, settings: Settings) -> None:
    kept = _kept(folder)
    if kept.version != settings.version:
        raise FolderUnfit(folder, f"version {kept.version} of the journal", "Choose another --out.")
    if kept.seed != settings.seed:
        found = f"it was grown with seed {kept.seed}, not {settings.seed}"
        raise FolderUnfit(folder, found, f"Ask with --seed {kept.seed}, or choose another --out.")
    if kept.seeds_sha256 != settings.seeds_sha256:
        found = f"it was grown from {', '.join(kept.seeds)} as they were then, and the seeds are others now"
        raise FolderUnfit(folder, found, "Ask with the same seeds, or choose another --out.")


def _locked(folder: Path) -> BinaryIO:
    """The settings' file, held by this process as long as it is open."""
    lock = (folder / SETTINGS).open("rb")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise FolderUnfit(folder, "another process is growing it", "Wait until it ends.") from None
    return lock


def _unreadable(path: Path, error: Unreadable) -> FolderUnfit:
    return FolderUnfit(path, str(error), "Mend the line, or choose another --out.")
