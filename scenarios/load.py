"""Loads scenarios and packs, and names everything that is wrong with them at once."""

from __future__ import annotations

import difflib
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from scenarios import lint
from scenarios.document import Document, read_document, read_documents
from scenarios.problems import Problem, ScenarioError
from scenarios.schema import Pack, Scenario
from scenarios.spoken.lexicon import LEXICON, lexicon_problems
from scenarios.validate import validated

PACK = "pack.yaml"
"""The manifest of a pack."""

_SHIPPED = Path(__file__).parent
_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class LoadedScenario:
    """A scenario that can be run.

    Attributes:
        pack: The pack it lies in; None for a file on its own.
        path: Its file; the scenario's audio paths are relative to it.
        sha256: Hash of its canonical JSON.
        warnings: What its author should look at; it can be run all the same.
    """

    scenario: Scenario
    pack: Pack | None
    path: Path
    sha256: str
    warnings: tuple[Problem, ...] = ()

    @property
    def name(self) -> str:
        """How it is called: `pack/scenario`, or its id alone."""
        return f"{self.pack.id}/{self.scenario.id}" if self.pack else self.scenario.id

    def audio(self, name: str) -> Path:
        """The file of a recording that the scenario names."""
        return self.path.parent / name


@dataclass(frozen=True, slots=True)
class LoadedPack:
    """A pack, its folder, and its scenarios in the order of their ids."""

    pack: Pack
    path: Path
    scenarios: tuple[LoadedScenario, ...]


def canonical_json(scenario: Scenario) -> str:
    """The scenario as JSON that is the same for the same content, in whatever order it was written.

    What has its default is left out, so that the hash of a scenario stays when the schema grows. Keys are
    sorted, no spaces; floats as Python's shortest repr.
    """
    data = scenario.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def scenario_sha256(scenario: Scenario) -> str:
    """SHA-256 of the canonical JSON in UTF-8, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical_json(scenario).encode()).hexdigest()


def from_scenario(scenario: Scenario) -> LoadedScenario:
    """A scenario made in Python, without a file; audio paths are relative to the working directory."""
    return LoadedScenario(scenario, None, Path(), scenario_sha256(scenario))


def load_scenario(path: Path) -> LoadedScenario:
    """Load the file of one scenario; a `pack.yaml` beside it is its pack.

    Raises:
        ScenarioError: With every problem of the file.
    """
    loaded = load_scenarios(path)
    if len(loaded) > 1:
        raise ScenarioError([_about(path, f"{len(loaded)} scenarios", "a file with one")])
    return loaded[0]


def load_scenarios(path: Path) -> tuple[LoadedScenario, ...]:
    """Load a file of one or more scenarios, parted by `---`; a `pack.yaml` beside it is their pack.

    Raises:
        ScenarioError: With every problem of the file.
    """
    pack = _load_manifest(path.parent) if (path.parent / PACK).is_file() else None
    loaded = _load(path, pack)
    problems = _same_ids(loaded) + _lexicon_problems(path.parent)
    if problems:
        raise ScenarioError(problems)
    return tuple(loaded)


def load_pack(folder: Path | str) -> LoadedPack:
    """Load a pack: a folder with a `pack.yaml` and scenarios beside it, or the name of one we ship.

    Raises:
        ScenarioError: With every problem of every file.
    """
    path = _shipped(folder) if isinstance(folder, str) else folder
    path = Path(folder) if path is None else path
    pack = _load_manifest(path)
    loaded: list[LoadedScenario] = []
    problems: list[Problem] = []
    for file in _files(path):
        try:
            loaded += _load(file, pack)
        except ScenarioError as error:
            problems += error.problems
    problems += _same_ids(loaded) + _lexicon_problems(path)
    if not loaded and not problems:
        problems.append(_about(path, "a pack without scenarios", f"YAML files beside {PACK}"))
    if problems:
        raise ScenarioError(problems)
    return LoadedPack(pack, path, tuple(sorted(loaded, key=lambda one: one.scenario.id)))


def shipped_packs() -> list[str]:
    """Names of the packs that come with vivavoce."""
    return sorted(manifest.parent.name for manifest in _SHIPPED.glob(f"*/{PACK}"))


def find(name: str) -> tuple[LoadedScenario, ...]:
    """Scenarios by name or path.

    Args:
        name: A shipped pack (`demo`), one scenario of it (`demo/crispr`), the folder of a pack, or a file.
            A shipped name goes before a path; `./demo` is always a path.

    Raises:
        ScenarioError: Nothing has that name, or what has it is not valid.
    """
    pack_name, _, scenario_id = name.strip("/").partition("/")
    shipped = None if name.startswith((".", "/")) else _shipped(pack_name)
    if shipped is not None:
        scenarios = load_pack(shipped).scenarios
        chosen = tuple(one for one in scenarios if scenario_id in ("", one.scenario.id))
        return chosen or _not_found(name, [one.name for one in scenarios])
    path = Path(name).expanduser()
    if path.is_dir():
        return load_pack(path).scenarios
    if path.is_file():
        return load_scenarios(path)
    return _not_found(name, shipped_packs())


def _not_found(name: str, known: list[str]) -> tuple[LoadedScenario, ...]:
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean `{close[0]}`?" if close else ""
    expected = f"one of {', '.join(known)}, the folder of a pack, or a scenario's file"
    raise ScenarioError([_about(Path(name), "nothing of that name", expected, hint)])


def _shipped(name: str) -> Path | None:
    return _SHIPPED / name if name in shipped_packs() else None


def _files(folder: Path) -> list[Path]:
    beside = (PACK, LEXICON)
    return sorted(path for path in folder.iterdir() if path.suffix in _SUFFIXES and path.name not in beside)


def _lexicon_problems(folder: Path) -> list[Problem]:
    """What is wrong with the lexicon beside scenarios, if there is one."""
    own = folder / LEXICON
    return lexicon_problems(own) if own.is_file() else []


def _load_manifest(folder: Path) -> Pack:
    file = folder / PACK
    if not file.is_file():
        raise ScenarioError([_about(folder, f"no {PACK}", "a folder with the manifest of a pack")])
    document = read_document(file)
    pack = validated(document, Pack)
    if pack is None or document.problems:
        raise ScenarioError(document.problems)
    return pack


def _load(path: Path, pack: Pack | None) -> list[LoadedScenario]:
    loaded: list[LoadedScenario] = []
    problems: list[Problem] = []
    for document in read_documents(path):
        scenario = _checked(document)
        if scenario is None or document.problems:
            problems += sorted(document.problems, key=lambda problem: (problem.line, problem.column))
        else:
            found = tuple(lint.warnings(document, scenario))
            loaded.append(LoadedScenario(scenario, pack, path, scenario_sha256(scenario), found))
    if problems:
        raise ScenarioError(problems)
    return loaded


def _checked(document: Document) -> Scenario | None:
    scenario = validated(document, Scenario)
    if scenario is not None:
        document.problems += lint.errors(document, scenario)
    return scenario


def _same_ids(loaded: list[LoadedScenario]) -> list[Problem]:
    first: dict[str, Path] = {}
    problems = []
    for one in loaded:
        id = one.scenario.id
        if id in first:
            hint = f"the other is {first[id].name}"
            problems.append(_about(one.path, f"the id {id!r} a second time", "an id of its own", hint))
        first.setdefault(id, one.path)
    return problems


def _about(path: Path, found: str, expected: str, hint: str = "") -> Problem:
    return Problem(path, 0, 0, (), found, expected, hint)
