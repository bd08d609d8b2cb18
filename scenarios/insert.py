"""Puts keys into items of a scenario file and disturbs nothing else: comments, order, line ends. Pure.

Not the file is written anew: lines are inserted, and what came of it is read again. If that is not the old
document with the new keys, and nothing else, there is no new text.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from scenarios.document import Document, composed, read_documents

Entries = Mapping[tuple[str, int], Mapping[str, Any]]
"""New keys by the id of a scenario and the number of its turn."""

_ANCHORS = ("reasoning", "explanation", "accept", "answer", "kind")
"""After the first of these that an item has, new keys are put."""

_WIDTH = 100
_BOM = b"\xef\xbb\xbf"


class CannotInsert(ValueError):
    """A file that keys cannot be put into without changing something else.

    Attributes:
        file: Which.
        found: What is in the way.
    """

    def __init__(self, file: Path, found: str) -> None:
        self.file = file
        self.found = found
        super().__init__(f"{file}: {found}. Put the keywords in by hand.")


def with_keys(file: Path, data: bytes, entries: Entries) -> bytes:
    """The bytes of a scenario file with new keys in its items.

    Args:
        file: For messages.
        data: As it is.
        entries: What to put in; at least one key each, which the item has not.

    Raises:
        CannotInsert: It cannot be done without changing something else.
    """
    before = read_documents(file, data)
    if problems := [problem for document in before for problem in document.problems]:
        first = problems[0]
        raise CannotInsert(file, f"line {first.line}: found {first.found}, expected {first.expected}")
    text = data.decode("utf-8-sig")
    places = [(*_place(file, text, key), keys) for key, keys in entries.items()]
    for at, column, keys in sorted(places, key=lambda place: -place[0]):
        text = _inserted(text, at, column, keys)
    made = (_BOM if data.startswith(_BOM) else b"") + text.encode()
    after = read_documents(file, made)
    if [(one.data, one.problems) for one in after] != [(one, []) for one in _wanted(before, entries)]:
        raise CannotInsert(file, "an item is written in a way that does not take new lines (an alias, say)")
    return made


def _place(file: Path, text: str, key: tuple[str, int]) -> tuple[int, int | None]:
    """Where new keys of an item go: the index in the text, and their column; None inside of braces."""
    id, number = key
    item = _item(text, id, number)
    if item is None:
        raise CannotInsert(file, f"no item in turns[{number}] of {id}")
    fields = {name.value: (name, value) for name, value in item.value if _has_an_end(value)}
    if not fields.keys() & set(_ANCHORS):
        raise CannotInsert(file, f"nothing in the item of {id} that new lines could follow")
    name, value = next(fields[anchor] for anchor in _ANCHORS if anchor in fields)
    if item.flow_style:
        return value.end_mark.index, None
    return len(text[: value.end_mark.index].rstrip()), name.start_mark.column


def _item(text: str, id: str, number: int) -> yaml.MappingNode | None:
    for root in composed(text):
        named = _value(root, "id")
        turns = _value(root, "turns")
        if not (isinstance(named, yaml.ScalarNode) and named.value == id):
            continue
        if isinstance(turns, yaml.SequenceNode) and number < len(turns.value):
            item = _value(turns.value[number], "item")
            return item if isinstance(item, yaml.MappingNode) else None
    return None


def _value(node: yaml.Node, key: str) -> yaml.Node | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for name, value in node.value if name.value == key), None)


def _has_an_end(value: yaml.Node) -> bool:
    """Whether its mark is where it ends; that of a list in lines is where the next thing begins."""
    flow = isinstance(value, yaml.CollectionNode) and bool(value.flow_style)
    return flow or isinstance(value, yaml.ScalarNode)


def _inserted(text: str, at: int, column: int | None, keys: Mapping[str, Any]) -> str:
    if column is None:
        flow = ", ".join(_dumped(name, value, True, 10**6)[1:-1] for name, value in keys.items())
        return f"{text[:at]}, {flow}{text[at:]}"
    end = "\r\n" if "\r\n" in text else "\n"
    width = _WIDTH - column
    # None: lists of words stand in one line, what holds them does not; but a lone text needs its own line
    block = "\n".join(
        _dumped(name, value, None if isinstance(value, dict | list) else False, width)
        for name, value in keys.items()
    )
    lines = "".join(f"{' ' * column}{line}{end}" for line in block.split("\n"))
    newline = text.find("\n", at)
    if newline < 0:
        return f"{text}{end}{lines}"
    return f"{text[: newline + 1]}{lines}{text[newline + 1 :]}"


def _dumped(name: str, value: Any, flow: bool | None, width: int) -> str:
    made = yaml.safe_dump(
        {name: value}, default_flow_style=flow, sort_keys=False, allow_unicode=True, width=width
    )
    return str(made).strip()


def _wanted(documents: Sequence[Document], entries: Entries) -> list[Any]:
    """The documents as they should come out."""
    every = [copy.deepcopy(document.data) for document in documents]
    for data in every:
        for (id, number), keys in entries.items():
            if isinstance(data, dict) and data.get("id") == id:
                data["turns"][number]["item"] |= keys
    return every
