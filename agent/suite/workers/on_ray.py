"""Workers on a Ray cluster: the same workers, each in an actor of its own, wherever Ray puts it.

Ray starts the processes, places them by processor and GPU, and tells when one is gone, with its node or
alone. What goes over a pipe between processes of one machine goes through calls of the actor here: `tell`
brings a message, `listen` waits for what the worker says.
"""

from __future__ import annotations

import importlib.util
import itertools
import logging
import os
import queue
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Any

from agent.engines import Engines
from agent.suite.hold import HolderUnfit
from agent.suite.workers.messages import Answer, Ask, Begin, Message, Service, Setup
from agent.suite.workers.pipe import Lost, Receive
from agent.suite.workers.process import work
from agent.suite.workers.services import serve

LISTENS_S = 1.0
"""So long one call of `listen` waits."""

CALLS_AT_A_TIME = 16
"""Requests that one worker may have at the models."""

MODELS = frozenset({Service.SPEAK, Service.TRANSCRIBE, Service.COMPLETION})
"""What the model actor is asked for; judges and the user's words stay with the process that has the run."""

MakeEngines = Callable[[], Engines]


class RayMissing(HolderUnfit):
    """Ray is not installed, or its cluster cannot be reached."""


def join(address: str) -> Any:
    """Connect to a cluster, or start one on this machine; returns the library.

    Args:
        address: "ray" or "ray://HOST:PORT".

    Raises:
        RayMissing: See there.
    """
    if importlib.util.find_spec("ray") is None:
        raise RayMissing("Ray is not installed. pip install 'vivavoce[ray]'")
    import ray

    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == "ray":
        # one that runs on this machine is taken; else one is started for this process
        options |= {"address": os.environ.get("RAY_ADDRESS"), "include_dashboard": False}
    elif address.startswith("ray://"):
        options |= {"address": address}
    else:
        raise RayMissing(f"--on {address}: expected ray, or ray://HOST:PORT")
    if not ray.is_initialized():
        try:
            ray.init(**options)
        except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
            raise RayMissing(f"{address}: no cluster can be reached ({error})") from error
    return ray


class WorkerActor:
    """What runs in an actor: one worker, in a thread of its own.

    Args:
        setup: What its workplace is made of.
        models: The actor with the models, or None if they are with the run.
    """

    def __init__(self, setup: Setup, models: Any = None) -> None:
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
        """Id of the node, and of the process on it."""
        import ray

        return ray.get_runtime_context().get_node_id(), os.getpid()


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


class RayWorker:
    """A `WorkerHandle` of a worker in an actor.

    Args:
        ray: The library, which has joined a cluster.
        models: The actor with the models, or None.
        setup: What it makes its workplace of.
        number: For its name.
        receive: Called with each of its messages, in some thread.
        lost: Called there once it is gone.
    """

    def __init__(
        self, ray: Any, models: Any, setup: Setup, number: int, receive: Receive, lost: Lost
    ) -> None:
        self._ray = ray
        self._number = number
        self._died = ""
        self._told = itertools.count()
        # one call listens nearly all the time
        actor = ray.remote(num_cpus=1, scheduling_strategy="SPREAD", max_concurrency=4)(WorkerActor)
        self._actor = actor.remote(setup, models)
        self._spoke = False
        self._leaving = False
        self._thread = threading.Thread(target=self._listen, args=(receive, lost), daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int:
        """Id of its process on its node; 0 if it is gone."""
        try:
            found: tuple[str, int] = self._ray.get(self._actor.process.remote())
        except self._ray.exceptions.RayError:
            return 0
        return found[1]

    def send(self, message: Message) -> None:
        """Tell it something; returns at once."""
        with suppress(self._ray.exceptions.RayError):  # the listener notices that it is gone
            self._actor.tell.remote(next(self._told), absolute(message))

    def how_it_died(self) -> str:
        """A sentence."""
        return f"worker {self._number} on the cluster died ({self._died or 'its node is gone'})"

    def close(self) -> None:
        """Let it go, and wait until it has ended."""
        self._leaving = True
        if not self._spoke:  # it waits for a place on the cluster, which may never be free
            self._ray.kill(self._actor)
            return
        with suppress(self._ray.exceptions.RayError):
            self._ray.get(self._actor.leave.remote(), timeout=30)
        self._thread.join()
        self._ray.kill(self._actor)

    def _listen(self, receive: Receive, lost: Lost) -> None:
        try:
            while not self._leaving:
                for message in self._ray.get(self._actor.listen.remote()):
                    self._spoke = True
                    receive(message)
        except self._ray.exceptions.RayError as error:
            self._died = str(error).partition("\n")[0]
        lost()
