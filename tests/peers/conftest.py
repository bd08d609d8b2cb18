"""Third-party servers to call; `make peers` runs these tests and says where the servers are."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

PEERS = "VIVA_PEERS_DIR"
"""Folder with the scripts that start the servers."""


def free_port() -> int:
    """A port of which the next one is free too: the scripts use both."""
    with socket.socket() as first:
        first.bind(("127.0.0.1", 0))
        return int(first.getsockname()[1])


@pytest.fixture(scope="module")
def speech_to_speech() -> Iterator[str]:
    """Hugging Face speech-to-speech as an OpenAI Realtime endpoint: its address."""
    yield from started("speech-to-speech")


@pytest.fixture(scope="module")
def pipecat_bot() -> Iterator[str]:
    """A Pipecat bot, with protobuf and RTVI on `/ws` and Twilio Media Streams on `/twilio`: HOST:PORT."""
    for address in started("pipecat-bot"):
        yield address.removeprefix("ws://").partition("/")[0]


def started(name: str) -> Iterator[str]:
    """Run the script of that name; gives what it says it is ready at, and stops it afterwards."""
    folder = os.environ.get(PEERS)
    if not folder:
        pytest.skip(f"{PEERS} is not set; run `make peers`")
    port = free_port()
    script = Path(folder) / name
    server = subprocess.Popen(
        [str(script), str(port)], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert server.stdout is not None
    try:
        ready = next((line for line in server.stdout if line.startswith("READY ")), None)
        assert ready is not None, "the server ended before it was ready"
        yield ready.removeprefix("READY ").strip()
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=20)
        server.stdout.close()
