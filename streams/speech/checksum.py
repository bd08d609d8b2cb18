"""SHA-256 of model files, remembered by path, size and modification time so that a start is fast."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

_BLOCK = 1 << 20


def cache_folder() -> Path:
    """Where joined models and remembered hashes live: VIVAVOCE_CACHE, or `vivavoce` in the user's cache."""
    chosen = os.environ.get("VIVAVOCE_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "vivavoce"


def sha256(path: Path) -> str:
    """Hash of a file's bytes in hexadecimal, read only if the file is new or has changed."""
    path = path.absolute()
    stat = path.stat()
    mark = f"{stat.st_size}:{stat.st_mtime_ns}"
    known = _remembered()
    if known.get(str(path), "").startswith(mark + ":"):
        return known[str(path)].rpartition(":")[2]
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    _remember(str(path), f"{mark}:{digest}")
    return digest


@contextlib.contextmanager
def atomic(path: Path) -> Iterator[BinaryIO]:
    """Write a file whole or, if the block raises, not at all; several processes may do so at once."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    partial = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def copy(parts: list[Path], whole: BinaryIO) -> str:
    """Write the parts one after another; returns the hash of the whole."""
    digest = hashlib.sha256()
    for part in parts:
        with part.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
                whole.write(block)
    return digest.hexdigest()


def _memory() -> Path:
    return cache_folder() / "sha256.json"


def _remembered() -> dict[str, str]:
    try:
        known = json.loads(_memory().read_bytes())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _remember(path: str, entry: str) -> None:
    known = {**_remembered(), path: entry}
    # a cache that can't be written only costs time; of two writers the last wins, the other hashes again
    with contextlib.suppress(OSError), atomic(_memory()) as file:
        file.write(json.dumps(known, indent=1, sort_keys=True).encode())
