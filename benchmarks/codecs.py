"""What a wire protocol costs: 20 ms of sound each way through its codec; and what broken messages do.

The rows are the adapters of the conformance suite (`tests/streams/conformance/adapters.py`): what is added
there is measured here.
"""

from __future__ import annotations

import random
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from streams.audio import FRAME_MS, Frame
from streams.endpoints.events import AudioReceived
from streams.endpoints.protocol import Codec, Message

if TYPE_CHECKING:
    from tests.streams.conformance.line import Line

FRAMES = 500
ROUNDS = 9
BAR_US = 100

MESSAGES = 100_000
"""Broken messages for each codec, whatever the number of its dialects."""


def per_frame() -> dict[str, Any]:
    """Microseconds a frame, out + in: the mean over the frames, in the best of several rounds."""
    found = {name: _both_ways(name) for name in adapters()}
    over = [name for name, both in found.items() if max(both) > BAR_US]
    rows = {name: f"{out} + {back} us" for name, (out, back) in found.items()}
    return {**rows, "over the bar": over or "none"}


def adapters() -> Iterator[str]:
    """Names of all adapters."""
    from tests.streams.conformance.adapters import VENDORS

    yield from VENDORS


def _both_ways(name: str) -> tuple[int, int]:
    from tests.streams.conformance.adapters import line_to
    from tests.streams.vendors.vendor import Reply

    line, reply = line_to(name), Reply()
    vendor, codec = line.vendor, line.codec
    for message in vendor.begin(reply):
        codec.receive(message, at=0.0, raw=0)
    piece = noise(codec.capabilities.output.rate * FRAME_MS // 1000)
    messages = [message for _ in range(FRAMES) for message in vendor.audio(reply, piece)]
    first = [event for message in messages[:4] for event in codec.receive(message, at=0.0, raw=0)]
    assert any(isinstance(event, AudioReceived) for event in first), f"{name}: {first}"
    waiting = iter(messages * (ROUNDS + 1))
    rate = codec.capabilities.input.rate
    frame = Frame(noise(rate * FRAME_MS // 1000), rate)
    sending = _microseconds(lambda: codec.audio(frame))
    return sending, _microseconds(lambda: codec.receive(next(waiting), at=1.0, raw=1))


def noise(samples: int) -> bytes:
    """So much PCM16 of white noise; the same every time."""
    return random.Random(1).randbytes(2 * samples)


def _microseconds(work: Callable[[], Any]) -> int:
    rounds = []
    for _ in range(ROUNDS):
        started = time.process_time()  # on one core: other programs on it do not count
        for _ in range(FRAMES):
            work()
        rounds.append((time.process_time() - started) / FRAMES)
    return round(1e6 * min(rounds))


def malformed() -> dict[str, Any]:
    """Messages of each double, broken at random: no exception, and no memory that grows with them."""
    from tests.streams.conformance.adapters import line_to

    started = time.perf_counter()
    codecs: defaultdict[str, list[str]] = defaultdict(list)
    for name in adapters():
        codecs[type(line_to(name).codec).__name__].append(name)
    grown = {
        kind: max(_grown(line_to(name), -(-MESSAGES // len(names))) for name in names)
        for kind, names in codecs.items()
    }
    return {
        "codecs": len(codecs),
        "messages": len(codecs) * MESSAGES,
        "failures": 0,  # one would have ended the benchmark
        "most kept of the last quarter": f"{max(grown.values())} kB ({max(grown, key=lambda k: grown[k])})",
        "seconds": round(time.perf_counter() - started, 1),
    }


def _grown(line: Line, count: int) -> int:
    """How many kB are kept of the last quarter of so many messages."""
    from tests.streams.vendors.mutations import mutated

    codec: Codec = line.codec
    broken = mutated(_sample(line), count, random.Random(7))
    for number, message in enumerate(broken):
        if number == 3 * count // 4:
            tracemalloc.start()
        codec.receive(message, at=1.0, raw=number)
        codec.replies()
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return round(kept / 1024)


def _sample(line: Line) -> list[Message]:
    """Messages of many kinds that the double sends in a reply."""
    from tests.streams.vendors.vendor import Concept, Reply

    vendor, reply = line.vendor, Reply()
    messages = [*vendor.begin(reply), *vendor.audio(reply, noise(480)), *vendor.unknown()]
    more: dict[Concept, Callable[[], Iterable[Message]]] = {
        Concept.TEXT: lambda: vendor.text(reply, "Good morning.", final=True),
        Concept.USER_TEXT: lambda: vendor.user_text("hello", item="user-1"),
        Concept.TOOLS: lambda: vendor.tool("call-1", "weather", "{}"),
        Concept.ERRORS: lambda: vendor.error("no", fatal=False),
        Concept.FLUSH: vendor.flush,
        Concept.MARKS: lambda: vendor.mark("here"),
    }
    messages += [m for concept in sorted(more.keys() & vendor.concepts) for m in more[concept]()]
    return [*messages, *vendor.end(reply)]
