"""Where `viva run` holds its calls: in its own process, in workers beside it, or on a Ray cluster."""

from __future__ import annotations

import asyncio
import functools
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.cli.runs.request import RunRequest
    from agent.suite.budget import Prices
    from agent.suite.hold import Workplace
    from agent.suite.holder import Holder
    from agent.suite.workers.messages import Setup
    from agent.suite.workers.on_ray import MakeEngines
    from agent.suite.workers.pool import WorkerPool
    from recordings.errors import RecordingError
    from recordings.store import Store

RAY_HERE = "ray"
"""A cluster that this machine belongs to: the models are in this process."""

FEW_CALLS = 4
"""So few at a time get no process of their own: models and media path share one well."""

CALLS_OF_A_WORKER = 75
"""So many wall-clock calls fill half a core, and more than half of the time of one interpreter
(docs/scale.md)."""


def workers_for(request: RunRequest, cores: int | None = None) -> int:
    """How many worker processes hold the calls of a run; 0 holds them in this one."""
    if request.workers is not None:
        return request.workers
    calls = request.limits.concurrency
    if request.simulated or calls < FEW_CALLS:
        return 0
    cores = cores or os.cpu_count() or 1
    # a core is left to the models; but two processes keep twice as many calls in time as one does
    most = max(cores - 1, min(cores, 2))
    return min(most, -(-calls // CALLS_OF_A_WORKER))


def workers_on(request: RunRequest, processors: int, *, models: bool) -> int:
    """How many workers hold the calls of a run on a cluster; one that finds no processor is never ready.

    Args:
        request: The run.
        processors: Of the cluster.
        models: The models are there too, with a processor of their own.
    """
    return request.workers or max(1, min(processors - models, request.limits.concurrency))


def on_the_wall(request: RunRequest) -> bool:
    """Whether this process lives on the wall clock: also while its workers simulate."""
    return not request.simulated or bool(request.on) or workers_for(request) > 0


@asynccontextmanager
async def holding(
    request: RunRequest, here: Workplace, prices: Prices, store: Store | None, out: Path
) -> AsyncIterator[Holder]:
    """What holds the run's calls; workers are ready, and let go at the end.

    Args:
        request: The run.
        here: What calls are held with in this process.
        prices: Of calls.
        store: The run at its URL, if it has one.
        out: Its folder here.

    Raises:
        HolderUnfit: They cannot be started.
        RecordingError: The URL of the run does not take its plan.
    """
    from agent.suite.holder import Here
    from agent.suite.kept import Kept

    if store is not None:
        # what cannot be kept there is known before the first call
        await asyncio.to_thread(store.put_manifest, out)
    with _workers(request, here, setup_of(request, here, prices)) as pool:
        holder = Here(here) if pool is None else pool
        try:
            if pool is not None:
                await pool.start()
            if store is None:
                yield holder
            else:
                kept = Kept(holder, store, _Behind(store.url))
                yield kept
                await kept.catch_up()
        finally:
            if pool is not None:
                await pool.close()


class _Behind:
    """Says once that recordings do not get to the URL of the run.

    Args:
        url: Of the run.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._said = False

    def __call__(self, folder: Path, error: RecordingError) -> None:
        """An episode did not get there."""
        if not self._said:
            self._said = True
            sys.stderr.write(f"viva: {error}\n")
            sys.stderr.write(f"viva: recordings stay in {folder.parent} until they get to {self._url}\n")


def reach(request: RunRequest) -> None:
    """Join the cluster of a run that is to be held on one, before anything is written.

    Raises:
        HolderUnfit: It cannot be reached.
    """
    from agent.suite.workers.cluster import join

    if request.on:
        join(request.on)


def store_of(request: RunRequest) -> Store | None:
    """The run at its URL; None if it has none.

    Raises:
        RecordingError: Nothing is installed that reaches it.
    """
    from recordings.store import Store

    return None if request.lease is None else Store(request.store, check=request.lease.check)


async def keep(store: Store | None, out: Path, code: int) -> int:
    """Keep a run that is over at its URL, if it has one; returns the exit code of the command.

    Args:
        store: The run at its URL.
        out: Its folder here.
        code: The exit code so far.
    """
    from agent.cli import exits
    from agent.cli.output import complain
    from recordings.errors import RecordingError

    if store is None:
        return code
    try:
        await asyncio.to_thread(store.put_run, out)
    except RecordingError as error:
        complain(error, code)
        sys.stderr.write(f"viva: not all of the run is there; what was recorded is in {out}\n")
        sys.stderr.write(f"viva: to bring what is left: viva run --resume {store.url}\n")
        return exits.GATE_FAILED if code == exits.GATE_FAILED else exits.OUR_FAILURE
    sys.stderr.write(f"kept        {store.url}\n")
    return code


@contextmanager
def _workers(request: RunRequest, here: Workplace, setup: Setup) -> Iterator[WorkerPool | None]:
    """Workers on a cluster, or beside this process; None if calls are held in it."""
    from agent.suite.workers.pool import WorkerPool

    if request.on:
        with _on_cluster(request, here, setup) as pool:
            yield pool
        return
    count = workers_for(request)
    yield WorkerPool(here, setup, count) if count else None


@contextmanager
def _on_cluster(request: RunRequest, here: Workplace, setup: Setup) -> Iterator[WorkerPool]:
    """Workers on a Ray cluster, one for each processor that is left, at most one for each call."""
    from agent.suite.workers.cluster import join, node
    from agent.suite.workers.on_ray import RayWorker, let_go, model_actor
    from agent.suite.workers.pool import WorkerPool

    ray = join(request.on)
    elsewhere = request.on != RAY_HERE
    models = model_actor(ray, _engines(request)) if elsewhere else None
    home = "" if elsewhere else node(ray)
    lease = 0 if request.lease is None else request.lease.number
    setup = replace(setup, store=request.store, lease=lease)
    count = workers_on(request, int(ray.cluster_resources().get("CPU", 1)), models=elsewhere)
    try:
        yield WorkerPool(here, setup, count, functools.partial(RayWorker, ray, models, home))
    finally:
        if models is not None:
            let_go(ray, models)


def _engines(request: RunRequest) -> MakeEngines:
    from agent.cli.runs.run import load_engines

    return functools.partial(load_engines, request.engines)


def setup_of(request: RunRequest, here: Workplace, prices: Prices) -> Setup:
    """What a worker makes of its own of the parts of this process."""
    from agent.cli.runs.plan import cost_of
    from agent.suite.workers.messages import Setup

    engines = here.engines
    return Setup(
        detector=request.engines.detector,
        voice=(engines.voice.identity, engines.voice.fingerprint),
        recogniser=None if engines.recogniser is None else engines.recogniser.identity,
        turn_detector=None if engines.turn_detector is None else engines.turn_detector.identity,
        composes=engines.composer is not None,
        cache=engines.cache,
        cost=functools.partial(cost_of, prices),
        python_tools=request.python_tools,
        simulated=request.simulated,
    )
