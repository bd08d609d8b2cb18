"""A worker: takes orders over a pipe, and holds those calls on an event loop of its own."""

from __future__ import annotations

import asyncio
import os
import queue
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np

from agent.connect import connect
from agent.control import Control
from agent.observers import Audience, Levels
from agent.pacing import recent_lateness_ms
from agent.suite.hold import Result, Workplace, broken, hold
from agent.suite.workers.apart import Apart
from agent.suite.workers.distant import CALL, Asking, DistantJudge, distant_engines
from agent.suite.workers.messages import (
    Answer,
    Begin,
    Cancel,
    Ended,
    Heard,
    Late,
    Ready,
    Seen,
    Setup,
    Shown,
    Steer,
)
from agent.suite.workers.pipe import Dial, Line, Pipe
from recordings.format import Event, Turn
from streams import clock
from streams.speech.interfaces import SPEECH_RATE

SHOWN_EVERY_S = 0.1
LATE_EVERY_S = 0.5


def main(connection: Connection, setup: Setup) -> None:
    """What a worker process does until the other end of its pipe is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the first process, which breaks calls off
    work(partial(Pipe, connection), setup)


def work(dial: Dial, setup: Setup) -> None:
    """Hold calls until the other end is gone; blocks."""
    if setup.simulated:
        _OneByOne(dial, setup).work()
    else:
        clock.run(_Worker(setup).work(dial))


class Board:
    """Collects what those who look on at calls in the first process are to see: one message for all calls.

    Args:
        send: Sends it there.
    """

    def __init__(self, send: Callable[[Any], None]) -> None:
        self._send = send
        self._seen: list[tuple[int, Seen, Any]] = []
        self._timer: asyncio.TimerHandle | None = None

    def keep(self, number: int, kind: Seen, what: Any) -> None:
        """Keep what has happened in a call, and send it soon."""
        self._seen.append((number, kind, what))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SHOWN_EVERY_S, self.flush)

    def flush(self) -> None:
        """Send what was kept."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._seen:
            self._send(Shown(self._seen))
            self._seen = []


@dataclass(frozen=True, slots=True)
class Watching(Audience):
    """The audience of one call: puts everything on the board."""

    number: int
    board: Board

    def event(self, event: Event) -> None:
        """Keep it."""
        self.board.keep(self.number, "event", event)

    def turn(self, turn: Turn) -> None:
        """Keep it."""
        self.board.keep(self.number, "turn", turn)

    def levels(self, levels: Levels) -> None:
        """Keep a copy: meters may be written anew."""
        self.board.keep(self.number, "levels", replace(levels))


class _Calls:
    """Holds calls for the other end of a pipe.

    Args:
        setup: What the workplace is made of.
        send: Sends a message there.
    """

    def __init__(self, setup: Setup, send: Callable[[Any], None]) -> None:
        self._setup = setup
        self._send = send
        self.asking = Asking(send)
        self._board = Board(send)
        self.engines = distant_engines(setup, self.asking, lambda call, what: send(Heard(call, what)))
        self._controls: dict[int, Control] = {}
        self._apart = Apart(setup.store, setup.lease) if setup.apart else None

    async def warm_up(self) -> None:
        """Load what is loaded here: the first sound of a call must not wait for it."""
        noise = np.random.default_rng(0).normal(0, 0.1, SPEECH_RATE).astype(np.float32)
        await self.engines.detector.stream().feed(noise)

    async def hold(self, begin: Begin) -> None:
        """Hold a call and tell its end; what goes wrong with it is told too."""
        CALL.set(begin.number)
        watching, control = Watching(begin.number, self._board), Control()
        self._controls[begin.number] = control
        here = Workplace(
            connect=lambda address: connect(address, os.environ),
            engines=self.engines,
            audience=lambda _: watching,
            observers=lambda: [
                DistantJudge(self.asking, name, begin.number, place)
                for place, name in enumerate(begin.judges)
            ],
            cost=self._setup.cost,
            python_tools=self._setup.python_tools,
            control=lambda _: control,
        )
        order = begin.order if self._apart is None else self._apart.order(begin.number, begin.order)
        call = asyncio.create_task(hold(order, here))
        try:
            await asyncio.wait([call])
        except asyncio.CancelledError:
            call.cancel()
            await asyncio.wait([call])
        del self._controls[begin.number]
        self._board.flush()
        result: Result | None = None
        if not call.cancelled():
            failure = call.exception()
            result = call.result() if failure is None else broken(begin.order.job, failure)
        left = "" if self._apart is None else await _unbroken(self._apart.kept, order.folder)
        self._send(Ended(begin.number, result, left))

    def close(self) -> None:
        """No more calls come."""
        if self._apart is not None:
            self._apart.close()

    def steer(self, message: Steer) -> None:
        """Do what somebody asks of a call, if it still goes on."""
        control = self._controls.get(message.number)
        if control is not None:
            (control.say if message.what == "say" else control.stop)(message.text)


async def _unbroken(work: Callable[[Path], str], folder: Path) -> str:
    """Work in a thread that goes on to its end, whoever cancels this task: the end of a call is told."""
    task = asyncio.create_task(asyncio.to_thread(work, folder))
    while not task.done():
        with suppress(asyncio.CancelledError):
            await asyncio.wait([task])
    return task.result()


class _Worker:
    """On the wall clock: many calls at once on one loop."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def work(self, dial: Dial) -> None:
        """Take orders until the other end is gone; then break off what goes on."""
        loop = asyncio.get_running_loop()
        inbox: asyncio.Queue[Any] = asyncio.Queue()

        def receive(message: Any) -> None:
            if isinstance(message, Answer):
                self._calls.asking.answered(message)
            else:
                loop.call_soon_threadsafe(inbox.put_nowait, message)

        self._calls = _Calls(self._setup, lambda message: line.send(message))

        def lost() -> None:
            self._calls.asking.lost()
            loop.call_soon_threadsafe(inbox.put_nowait, None)

        line = dial(receive, lost)
        await self._calls.warm_up()
        line.send(Ready())
        late = asyncio.create_task(self._tell_lateness(line))
        while (message := await inbox.get()) is not None:
            self._take(message)
        late.cancel()
        for task in self._tasks.values():
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values())
        self._calls.close()

    def _take(self, message: Begin | Cancel | Steer) -> None:
        number = message.number
        if isinstance(message, Begin):
            task = asyncio.create_task(self._calls.hold(message), name=message.order.job.id)
            self._tasks[number] = task
            task.add_done_callback(lambda _: self._tasks.pop(number))
        elif isinstance(message, Steer):
            self._calls.steer(message)
        elif number in self._tasks:
            self._tasks[number].cancel()

    async def _tell_lateness(self, line: Line) -> None:
        while True:
            await asyncio.sleep(LATE_EVERY_S)
            line.send(Late(recent_lateness_ms()))


class _OneByOne:
    """In simulated time: one call after the other, each on a loop of its own whose time begins at 0."""

    def __init__(self, dial: Dial, setup: Setup) -> None:
        self._orders: queue.SimpleQueue[Begin | None] = queue.SimpleQueue()
        self._calls = _Calls(setup, lambda message: self._line.send(message))
        self._current: tuple[int, asyncio.AbstractEventLoop, asyncio.Task[None]] | None = None
        self._changing = threading.Lock()
        self._line = dial(self._receive, self._lost)

    def work(self) -> None:
        """Take orders until the other end is gone."""
        self._line.send(Ready())
        while (begin := self._orders.get()) is not None:
            clock.run(self._hold(begin), simulate=True)
        self._calls.close()

    async def _hold(self, begin: Begin) -> None:
        task = asyncio.create_task(self._calls.hold(begin))
        with self._changing:
            self._current = begin.number, asyncio.get_running_loop(), task
        await task
        with self._changing:
            self._current = None

    def _receive(self, message: Any) -> None:
        if isinstance(message, Answer):
            self._calls.asking.answered(message)
        elif isinstance(message, Begin):
            self._orders.put(message)
        elif isinstance(message, Cancel):
            self._break_off(message.number)

    def _lost(self) -> None:
        self._calls.asking.lost()
        self._break_off(None)
        self._orders.put(None)

    def _break_off(self, number: int | None) -> None:
        with self._changing:
            if self._current is not None and number in (None, self._current[0]):
                _, loop, task = self._current
                loop.call_soon_threadsafe(task.cancel)
