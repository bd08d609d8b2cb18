"""A file or a folder that is there whole or not at all, and in the place of nothing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recordings.errors import RecordingError


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A place beside `path` to write to: it becomes `path` when all is written, or nothing is left of it.

    Raises:
        RecordingError: There is something at `path` already.
        OSError: The disk does not take it.
    """
    _refuse(path)
    try:
        making = tempfile.TemporaryDirectory(prefix=f".{path.name[:50]}-", dir=path.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error  # it is `path` that was asked for
    with making as folder:
        place = Path(folder) / path.name
        yield place
        _refuse(path)
        place.rename(path)


def _refuse(path: Path) -> None:
    if os.path.lexists(path):
        raise RecordingError(path, "exists already", "Choose another --out: nothing is overwritten.")
