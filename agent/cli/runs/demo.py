"""`viva demo`: the whole thing at once, with the reference endpoint as a process of its own."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from agent.attached import attached, lifeline
from agent.cli import exits
from agent.cli.output import complain
from agent.cli.runs.request import EngineChoice, RunRequest
from agent.cli.runs.run import default_folder, run


class ReferenceNotReady(RuntimeError):
    """The reference endpoint did not start."""

    def __init__(self) -> None:
        super().__init__(
            "the reference endpoint did not start; run `viva serve` to see why, and `viva doctor`"
        )


class ReferenceServer:
    """The reference endpoint in a process of its own, on a free port of this machine; it ends with ours.

    Args:
        variant: Defaults of its sessions, as a query string.
    """

    def __init__(self, variant: str = "") -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"openai+ws://127.0.0.1:{port}/v1/realtime?model=reference"
        # a session of its own: Ctrl+C ends our calls first, then we end the server
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            attached("agent.cli.main", "serve", "--port", str(port), "--variant", variant),
            stdin=lifeline(),
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def wait(self) -> None:
        """Wait until its models are loaded.

        Raises:
            ReferenceNotReady: It ended before.
        """
        assert self._process.stdout is not None
        if not self._process.stdout.readline().startswith("READY "):
            raise ReferenceNotReady

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


@contextlib.contextmanager
def reference_server(variant: str = "") -> Iterator[str]:
    """A reference endpoint that is ready; yields its address, stops it at the end.

    Raises:
        ReferenceNotReady: It ended before it was ready.
    """
    server = ReferenceServer(variant)
    try:
        server.wait()
        yield server.address
    finally:
        server.stop()


def demo(out: Path | None, engines: EngineChoice, max_lateness_ms: float, json: bool) -> int:
    """Start the reference endpoint, call it with the demo pack, report."""
    sys.stderr.write("starting the reference endpoint ...\n")
    server = ReferenceServer()
    try:
        return run(
            RunRequest(
                scenarios=("demo",),
                endpoints=(server.address,),
                out=out or default_folder("demo"),
                engines=engines,
                max_lateness_ms=max_lateness_ms,
                json=json,
                before=server.wait,
            )
        )
    except ReferenceNotReady as error:
        return complain(error, exits.OUR_FAILURE)
    finally:
        server.stop()
