"""Workers on a Ray cluster: the same workers, each in an actor of its own, wherever Ray puts it.

Ray starts the processes, places them by processor and GPU, and tells when one is gone, with its node or
alone. What goes over a pipe between processes of one machine goes through calls of the actor here: `tell`
brings a message, `listen` waits for what the worker says.
"""

from __future__ import annotations

import itertools
import os
import queue
import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Any

from agent.engines import Engines
from agent.suite.hold import Order, Result, broken
from agent.suite.workers import apart
from agent.suite.workers.cluster import RayMissing, node
from agent.suite.workers.messages import Answer, Ask, Begin, Ended, Message, Service, Setup
from agent.suite.workers.pipe import Lost, Receive
from agent.suite.workers.process import work
from agent.suite.workers.services import serve
from recordings.errors import RecordingError
from streams.speech.voice_cache import VoiceCache

LISTENS_S = 1.0
"""So long one call of `listen` waits."""

CALLS_AT_A_TIME = 16
"""Requests that one worker may have at the models."""

MODELS = frozenset({Service.SPEAK, Service.TRANSCRIBE, Service.COMPLETION})
"""What the model actor is asked for; judges and the user's words stay with the process that has the run."""

MakeEngines = Callable[[], Engines]


class WorkerActor:
    """What runs in an actor: one worker, in a thread of its own.

    Args:
        setup: What its workplace is made of.
        models: The actor with the models, or None if they are with the run.
        home: Id of the node that has the folder of the run; "" if none has.
    """

    def __init__(self, setup: Setup, models: Any = None, home: str = "") -> None:
        import ray

        if node(ray) != home:
            cache = setup.cache and VoiceCache.default()  # that of this machine
            setup = replace(setup, apart=True, cache=cache)
        setup = replace(setup, models_apart=models is not None)
        self._models = models
        self._asking = ThreadPoolExecutor(CALLS_AT_A_TIME, thread_name_prefix="models")
        self._said: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._receive: Receive
        self._lost: Lost
        self._dialled = threading.Event()
        self._telling = threading.Lock()
        self._early: dict[int, Message] = {}
        self._next = 0
        self._thread = threading.Thread(target=work, args=(self._dial, setup), name="worker", daemon=True)
        self._thread.start()

    def _dial(self, receive: Receive, lost: Lost) -> WorkerActor:
        self._receive, self._lost = receive, lost
        self._dialled.set()
        return self

    def send(self, message: Message) -> None:
        """The worker says something: to the models, or to the process that has the run."""
        if isinstance(message, Ask) and message.service in MODELS and self._models is not None:
            self._asking.submit(self._ask, message)
        else:
            self._said.put(message)

    def _ask(self, ask: Ask) -> None:
        import ray

        try:
            value, failure = ray.get(self._models.serve.remote(ask.service, ask.arguments))
        except ray.exceptions.RayError as error:
            value, failure = None, RayMissing(f"the model actor: {error}")
        self._receive(Answer(ask.number, value, failure))

    def tell(self, number: int, message: Message) -> None:
        """Something for the worker; calls may come in any order, their numbers say which is right."""
        self._dialled.wait()
        with self._telling:
            self._early[number] = message
            while self._next in self._early:
                self._receive(self._early.pop(self._next))
                self._next += 1

    def listen(self) -> list[Message]:
        """What the worker has said since; waits a little for the first of it."""
        said: list[Message] = []
        with suppress(queue.Empty):
            said.append(self._said.get(timeout=LISTENS_S))
            while True:
                said.append(self._said.get_nowait())
        return said

    def leave(self) -> None:
        """No more calls come: what goes on is broken off, and written down."""
        self._dialled.wait()
        self._lost()
        self._thread.join()

    def process(self) -> tuple[str, int]:
        """Name of the machine, and id of the process on it."""
        return socket.gethostname(), os.getpid()

    def listed(self, folder: str) -> list[tuple[str, int]]:
        """See `apart.listed`."""
        return apart.listed(folder)

    def piece(self, folder: str, name: str, start: int) -> bytes:
        """See `apart.piece`."""
        return apart.piece(folder, name, start)

    def forget(self, folder: str) -> None:
        """See `apart.forget`."""
        apart.forget(folder)


class ModelActor:
    """Voice, recogniser and end of turn for all workers of a cluster, batched over their calls.

    Args:
        make: Makes the engines.
    """

    def __init__(self, make: MakeEngines) -> None:
        self._engines = make()

    async def serve(self, service: Service, arguments: tuple[Any, ...]) -> tuple[Any, BaseException | None]:
        """Do what a worker asks for; see `services.serve`."""
        return await serve(service, arguments, self._engines, {})


def absolute(message: Message) -> Message:
    """A message whose paths are right in a process with another working directory."""
    if not isinstance(message, Begin):
        return message
    order, loaded = message.order, message.order.job.scenario
    job = replace(order.job, scenario=replace(loaded, path=loaded.path.absolute()))
    return replace(message, order=replace(order, job=job, folder=order.folder.absolute()))


def model_actor(ray: Any, make: MakeEngines) -> Any:
    """Start the actor with the models: on a GPU if the cluster has one. Ray starts it again if it dies."""
    gpus = 1 if ray.cluster_resources().get("GPU") else 0
    options = {"num_cpus": 1, "num_gpus": gpus, "max_restarts": -1, "max_task_retries": 3}
    return ray.remote(**options)(ModelActor).remote(make)


def let_go(ray: Any, models: Any) -> None:
    """End the actor with the models: a client's server would keep it, and its GPU, for minutes."""
    with suppress(ray.exceptions.RayError, ConnectionError):
        ray.kill(models)


class RayWorker:
    """A `WorkerHandle` of a worker in an actor.

    Args:
        ray: The library, which has joined a cluster.
        models: The actor with the models, or None.
        home: Id of the node that has the folder of the run: workers of others send their recordings; or "".
        setup: What it makes its workplace of.
        number: For its name.
        receive: Called with each of its messages, in some thread.
        lost: Called there once it is gone.
    """

    def __init__(
        self, ray: Any, models: Any, home: str, setup: Setup, number: int, receive: Receive, lost: Lost
    ) -> None:
        self._ray = ray
        self._number = number
        self._receive = receive
        # the second: of a client whose connection is gone
        self._gone = (ray.exceptions.RayError, ConnectionError)
        self._died = ""
        self._told = itertools.count()
        self._orders: dict[int, Order] = {}
        self._fetching = ThreadPoolExecutor(2, thread_name_prefix="fetching")
        try:
            # one call listens nearly all the time, two may fetch
            actor = ray.remote(num_cpus=1, scheduling_strategy="SPREAD", max_concurrency=6)(WorkerActor)
            self._actor = actor.remote(setup, models, home)
        except self._gone as error:
            raise RayMissing(f"the cluster is gone ({error})") from error
        self._spoke = False
        self._leaving = False
        self._thread = threading.Thread(target=self._listen, args=(lost,), daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        """Id of its process on its node; 0 if it is gone."""
        try:
            found: tuple[str, int] = self._ray.get(self._actor.process.remote())
        except self._gone:
            return 0
        return found[1]

    def send(self, message: Message) -> None:
        """Tell it something; returns at once."""
        if isinstance(message, Begin):
            self._orders[message.number] = message.order
        with suppress(*self._gone):  # the listener notices that it is gone
            self._actor.tell.remote(next(self._told), absolute(message))

    def how_it_died(self) -> str:
        """A sentence."""
        return f"worker {self._number} on the cluster died ({self._died or 'its node is gone'})"

    def close(self) -> None:
        """Let it go, and wait until it has ended."""
        self._leaving = True
        with suppress(*self._gone):
            if self._spoke:  # else it waits for a place on the cluster, which may never be free
                self._ray.get(self._actor.leave.remote(), timeout=30)
                self._thread.join()
                self._fetching.shutdown()
        with suppress(*self._gone):  # also one that does not leave in time
            self._ray.kill(self._actor)

    def _listen(self, lost: Lost) -> None:
        try:
            while not self._leaving:
                for message in self._ray.get(self._actor.listen.remote()):
                    self._spoke = True
                    self._take(message)
        except self._gone as error:
            self._died = str(error).partition("\n")[0]
        lost()

    def _take(self, message: Message) -> None:
        if not isinstance(message, Ended):
            self._receive(message)
            return
        order = self._orders.pop(message.number)
        if message.left:
            self._fetching.submit(self._fetch, message, order)
        else:
            self._receive(message)

    def _fetch(self, ended: Ended, order: Order) -> None:
        """Bring the recording of a call that is over, then tell of its end."""
        ask, left = self._ray.get, ended.left
        host = ""
        try:
            host, _ = ask(self._actor.process.remote())
            files = ask(self._actor.listed.remote(left))
            apart.fetch(
                order.folder, files, lambda name, start: ask(self._actor.piece.remote(left, name, start))
            )
            ask(self._actor.forget.remote(left))
        except self._ray.exceptions.RayTaskError as error:  # what its disk says
            ended = replace(ended, result=_stays(order, host, left, error))
        except self._gone:
            return  # the listener notices that it is gone
        except OSError as error:
            ended = replace(ended, result=_stays(order, host, left, error))
        self._receive(ended)


def _stays(order: Order, host: str, folder: str, error: Exception) -> Result:
    """What becomes of a call whose recording cannot be brought to where it belongs."""
    cause = str(error).rpartition("\n")[2]
    found = f"did not come back ({cause}); the recording is on {host}, in {folder}"
    failure = RecordingError(order.folder, found)
    failure.__cause__ = error
    return broken(order.job, failure)
