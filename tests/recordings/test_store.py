"""Runs at a URL: in memory, in a folder, and in an S3 of this machine."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from recordings.errors import RecordingError
from recordings.reader import Episode
from recordings.store import Store, as_url, is_url
from tests.recordings.calls import Call, record

pytest.importorskip("fsspec", reason="fsspec is not installed")


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The address of an S3 that lives in this process, behind a real socket."""
    moto = pytest.importorskip("moto.server", reason="moto is not installed")
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    server = moto.ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(params=["memory", "file", "s3"])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "memory":
        return f"memory://{uuid.uuid4()}/run"
    if request.param == "file":
        return f"file://{tmp_path}/there/run"
    monkeypatch.setenv("AWS_ENDPOINT_URL", request.getfixturevalue("s3"))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    import s3fs

    bucket = str(uuid.uuid4())
    s3fs.S3FileSystem().mkdir(bucket)
    return f"s3://{bucket}/runs/run"


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
    store.put(folder, [folder / "user.wav", folder / "events.jsonl"])
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
    store = Store(url)
    store.put_episode(run / "e")
    store.put_manifest(run)
    store.get_run(tmp_path / "back")
    assert contents(tmp_path / "back") == contents(run)


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
    store = Store(url)
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
