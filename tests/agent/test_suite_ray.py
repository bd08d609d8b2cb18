"""A run held on a Ray cluster is the run held here, whatever becomes of a node."""

from __future__ import annotations

import os
import signal
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agent.engines import Engines
from agent.observers import Nobody
from agent.suite.kept import Kept
from agent.suite.limits import RunLimits
from agent.suite.manifest import manifest
from agent.suite.plan import plan
from agent.suite.run import Held, SuiteSettings, hold_all
from agent.suite.workers.on_ray import ModelActor, RayMissing, RayWorker, join
from agent.suite.workers.pool import WorkerPool
from recordings.format import Event, Outcome
from recordings.run import Run, load_run
from recordings.store import Store
from scoring.score import score
from streams import clock
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ScriptedRecogniser, ToneVoice
from tests.agent.test_suite_workers import ENDPOINT, Sitting, content, place, question, setup_of

pytest.importorskip("ray", reason="ray is not installed")
pytestmark = [
    pytest.mark.wall_clock,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # Ray's own processes, which it ends itself
]

LIMITS = RunLimits(concurrency=2, breath_s=0)


def engines() -> Engines:
    return Engines(ToneVoice(0.2), EnergyDetector(), recogniser=ScriptedRecogniser(("yes",) * 99))


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    """Ray with a cluster of one node, in processes of its own."""
    import ray

    ray.init(address="local", num_cpus=3, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


def held(
    ray: Any,
    out: Path,
    *,
    repeats: int = 4,
    simulated: bool = True,
    models: Any = None,
    audience: Callable[..., Any] = lambda _: Nobody(),
    store: str = "",
    workers: int = 2,
    pools: list[WorkerPool] | None = None,
) -> Held:
    jobs = plan([question()], [ENDPOINT], repeats)
    here = place(audience)
    setup = replace(setup_of(here, simulated=simulated), store=store)

    async def main() -> Held:
        run = Run.create(out, manifest(jobs, out))
        pool = WorkerPool(here, setup, workers, partial(RayWorker, ray, models))
        if pools is not None:
            pools.append(pool)
        try:
            await pool.start()
            holder = Kept(pool, Store(store)) if store else pool
            return await hold_all(run, jobs, holder, SuiteSettings(limits=LIMITS, max_lateness_s=5.0))
        finally:
            await pool.close()
            run.close()

    return clock.run(main())


def scores(out: Path) -> dict[str, Any]:
    found = clock.run(score([out]), simulate=True).to_json()
    for episode in found["episodes"]:
        del episode["path"]
    return {name: found[name] for name in ("episodes", "metrics", "usage")}


def test_a_ray_run_is_the_local_run_score_for_score(ray: Any, tmp_path: Path) -> None:
    Sitting(tmp_path / "here", place()).held(0)
    found = held(ray, tmp_path / "there")
    assert [result.outcome for result in found.results] == [Outcome.COMPLETED] * 4
    assert content(tmp_path / "there") == content(tmp_path / "here")
    assert scores(tmp_path / "there") == scores(tmp_path / "here")


def test_the_models_of_a_cluster_can_be_an_actor(ray: Any, tmp_path: Path) -> None:
    actor = ray.remote(ModelActor).remote(engines)
    found = held(ray, tmp_path / "there", models=actor, repeats=2)
    assert [result.outcome for result in found.results] == [Outcome.COMPLETED] * 2
    Sitting(tmp_path / "here", place(), repeats=2).held(0)
    assert content(tmp_path / "there") == content(tmp_path / "here")
    ray.kill(actor)


def test_recordings_come_back_over_a_url_where_no_disk_is_shared(ray: Any, tmp_path: Path) -> None:
    url = f"file://{tmp_path}/store/{uuid.uuid4()}"
    held(ray, tmp_path / "there", store=url, repeats=2)
    Sitting(tmp_path / "here", place(), repeats=2).held(0)
    assert content(tmp_path / "there") == content(tmp_path / "here")
    Store(url).get_run(tmp_path / "again")
    assert content(tmp_path / "again") == content(tmp_path / "here")


def test_a_worker_of_the_cluster_that_is_killed_is_replaced(ray: Any, tmp_path: Path) -> None:
    pools: list[WorkerPool] = []
    killed: list[int] = []

    class Killer(Nobody):
        def event(self, event: Event) -> None:
            if event.kind == "utterance_started" and not killed:
                killed.append(pools[0].processes[0])
                os.kill(killed[0], signal.SIGKILL)

    found = held(
        ray,
        tmp_path / "run",
        simulated=False,
        audience=lambda _: Killer(),
        workers=1,
        repeats=2,
        pools=pools,
    )
    assert killed
    assert [result.outcome for result in found.results] == [Outcome.COMPLETED] * 2
    assert {result.outcome for result in found.again} == {Outcome.HARNESS_FAILED}
    assert "on the cluster died" in found.again[0].reason
    assert all(planned.state == "done" for planned in load_run(tmp_path / "run").episodes)


def test_what_names_no_cluster_is_said() -> None:
    with pytest.raises(RayMissing, match="expected ray, or ray://HOST:PORT"):
        join("slurm")


def test_a_node_that_is_lost_takes_its_calls_with_it_and_they_are_held_elsewhere(tmp_path: Path) -> None:
    import ray
    from ray.cluster_utils import Cluster

    if ray.is_initialized():
        ray.shutdown()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        node = cluster.add_node(num_cpus=1)
        ray.init(address=cluster.address, log_to_driver=False)
        lost: list[str] = []

        class Unplugs(Nobody):
            """Takes the second node away while both are in a call."""

            def __init__(self) -> None:
                self.begun = 0

            def event(self, event: Event) -> None:
                self.begun += event.kind == "utterance_started"
                if self.begun == 2 and not lost:
                    lost.append(node.node_id)
                    cluster.remove_node(node, allow_graceful=False)

        looking_on = Unplugs()
        found = held(
            ray, tmp_path / "run", simulated=False, audience=lambda _: looking_on, workers=2, repeats=4
        )
        assert lost
        assert [result.outcome for result in found.results] == [Outcome.COMPLETED] * 4
        assert [result.lost for result in found.again] == [True]
    finally:
        ray.shutdown()
        cluster.shutdown()
