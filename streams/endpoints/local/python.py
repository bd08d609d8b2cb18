"""`python:MODULE:NAME`: a function, generator, class or object of the user's own code as a model.

What is blocking runs in one thread for each name, so that a model never runs twice at a time.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import inspect
import os
import sys
import traceback
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from streams.audio import Samples
from streams.endpoints.local.model import ModelFailed, Said, pcm_of
from streams.foreign import foreign_code

EXPECTED = "`reply(audio, rate)`, with audio a float32 array and rate in samples per second"

_modules: dict[Path, object] = {}
_threads: dict[str, ThreadPoolExecutor] = {}


class LoadingFailed(ValueError):
    """A name that stands for no model; `remedy` says what to do."""

    def __init__(self, found: str, remedy: str) -> None:
        super().__init__(found)
        self.remedy = remedy


def load(target: str) -> Any:
    """The object that `MODULE:NAME` or `FILE.py:NAME` names.

    Args:
        target: A file or module is looked up from the working directory first.

    Raises:
        LoadingFailed: There is no such module or attribute, it fails, or it is no model.
    """
    module_name, mark, name = target.rpartition(":")
    if not mark or not module_name or not name:
        raise LoadingFailed(
            f"{target!r} names no function", "Write python:MODULE:NAME or python:FILE.py:NAME."
        )
    module = _module(module_name)
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            known = ", ".join(sorted(each for each in vars(found) if not each.startswith("_"))[:12])
            raise LoadingFailed(f"module {module_name!r} has no {name!r}", f"It has: {known}.")
        found = getattr(found, part)
    _check(target, found)
    return found


def _module(name: str) -> Any:
    file = Path(name)
    with foreign_code(lambda error: _unloadable(name, error)):
        if name.endswith(".py"):
            return _from_file(file.resolve())
        if os.getcwd() not in sys.path:
            sys.path.insert(0, os.getcwd())
        return importlib.import_module(name)


def _unloadable(name: str, error: Exception) -> LoadingFailed:
    if isinstance(error, LoadingFailed):
        return error
    if isinstance(error, ModuleNotFoundError):
        remedy = f"Install {error.name}, or start viva where it is found."
        return LoadingFailed(f"module {name!r}: no module {error.name!r}", remedy)
    return LoadingFailed(f"module {name!r} fails: {told(error)}", "Mend it, then try again.")


def _from_file(path: Path) -> object:
    if path not in _modules:
        if not path.is_file():
            raise LoadingFailed(f"there is no file {path}", "Name a file that there is.")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None:
            raise LoadingFailed(f"{path} is no Python file", "Name a file that ends in .py.")
        module = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(path.parent))  # what it imports may lie beside it
        try:
            sys.modules.setdefault(path.stem, module)
            spec.loader.exec_module(module)
        finally:
            sys.path.remove(str(path.parent))
        _modules[path] = module
    return _modules[path]


def _check(target: str, found: Any) -> None:
    reply = found.reply if hasattr(found, "reply") else found
    if not callable(reply):
        raise LoadingFailed(f"{target} is {type(found).__name__}, nothing to call", f"Expected {EXPECTED}.")
    arguments = (None, 0)
    if inspect.isclass(found) and hasattr(found, "reply"):
        arguments = (None, None, 0)  # type: ignore[assignment]
    try:
        inspect.signature(reply).bind(*arguments)
    except TypeError:
        shown = f"{getattr(reply, '__name__', target)}{inspect.signature(reply)}"
        raise LoadingFailed(f"{target} has the signature {shown}", f"Expected {EXPECTED}.") from None
    except ValueError:
        pass  # a builtin that does not tell its signature


def rate_of(found: object, name: str, default: int) -> int:
    """The rate that the code itself declares (`input_rate`, `output_rate`)."""
    rate = getattr(found, name, default)
    if not isinstance(rate, int) or not 4000 <= rate <= 192_000:
        raise LoadingFailed(f"{name} is {rate!r}", "Expected samples per second, as 16000.")
    return rate


def told(error: BaseException) -> str:
    """The last line of a traceback, with where it was raised."""
    last = traceback.format_exception_only(error)[-1].strip()
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return last
    return f"{last} ({Path(frames[-1].filename).name}, line {frames[-1].lineno}, in {frames[-1].name})"


class PythonModel:
    """One session's use of an object; see `Model`.

    Args:
        found: What `load` gave: a class is made anew for each session.
        target: Its name.
        input_rate: Samples per second of what it hears.
    """

    def __init__(self, found: Any, target: str, input_rate: int) -> None:
        self._found = found
        self._rate = input_rate
        self._thread = _threads.setdefault(target, ThreadPoolExecutor(1, thread_name_prefix=target))
        self._object: Any = None

    async def start(self) -> None:
        """Make the object, and call its `start`."""
        made = inspect.isclass(self._found)
        self._object = await self._run(self._found) if made else self._found
        if hasattr(self._object, "start"):
            await self._run(self._object.start)

    def hear(self, frame: Samples) -> bool | None:
        """Its `hear(frame, rate)`, if it has one; it must be quick."""
        if not hasattr(self._object, "hear"):
            return None
        with foreign_code(_failed):
            found = self._object.hear(frame, self._rate)
        return found if isinstance(found, bool) else None

    async def reply(self, audio: Samples) -> AsyncGenerator[Said, None]:
        """The pieces of a reply, however the code gives them."""
        function = getattr(self._object, "reply", self._object)
        if inspect.isasyncgenfunction(function):
            with foreign_code(_failed):
                async for piece in function(audio, self._rate):
                    yield said(piece)
            return
        found = await self._run(function, audio, self._rate)
        if inspect.isgenerator(found):
            while (piece := await self._run(_next, found)) is not _OVER:
                yield said(piece)
        elif found is not None:
            yield said(found)

    async def close(self) -> None:
        """Its `close`, if it has one."""
        if hasattr(self._object, "close"):
            await self._run(self._object.close)

    async def _run(self, function: Callable[..., Any], *arguments: object) -> Any:
        """Await what is async; run the rest in the thread. Raises `ModelFailed`."""
        with foreign_code(_failed):
            if inspect.iscoroutinefunction(function):
                return await function(*arguments)
            return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)


def said(piece: object) -> Said:
    """What code gives as a piece: audio, (audio, rate), (audio, rate, text), or text alone.

    Raises:
        ModelFailed: It is something else.
    """
    if isinstance(piece, str):
        return Said(b"", text=piece)
    if not isinstance(piece, tuple):
        return Said(pcm_of(piece))
    audio, *rest = piece
    rate, *words = rest or [0]
    fits = isinstance(rate, int) and (rate == 0 or 4000 <= rate <= 192_000) and len(words) <= 1
    if not fits or not all(isinstance(each, str) for each in words):
        kinds = ", ".join(type(each).__name__ for each in piece)
        raise ModelFailed(f"a reply of ({kinds}), expected audio, (audio, rate) or (audio, rate, text)")
    return Said(pcm_of(audio), rate, words[0] if words else "")


def _failed(error: Exception) -> ModelFailed:
    return error if isinstance(error, ModelFailed) else ModelFailed(told(error))


_OVER = object()


def _next(pieces: Iterator[object]) -> object:
    return next(pieces, _OVER)
