"""YAML files that describe endpoints: read safely, checked strictly, every fault with line and remedy.

Plain scalars are text, except `null`, `true`, `false` and decimal numbers: `on`, `no` and `012` are text.
Tags (`!!python/...`) and merge keys are refused.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from streams.endpoints.errors import AddressInvalid
from streams.endpoints.secrets import is_sensitive

Model = TypeVar("Model", bound=BaseModel)
Place = tuple[str | int, ...]
"""Keys and indices from the top of a document: `("rules", 0, "when")`."""

_MOST_VALUES = 10_000
"""Values in a document after its aliases are resolved; more is an attack or an accident."""

_TAG = "tag:yaml.org,2002:"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong in a file; lines and columns count from 1, and are 0 for the file itself."""

    file: str
    line: int
    column: int
    place: Place
    found: str
    expected: str
    hint: str = ""

    def __str__(self) -> str:
        position = f":{self.line}:{self.column}" if self.line else ""
        parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.place)
        where = f" {''.join(parts).removeprefix('.')}:" if self.place else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.file}{position}:{where} found {self.found}, expected {self.expected}{hint}"


class FileInvalid(AddressInvalid):
    """A file that describes no endpoint.

    Attributes:
        faults: Everything that is wrong with it, in the order of its lines.
    """

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(faults, key=lambda fault: (fault.line, fault.column)))
        super().__init__(self.faults[0].file, "the file is not valid")

    def __str__(self) -> str:
        return "\n".join(map(str, self.faults))


@dataclass
class Document:
    """A YAML file, read: plain values, and where each value and each key stands."""

    file: str
    data: Any = None
    marks: dict[Place, tuple[int, int]] = field(default_factory=dict)
    keys: dict[Place, tuple[int, int]] = field(default_factory=dict)

    def fault(self, place: Place, found: str, expected: str, hint: str = "", *, key: bool = False) -> Fault:
        """A fault of the value at a place, or of its key; what is missing is where its parent is."""
        marks = self.keys if key else self.marks
        known = place
        while known and known not in marks:
            known = known[:-1]
        line, column = marks.get(known) or self.marks.get(known, (1, 1))
        return Fault(self.file, line, column, place, found, expected, hint)


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers = {}  # noqa: RUF012 (PyYAML's own way)


for _kind, _pattern, _first in (
    ("null", r"~|null|", ["~", "n", ""]),
    ("bool", r"true|false", list("tf")),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", list("-+0123456789")),
    ("float", r"[-+]?(?:0|[1-9][0-9]*)\.[0-9]+(?:[eE][-+]?[0-9]+)?", list("-+0123456789")),
):
    _Loader.add_implicit_resolver(_TAG + _kind, re.compile(f"^(?:{_pattern})$"), _first)


def read(path: Path) -> Document:
    """Read a file of one YAML mapping.

    Raises:
        FileInvalid: It cannot be read, or is no such file.
    """
    document = Document(str(path))
    try:
        node = yaml.compose(path.read_text(encoding="utf-8-sig"), Loader=_Loader)
    except OSError as error:
        found = f"no readable file ({error.strerror})"
        raise FileInvalid([Fault(document.file, 0, 0, (), found, "a YAML file")]) from None
    except (UnicodeDecodeError, RecursionError) as error:
        found = type(error).__name__
        raise FileInvalid([Fault(document.file, 0, 0, (), found, "plain YAML in UTF-8")]) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        found = " ".join(str(getattr(error, "problem", None) or error).split())
        raise FileInvalid([Fault(document.file, line, column, (), found, "valid YAML")]) from None
    if not isinstance(node, yaml.MappingNode):
        raise FileInvalid([Fault(document.file, 0, 0, (), "no mapping", "a mapping of keys to values")])
    faults = list(_build(document, node))
    if faults:
        raise FileInvalid(faults)
    return document


def _build(document: Document, top: yaml.Node) -> Iterator[Fault]:
    """Fill in the document's data; gives what is wrong with it."""
    faults: list[Fault] = []
    count = 0

    def value(node: yaml.Node, place: Place, above: tuple[yaml.Node, ...]) -> Any:
        nonlocal count
        document.marks[place] = node.start_mark.line + 1, node.start_mark.column + 1
        count += 1
        if node in above or count > _MOST_VALUES:
            if count <= _MOST_VALUES + 1:
                faults.append(document.fault(place, "an alias without end", "a document of finite size"))
            return None
        if isinstance(node, yaml.MappingNode) and node.tag == _TAG + "map":
            return mapping(node, place, (*above, node))
        if isinstance(node, yaml.SequenceNode) and node.tag == _TAG + "seq":
            return [value(item, (*place, index), (*above, node)) for index, item in enumerate(node.value)]
        kind = node.tag.removeprefix(_TAG)
        if kind not in _SCALARS or not isinstance(node, yaml.ScalarNode):
            faults.append(document.fault(place, f"the tag {node.tag!r}", "plain YAML without tags"))
            return None
        try:
            return _SCALARS[kind](node.value)
        except ValueError:
            faults.append(document.fault(place, f"the number {node.value[:20]}", "a number of usual size"))

    def mapping(node: yaml.MappingNode, place: Place, above: tuple[yaml.Node, ...]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for key, item in node.value:
            here = (*place, str(key.value))
            twice = here in document.keys and here[-1] in made
            document.keys[here] = key.start_mark.line + 1, key.start_mark.column + 1
            if not isinstance(key, yaml.ScalarNode):
                faults.append(document.fault(place, "a key that is no text", "text as key"))
            elif twice:
                faults.append(document.fault(here, "the key a second time", "it once", key=True))
            else:
                made[key.value] = value(item, here, above)
        return made

    document.data = value(top, (), ())
    yield from faults


_SCALARS: Mapping[str, Any] = {
    "str": lambda text: text.encode("utf-8", "replace").decode(),
    "null": lambda text: None,
    "bool": lambda text: text == "true",
    "int": int,
    "float": lambda text: _finite(float(text)),
}


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise ValueError(number)
    return number


def validated(document: Document, model: type[Model], data: Any = None) -> Model:
    """The document, or a part of it that was changed after reading, as a model.

    Raises:
        FileInvalid: With every fault.
    """
    data = document.data if data is None else data
    try:
        # by way of JSON, where strict still takes a list for a tuple and a name for an enum's member
        return model.model_validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        found = [_explained(document, model, each) for each in error.errors(include_url=False)]
        raise FileInvalid(found) from None


def _explained(document: Document, model: type[BaseModel], details: ErrorDetails) -> Fault:
    place: Place = details["loc"]
    secret = any(is_sensitive(str(part)) for part in place)
    found = "a value that is not shown" if secret else described(details["input"])
    match details["type"]:
        case "missing":
            return document.fault(place, f"no key `{place[-1]}`", "one: it is required")
        case "extra_forbidden":
            known = _keys_at(model, place[:-1])
            hint = nearest(str(place[-1]), known)
            expected = "one of " + ", ".join(known)
            return document.fault(place, f"an unknown key `{place[-1]}`", expected, hint, key=True)
        case "enum" | "literal_error":
            expected = str(details.get("ctx", {}).get("expected", "")).replace("'", "")
            choices = expected.replace(" or ", ", ").split(", ")
            return document.fault(place, found, expected, nearest(str(details["input"]), choices))
        case "string_type":
            hint = "put it in quotes" if isinstance(details["input"], int | float) else ""
            return document.fault(place, found, "text", hint)
        case "model_type" | "dict_type":
            return document.fault(place, found, "a mapping of keys to values")
        case "tuple_type":
            return document.fault(place, found, "a list")
        case _:
            expected = details["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
            return document.fault(place, found, expected)


def described(value: object) -> str:
    """A value as a reader of the file would name it."""
    match value:
        case None:
            return "nothing"
        case bool():
            return str(value).lower()
        case int() | float():
            return f"the number {value}"
        case str():
            return repr(value if len(value) <= 60 else f"{value[:57]}...") if value else "empty text"
        case list():
            return f"a list of {len(value)}"
        case _:
            return "a mapping"


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint at the known word that is meant, or ""."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean `{close[0]}`?" if close else ""


def _keys_at(model: type[BaseModel], place: Place) -> list[str]:
    """The keys that the schema knows at a place."""
    here: Any = model
    for part in place:
        if isinstance(here, type) and issubclass(here, BaseModel):
            here = here.model_fields[str(part)].annotation
        else:  # tuple[Rule, ...] or Mapping[str, Parameter]
            here = [each for each in get_args(here) if each is not ...][-1]
        if NoneType in get_args(here):
            here = next(each for each in get_args(here) if each is not NoneType)
    return list(here.model_fields)


def load(path: Path, model: type[Model]) -> Model:
    """Read a file into a model.

    Raises:
        FileInvalid: With every fault.
    """
    return validated(read(path), model)
