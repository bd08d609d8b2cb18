"""Size, clocks, `except`, and what may not stand in a file: rules that no linter of ours knows."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.sources import BESIDE, ROOMS, ROOT, Source, sources

MAX_FILE = {"tests": 500}
"""Lines of a file, by folder; 350 elsewhere: code is read from top to bottom, tests are looked up."""

MAX_FUNCTION = 60

BROAD_EXCEPTS = {
    "agent/session.py": "closes a session and says how it ended",
    "agent/cli/main.py": "gives a fault of ours its exit code",
    "streams/foreign.py": "turns what code of others raises into that code's failure",
}
"""The files that may catch everything, each in one place."""


def long_files(root: Path) -> list[str]:
    return [
        f"{source.path.as_posix()} has {source.lines} lines, at most {most(source)}"
        for source in sources(root, ROOMS + BESIDE)
        if source.lines > most(source)
    ]


def most(source: Source) -> int:
    return MAX_FILE.get(source.path.parts[0], 350)


def long_functions(root: Path) -> list[str]:
    found = []
    for source in sources(root, ROOMS + BESIDE):
        for node in ast.walk(source.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MAX_FUNCTION:
                    found.append(
                        f"{source.path.as_posix()}: {node.name} has {lines} lines, at most {MAX_FUNCTION}"
                    )
    return found


def clock_readings(source: Source) -> Iterator[int]:
    """Lines that read a clock or wait on one other than through asyncio and `streams.clock`."""
    for node in ast.walk(source.tree):
        match node:
            case ast.Import(names=names) if any(alias.name == "time" for alias in names):
                yield node.lineno
            case ast.ImportFrom(module="time"):
                yield node.lineno
            case ast.Call(func=ast.Attribute(attr="time"), args=[]):  # loop.time()
                yield node.lineno
            case ast.Call(func=ast.Attribute(value=owner, attr="now" | "utcnow" | "today")):
                if ast.unparse(owner).split(".")[-1] in ("datetime", "date"):
                    yield node.lineno


def clocks(root: Path) -> list[str]:
    return [
        f"{source.path.as_posix()}:{line} reads a clock; only streams/clock.py may"
        for source in sources(root)
        if source.path.as_posix() != "streams/clock.py"
        for line in clock_readings(source)
    ]


def broad_handlers(source: Source) -> Iterator[int]:
    """Lines of `except:`, `except Exception`, `suppress(Exception)`, also as one of several."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ExceptHandler):
            caught = [node.type] if node.type else []
            if not caught:
                yield node.lineno
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
            caught = list(node.args)
        else:
            continue
        names = [n for c in caught for n in (c.elts if isinstance(c, ast.Tuple) else [c])]
        if any(ast.unparse(name) in ("Exception", "BaseException") for name in names):
            yield node.lineno


def broad_excepts(root: Path) -> list[str]:
    found = [
        (source.path.as_posix(), line)
        for source in sources(root)
        for line in sorted(broad_handlers(source))
    ]
    allowed = {path: line for path, line in reversed(found) if path in BROAD_EXCEPTS}
    return [
        f"{path}:{line} catches everything; catch by type"
        for path, line in found
        if allowed.get(path) != line
    ]


def relative_imports(root: Path) -> list[str]:
    return [
        f"{source.path.as_posix()}:{node.lineno} is a relative import"
        for source in sources(root, ROOMS + BESIDE)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ImportFrom) and node.level
    ]


def test_no_file_is_too_long_to_read() -> None:
    assert long_files(ROOT) == []


def test_no_function_is_too_long_to_read() -> None:
    assert long_functions(ROOT) == []


def test_only_the_clock_reads_a_clock() -> None:
    assert clocks(ROOT) == []


def test_only_the_ends_of_a_session_and_of_the_program_catch_everything() -> None:
    assert broad_excepts(ROOT) == []


def test_no_import_is_relative() -> None:
    assert relative_imports(ROOT) == []


@pytest.mark.parametrize(
    ("rule", "code", "complaint"),
    [
        (long_files, "x = 1\n" * 350 + "y = 1", "agent/x.py has 351 lines, at most 350"),
        (long_functions, "async def f():\n" + "    x = 1\n" * 60, "agent/x.py: f has 61 lines, at most 60"),
        (clocks, "import time", "agent/x.py:1 reads a clock"),
        (clocks, "from time import monotonic_ns", "agent/x.py:1 reads a clock"),
        (clocks, "loop.time()", "agent/x.py:1 reads a clock"),
        (clocks, "def f():\n    return dt.datetime.now(dt.UTC)", "agent/x.py:2 reads a clock"),
        (broad_excepts, "try:\n    f()\nexcept:\n    pass", "agent/x.py:3 catches everything"),
        (broad_excepts, "try:\n    f()\nexcept (ValueError, Exception):\n    pass", "agent/x.py:3"),
        (broad_excepts, "with contextlib.suppress(BaseException):\n    pass", "agent/x.py:1"),
        (relative_imports, "def f():\n    from . import y", "agent/x.py:2 is a relative import"),
    ],
)
def test_a_planted_fault_is_found(rule: object, code: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent/x.py").write_text(code + "\n")
    assert callable(rule)
    (found,) = rule(tmp_path)
    assert found.startswith(complaint)


def test_a_second_place_that_catches_everything_is_found_even_in_the_session(tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent/session.py").write_text("try:\n    f()\nexcept Exception:\n    pass\n" * 2)
    assert broad_excepts(tmp_path) == ["agent/session.py:7 catches everything; catch by type"]


# --- tests mirror the rooms --------------------------------------------------------------------


def has_a_place(test: Source, root: Path) -> bool:
    """Whether a test file is named after a module of the room it lies under, or says what it tests."""
    folder = Path(*test.path.parts[1:-1])
    subject = test.path.stem.removeprefix("test_")
    modules = {place.stem for place in (root / folder).rglob("*") if place.suffix in ("", ".py")}
    # base names are unique in the tree, so words that say of what may stand around the module's name
    named_after = any(f"_{module}_" in f"_{subject}_" for module in modules)
    return named_after or ast.get_docstring(test.tree) is not None


def test_every_test_file_mirrors_a_module_or_says_what_it_tests() -> None:
    lost = [
        source.path.as_posix()
        for source in sources(ROOT, ("tests",))
        if source.path.name.startswith("test_") and not has_a_place(source, ROOT)
    ]
    assert lost == []


def test_test_files_have_names_of_their_own() -> None:
    names = sorted(source.path.name for source in sources(ROOT, ("tests",)))
    twice = {a for a, b in itertools.pairwise(names) if a == b and a.startswith("test_")}
    assert twice == set()


# --- texts -------------------------------------------------------------------------------------

TEXTS = {".py", ".md", ".toml", ".yaml", ".yml", ".txt", ".json", ".j2", ".css", ".js", ""}

# put together from pieces, so that this file does not hold what it looks for
UNFINISHED = re.compile(
    "|".join((r"\bTO" + "DO", r"\bFIX" + "ME", r"\bXX" + r"X\b", "NotImplemented" + "Error"))
)
LOCAL_PATH = re.compile(r"(?<![\w.~-])/(" + "|".join(("work", "root", "home", "Users")) + r")/\w")


def texts() -> Iterator[Path]:
    """Every text file of ours: the rooms, what lies beside them, and the files at the top."""
    folders = (*ROOMS, *BESIDE, "docs", "scripts", ".ci")
    for folder in folders:
        yield from (p for p in sorted((ROOT / folder).rglob("*")) if p.is_file() and p.suffix in TEXTS)
    yield from (p for p in sorted(ROOT.iterdir()) if p.is_file() and p.suffix in TEXTS)


@pytest.mark.parametrize(
    ("pattern", "fault"),
    [(UNFINISHED, "is unfinished"), (LOCAL_PATH, "names a path of one machine")],
    ids=["unfinished", "local path"],
)
def test_no_text_of_ours_has(pattern: re.Pattern[str], fault: str) -> None:
    found = []
    for file in texts():
        if "__pycache__" in file.parts or "episodes" in file.parts:
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if pattern.search(line):
                found.append(f"{file.relative_to(ROOT)}:{number} {fault}: {line.strip()[:80]}")
    assert found == []
