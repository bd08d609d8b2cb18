"""YAML as people mean it: no surprises of YAML 1.1, no duplicate keys, and every value knows its line.

Plain scalars are text, except `null` and `~`, `true` and `false`, and decimal numbers. So `no`, `on`,
`012`, `12:30` and `2026-01-01` are text. Tags (`!!python/...`) and merge keys are not known.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from scenarios.problems import Place, Problem

_MOST_VALUES = 20_000
"""Values in a document after its aliases are resolved; more is an attack or an accident."""

_STR, _MAP, _SEQ = "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"
_NULL, _BOOL = "tag:yaml.org,2002:null", "tag:yaml.org,2002:bool"
_INT, _FLOAT = "tag:yaml.org,2002:int", "tag:yaml.org,2002:float"


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = {}  # noqa: RUF012 (PyYAML's own way)


def _resolve(tag: str, pattern: str, first: str) -> None:
    _Loader.add_implicit_resolver(tag, re.compile(rf"^(?:{pattern})$"), list(first))


_WHOLE = "(?:0|[1-9][0-9]*)"

_resolve(_NULL, "~|null|Null|NULL", "~nN")
_Loader.add_implicit_resolver(_NULL, re.compile("^$"), [""])
_resolve(_BOOL, "true|True|TRUE|false|False|FALSE", "tTfF")
_resolve(_INT, rf"[-+]?{_WHOLE}", "-+0123456789")
# no more than YAML 1.1 takes for a number, so that other writers' plain text ("0E0") stays text
_resolve(_FLOAT, rf"(?:[-+]?{_WHOLE}\.[0-9]*|\.[0-9]+)(?:[eE][-+][0-9]+)?", "-+.0123456789")


@dataclass
class Document:
    """A YAML file, read.

    Attributes:
        data: Plain values.
        problems: What is wrong with it as YAML; `data` is then the part that could be read.
        marks: Line and column of each value.
        keys: Line and column of each key.
    """

    file: Path
    data: Any = None
    problems: list[Problem] = field(default_factory=list)
    marks: dict[Place, tuple[int, int]] = field(default_factory=dict)
    keys: dict[Place, tuple[int, int]] = field(default_factory=dict)

    def problem(
        self, place: Place, found: str, expected: str, hint: str = "", *, key: bool = False
    ) -> Problem:
        """A problem with the value at a place, or with its key; what is missing is where its parent is."""
        marks = self.keys if key else self.marks
        known = place
        while known and known not in marks:
            known = known[:-1]
        line, column = marks.get(known) or self.marks.get(known, (1, 1))
        return Problem(self.file, line, column, place, found, expected, hint)


def read_document(file: Path) -> Document:
    """Read a YAML file that holds one document; whatever is wrong is among its problems."""
    documents = read_documents(file)
    if len(documents) > 1:
        line = documents[1].marks.get((), (1, 1))[0]
        documents[0].problems.append(
            Problem(file, line, 1, (), f"{len(documents)} documents, parted by ---", "one")
        )
    return documents[0]


def read_documents(file: Path, data: bytes | None = None) -> list[Document]:
    """Read the documents of a YAML file, parted by `---`; at least one, with whatever is wrong in it.

    Args:
        file: The file.
        data: What to read in its place; None reads it.
    """
    broken = Document(file)
    try:
        text = (file.read_bytes() if data is None else data).decode("utf-8-sig")
        nodes = composed(text)
    except OSError as error:
        broken.problems.append(
            _whole(file, f"a file that cannot be read ({error.strerror})", "a YAML file")
        )
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        broken.problems.append(
            Problem(file, line, 1, (), f"a byte {error.object[error.start]:#04x}", "UTF-8 text")
        )
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        found = ", ".join(part for part in (error.context, error.problem) if part)
        broken.problems.append(Problem(file, line, column, (), found, "valid YAML"))
    except yaml.YAMLError as error:  # a character that YAML does not allow
        broken.problems.append(_whole(file, " ".join(str(error).split()), "valid YAML"))
    except RecursionError:
        broken.problems.append(_whole(file, "lists or mappings nested hundreds of levels deep", "a few"))
    else:
        if nodes:
            return [_read(file, node) for node in nodes]
        broken.problems.append(_whole(file, "an empty file", "a YAML mapping"))
    return [broken]


def composed(text: str) -> list[yaml.Node]:
    """The documents of a YAML text as nodes, each with its place in the text; empty ones are left out.

    Raises:
        yaml.YAMLError: It is no YAML.
    """
    return [node for node in yaml.compose_all(text, Loader=_Loader) if not _empty(node)]


def _empty(node: yaml.Node) -> bool:
    """Whether nothing stands between two `---`."""
    return isinstance(node, yaml.ScalarNode) and node.value == "" and node.style is None


def _read(file: Path, node: yaml.Node) -> Document:
    document = Document(file)
    _Builder(document).build(node)
    return document


def _whole(file: Path, found: str, expected: str) -> Problem:
    return Problem(file, 0, 0, (), found, expected)


class _Builder:
    """Turns YAML nodes into plain values, and notes what is wrong with them."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._values = 0
        self._open: list[yaml.Node] = []

    def build(self, node: yaml.Node) -> None:
        self._document.data = self._value(node, ())

    def _value(self, node: yaml.Node, place: Place) -> Any:
        self._document.marks[place] = _mark(node)
        self._values += 1
        if node in self._open or self._values > _MOST_VALUES:
            if self._values <= _MOST_VALUES + 1:
                self._wrong(place, "an alias that makes the document endless", "a document of finite size")
            return None
        self._open.append(node)
        try:
            if isinstance(node, yaml.MappingNode) and node.tag == _MAP:
                return self._mapping(node, place)
            if isinstance(node, yaml.SequenceNode) and node.tag == _SEQ:
                return [self._value(item, (*place, i)) for i, item in enumerate(node.value)]
            return self._scalar(node, place)
        finally:
            self._open.pop()

    def _mapping(self, node: yaml.MappingNode, place: Place) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = key_node.value
            if not isinstance(key, str):
                self._document.marks.setdefault(place, _mark(node))
                self._wrong(place, "a key that is a list or a mapping", "text as key")
                continue
            here = (*place, key)
            if key in made:
                line = self._document.keys[here][0]
                self._document.keys[here] = _mark(key_node)
                self._wrong(
                    here, "the key a second time", f"it once (it stands in line {line} too)", key=True
                )
                continue
            self._document.keys[here] = _mark(key_node)
            made[key] = self._value(value_node, here)
        return made

    def _scalar(self, node: yaml.Node, place: Place) -> Any:
        text = node.value
        if node.tag == _NULL:
            return None
        if node.tag == _BOOL and str(text).lower() in ("true", "false"):
            return str(text).lower() == "true"
        if node.tag == _STR:
            return self._text(text, place)
        number = self._number(node.tag, text)
        if number is None:
            self._wrong(place, f"the tag {node.tag!r}", "plain YAML without tags")
        elif not math.isfinite(number):
            self._wrong(place, f"the number {text}", "a finite number")
            return None
        return number

    def _text(self, text: str, place: Place) -> str:
        if any("\ud800" <= character <= "\udfff" for character in text):
            self._wrong(place, "half a character (a lone surrogate)", "whole characters")
        return text.encode("utf-8", "replace").decode()

    @staticmethod
    def _number(tag: str, text: object) -> int | float | None:
        kind = {_INT: int, _FLOAT: float}.get(tag)
        try:
            return kind(text) if kind and isinstance(text, str) else None
        except ValueError:
            return None

    def _wrong(self, place: Place, found: str, expected: str, *, key: bool = False) -> None:
        self._document.problems.append(self._document.problem(place, found, expected, key=key))


def _mark(node: yaml.Node) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1
