"""Runs at a URL: in memory, in a folder, and in an S3 of this machine."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from recordings.errors import RecordingError
from recordings.format import Fault, Outcome
from recordings.reader import Episode
from recordings.remote import Remote
from recordings.run import Run
from recordings.store import Store, as_url, is_url
from recordings.strict_json import encode
from streams import clock
from tests.recordings.calls import Call, episode_info, record
from tests.recordings.s3 import bucket, serving
from tests.recordings.test_run import planned

pytest.importorskip("fsspec", reason="fsspec is not installed")


@pytest.fixture(scope="module")
def s3() -> Iterator[None]:
    with serving():
        yield


@pytest.fixture(params=["memory", "file", "s3"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "memory":
        return f"memory://{uuid.uuid4()}/run"
    if request.param == "file":
        return f"file://{tmp_path}/there/run"
    request.getfixturevalue("s3")
    return f"s3://{bucket()}/runs/run"


def contents(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_an_episode_that_is_kept_comes_back_sample_for_sample(url: str, tmp_path: Path) -> None:
    record(Call(tmp_path / "run" / "e"))
    Store(url).put_episode(tmp_path / "run" / "e")
    assert Store(url).get_episode(tmp_path / "back" / "e")
    assert contents(tmp_path / "back") == contents(tmp_path / "run")
    Episode.load(tmp_path / "back" / "e")


def test_to_keep_an_episode_twice_changes_nothing(url: str, tmp_path: Path) -> None:
    record(Call(tmp_path / "run" / "e"))
    store = Store(url)
    for _ in range(2):
        store.put_episode(tmp_path / "run" / "e")
    store.get_run(tmp_path / "back")
    store.get_run(tmp_path / "back")
    assert contents(tmp_path / "back") == contents(tmp_path / "run")


def test_an_episode_whose_transfer_was_broken_off_is_not_there_and_is_kept_by_the_next(
    url: str, tmp_path: Path
) -> None:
    folder = tmp_path / "run" / "e"
    record(Call(folder))
    store = Store(url)
    for name in ("user.wav", "events.jsonl"):
        Remote(url).put(folder / name, f"e/{name}")
    assert not store.get_episode(tmp_path / "back" / "e")
    store.put_episode(folder)
    assert store.get_episode(tmp_path / "back" / "e")
    assert contents(tmp_path / "back") == contents(tmp_path / "run")


def test_scores_and_the_manifest_go_with_the_run(url: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    record(Call(run / "e"))
    (run / "e" / "scores").mkdir()
    (run / "e" / "scores" / "timing.json").write_text("{}")
    (run / "run.json").write_text("{}")
    (run / "run.jsonl").write_text("")
    (run / "report.html").write_text("<p>")
    Store(url).put_run(run)
    Store(url).get_run(tmp_path / "back")
    assert contents(tmp_path / "back") == contents(run)
    (run / "e" / "scores" / "timing.json").write_text("[]")  # another of the same size
    Store(url).put_run(run)
    Store(url).get_run(tmp_path / "again")
    assert contents(tmp_path / "again") == contents(run)


def test_what_is_made_of_a_run_that_another_holds_leaves_its_manifest_alone(
    url: str, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    record(Call(run / "e"))
    (run / "run.json").write_text("{}")
    Store(url).put_run(run)
    (run / "run.json").write_text("{} older")
    (run / "e" / "scores").mkdir()
    (run / "e" / "scores" / "timing.json").write_text("{}")
    Store(url).put_made(run)
    Store(url).get_run(tmp_path / "back")
    assert (tmp_path / "back" / "run.json").read_text() == "{}"
    assert (tmp_path / "back" / "e" / "scores" / "timing.json").read_text() == "{}"


def test_a_recording_that_is_whole_here_is_not_replaced_by_half_of_it(url: str, tmp_path: Path) -> None:
    folder = tmp_path / "run" / "e"
    record(Call(folder))
    whole = contents(folder)
    Store(url).put_episode(folder)
    (tmp_path / "half").write_bytes(whole["user.wav"][:100])
    Remote(url).put(tmp_path / "half", "e/user.wav")
    Store(url).get_run(tmp_path / "run")
    assert contents(folder) == whole
    Store(url).put_run(tmp_path / "run")
    Store(url).get_run(tmp_path / "back")
    assert contents(tmp_path / "back" / "e") == whole


def test_a_recording_that_broke_off_here_gives_way_to_the_one_that_is_whole(
    url: str, tmp_path: Path
) -> None:
    record(Call(tmp_path / "made" / "e"))
    Store(url).put_episode(tmp_path / "made" / "e")
    here = tmp_path / "here" / "e"
    here.mkdir(parents=True)
    (here / "raw.jsonl").write_text("of the call that broke off")
    (here / "episode.json").write_bytes(encode(episode_info(outcome=Outcome.UNFINISHED, fault=Fault.US)))
    Store(url).get_run(tmp_path / "here")
    assert contents(tmp_path / "here") == contents(tmp_path / "made")


# --- services that fail, and what a long run costs ----------------------------------------------


class Failing:
    """Makes writes to memory fail so many times; counts them, and their bytes.

    Args:
        patch: Of the test.
        times: That they fail.
        failure: With which; None is an `OSError` that may pass.
    """

    def __init__(self, patch: pytest.MonkeyPatch, times: float, failure: Exception | None = None) -> None:
        from fsspec.implementations.memory import MemoryFileSystem

        write = MemoryFileSystem.put_file
        self.tries = 0
        self.put: dict[str, list[int]] = {}

        def put(files: MemoryFileSystem, file: str, place: str) -> None:
            self.tries += 1
            if self.tries <= times:
                raise failure or OSError("the service is down")
            write(files, file, place)
            self.put.setdefault(place.rpartition("/")[2], []).append(Path(file).stat().st_size)

        patch.setattr(MemoryFileSystem, "put_file", put)


def test_what_fails_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"memory://{uuid.uuid4()}/run"
    record(Call(tmp_path / "run" / "e"))
    failing = Failing(monkeypatch, 3)
    Store(url, waits_s=(0, 0, 0)).put_episode(tmp_path / "run" / "e")
    assert failing.tries == 3 + 8  # the eight files of an episode
    assert list(failing.put)[-1] == "episode.json"  # who breaks off before it has put no episode
    assert Store(url).get_episode(tmp_path / "back" / "e")


def test_what_would_fail_again_is_tried_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("x")
    failing = Failing(monkeypatch, 1, PermissionError("it is not yours"))
    remote = Remote(f"memory://{uuid.uuid4()}/run", waits_s=(0, 0))
    with pytest.raises(RecordingError, match="it is not yours"):
        remote.put(tmp_path / "file", "file")
    assert failing.tries == 1


def test_while_a_service_is_down_nobody_waits_for_it_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    failing = Failing(monkeypatch, 6)
    remote = Remote(f"memory://{uuid.uuid4()}/run", waits_s=(0, 0))
    tries = []
    for _ in range(2):
        with pytest.raises(RecordingError, match="the service is down"):
            remote.put(tmp_path / "file", "file")
        tries.append(failing.tries)
    assert tries == [3, 4]  # 1 + 2 more; then one alone
    failing.tries = 10  # it is up again
    remote.put(tmp_path / "file", "file")
    failing.tries = 4  # and down: two of three tries fail
    remote.put(tmp_path / "file", "file")
    assert failing.tries == 7


@pytest.mark.parametrize("calls", [100, 400])
def test_what_a_run_puts_of_its_manifest_grows_with_its_length_not_with_its_square(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calls: int
) -> None:
    failing = Failing(monkeypatch, 0)
    run = Run.create(tmp_path / "run", planned(*map(str, range(calls))))
    store = Store(f"memory://{uuid.uuid4()}/run")

    async def held() -> None:
        for episode in run.info.episodes:
            await run.begin(episode.id)
            store.put_manifest(run.folder)
            await run.end(episode.id, Outcome.COMPLETED)

    clock.run(held(), simulate=True)
    store.put_manifest(run.folder)
    last = (run.folder / "run.jsonl").stat().st_size
    assert sum(failing.put["run.jsonl"]) <= 5 * last
    assert failing.put["run.jsonl"][-1] > last / 1.25  # and what it puts is not far behind
    assert len(failing.put["run.json"]) == 1
    run.close()
    store.put_manifest(run.folder, whole=True)
    assert len(failing.put["run.json"]) == 2
    assert failing.put["run.jsonl"][-1] == 0  # the manifest holds it


def test_a_folder_that_holds_another_run_is_not_mixed_with_it(tmp_path: Path) -> None:
    url = f"memory://{uuid.uuid4()}/run"
    Run.create(tmp_path / "there", planned("a")).close()
    Store(url).put_run(tmp_path / "there")
    for other in (planned("b"), planned("a").model_copy(update={"started_at_utc": "2026-01-02T00:00:00Z"})):
        run = tmp_path / "here" / other.started_at_utc
        Run.create(run, other).close()
        before = contents(run)
        with pytest.raises(RecordingError, match="Move the folder away"):
            Store(url).get_run(run)
        assert contents(run) == before


def test_a_place_that_nothing_reaches_says_so(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="cannot be reached"):
        Store("nowhere://bucket/run")


@pytest.mark.parametrize(
    "failure", [KeyError("no keys"), PermissionError("no keys"), ValueError("no keys")]
)
def test_whatever_a_service_raises_the_place_is_said_and_the_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    from fsspec.implementations.memory import MemoryFileSystem

    def fails(*_: object, **__: object) -> None:
        raise failure

    url = f"memory://{uuid.uuid4()}/run"
    record(Call(tmp_path / "run" / "e"))
    store = Store(url, waits_s=())
    for name in ("size", "info", "find", "put_file"):
        monkeypatch.setattr(MemoryFileSystem, name, fails)
    for work in (
        lambda: store.holds_run,
        lambda: store.put_episode(tmp_path / "run" / "e"),
        lambda: store.get_episode(tmp_path / "back" / "e"),
        lambda: store.get_run(tmp_path / "back"),
    ):
        with pytest.raises(RecordingError, match=f"{url}.*no keys"):
            work()


def test_a_name_that_leads_out_of_the_run_is_refused(tmp_path: Path) -> None:
    import fsspec

    root = f"{uuid.uuid4()}/run"
    fsspec.filesystem("memory").pipe_file(f"/{root}/e/../../../outside.txt", b"x")
    with pytest.raises(RecordingError, match="outside the run"):
        Store(f"memory://{root}").get_run(tmp_path / "back" / "run")
    assert list(tmp_path.rglob("outside.txt")) == []


def test_a_url_that_was_taken_for_a_path_is_a_url_again(tmp_path: Path) -> None:
    for url in ("s3://bucket/runs/a", "memory://x/y", "file:///tmp/run"):
        assert is_url(Path(url))
        assert as_url(Path(url)) == url
    assert not is_url(tmp_path)
    assert not is_url("recordings/episodes/run-1")
