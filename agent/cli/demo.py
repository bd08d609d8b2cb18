"""`viva demo`: the whole thing at once, with the reference endpoint as a process of its own."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from agent.cli import exits
from agent.cli.output import complain
from agent.cli.run import EngineChoice, RunRequest, default_folder, run


class ReferenceNotReady(RuntimeError):
    """The reference endpoint did not start."""


def demo(out: Path | None, engines: EngineChoice, max_lateness_ms: float, json: bool) -> int:
    """Start the reference endpoint, call it with the demo pack, report."""
    sys.stderr.write("starting the reference endpoint ...\n")
    try:
        with reference_server() as address:
            return run(
                RunRequest(
                    scenarios=("demo",),
                    endpoints=(address,),
                    out=out or default_folder("demo"),
                    repeats=None,
                    concurrency=1,
                    simulated=False,
                    engines=engines,
                    max_lateness_ms=max_lateness_ms,
                    json=json,
                )
            )
    except ReferenceNotReady as error:
        return complain(error, exits.OUR_FAILURE)


@contextlib.contextmanager
def reference_server(variant: str = "") -> Iterator[str]:
    """The reference endpoint in a process of its own; yields its address, stops it at the end.

    Args:
        variant: Defaults of its sessions, as a query string.

    Raises:
        ReferenceNotReady: It ended before it was ready.
    """
    command = [sys.executable, "-m", "agent.cli.main", "serve", "--port", "0", "--variant", variant]
    # a session of its own: Ctrl+C ends our calls first, then we end the server
    server = subprocess.Popen(  # noqa: S603 - our own interpreter and module
        command, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert server.stdout is not None
        ready = server.stdout.readline().strip()
        if not ready.startswith("READY "):
            raise ReferenceNotReady(
                "the reference endpoint did not start; run `viva serve` to see why, and `viva doctor`"
            )
        yield f"openai+{ready.removeprefix('READY ')}?model=reference"
    finally:
        server.terminate()
        try:
            server.wait(timeout=5)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
