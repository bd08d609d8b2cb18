"""Where `viva run` holds its calls: in its own process, in workers beside it, or on a Ray cluster."""

from __future__ import annotations

import asyncio
import functools
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.cli.run_request import RunRequest
    from agent.suite.budget import Prices
    from agent.suite.hold import Workplace
    from agent.suite.holder import Holder
    from agent.suite.workers.messages import Setup
    from agent.suite.workers.on_ray import MakeEngines
    from agent.suite.workers.pool import WorkerPool

RAY_HERE = "ray"
"""A cluster of this machine: its disk is ours, and so are the models."""

FEW_CALLS = 4
"""So few at a time get no process of their own: models and media path share one well."""

CALLS_OF_A_WORKER = 75
"""So many wall-clock calls fill half a core (docs/scale.md)."""


def workers_for(request: RunRequest, cores: int | None = None) -> int:
    """How many worker processes hold the calls of a run; 0 holds them in this one."""
    if request.workers is not None:
        return request.workers
    calls = request.limits.concurrency
    if request.simulated or calls < FEW_CALLS:
        return 0
    cores = cores or os.cpu_count() or 1
    return max(1, min(cores - 1, -(-calls // CALLS_OF_A_WORKER)))


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
async def holding(request: RunRequest, here: Workplace, prices: Prices) -> AsyncIterator[Holder]:
    """What holds the run's calls; workers are ready, and let go at the end.

    Raises:
        HolderUnfit: They cannot be started.
    """
    from agent.suite.holder import Here
    from agent.suite.kept import Kept
    from recordings.store import Store

    setup = setup_of(request, here, prices)
    pool = _on_cluster(request, here, setup) if request.on else _beside(request, here, setup)
    holder = Here(here) if pool is None else pool
    try:
        if pool is not None:
            await pool.start()
        yield Kept(holder, Store(request.store)) if request.store else holder
    finally:
        if pool is not None:
            await pool.close()


async def keep(request: RunRequest, out: Path) -> None:
    """Keep a run that is over at its URL, if it has one.

    Raises:
        RecordingError: It is not reached; what was recorded is in the folder.
    """
    from recordings.store import Store

    if request.store:
        await asyncio.to_thread(Store(request.store).put_run, out)
        sys.stderr.write(f"kept        {request.store}\n")


def _beside(request: RunRequest, here: Workplace, setup: Setup) -> WorkerPool | None:
    from agent.suite.workers.pool import WorkerPool

    count = workers_for(request)
    return WorkerPool(here, setup, count) if count else None


def _on_cluster(request: RunRequest, here: Workplace, setup: Setup) -> WorkerPool:
    """Workers on a Ray cluster, one for each processor that is left, at most one for each call."""
    from agent.suite.workers.on_ray import RayWorker, join, model_actor
    from agent.suite.workers.pool import WorkerPool

    ray = join(request.on)
    elsewhere = request.on != RAY_HERE
    models = model_actor(ray, _engines(request)) if elsewhere else None
    if elsewhere and not request.store:
        sys.stderr.write(
            "viva: recordings go to a folder that all nodes must share; --out takes a URL, too\n"
        )
    setup = replace(setup, store=request.store if elsewhere else "")
    count = workers_on(request, int(ray.cluster_resources().get("CPU", 1)), models=elsewhere)
    return WorkerPool(here, setup, count, functools.partial(RayWorker, ray, models))


def _engines(request: RunRequest) -> MakeEngines:
    from agent.cli.run import load_engines

    return functools.partial(load_engines, request.engines)


def setup_of(request: RunRequest, here: Workplace, prices: Prices) -> Setup:
    """What a worker makes of its own of the parts of this process."""
    from agent.cli.run_plan import cost_of
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
