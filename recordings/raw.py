"""The raw traffic of a session, `raw.jsonl`: every message on the wire, without secrets.

The first line says what the file is; then one line a message, in the order in which they were sent and
came. A line has `t` (seconds since the file was begun, taken before the message was parsed or sent),
`direction` (`sent` or `received`), and for received messages `raw`, their number, which events and
`received.jsonl` refer to. A text message stands in `text`, a binary one in `base64`; JSON that came in a
binary message stands in `text`, with `binary` true. The line `{"t": ..., "note": "sample 0"}` stands where
the recording begins.

Unless the sound is asked for it is left out: in texts, base64 of `ELIDED_FROM` characters and more becomes
`(N bytes elided)`; of a binary message of `ELIDED_FROM` bytes and more, `bytes` has the number, and `head`
the first `HEAD` of them in base64.
"""

from __future__ import annotations

import asyncio
import base64
import json
import queue
import re
import threading
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from recordings import secrets
from recordings.errors import RecordingError
from streams.clock import now, utc_now

RAW = "raw.jsonl"
"""Name of the file."""

FORMAT, VERSION = "vivavoce raw traffic", 1

ELIDED_FROM = 128
"""Characters of base64, or bytes, that are taken for sound: 20 ms of G.711 are 216 and 160."""

HEAD = 32
"""Bytes that are kept of a long binary message: its framing."""

_BASE64 = re.compile(rf'"([A-Za-z0-9+/]{{{ELIDED_FROM},}}={{0,2}})"')


class RawLogging(StrEnum):
    """What is kept of the raw traffic."""

    OFF = "off"
    MESSAGES = "messages"  # all but the sound
    AUDIO = "audio"  # all


class RawTraffic:
    """Writes the raw traffic of one session; called from the event loop, written by a thread of its own.

    It fits as `raw_log` of an endpoint. What was given is on the disk after `close`, and up to the last
    few milliseconds if the process is killed.

    Args:
        folder: The episode's.
        address: The endpoint, keys masked.
        audio: Keep the sound too.

    Raises:
        RecordingError: The folder has such a file already, or cannot be written.
    """

    def __init__(self, folder: Path, address: str, *, audio: bool) -> None:
        self._path = folder / RAW
        self._audio = audio
        self._began = now()
        self._received = 0
        self.failure: RecordingError | None = None
        """What went wrong on the disk; after it nothing more is written."""
        self._queue: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("xb")
        except OSError as error:
            raise self._failed(error) from error
        self._thread = threading.Thread(target=self._work, name=f"write {RAW}", daemon=True)
        self._thread.start()
        head = {"format": FORMAT, "version": VERSION, "address": address, "audio": audio}
        self._queue.put({**head, "started_at_utc": utc_now().isoformat(timespec="seconds")})

    def __call__(self, at: float, direction: Literal["received", "sent"], message: str | bytes) -> None:
        """Keep one message."""
        line: dict[str, Any] = {"t": self._t(at), "direction": direction}
        if direction == "received":
            line["raw"], self._received = self._received, self._received + 1
        self._queue.put({**line, "message": message})

    def sample_zero(self, at: float) -> None:
        """The recording begins at this time of the loop."""
        self._queue.put({"t": self._t(at), "note": "sample 0"})

    async def close(self) -> None:
        """Write what is left."""
        self._queue.put(None)
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    def _t(self, at: float) -> float:
        return round(at - self._began, 6)

    # --- the thread

    def _work(self) -> None:
        try:
            with self._file as file:
                while (line := self._queue.get()) is not None:
                    file.write(self._line(line))
                    if self._queue.empty():
                        file.flush()
        except OSError as error:
            self.failure = self._failed(error)

    def _line(self, line: dict[str, Any]) -> bytes:
        message = line.pop("message", None)
        if isinstance(message, bytes) and (text := _json_text(message)) is not None:
            line["binary"], message = True, text
        if isinstance(message, str):
            line["text"] = message if self._audio else _BASE64.sub(_elided, message)
        elif isinstance(message, bytes) and (self._audio or len(message) < ELIDED_FROM):
            line["base64"] = base64.b64encode(message).decode()
        elif isinstance(message, bytes):
            line |= {"bytes": len(message), "head": base64.b64encode(message[:HEAD]).decode()}
        return secrets.mask(json.dumps(line, ensure_ascii=True).encode()) + b"\n"

    def _failed(self, error: OSError) -> RecordingError:
        return RecordingError(
            self._path,
            f"cannot be written ({error.strerror})",
            "Choose another folder or free some space.",
        )


def _json_text(message: bytes) -> str | None:
    """A binary message that is JSON all the same, as a text."""
    if not message.startswith(b"{"):
        return None
    try:
        json.loads(message)
        return message.decode()
    except (ValueError, RecursionError):
        return None


def _elided(found: re.Match[str]) -> str:
    return f'"({len(found[1].rstrip("=")) * 3 // 4} bytes elided)"'
