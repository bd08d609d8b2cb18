"""Label sources: files and episodes, named by `PATH` or `PATH#NAME`.

A source may hold labels by several: columns of a table, people, judges of an episode. `#NAME` takes one.

    .csv     columns `item,label` (and `annotator`, `cluster`); `#COLUMN` takes another column, as it
             stands; or `item,content,paralinguistics,voice_quality`
    .jsonl   labels of people (`recordings.labels`); `#PERSON`, `#QUESTION`, or `#PERSON/QUESTION`; what
             a person was asked a second time: `#PERSON+again/QUESTION`
    .jsonl   battles: the judge's labels by dimension, `#content`, and `#overall`
    folder   with files of people's labels: those of all of them (`RUN/labels`)
    folder   an episode, a run, or several: the verdicts on its turns; `#JUDGE`, or `#JUDGE/DIMENSION` of
             ratings in three dimensions

Files of `scoring.audiojudge` are known by their columns or keys.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from recordings.label_files import is_label_folder
from recordings.labels import PersonLabel, call_of, read_person_labels, turn_item
from recordings.reader import Episode, find_episodes
from scoring.agreement.audiojudge import Preferences, published, read_preferences
from scoring.agreement.battled import battle_sources
from scoring.agreement.csvfile import LabelTable, read_table
from scoring.agreement.labels import LabelError, Labels
from scoring.agreement.probes import DIMENSIONS
from scoring.agreement.rated import rated_sources
from scoring.agreement.systems import BothOrders
from scoring.audiojudge import is_annotation


@dataclass(frozen=True, slots=True)
class Sources:
    """What a place holds: labels by one or by several.

    Attributes:
        relation: Of several: people who answer the same question, with all of whom a judge can be
            compared; two that are there to be compared with each other; or answers to different questions.
    """

    place: str
    found: tuple[Labels, ...]
    relation: Literal["people", "two", "apart"] = "apart"

    @property
    def only(self) -> Labels:
        """The one source.

        Raises:
            LabelError: There are several.
        """
        if len(self.found) > 1:
            names = ", ".join(source.name for source in self.found)
            raise LabelError(self.place, f"holds labels by several ({names})", "Name one: PATH#NAME.")
        return self.found[0]


Source = Sources | BothOrders | Preferences

AGAIN = "+again"
"""Comes after the name of a person who was asked a second time."""


def load(address: str) -> Source:
    """Read a label source.

    Raises:
        LabelError: It is not there, or holds no labels, or not those that were asked for.
        RecordingError: An episode, or a file of people's labels, is damaged.
    """
    path, name = Path(address), ""
    if "#" in address and not path.exists():
        before, _, name = address.rpartition("#")
        path = Path(before)
    if path.is_dir() and is_label_folder(path):
        lines = [line for file in sorted(path.glob("*.jsonl")) for line in read_person_labels(file)]
        return _people(path, lines, name)
    if path.is_dir():
        return _chosen(path, [*_verdicts(path), *rated_sources(find_episodes(path))], name)
    if not path.is_file():
        raise LabelError(str(path), "does not exist", "Name a CSV file, a JSONL file, or an episode.")
    if path.suffix == ".jsonl":
        return _from_lines(path, name)
    return _from_table(read_table(path), name)


def _from_table(table: LabelTable, name: str) -> Source:
    if name:
        table.need("item", name)
        return Sources(str(table.path), (table.labels(name, f"{table.path.name}#{name}"),))
    if not table.has("item", "label"):
        known = published(table)
        if isinstance(known, BothOrders):
            return known
        if known:
            return Sources(str(table.path), known, "two")
        if table.has("item", *DIMENSIONS):
            return Sources(str(table.path), tuple(table.labels(name, name) for name in DIMENSIONS))
    table.need("item", "label")
    if not table.has("annotator"):
        return Sources(str(table.path), (table.labels("label", str(table.path)),))
    people = sorted({cells["annotator"] for _, cells in table.rows})
    return Sources(
        str(table.path),
        tuple(
            table.labels("label", person, rows=[row for row in table.rows if row[1]["annotator"] == person])
            for person in people
        ),
        "people",
    )


def _from_lines(path: Path, name: str) -> Source:
    try:
        first = path.read_text(encoding="utf-8").partition("\n")[0]
    except UnicodeDecodeError as error:
        raise LabelError(str(path), f"is no JSONL file in UTF-8 ({error})") from error
    if not first.strip():
        raise LabelError(str(path), "is empty", "Expected one JSON object with an item and a label a line.")
    try:
        value = json.loads(first)
    except ValueError as error:
        raise LabelError(f"{path}:1", f"is no JSON ({error})") from error
    if is_annotation(value):
        return read_preferences(path)
    if isinstance(value, dict) and {"system_a", "system_b"} <= value.keys():
        return _chosen(path, battle_sources(path), name)
    return _people(path, read_person_labels(path), name)


def _people(path: Path, lines: Sequence[PersonLabel], name: str) -> Source:
    """Labels of people by person and question; what somebody was asked again is there if it is named."""
    by: dict[tuple[str, str], list[PersonLabel]] = defaultdict(list)
    for line in lines:
        if line.round == 1:
            by[line.annotator, line.dimension].append(line)
        elif AGAIN in name:
            by[line.annotator + AGAIN, line.dimension].append(line)
    questions = {question for _, question in by}
    if name in questions:
        by = defaultdict(list, {who: lines for who, lines in by.items() if who[1] == name})
        questions, name = {name}, ""
    elif len(questions) > 1 and name in {person for person, _ in by}:
        by = defaultdict(list, {who: lines for who, lines in by.items() if who[0] == name})
        name = ""
    found = [
        Labels(
            "/".join(filter(None, who)) or str(path),
            {line.item: line.label for line in lines if line.label is not None},
            {line.item: line.unscored for line in lines if line.unscored is not None},
            clusters={line.item: call for line in lines if (call := call_of(line.item))},
        )
        for who, lines in sorted(by.items())
    ]
    return replace(_chosen(path, found, name), relation="people" if len(questions) == 1 else "apart")


def _verdicts(path: Path) -> Iterable[Labels]:
    """The verdicts of all episodes in a folder, by judge."""
    labels: dict[str, dict[str, str]] = defaultdict(dict)
    unscored: dict[str, dict[str, str]] = defaultdict(dict)
    for folder in find_episodes(path):
        episode = Episode.load(folder)
        for turn in episode.turns:
            item = turn_item(episode.info, turn.index)
            for verdict in turn.verdicts:
                if item in labels[verdict.judge] or item in unscored[verdict.judge]:
                    found = f"holds two verdicts of {verdict.judge!r} on {item}"
                    raise LabelError(str(folder), found, "Name one episode, or one run.")
                if verdict.label is not None:
                    labels[verdict.judge][item] = verdict.label
                else:
                    unscored[verdict.judge][item] = verdict.unscored or "no_label"
    return [
        Labels(
            judge,
            labels[judge],
            unscored[judge],
            clusters={item: item.rpartition("/")[0] for item in (*labels[judge], *unscored[judge])},
        )
        for judge in sorted(labels)
    ]


def _chosen(path: Path, found: Iterable[Labels], name: str) -> Sources:
    """All of a place, or the one of a name."""
    all_of_it = tuple(found)
    if not all_of_it:
        raise LabelError(str(path), "holds no labels", "Judge its turns first, or name another place.")
    chosen = tuple(source for source in all_of_it if source.name == name) if name else all_of_it
    if not chosen:
        names = ", ".join(source.name for source in all_of_it)
        raise LabelError(str(path), f"holds no labels by {name!r}, only by {names}")
    return Sources(str(path), chosen)
