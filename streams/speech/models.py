"""Which models there are, where each is found, and whether it is the one that was pinned.

A model is looked for in this order: a path given, installed packages, the hub's cache, a download (only if
allowed). Every file has a pinned SHA-256: a file that differs is an error, never another result in silence.
"""

from __future__ import annotations

import difflib
import importlib.metadata
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from streams.speech import checksum
from streams.speech.interfaces import EngineMisnamed, ModelIdentity, SpeechError
from streams.speech.model_list import MODELS, ModelFile, ModelSpec


class Origin(StrEnum):
    """Where a model was found."""

    PACKAGE = "installed package"
    JOINED = "joined from installed packages"
    HUB = "hub cache"


class UnknownModel(EngineMisnamed):
    """A name that is neither a model of the list nor a path."""

    def __init__(self, name: str) -> None:
        self.name = name
        near = difflib.get_close_matches(name, MODELS, n=1, cutoff=0.4)
        guess = f"Did you mean {near[0]!r}? " if near else ""
        super().__init__(
            "models", f"{name!r} is no model and no path", f"{guess}Known: {', '.join(MODELS)}."
        )


class ModelMissing(SpeechError):
    """A model of the list that isn't on this machine."""

    def __init__(self, spec: ModelSpec, reason: str = "it is not installed", remedy: str = "") -> None:
        self.model = spec.id
        how = (
            f"Install it with: pip install {' '.join(spec.packages)}"
            if spec.packages
            else f"Download it ({spec.size / 1e6:.0f} MB) with: viva models fetch {spec.id}"
        )
        super().__init__(f"model {spec.id}", reason, remedy or how)


class ModelMismatch(SpeechError):
    """A model file whose bytes aren't the pinned ones."""

    def __init__(self, model: str, path: Path, expected: str, found: str) -> None:
        self.model = model
        self.path = path
        self.expected = expected
        self.actual = found
        super().__init__(
            f"model {model}",
            f"{path} has SHA-256 {found}, expected {expected}",
            "Remove the file and install or fetch the model again.",
        )


@dataclass(frozen=True, slots=True)
class ModelStatus:
    """A model of the list and where it is.

    Attributes:
        spec: Its entry in the list.
        path: What an engine is given: the weights' file, or the folder of a Whisper model; None if the
            model is not on this machine. A joined model's folder is filled by `locate`.
        origin: Where it was found; None if it was not.
    """

    spec: ModelSpec
    path: Path | None
    origin: Origin | None


def available() -> tuple[ModelStatus, ...]:
    """Every model of the list and whether it is here. Nothing is read, joined or downloaded."""
    return tuple(status(spec.id) for spec in MODELS.values())


def status(model: str) -> ModelStatus:
    """Where a model is. Raises `UnknownModel`."""
    spec = _spec(model)
    if (parts := _package_parts(spec)) is not None:
        folders = {path.parent for paths in parts for path in paths}
        if len(folders) == 1 and all(len(paths) == 1 for paths in parts):
            return ModelStatus(spec, _answer(spec, folders.pop()), Origin.PACKAGE)
        return ModelStatus(spec, _answer(spec, _joined_folder(spec)), Origin.JOINED)
    if spec.hub and (folder := _hub_folder(spec)) is not None:
        return ModelStatus(spec, _answer(spec, folder), Origin.HUB)
    return ModelStatus(spec, None, None)


def locate(model: str | Path, *, download: bool = False) -> Path:
    """Path of a model that is ready for use and has been checked.

    Args:
        model: A model of the list, or the path of a file or folder of one's own (taken as it is).
        download: Whether a model of the hub may be downloaded.

    Returns:
        The weights' file, or the folder of a Whisper model.

    Raises:
        UnknownModel: Neither a model nor a path.
        ModelMissing: It is not on this machine.
        ModelMismatch: It is not the pinned one.
    """
    if model not in MODELS:
        if not Path(model).exists():
            raise UnknownModel(str(model))
        return Path(model)
    found = fetch(str(model)) if download else verify(str(model))
    assert found.path is not None  # verify raises otherwise
    return found.path


def verify(model: str) -> ModelStatus:
    """Check every file of a model against its pinned hash; hashes of unchanged files are remembered.

    Raises:
        ModelMissing: It is not on this machine.
        ModelMismatch: A file differs; the error has both hashes.
    """
    found = status(model)
    if found.path is None:
        raise ModelMissing(found.spec)
    if found.origin is Origin.JOINED:
        _join(found.spec)
    folder = found.path if found.spec.folder else found.path.parent
    for file in found.spec.files:
        actual = checksum.sha256(folder / file.name)
        if actual != file.sha256:
            raise ModelMismatch(model, folder / file.name, file.sha256, actual)
    return found


def fetch(model: str) -> ModelStatus:
    """Make sure a model is here and the pinned one, downloading it from the hub if need be (with progress).

    Raises:
        ModelMissing: It comes as a package that isn't installed, or the hub could not be reached.
        ModelMismatch: What is here, or came, is not the pinned model.
    """
    found = status(model)
    if found.path is None and found.spec.hub:
        _download(found.spec)
    return verify(model)


def weights_hash(model: str | Path) -> str:
    """SHA-256 of a model's weights: pinned for a model of the list, taken from the file for a path."""
    if model in MODELS:
        return MODELS[str(model)].files[0].sha256
    path = Path(model)
    if path.is_dir():
        path = max(path.iterdir(), key=lambda file: file.stat().st_size)
    return checksum.sha256(path)


def identity(family: str, model: str | Path, library: str) -> ModelIdentity:
    """Who a model is, for the record.

    Args:
        family: The engine.
        model: A model of the list, or a path.
        library: PyPI name of the package that runs it.
    """
    versions = [f"{library} {importlib.metadata.version(library)}"]
    if model in MODELS:
        versions.append(f"weights {MODELS[str(model)].version}")
    return ModelIdentity(family, Path(model).name, ", ".join(versions), weights_hash(model))


def _spec(model: str) -> ModelSpec:
    if model not in MODELS:
        raise UnknownModel(model)
    return MODELS[model]


def _answer(spec: ModelSpec, folder: Path) -> Path:
    return folder if spec.folder else folder / spec.files[0].name


def _package_parts(spec: ModelSpec) -> list[list[Path]] | None:
    """For each file the installed files that make it, or None if one is absent."""
    found = [list(_installed(file)) for file in spec.files]
    complete = all(len(paths) == len(file.parts) > 0 for paths, file in zip(found, spec.files, strict=True))
    return found if complete else None


def _installed(file: ModelFile) -> Iterator[Path]:
    for part in file.parts:
        package, _, inside = part.partition("/")
        package_spec = importlib.util.find_spec(package)  # finds the package without importing it
        for root in (package_spec.submodule_search_locations or ()) if package_spec else ():
            if (path := Path(root) / inside).is_file():
                yield path
                break


def _joined_folder(spec: ModelSpec) -> Path:
    return checksum.cache_folder() / "models" / f"{spec.id}-{spec.files[0].sha256[:8]}"


def _join(spec: ModelSpec) -> None:
    parts = _package_parts(spec)
    assert parts is not None  # its status is "joined"
    for file, paths in zip(spec.files, parts, strict=True):
        target = _joined_folder(spec) / file.name
        if target.exists() and target.stat().st_size == file.size:
            continue
        try:
            with checksum.atomic(target) as whole:
                actual = checksum.copy(paths, whole)
                if actual != file.sha256:
                    raise ModelMismatch(spec.id, paths[0], file.sha256, actual)
        except OSError as error:
            found = f"can't write {target}: {error.strerror}"
            raise SpeechError(f"model {spec.id}", found, "Set VIVAVOCE_CACHE to another folder.") from error


def _hub_folder(spec: ModelSpec) -> Path | None:
    if importlib.util.find_spec("huggingface_hub") is None:
        return None
    from huggingface_hub import try_to_load_from_cache

    found = [try_to_load_from_cache(spec.hub, file.name, revision=spec.revision) for file in spec.files]
    return Path(found[0]).parent if all(isinstance(path, str) for path in found) else None  # type: ignore[arg-type]


def _download(spec: ModelSpec) -> None:
    if importlib.util.find_spec("huggingface_hub") is None:
        raise ModelMissing(spec, "only huggingface_hub can download it", "pip install huggingface_hub")
    from huggingface_hub import snapshot_download

    try:
        snapshot_download(
            spec.hub, revision=spec.revision, allow_patterns=[file.name for file in spec.files]
        )
    except OSError as error:  # offline, refused, disk full: the hub's errors are all of this kind
        raise ModelMissing(
            spec,
            f"{spec.hub} at {spec.revision[:8]} could not be downloaded ({type(error).__name__})",
            "Check the connection; offline, copy that revision into the hub's cache (HF_HOME).",
        ) from error
