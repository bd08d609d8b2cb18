"""Requests of many sessions, answered together: what comes while a model works is its next batch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from streams.clock import now, simulated, sleep_until
from streams.speech import workers

Q = TypeVar("Q")
A = TypeVar("A")


class Batching(Generic[Q, A]):
    """One queue to a model. Nobody waits longer for others than until the model is free.

    What nobody waits for any more when its turn comes is left out.

    Args:
        work: Answers a batch, in its order; blocking, it runs in a worker. If it fails, all the batch do.
        kind: Of the worker: see `streams.speech.workers`, which also says how many batches run at a time.
        beat_s: On the wall clock a batch begins at least so long after the one before.
        most: Requests in a batch.
    """

    def __init__(
        self,
        work: Callable[[Sequence[Q]], Sequence[A]],
        *,
        kind: str,
        beat_s: float = 0.0,
        most: int = 1000,
    ) -> None:
        self._work = work
        self._kind = kind
        self._beat_s = beat_s
        self._most = most
        self._waiting: list[tuple[Q, asyncio.Future[A]]] = []
        self._serving: set[asyncio.Task[None]] = set()

    async def ask(self, request: Q) -> A:
        """Wait for the answer to a request; what `work` raises is raised here."""
        answer: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, answer))
        self._serving = {task for task in self._serving if not task.done()}
        if len(self._serving) < workers.size(self._kind):
            self._serving.add(asyncio.create_task(self._serve(), name=f"{self._kind} batches"))
        return await answer

    async def _serve(self) -> None:
        while self._waiting:
            wanted = [request for request in self._waiting if not request[1].done()]
            batch, self._waiting = wanted[: self._most], wanted[self._most :]
            began = now()
            if batch:
                await self._answer(batch)
            if self._beat_s and self._waiting and not simulated():
                await sleep_until(began + self._beat_s)

    async def _answer(self, batch: Sequence[tuple[Q, asyncio.Future[A]]]) -> None:
        requests = [request for request, _ in batch]
        work = asyncio.ensure_future(workers.run(self._work, requests, kind=self._kind))
        await asyncio.wait([work])  # what it raises is raised where each request was made
        failure = work.exception()
        for place, (_, answer) in enumerate(batch):
            if answer.done():
                continue  # nobody waits for it any more
            if failure is None:
                answer.set_result(work.result()[place])
            else:
                answer.set_exception(failure)
