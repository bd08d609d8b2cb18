"""Runs one Pipecat service outside a bot: frames in, frames out.

Each run is a small pipeline that holds only the service and ends with its input, so services that answer at
once, segment by segment, or later from a connection of their own are all driven in the way they expect. It
runs on an event loop of its own in the calling thread: Pipecat's work never touches the media path, and
simulated time can't hurry it.
"""

from __future__ import annotations

import asyncio
import difflib
import importlib
import inspect
import os
import threading
import typing
import weakref
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from streams.speech.interfaces import SPEECH_RATE, ModelIdentity, SpeechError

ENGINE = "pipecat"

_INSTALL = "Install it: pip install 'vivavoce[hear]'."
_SETTINGS = "settings."
_ROUNDS = 4


class PipecatHost:
    """One service with what it was made from. `run` blocks: call it in a worker thread.

    Args:
        service: Import path of its class.
        base: Name of the Pipecat base class it must have: "TTSService" or "STTService".
        options: Its keyword arguments, `settings.NAME` for its settings, `$NAME` for the environment.
        timeout_s: Time for one run, in seconds.
        environ: The environment; that of the process by default.

    Raises:
        SpeechError: There is no such service or option, or a variable is not set.
    """

    def __init__(
        self,
        service: str,
        base: str,
        options: Mapping[str, Any],
        timeout_s: float,
        environ: Mapping[str, str] | None,
    ) -> None:
        self.name = service.rpartition(".")[2]
        self.timeout_s = timeout_s
        self._class, self._settings_class = _service_classes(service, base)
        _check_options(self._class, self._settings_class, options)
        self._options, self._secrets = _resolved(options, os.environ if environ is None else environ)
        shown = " ".join(f"{name}={value}" for name, value in sorted(options.items()))
        made_by = f"pipecat-ai {version('pipecat-ai')}"
        self.identity = ModelIdentity(ENGINE, " ".join([self.name, *_model_names(options)]), made_by)
        self.fingerprint = f"{made_by} {service} {shown}".strip()
        self._running = threading.Lock()
        self._loop = asyncio.new_event_loop()
        weakref.finalize(self, self._loop.close)

    def run(self, frames: Sequence[Any], wanted: type, *, patience_s: float = 0.0) -> list[Any]:
        """Send frames through the service and collect the frames of the wanted type that come out.

        Args:
            frames: What to send.
            wanted: Type of frame to collect.
            patience_s: How long to wait for each answer of a service that streams.

        Raises:
            SpeechError: The service failed, can't be made, or took too long.
        """
        _hush()
        with self._running:
            return self._loop.run_until_complete(self._run(frames, wanted, patience_s))

    async def _run(self, frames: Sequence[Any], wanted: type, patience_s: float) -> list[Any]:
        try:
            async with self._service() as service:
                run = _Run(service, wanted)
                async with asyncio.timeout(self.timeout_s):
                    await run.send(frames, patience_s)
        except TimeoutError:
            await _cancel_all()
            self._forget()
            raise SpeechError(ENGINE, f"{self.name} gave no answer within {self.timeout_s:g} s") from None
        if run.errors:
            self._forget()
            raise SpeechError(ENGINE, f"{self.name} failed: {self._clean('; '.join(run.errors))}")
        return run.heard

    def _forget(self) -> None:
        """Make the service anew next time: one that has failed may refuse all further work."""
        self.__dict__.pop("_kept", None)

    @asynccontextmanager
    async def _service(self) -> AsyncIterator[Any]:
        """The service: kept with its model, or made anew around a session if it wants one."""
        if "aiohttp_session" not in inspect.signature(self._class).parameters:
            yield self._kept
            return
        import aiohttp

        async with aiohttp.ClientSession() as session:
            yield self._build(aiohttp_session=session)

    @cached_property
    def _kept(self) -> Any:
        return self._build()

    def _build(self, **more: Any) -> Any:
        settings = {
            k.removeprefix(_SETTINGS): v for k, v in self._options.items() if k.startswith(_SETTINGS)
        }
        arguments = {k: v for k, v in self._options.items() if not k.startswith(_SETTINGS)}
        try:
            if settings:
                arguments["settings"] = self._settings_class(**settings)
            return self._class(**_with_paths(self._class, arguments), **more)
        except (TypeError, ValueError, OSError, RuntimeError, ImportError) as error:
            raise SpeechError(ENGINE, f"{self.name} can't be made: {self._clean(str(error))}") from None

    def _clean(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return " ".join(text.split()).rstrip(".")


class _Run:
    """One pipeline, from its first frame to its end."""

    def __init__(self, service: Any, wanted: type) -> None:
        from pipecat.pipeline.pipeline import Pipeline
        from pipecat.pipeline.worker import PipelineParams, PipelineWorker

        self.heard: list[Any] = []
        self.errors: list[str] = []
        self._service = service
        self._news = asyncio.Event()
        self._worker = PipelineWorker(
            Pipeline([service]),
            params=PipelineParams(audio_in_sample_rate=SPEECH_RATE),
            enable_rtvi=False,
            enable_turn_tracking=False,
            idle_timeout_secs=None,
        )
        self._worker.set_reached_downstream_filter((wanted,))
        self._worker.add_event_handler("on_frame_reached_downstream", self._on_frame)
        self._worker.add_event_handler("on_pipeline_error", self._on_error)

    async def send(self, frames: Sequence[Any], patience_s: float) -> None:
        """Send the frames, wait for the answer, and let the pipeline end."""
        from pipecat.frames.frames import EndFrame
        from pipecat.services.stt_service import SegmentedSTTService, STTService
        from pipecat.workers.runner import WorkerRunner

        runner = WorkerRunner(handle_sigint=False)
        await runner.add_workers(self._worker)
        running = asyncio.create_task(runner.run())
        await self._worker.queue_frames(frames)
        if isinstance(self._service, STTService) and not isinstance(self._service, SegmentedSTTService):
            await self._wait_for_quiet(patience_s)
        await self._worker.queue_frame(EndFrame())
        await asyncio.wait({running})  # to await it would pass a time-out on to it, and wait for it
        running.result()

    async def _wait_for_quiet(self, patience_s: float) -> None:
        """Until the service says that its transcript is final, fails, or is silent for too long."""
        while not self.errors and not (self.heard and self.heard[-1].finalized):
            self._news.clear()
            try:
                async with asyncio.timeout(patience_s):
                    await self._news.wait()
            except TimeoutError:
                return

    async def _on_frame(self, _: Any, frame: Any) -> None:
        self.heard.append(frame)
        self._news.set()

    async def _on_error(self, _: Any, frame: Any) -> None:
        self.errors.append(frame.error)
        self._news.set()


async def _cancel_all() -> None:
    """End what a run has left behind. Pipecat's own cancelling waits for the very task that is stuck."""
    for _ in range(_ROUNDS):  # some of its tasks take the first cancellation for a request to tidy up
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if not others:
            return
        for task in others:
            task.cancel()
        await asyncio.wait(others, timeout=0.5)


def _service_classes(path: str, base: str) -> tuple[Any, Any]:
    """The class of a service, and that of its settings."""
    try:
        version("pipecat-ai")
    except PackageNotFoundError:
        raise SpeechError(ENGINE, "the package pipecat-ai is not installed", _INSTALL) from None
    _hush()
    from pipecat.services.settings import STTSettings, TTSSettings
    from pipecat.services.stt_service import STTService
    from pipecat.services.tts_service import TTSService

    expected, settings = (TTSService, TTSSettings) if base == "TTSService" else (STTService, STTSettings)
    module, _, name = path.rpartition(".")
    try:
        service = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        remedy = "Check the import path, and install the extra of pipecat-ai that the service needs."
        raise SpeechError(ENGINE, f"there is no service {path!r} ({error})", remedy) from error
    if not (isinstance(service, type) and issubclass(service, expected)):
        raise SpeechError(ENGINE, f"{path} is no {base}", f"Name a class derived from Pipecat's {base}.")
    return service, getattr(service, "Settings", settings)


def _hush() -> None:
    """Pipecat logs its greeting and the way of every frame to the console."""
    from loguru import logger

    logger.disable("pipecat")


def _check_options(service: Any, settings: Any, options: Mapping[str, Any]) -> None:
    """Refuse what nothing in the service's family takes: Pipecat would ignore it."""
    known = {name for kin in service.__mro__ for name in inspect.signature(kin.__init__).parameters}
    known |= {f"{_SETTINGS}{name}" for name in inspect.signature(settings).parameters}
    for option in options:
        if option not in known:
            found = f"{service.__name__} has no option {option!r}"
            near = difflib.get_close_matches(option, known, n=1)
            raise SpeechError(
                ENGINE, found, f"Did you mean {near[0]!r}?" if near else "Check its documentation."
            )


def _resolved(
    options: Mapping[str, Any], environ: Mapping[str, str]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Options with `$NAME` replaced from the environment, and the values that came from there."""
    made: dict[str, Any] = {}
    secrets: list[str] = []
    for option, value in options.items():
        if isinstance(value, str) and value.startswith("$"):
            if not environ.get(value[1:]):
                raise SpeechError(ENGINE, f"{option} is {value}, which is not set", f"Set {value[1:]}.")
            value = environ[value[1:]]
            secrets.append(value)
        made[option] = value
    return made, tuple(secrets)


def _model_names(options: Mapping[str, Any]) -> list[str]:
    chosen = [str(options[name]) for name in ("settings.model", "settings.voice") if name in options]
    return [Path(name).name if Path(name).is_absolute() else name for name in chosen]


def _with_paths(service: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments with text turned into a path where the service wants one."""
    hints = typing.get_type_hints(service.__init__)
    return {
        name: Path(value) if isinstance(value, str) and _wants_path(hints.get(name)) else value
        for name, value in arguments.items()
    }


def _wants_path(hint: Any) -> bool:
    kinds = typing.get_args(hint) or (hint,)
    return Path in kinds and str not in kinds
