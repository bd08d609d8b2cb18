"""Our ES modules as one script, for pages that must hold all they need. Pure but for reading the files.

Each module becomes a function that is called once, in the order in which modules need each other. Only the
forms that our modules use are known; any other is an error, which a test over all modules would show:

    import { a, b as c } from "./x.js";      import * as keys from "./keys.js";
    export function f …   export async function f …   export class C …   export const a = …
"""

from __future__ import annotations

import json
import re
from pathlib import Path

STATIC = Path(__file__).parent / "static"
"""The modules and styles of the studio's page."""

_IMPORT = re.compile(
    r'^import (?P<what>\{[^}]*\}|\* as \w+) from "(?P<path>\./[^"]+|\.\./[^"]+)";$', re.MULTILINE
)
_EXPORT = re.compile(r"^export (?P<form>(?:async )?function\*?|class|const) (?P<name>\w+)", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*(?:/\*\*?.*?\*/|//[^\n]*)[ \t]*\n", re.MULTILINE | re.DOTALL)
_LEFT_OVER = re.compile(r"^(?:import|export)\b|\bimport\(|</script|<!--", re.MULTILINE)


class NotBundled(ValueError):
    """A module that cannot become a part of one script, and why."""


def bundle(entry: Path) -> str:
    """The module and all that it imports as one classic script, whose end runs the entry.

    Raises:
        NotBundled: A module uses another form of import or export, or modules need each other in a circle.
        OSError: One cannot be read.
    """
    done: dict[Path, str] = {}
    _visit(entry.resolve(), done, ())
    return f'"use strict";\n(() => {{\nconst modules = {{}};\n{"".join(done.values())}}})();\n'


def _visit(path: Path, done: dict[Path, str], above: tuple[Path, ...]) -> None:
    if path in above:
        circle = " -> ".join(one.name for one in (*above, path))
        raise NotBundled(f"modules need each other in a circle: {circle}")
    if path in done:
        return
    text = path.read_text(encoding="utf-8")
    for found in _IMPORT.finditer(text):
        _visit((path.parent / found["path"]).resolve(), done, (*above, path))
    done[path] = _wrapped(path, text)


def _wrapped(path: Path, text: str) -> str:
    names = [found["name"] for found in _EXPORT.finditer(text)]
    body = _IMPORT.sub(lambda found: _bound(path, found), _COMMENT.sub("", text))
    body = _EXPORT.sub(lambda found: f"{found['form']} {found['name']}", body)
    left = _LEFT_OVER.search(body)
    if left:
        line = body[body.rfind("\n", 0, left.start()) + 1 :].partition("\n")[0].strip()
        raise NotBundled(f"{path.name}: {line!r} cannot stand in one script")
    return f"modules[{_key(path)}] = (() => {{\n{body}\nreturn {{ {', '.join(names)} }};\n}})();\n"


def _bound(path: Path, found: re.Match[str]) -> str:
    source = f"modules[{_key((path.parent / found['path']).resolve())}]"
    what = found["what"]
    if what.startswith("*"):
        return f"const {what.removeprefix('* as ')} = {source};"
    return f"const {what.replace(' as ', ': ')} = {source};"


def _key(path: Path) -> str:
    inside = path.is_relative_to(STATIC.resolve())
    return json.dumps(path.relative_to(STATIC.resolve()).as_posix() if inside else path.name)
