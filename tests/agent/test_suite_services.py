"""What workers ask the first process for, and what they need no longer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from agent.suite.workers.distant import Asking
from agent.suite.workers.messages import Message, Ready, Service, Setup
from agent.suite.workers.pipe import Lost, Receive
from agent.suite.workers.pool import WorkerPool
from streams.audio import Samples
from streams.speech.interfaces import ModelIdentity, Transcript
from tests.agent.test_suite_workers import place, setup_of


@dataclass
class Patient:
    """A recogniser that never comes to an end; says how it ended."""

    identity: ModelIdentity = ModelIdentity("test", "patient", "1")  # noqa: RUF009 (frozen)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        self.begun.set()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self.ended.set()
        raise AssertionError("nobody answers")


class Line:
    """A worker that is only a line to one."""

    pid = 0

    def __init__(self, receive: Receive, lost: Lost) -> None:
        self.receive = receive
        self.lost = lost
        self.sent: list[Message] = []
        receive(Ready())

    def send(self, message: Message) -> None:
        self.sent.append(message)

    def how_it_died(self) -> str:
        return "it did not"

    def close(self) -> None:
        pass


@pytest.mark.parametrize("dies", [False, True])
def test_what_a_worker_waits_for_no_longer_is_not_worked_on_in_the_first_process(dies: bool) -> None:
    lines: list[Line] = []

    def start(_: Setup, __: int, receive: Receive, lost: Lost) -> Line:
        lines.append(Line(receive, lost))
        return lines[-1]

    async def main() -> None:
        here = place()
        recogniser = Patient()
        here = replace(here, engines=replace(here.engines, recogniser=recogniser))
        pool = WorkerPool(here, setup_of(here, simulated=False), 1, start)
        await pool.start()
        asking = Asking(lines[0].receive)
        asked = asyncio.create_task(asking.ask(Service.TRANSCRIBE, np.zeros(16000, np.float32), "en"))
        await recogniser.begun.wait()
        if dies:
            lines[0].lost()
        else:
            asked.cancel()
        await recogniser.ended.wait()
        asked.cancel()
        assert lines[0].sent == []  # nor is there an answer
        await pool.close()

    asyncio.run(asyncio.wait_for(main(), 10))
