"""Who may import whom: the table of `docs/architecture.md`, kept for lazy imports too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.sources import BESIDE, ROOMS, ROOT, Source, sources

CORE = (
    "streams.audio",
    "streams.clock",
    "streams.foreign",
    "streams.g711",
    "streams.levels",
    "streams.playback",
    "streams.resample",
)

MAY_IMPORT: dict[str, tuple[str, ...]] = {
    # the longest name that fits a module decides; each package may import itself, if it says so
    "streams": CORE,
    "streams.endpoints": (*CORE, "streams.endpoints"),
    "streams.devices": (*CORE, "streams.devices"),
    "streams.events": (*CORE, "streams.events"),
    "streams.language": (*CORE, "streams.language"),
    "streams.speech": (*CORE, "streams.speech", "streams.language"),
    "streams.reference": (
        *CORE,
        "streams.reference",
        "streams.speech",
        "streams.language",
        "streams.endpoints",
    ),
    "scenarios": ("scenarios",),
    "recordings": (*CORE, "recordings", "streams.endpoints.events"),
    "user_sim": ("user_sim", "streams", "scenarios"),
    "scoring": (*CORE, "scoring", "recordings", "scenarios", "streams.speech", "streams.language"),
    "agent": ("agent", "user_sim", "streams", "scenarios", "recordings"),
    "agent.cli": ROOMS,
    "agent.live_judge": ROOMS,
}

NEVER: dict[str, tuple[str, ...]] = {
    # taken out of what the table above allows: the session does not know its command line
    "agent": ("agent.cli",),
}


BY_NAME = ("importlib.import_module", "import_module", "__import__")
"""Calls that import what their argument names."""


def inside(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def rule_for(module: str) -> str:
    return max((package for package in MAY_IMPORT if inside(module, package)), key=len)


def imported(source: Source, root: Path) -> Iterator[tuple[int, str]]:
    """Line and full name of every import, wherever it stands."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:  # `from package import module` imports the module
                place = root.joinpath(*node.module.split("."), alias.name)
                is_module = place.is_dir() or place.with_suffix(".py").is_file()
                yield node.lineno, f"{node.module}.{alias.name}" if is_module else node.module
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in BY_NAME:
            yield from ((node.lineno, str(a.value)) for a in node.args if isinstance(a, ast.Constant))


def violations(root: Path) -> list[str]:
    found = []
    for source in sources(root):
        rule = rule_for(source.module)
        for line, name in imported(source, root):
            ours = name.split(".")[0] in (*ROOMS, *BESIDE)
            allowed = any(inside(name, package) for package in MAY_IMPORT[rule])
            forbidden = any(inside(name, package) for package in NEVER.get(rule, ()))
            if ours and (forbidden or not allowed):
                found.append(f"{source.path.as_posix()}:{line} imports {name}, which {rule} may not")
    return found


def test_every_room_imports_only_what_it_may() -> None:
    assert violations(ROOT) == []


def test_the_core_of_streams_is_what_the_table_says() -> None:
    modules = [f"streams.{file.stem}" for file in sorted((ROOT / "streams").glob("*.py"))]
    assert tuple(modules) == ("streams.__init__", *CORE)


@pytest.mark.parametrize(
    ("path", "code", "complaint"),
    [
        ("scoring/x.py", "import agent.session", "imports agent.session, which scoring may not"),
        ("scoring/x.py", "def f():\n    from agent import session", "imports agent, which scoring may not"),
        (
            "scoring/x.py",
            "import streams.endpoints.pcm",
            "imports streams.endpoints.pcm, which scoring may not",
        ),
        ("streams/x.py", "from streams.speech import y", "imports streams.speech, which streams may not"),
        ("streams/x/y.py", "from streams.x import z", "imports streams.x, which streams may not"),
        ("streams/endpoints/pcm/x.py", "import streams.speech", "which streams.endpoints may not"),
        ("streams/language/x.py", "import streams.speech", "which streams.language may not"),
        (
            "scenarios/x.py",
            "from streams.audio import Frame",
            "imports streams.audio, which scenarios may not",
        ),
        ("recordings/x.py", "from streams.endpoints.protocol import Endpoint", "which recordings may not"),
        ("user_sim/x.py", "import recordings", "imports recordings, which user_sim may not"),
        ("agent/x.py", "import scoring.text", "imports scoring.text, which agent may not"),
        ("agent/x.py", "from agent.cli.main import main", "imports agent.cli.main, which agent may not"),
        ("agent/cli/x.py", "from tests.recordings import calls", "which agent.cli may not"),
        ("user_sim/x.py", "import importlib\nimportlib.import_module('agent')", "which user_sim may not"),
    ],
)
def test_a_planted_violation_is_found(path: str, code: str, complaint: str, tmp_path: Path) -> None:
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(code + "\n")
    (found,) = violations(tmp_path)
    assert found.startswith(f"{path}:")
    assert complaint in found


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("streams/x.py", "from streams import audio\nimport numpy, websockets"),
        ("streams/reference/x.py", "from streams import clock, speech\nimport streams.endpoints.events"),
        ("recordings/x.py", "from streams.endpoints import events"),
        ("recordings/x.py", "from streams.endpoints.events import Flush"),
        ("scoring/x.py", "from streams.language.client import LanguageModel"),
        ("agent/x.py", "def f():\n    from user_sim.policy import Say"),
        ("agent/cli/x.py", "import scoring.text, agent.session"),
        ("agent/live_judge.py", "from scoring.judge import Judge"),
        ("agent/x.py", "import agents, streams_of_consciousness, testing"),
    ],
)
def test_what_the_table_allows_is_no_violation(path: str, code: str, tmp_path: Path) -> None:
    exist = ("streams/audio.py", "streams/clock.py", "streams/speech/y.py", "streams/endpoints/events.py")
    for file in (tmp_path / module for module in (*exist, path)):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tmp_path / path).write_text(code + "\n")
    assert violations(tmp_path) == []
