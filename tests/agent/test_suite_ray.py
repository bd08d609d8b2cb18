"""A run held and scored on a Ray cluster is the run held here, whatever becomes of a node."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agent.cli.runs import working_copy
from agent.cli.scores import score as score_command
from agent.engines import Engines
from agent.observers import Nobody, Transcribed
from agent.suite.kept import Kept
from agent.suite.limits import RunLimits
from agent.suite.manifest import manifest
from agent.suite.plan import Job, plan
from agent.suite.run import Held, SuiteSettings, hold_all
from agent.suite.workers.cluster import node
from agent.suite.workers.on_ray import ModelActor, RayWorker
from agent.suite.workers.pool import WorkerPool
from recordings.errors import RecordingError
from recordings.format import Event, Outcome
from recordings.run import Run, load_run
from recordings.store import Store
from scoring import cluster as scoring_cluster
from scoring.cluster import on_cluster
from scoring.parallel import Work, make_ready
from scoring.score import score
from streams import clock
from streams.audio import Samples
from streams.events.address import Broker
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ScriptedRecogniser, ToneVoice
from streams.speech.interfaces import SpeechError, Transcript
from tests.agent.cli_calls import ENGINES, Viva
from tests.agent.span_collector import collector, span_names
from tests.agent.test_suite_workers import ENDPOINT, Sitting, content, place, question, setup_of
from tests.recordings.s3 import bucket, serving
from tests.scoring.test_parallel import Hashing
from tests.streams.events.brokers import amqtt

pytest.importorskip("ray", reason="ray is not installed")
pytestmark = [
    pytest.mark.wall_clock,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # Ray's own processes, which it ends itself
]

FAKE = "fake://?replies=2&seconds=0.3&delay=0.3&rate=8000"


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


CLIENTS = free_port()


def engines() -> Engines:
    return Engines(ToneVoice(0.2), EnergyDetector(), recogniser=ScriptedRecogniser(("yes",) * 99))


@pytest.fixture(scope="module")
def s3() -> Iterator[None]:
    with serving():
        yield


@pytest.fixture(scope="module")
def cluster(s3: None) -> Iterator[Any]:
    """A cluster in processes of its own, whose head has two processors; its nodes know the S3."""
    import ray
    from ray.cluster_utils import Cluster

    head = {"num_cpus": 2, "include_dashboard": False, "ray_client_server_port": CLIENTS}
    with pytest.MonkeyPatch.context() as patch:
        # else its client server may die at its start (github.com/ray-project/ray/issues/63202)
        patch.setenv("GRPC_ENABLE_FORK_SUPPORT", "0")
        made = Cluster(initialize_head=True, head_node_args=head)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture(scope="module")
def ray(cluster: Any) -> Any:
    """Ray, which has joined the cluster at its head."""
    import ray

    ray.init(address=cluster.address, log_to_driver=False)
    return ray


def held(
    ray: Any,
    out: Path,
    *,
    repeats: int = 4,
    simulated: bool = True,
    models: Any = None,
    audience: Callable[..., Any] = lambda _: Nobody(),
    home: str | None = None,
    store: str = "",
    of_nodes: str = "",
    workers: int = 2,
    pools: list[WorkerPool] | None = None,
    transcribed: Callable[[Transcribed], None] = lambda _: None,
) -> Held:
    """Hold a run on the cluster.

    Args:
        home: The node with the folder of the run; by default that of this process.
        store: URL of the run.
        of_nodes: As the nodes know it.
    """
    jobs = plan([question()], [ENDPOINT], repeats)
    here = replace(place(audience), transcribed=transcribed)
    setup = replace(setup_of(here, simulated=simulated), store=of_nodes)
    limits = RunLimits(concurrency=workers, breath_s=0)

    async def main() -> Held:
        run = Run.create(out, manifest(jobs, out))
        start = partial(RayWorker, ray, models, node(ray) if home is None else home)
        pool = WorkerPool(here, setup, workers, start)
        if pools is not None:
            pools.append(pool)
        try:
            await pool.start()
            holder = Kept(pool, Store(store), never) if store else pool
            return await hold_all(run, jobs, holder, SuiteSettings(limits=limits, max_lateness_s=5.0))
        finally:
            await pool.close()
            run.close()

    return clock.run(main())


def never(folder: Path, error: RecordingError) -> None:
    pytest.fail(f"{folder}: {error}")


def scores(out: Path) -> dict[str, Any]:
    found = clock.run(score([out]), simulate=True).to_json()
    return told(found, ("episodes", "metrics", "usage"))


def told(found: dict[str, Any], what: tuple[str, ...]) -> dict[str, Any]:
    """What does not depend on where it lies."""
    for episode in found["episodes"]:
        del episode["path"]
    return {name: found[name] for name in what}


# --- calls --------------------------------------------------------------------------------------


def test_a_ray_run_is_the_local_run_score_for_score(ray: Any, tmp_path: Path) -> None:
    """With models in an actor, and recordings that come back through Ray, from nodes that share no disk."""
    heard: list[Transcribed] = []
    actor = ray.remote(num_cpus=0)(ModelActor).remote(engines)
    found = held(ray, tmp_path / "there", models=actor, home="elsewhere", transcribed=heard.append)
    ray.kill(actor)
    assert [what.model.name for what in heard] == ["scripted"] * 4  # a reply in each call
    Sitting(tmp_path / "here", place()).held(0)
    assert [result.outcome for result in found.results] == [Outcome.COMPLETED] * 4
    assert content(tmp_path / "there") == content(tmp_path / "here")
    assert scores(tmp_path / "there") == scores(tmp_path / "here")


def test_recordings_come_back_over_the_url_of_the_run(ray: Any, tmp_path: Path) -> None:
    url = f"s3://{bucket()}/run"
    held(ray, tmp_path / "there", store=url, of_nodes=url, home="elsewhere", repeats=1, workers=1)
    Sitting(tmp_path / "here", place(), repeats=1).held(0)
    assert content(tmp_path / "there") == content(tmp_path / "here")
    Store(url).get_run(tmp_path / "again")
    assert content(tmp_path / "again") == content(tmp_path / "here")


def test_what_a_node_cannot_put_at_the_url_comes_through_ray_or_stays_there(
    ray: Any, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    first, second = (job.id for job in plan([question()], [ENDPOINT], 2))

    class InTheWay(Nobody):
        """Puts a file where the first recording would come."""

        def event(self, event: Event) -> None:
            if event.kind == "utterance_started":
                (out / f".{first}.new").write_text("")

    of_nodes = "file:///dev/null/run"
    found = held(
        ray, out, of_nodes=of_nodes, home="elsewhere", repeats=2, workers=1, audience=lambda _: InTheWay()
    )
    assert [result.outcome for result in found.results] == [Outcome.HARNESS_FAILED, Outcome.COMPLETED]
    told = re.search(r"the recording is on (\S+), in (\S+?)\.?$", found.results[0].reason)
    assert told is not None and told[1] == socket.gethostname()
    assert (Path(told[2]) / "episode.json").is_file()
    assert [planned.left for planned in load_run(out).episodes] == [True, False]
    Sitting(tmp_path / "here", place(), repeats=2).held(0)
    here = {name: found for name, found in content(tmp_path / "here").items() if name.startswith(second)}
    assert content(out) == here


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
        repeats=1,
        pools=pools,
    )
    assert killed
    assert [result.outcome for result in found.results] == [Outcome.COMPLETED]
    assert {result.outcome for result in found.again} == {Outcome.HARNESS_FAILED}
    assert "on the cluster died" in found.again[0].reason
    assert all(planned.state == "done" for planned in load_run(tmp_path / "run").episodes)


# --- scores -------------------------------------------------------------------------------------


class DeadlyAtFirst(Hashing):
    """Kills the process it is in, until a file is there, which it makes."""

    def __init__(self, file: Path) -> None:
        self._file = file

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        if not self._file.exists():
            self._file.write_text("")
            os.kill(os.getpid(), signal.SIGKILL)
        return await super().transcribe(samples, language=language)


def recorded(run: Path, calls: int = 2) -> list[Path]:
    Sitting(run, place(), repeats=calls).held(0)
    return sorted(path.parent for path in run.glob("*/episode.json"))


def heard(folders: list[Path]) -> list[Any]:
    return [json.loads((folder / "scores/transcripts.json").read_text()) for folder in folders]


def test_nodes_read_and_write_a_run_at_its_url(ray: Any, tmp_path: Path) -> None:
    folders = recorded(tmp_path / "run")
    store = Store(f"s3://{bucket()}/run")
    store.put_run(tmp_path / "run")
    make_ready(folders, Work(Hashing), 1)
    expected = heard(folders)
    # this machine has no such folders: what a node makes of them is at the URL or nowhere
    named = [Path("/not/here") / folder.name for folder in folders]
    seen: list[Path] = []
    for _ in range(2):  # and once more, which changes nothing
        on_cluster(ray, dict.fromkeys(named, store.url), Work(Hashing), seen.append)
        Store(store.url).get_run(tmp_path / "back")
        assert heard([tmp_path / "back" / folder.name for folder in folders]) == expected
    assert sorted(seen) == sorted(2 * named)


def test_an_episode_whose_process_is_killed_is_measured_in_another(ray: Any, tmp_path: Path) -> None:
    folders = recorded(tmp_path / "run")
    work = Work(partial(DeadlyAtFirst, tmp_path / "dead"))
    on_cluster(ray, dict.fromkeys(folders, ""), work)
    assert (tmp_path / "dead").is_file()
    found = heard(folders)
    for folder in folders:
        (folder / "scores/transcripts.json").unlink()
    make_ready(folders, Work(Hashing), 1)
    assert found == heard(folders)


@pytest.mark.parametrize("url", [False, True])
def test_an_episode_that_is_nowhere_is_named(ray: Any, tmp_path: Path, url: bool) -> None:
    store = f"s3://{bucket()}/run" if url else ""
    expected = f"{store}: does not hold the episode e" if url else "/not/here/e: is not there"
    with pytest.raises(RecordingError, match=expected):
        on_cluster(ray, {Path("/not/here/e"): store}, Work(Hashing))


def test_a_recogniser_that_fails_on_a_node_fails_here(ray: Any, tmp_path: Path) -> None:
    with pytest.raises(SpeechError, match="no such engine"):
        on_cluster(ray, dict.fromkeys(recorded(tmp_path / "run", 1), ""), Work(unfit))


def unfit() -> Any:
    raise SpeechError("no such engine", "it never was")


def hashing(_: str) -> Hashing:
    return Hashing()


@contextmanager
def unmarked(_: Iterable[Path]) -> Iterator[str]:
    """No node sees the disk of this process."""
    yield "no such mark"


def test_viva_score_of_a_folder_that_no_node_sees_is_viva_score_of_it_here(
    ray: Any, viva: Viva, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score_command, "make_recogniser", hashing)
    monkeypatch.setattr(scoring_cluster, "_marked", unmarked)
    assert viva.run(FAKE, "--simulated", "--repeats", "2", "--no-report").code == 0
    shutil.copytree("run", "here")
    there = viva("score", "run", "--on", "ray", "--json")
    assert (there.code, "2 of 2 episodes heard" in there.err) == (0, True), there.err
    here = viva("score", "here", "--workers", "1", "--json")
    assert told(there.json, ("episodes", "metrics")) == told(here.json, ("episodes", "metrics"))
    folders = [[Path(run) / f"hello--r{n}" for n in (1, 2)] for run in ("run", "here")]
    assert heard(folders[0]) == heard(folders[1])


def test_viva_score_of_a_url_on_a_cluster_is_viva_score_of_the_folder(
    ray: Any, viva: Viva, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score_command, "make_recogniser", hashing)
    monkeypatch.setattr(
        working_copy, "kept", lambda paths: None
    )  # what gets to the URL is put there by nodes
    url = f"s3://{bucket()}/runs/run"
    begun = viva.run(FAKE, "--simulated", "--repeats", "2", "--no-report", out=url)
    assert begun.code == 0, begun.err
    Store(url).get_run(viva.folder / "run")
    there = viva("score", url, "--on", "ray", "--json")
    assert there.code == 0, there.err
    assert "2 of 2 episodes heard" in there.err
    here = viva("score", "run", "--workers", "1", "--json")
    assert told(there.json, ("episodes", "metrics")) == told(here.json, ("episodes", "metrics"))
    Store(url).get_run(viva.folder / "again")
    assert heard([viva.folder / "again" / f"hello--r{n}" for n in (1, 2)]) == heard(
        [viva.folder / "run" / f"hello--r{n}" for n in (1, 2)]
    )


# --- after the other tasks: for a while after the loss of a node Ray starts them late ------------


def test_a_node_records_for_itself_and_one_that_is_lost_takes_its_calls_with_it(
    cluster: Any, ray: Any, tmp_path: Path
) -> None:
    """The head has the folder of the run and two workers; the other node has a disk of its own, and one."""
    disk = tmp_path / "another machine"
    disk.mkdir()
    other = cluster.add_node(num_cpus=1, env_vars={"TMPDIR": str(disk)})
    out = tmp_path / "run"
    begun: dict[str, bool] = {}
    lost: list[str] = []

    class Watches(Nobody):
        """Takes the other node away while all three are in their second call."""

        def __init__(self, job: Job) -> None:
            self.job = job

        def event(self, event: Event) -> None:
            if event.kind != "utterance_started":
                return
            begun[self.job.id] = (out / self.job.id).exists()
            if len(begun) == 6 and not lost:
                lost.append(other.node_id)
                cluster.remove_node(other, allow_graceful=False)

    found = held(ray, out, simulated=False, audience=Watches, workers=3, repeats=6)
    assert lost
    assert [result.outcome for result in found.results] == [Outcome.COMPLETED] * 6
    assert [result.lost for result in found.again] == [True]
    apart = [id for id, here in begun.items() if not here]
    assert len(apart) == 2  # while its calls go on, nothing of them is here
    recordings = [path.parent.name for path in out.glob("*/episode.json")]
    assert sorted(name.partition("+")[0] for name in recordings) == sorted(begun)
    # what came back was forgotten there; what was lost with the node is all that is left
    assert len(list(disk.glob("viva-*/*"))) == 1


# --- who looks on -------------------------------------------------------------------------------


class Watched:
    """A broker, a collector, and `viva watch` in a process of its own."""

    def __init__(self, viva: Viva, broker: Broker, collector: str, taken: list[tuple[str, bytes]]) -> None:
        self.options = ("--mqtt", str(broker), "--otlp", collector)
        self._taken = taken
        self._watching = viva.start("watch", str(broker), "--json")
        assert self._watching.stderr is not None
        assert self._watching.stderr.readline() == "viva: watching\n"

    def messages(self) -> list[dict[str, Any]]:
        """What was seen until the run ended."""
        assert self._watching.stdout is not None
        seen = []
        for line in self._watching.stdout:
            seen.append(json.loads(line))
            if (seen[-1]["kind"], seen[-1].get("state")) == ("presence", "ended"):
                break
        self._watching.send_signal(signal.SIGINT)
        self._watching.communicate(timeout=60)
        assert self._watching.returncode == 0
        return seen

    def close(self) -> None:
        """End `viva watch`, whatever became of the test."""
        self._watching.kill()
        self._watching.communicate()

    def spans(self) -> Counter[str]:
        """How many spans of each name were taken."""
        return Counter(span_names(self._taken))


@pytest.fixture
def watched(viva: Viva) -> Iterator[Watched]:
    pytest.importorskip("opentelemetry.sdk", reason="opentelemetry-sdk is not installed (extra otel)")
    with amqtt() as broker, collector() as (address, taken):
        made = Watched(viva, broker, address, taken)
        try:
            yield made
        finally:
            made.close()


def check_one_call(seen: list[dict[str, Any]]) -> None:
    """All that is published of a call was seen."""
    said = [(one["side"], one["text"]) for one in seen if one["kind"] == "turn"]
    assert [text for side, text in said if side == "user"] == ["Hello there.", "How are you?"]
    assert [side for side, _ in said] == ["user", "endpoint"] * 2
    assert len([one for one in seen if one["kind"] == "latency"]) == 2
    assert len([one for one in seen if one["kind"] == "levels"]) >= 2
    states = [one["state"] for one in seen if one["kind"] == "session"]
    assert (states[0], states[-1]) == ("calling", "ended")


def test_a_run_on_a_cluster_is_watched_live_and_leaves_its_spans(
    ray: Any, viva: Viva, watched: Watched
) -> None:
    done = viva.simulated(FAKE, "--no-report", "--on", "ray", *watched.options)
    assert done.code == 0, done.err
    check_one_call(watched.messages())
    assert watched.spans() == {"run": 1, "session": 1, "turn": 4, "judge": 2}


# --- Ray Client ---------------------------------------------------------------------------------


def test_a_client_of_the_cluster_holds_a_run_and_has_its_recordings(
    ray: Any, viva: Viva, watched: Watched
) -> None:
    options = ("--endpoint", FAKE, *ENGINES, "--simulated", "--no-report", "--json")
    cluster = ("--on", f"ray://127.0.0.1:{CLIENTS}", *watched.options)
    done = viva.start("run", "hello.yaml", *options, *cluster, "--out", "there")
    out, err = done.communicate(timeout=150)
    assert done.returncode == 0, err
    assert json.loads(out) == {"run": "there"}
    check_one_call(watched.messages())
    assert watched.spans() == {"run": 1, "session": 1, "turn": 4, "judge": 2}
    viva("run", "hello.yaml", *options, "--out", "here")
    assert content(viva.folder / "there") == content(viva.folder / "here")
