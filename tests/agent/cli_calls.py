"""The command line as tests call it: through its entry point, without speech models."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from agent.cli import main
from recordings.run import load_run

ENGINES = ("--voice", "tone", "--recogniser", "none", "--detector", "energy", "--turn-detector", "none")

HELLO = """\
version: 1
id: hello
title: Two questions
persona:
  patience_s: 1
limits:
  max_duration_s: 20
  reply_timeout_s: 1.5
turns:
  - text: Hello there.
  - text: How are you?
"""

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output, read strictly."""

        def refuse(name: str) -> None:
            pytest.fail(f"{name} is no JSON")

        return json.loads(self.out, parse_constant=refuse)


class Viva:
    """`viva` in a folder of its own that holds `hello.yaml`."""

    def __init__(
        self, folder: Path, patch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[str]
    ) -> None:
        self.folder = folder
        self._patch = patch
        self._capture = capture
        (folder / "hello.yaml").write_text(HELLO)
        patch.chdir(folder)
        patch.setenv("VIVAVOCE_CACHE", str(folder / "cache"))
        patch.setenv("COLUMNS", "120")

    def __call__(self, *arguments: str) -> Done:
        """Run a command in this process."""
        self._patch.setattr(sys, "argv", ["viva", *arguments])
        self._capture.readouterr()
        with pytest.raises(SystemExit) as end:
            main.main()
        seen = self._capture.readouterr()
        code = end.value.code
        return Done(code if isinstance(code, int) else 0, seen.out, seen.err)

    def run(self, endpoint: str, *more: str, scenario: str = "hello.yaml", out: str = "run") -> Done:
        """`viva run` with the engines of tests."""
        return self("run", scenario, "--endpoint", endpoint, "--out", out, *ENGINES, *more)

    def simulated(self, endpoint: str, *more: str, scenario: str = "hello.yaml", out: str = "run") -> Done:
        """The same in simulated time."""
        return self.run(endpoint, "--simulated", *more, scenario=scenario, out=out)

    def manifest(self, out: str = "run") -> Any:
        """The manifest as it stands: run.json and what has happened since."""
        return load_run(self.folder / out).model_dump(mode="json")

    def start(self, *arguments: str, limit: int | None = None) -> subprocess.Popen[str]:
        """Run a command in a process of its own; `limit` is the largest file it may write, in bytes."""
        entry = "from agent.cli.main import main; main()"
        if limit is not None:
            size = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))"
            entry = f"import resource; {size}; {entry}"
        environ = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.Popen(
            [sys.executable, "-c", entry, *arguments],
            cwd=self.folder,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def texts(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Every file below a folder."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield path, path.read_bytes()


Handler = Callable[[ServerConnection], Awaitable[None]]


@contextmanager
def server(handler: Handler, **options: Any) -> Iterator[int]:
    """A websocket server in a thread of its own; yields its port."""
    loop = asyncio.new_event_loop()
    started: list[int] = []
    ready = threading.Event()

    async def main() -> None:
        async with serve(handler, "127.0.0.1", 0, ping_interval=None, max_size=None, **options) as made:
            started.append(made.sockets[0].getsockname()[1])
            ready.set()
            await stop.wait()

    stop = asyncio.Event()
    thread = threading.Thread(target=lambda: loop.run_until_complete(main()), daemon=True)
    thread.start()
    assert ready.wait(5)
    try:
        yield started[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(5)
        loop.close()


def outcomes(manifest: Any) -> Sequence[tuple[str, str | None]]:
    """State and outcome of every planned episode."""
    return [(planned["state"], planned["outcome"]) for planned in manifest["episodes"]]
