"""WORLD, the vocoder, behind the import trouble of its package."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import threading
from types import ModuleType

from streams.speech.interfaces import SpeechError

_INSTALL = "Install it: pip install 'vivavoce[speak]'."

_loaded: list[ModuleType] = []
_loading = threading.Lock()


def world() -> ModuleType:
    """The compiled module of pyworld.

    It is imported past the package around it, which asks for its own version through `pkg_resources`, and
    that is no longer part of setuptools.

    Raises:
        SpeechError: It is not installed.
    """
    with _loading:
        if not _loaded:
            package = importlib.util.find_spec("pyworld")
            folders = list(package.submodule_search_locations or ()) if package else []
            spec = importlib.machinery.PathFinder.find_spec("pyworld", folders)
            if spec is None or spec.loader is None:
                raise SpeechError("world", "the package pyworld is not installed", _INSTALL)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            _loaded.append(module)
        return _loaded[0]
