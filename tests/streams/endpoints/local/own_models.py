"""Models as users write them, for the tests of `python:` addresses."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import numpy as np

TONE = np.where(np.arange(19200) // 30 % 2, 0.25, -0.25).astype(np.float32)
"""0.8 s at 24000/s, a square wave of 400 Hz."""

threads: list[str] = []


def blocking(audio: Any, rate: int) -> Any:
    threads.append(threading.current_thread().name)
    assert audio.dtype == np.float32
    return TONE


async def awaited(audio: Any, rate: int) -> Any:
    await asyncio.sleep(0.3)
    return TONE[:12800], 16000, "hello"  # 0.8 s


def pieces(audio: Any, rate: int) -> Iterator[Any]:
    yield "one"
    yield TONE, 24000, "two"
    yield (TONE * 32767).astype(np.int16)


async def streamed(audio: Any, rate: int) -> AsyncIterator[Any]:
    for number in range(3):
        await asyncio.sleep(0.5)
        yield TONE, 24000, f"piece {number}"


class Counting:
    """Has a state for each session, and turns of its own."""

    input_rate = 8000
    made = 0

    def start(self) -> None:
        Counting.made += 1
        self.turns = 0
        self.closed = False

    def reply(self, audio: Any, rate: int) -> Any:
        self.turns += 1
        assert rate == 8000
        return TONE, 24000, f"turn {self.turns}"

    def close(self) -> None:
        self.closed = True


class Eager:
    """Ends the turn after 0.9 s, whatever is said."""

    def __init__(self) -> None:
        self.heard = 0

    def hear(self, frame: Any, rate: int) -> bool:
        self.heard += frame.size
        return bool(self.heard == rate * 9 // 10)

    def reply(self, audio: Any, rate: int) -> Any:
        return TONE


def breaks(audio: Any, rate: int) -> Any:
    raise LookupError("no weights")


def breaks_midway(audio: Any, rate: int) -> Iterator[Any]:
    yield TONE
    raise LookupError("no weights")


def stereo(audio: Any, rate: int) -> Any:
    return np.zeros((100, 2), np.float32)


def integers(audio: Any, rate: int) -> Any:
    return np.zeros(100, np.int32)


def huge(audio: Any, rate: int) -> Any:
    return np.full(100, 20000.0)


def odd(audio: Any, rate: int) -> Any:
    return {"audio": TONE}


def no_numbers(audio: Any, rate: int) -> Any:
    return np.full(10, np.nan)


def silent(audio: Any, rate: int) -> None:
    return None


def one_argument(audio: Any) -> Any:
    return audio


NOT_CALLABLE = 3
