"""A file of several scenarios, parted by `---`: which it holds, and the same without some. Pure."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection

import yaml

_PARTING = re.compile(r"(?m)^---(?=\s|$)")


def without(text: str, ids: Collection[str]) -> str:
    """The text without the scenarios of these ids, byte for byte but for them.

    The comment at the head of the file stays; a comment that belongs to a scenario goes with it.

    Args:
        text: YAML.
        ids: Those that are not there change nothing.
    """
    parts = _parts(text)
    stay = [part for part in parts if not part.strip() or _id(part) not in ids]
    if stay == parts:
        return text
    first = "" if parts[0] in stay else _head(parts[0])
    kept = "".join(stay)
    return first + (_PARTING.sub("", kept, count=1).lstrip() if first else kept)


def ids(text: str) -> set[str]:
    """Ids of the scenarios of a file."""
    return {id for part in _parts(text) if (id := _id(part))}


def _parts(text: str) -> list[str]:
    """The scenarios, each but the first with the line that parts it from the one before."""
    places = [0, *(found.start() for found in _PARTING.finditer(text)), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(places)]


def _id(part: str) -> str:
    try:
        found = yaml.safe_load(part)
    except (
        yaml.YAMLError
    ):  # mended by hand, and not well: it stays, and whoever loads it says what is wrong
        return ""
    return str(found.get("id", "")) if isinstance(found, dict) else ""


def _head(part: str) -> str:
    """Lines of comment before the first scenario; the last of them is about the scenario itself."""
    lines = re.match(r"(?:#[^\n]*\n|\n)*", part)
    return "".join((lines[0] if lines else "").splitlines(keepends=True)[:-1])
