"""A dialect in a file of one's own, with the fields of `Dialect`: `?dialect=FILE.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from streams.endpoints import strict_yaml
from streams.endpoints.failures import is_loopback
from streams.endpoints.openai_realtime import codec, reading
from streams.endpoints.openai_realtime.dialect import Dialect, Shape
from streams.endpoints.protocol import PlaybackReport
from streams.endpoints.secrets import is_sensitive
from streams.endpoints.strict_yaml import Document, Fault, FileInvalid, nearest

SUFFIXES = (".yaml", ".yml")
"""How `dialect=` names a file rather than one of ours."""

EVENTS = frozenset({*codec.HANDLERS, *reading.READERS, *reading.SILENT})
"""Names of server events that `events` may lead to."""

_BLANKS = frozenset({"model", "resource"})


def load(path: Path) -> Dialect:
    """Read a dialect.

    Raises:
        FileInvalid: With every fault: its place, what was found and expected, the nearest key or name.
    """
    document = strict_yaml.read(path)
    dialect = strict_yaml.validated(document, Dialect)
    faults = [*_names(document, dialect), *_addresses(document, dialect), *_keys(document, dialect)]
    if faults:
        raise FileInvalid(faults)
    return dialect


def _names(document: Document, dialect: Dialect) -> Iterator[Fault]:
    for theirs, ours in dialect.events.items():
        if ours not in EVENTS:
            found, hint = f"the event {ours!r}", nearest(ours, EVENTS)
            yield document.fault(("events", theirs), found, "an event of OpenAI Realtime", hint)
    if dialect.playback is PlaybackReport.MARKS:
        yield document.fault(("playback",), "'marks'", "truncate, acknowledge or none")
    for name in ("input", "output"):
        encoding = getattr(dialect, name).encoding
        if encoding not in dialect.offered(output=name == "output"):
            names = "encodings" if dialect.shape is Shape.GA else f"{name}_names"
            yield document.fault((name,), f"{encoding}, which has no name", f"one that {names} has")


def _addresses(document: Document, dialect: Dialect) -> Iterator[Fault]:
    for blank in re.findall(r"{([^}]*)}", dialect.url):
        if blank not in _BLANKS:
            yield document.fault(("url",), f"{{{blank}}}", "{model} and {resource} alone")
    if dialect.url:
        parts = urlsplit(dialect.url)
        if parts.scheme != "wss" and not (parts.scheme == "ws" and is_loopback(parts.hostname or "")):
            yield document.fault(("url",), repr(dialect.url), "wss://: keys cross no open network")
    if dialect.key_env and "{key}" not in dialect.key_value:
        yield document.fault(("key_value",), repr(dialect.key_value), "a value with {key} in it")


def _keys(document: Document, dialect: Dialect) -> Iterator[Fault]:
    """Keys stand in no file."""
    remedy = "name its environment variable in key_env"
    for field, names in (("headers", dialect.headers), ("query", dialect.query)):
        for name in filter(is_sensitive, names):
            yield document.fault((field, name), "what looks like a key", "no secrets", remedy)
