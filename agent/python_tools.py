"""Tools that are Python functions beside a scenario: found, and loaded only where that is allowed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from scenarios.load import LoadedScenario
from streams.foreign import foreign_code

Function = Callable[..., object]
"""Gets the call's arguments as keywords; returns text or what JSON can hold. May be async."""

FLAG = "--python-tools"


class PythonToolUnfit(ValueError):
    """A Python tool that is not allowed, or cannot be loaded."""


def check_allowed(scenarios: Iterable[LoadedScenario], *, allowed: bool) -> None:
    """See that no scenario runs code that was not allowed.

    Raises:
        PythonToolUnfit: One names a Python function.
    """
    for loaded in scenarios:
        named = [tool.python for tool in loaded.scenario.tools if tool.python is not None]
        if named and not allowed:
            raise PythonToolUnfit(
                f"{loaded.path}: the scenario {loaded.name} wants to run Python code of its folder "
                f"({', '.join(named)}). Read that code, then allow it with {FLAG}."
            )


def load_functions(loaded: LoadedScenario, *, allowed: bool) -> Mapping[str, Function]:
    """The functions of a scenario's Python tools, by the tool's name.

    A file is loaded from the scenario's own folder and from nowhere else, once per call, under a name that
    shadows no module.

    Raises:
        PythonToolUnfit: It is not allowed, the file fails, or has no such function.
    """
    check_allowed([loaded], allowed=allowed)
    folder = loaded.path.parent
    modules: dict[str, object] = {}
    functions = {}
    for tool in loaded.scenario.tools:
        if tool.python is None:
            continue
        file, _, name = tool.python.partition(":")
        if file not in modules:
            modules[file] = _load(folder / f"{file}.py")
        function = getattr(modules[file], name, None)
        if not callable(function):
            raise PythonToolUnfit(
                f"{folder / file}.py: no function {name!r}, which tool {tool.name!r} names. "
                f"Define `def {name}(...)` with the tool's arguments."
            )
        functions[tool.name] = function
    return functions


def _load(file: Path) -> object:
    spec = importlib.util.spec_from_file_location(f"_vivavoce_tools_{file.stem}", file)
    if spec is None or spec.loader is None or not file.is_file():
        raise PythonToolUnfit(f"{file}: there is no such file. Put it beside the scenario.")
    module = importlib.util.module_from_spec(spec)
    with foreign_code(lambda error: _unloadable(file, error)):
        spec.loader.exec_module(module)
    return module


def _unloadable(file: Path, error: Exception) -> PythonToolUnfit:
    found = f"{type(error).__name__}: {error}"
    return PythonToolUnfit(f"{file}: cannot be loaded, {found}. Mend the file.")
