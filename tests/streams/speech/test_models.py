from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from pathlib import Path

import pytest

from streams.speech import checksum, models
from streams.speech.interfaces import SpeechError
from streams.speech.model_list import MODELS, Job, ModelFile, ModelSpec
from streams.speech.models import ModelMismatch, ModelMissing, Origin, UnknownModel

FIRST, SECOND, CONFIG = b"first half ", b"second half", b"{}"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def halves() -> ModelSpec:
    """A model whose weights come as two halves in two packages."""
    return ModelSpec(
        id="halves",
        job=Job.ASR,
        version="1",
        licence="MIT",
        files=(
            ModelFile(
                "model.bin", 22, digest(FIRST + SECOND), ("viva_half_1/a.part1", "viva_half_2/data/a.part2")
            ),
            ModelFile("config.json", 2, digest(CONFIG), ("viva_half_2/data/config.json",)),
        ),
        folder=True,
        packages=("viva-half-1", "viva-half-2"),
    )


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages with the two halves, and an empty cache beside it."""
    root = tmp_path / "site"
    (root / "viva_half_1").mkdir(parents=True)
    (root / "viva_half_2" / "data").mkdir(parents=True)
    (root / "viva_half_1" / "__init__.py").touch()
    (root / "viva_half_2" / "__init__.py").touch()
    (root / "viva_half_1" / "a.part1").write_bytes(FIRST)
    (root / "viva_half_2" / "data" / "a.part2").write_bytes(SECOND)
    (root / "viva_half_2" / "data" / "config.json").write_bytes(CONFIG)
    monkeypatch.syspath_prepend(root)
    monkeypatch.setenv("VIVAVOCE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setitem(MODELS, "halves", halves())
    return root


def test_two_halves_are_joined_in_the_cache(packages: Path, tmp_path: Path) -> None:
    folder = models.locate("halves")
    assert folder.is_relative_to(tmp_path / "cache")
    assert (folder / "model.bin").read_bytes() == FIRST + SECOND
    assert (folder / "config.json").read_bytes() == CONFIG
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "model.bin"]
    assert models.verify("halves").origin is Origin.JOINED


def test_a_wrong_half_is_an_error_with_both_hashes_and_leaves_nothing(packages: Path) -> None:
    (packages / "viva_half_1" / "a.part1").write_bytes(b"FIRST half ")
    with pytest.raises(ModelMismatch) as caught:
        models.locate("halves")
    assert caught.value.expected == digest(FIRST + SECOND)
    assert caught.value.actual == digest(b"FIRST half " + SECOND)
    assert caught.value.expected in str(caught.value)
    assert caught.value.actual in str(caught.value)
    assert models.status("halves").path is not None
    assert list(Path(str(models.status("halves").path)).iterdir()) == []


def test_a_joined_model_that_was_changed_is_an_error(packages: Path) -> None:
    weights = models.locate("halves") / "model.bin"
    weights.write_bytes(b"x" * 22)
    with pytest.raises(ModelMismatch, match="Remove the file"):
        models.locate("halves")


def _join_once(barrier: object, spec: ModelSpec) -> None:
    MODELS["halves"] = spec
    barrier.wait()  # type: ignore[attr-defined]
    models.locate("halves")


def test_two_processes_may_join_at_once(packages: Path) -> None:
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(2)
    both = [context.Process(target=_join_once, args=(barrier, halves())) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join(30)
    assert [process.exitcode for process in both] == [0, 0]
    folder = models.locate("halves")
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "model.bin"]


def test_a_missing_package_names_the_packages_to_install(packages: Path) -> None:
    (packages / "viva_half_1" / "a.part1").unlink()
    assert models.status("halves").path is None
    with pytest.raises(ModelMissing, match="pip install viva-half-1 viva-half-2"):
        models.locate("halves")


def test_a_cache_that_cant_be_written_says_so(packages: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, no folder")
    with pytest.raises(SpeechError, match="Set VIVAVOCE_CACHE"):
        models.locate("halves")


def test_an_unchanged_file_is_hashed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVAVOCE_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "weights"
    path.write_bytes(b"one")
    assert checksum.sha256(path) == digest(b"one")
    stat = path.stat()
    path.write_bytes(b"two")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # same size, same time: believed unchanged
    assert checksum.sha256(path) == digest(b"one")
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    assert checksum.sha256(path) == digest(b"two")


@pytest.mark.parametrize("damaged", ["", "{", "[]", "null"])
def test_a_damaged_memory_of_hashes_is_begun_anew(
    damaged: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIVAVOCE_CACHE", str(tmp_path))
    (tmp_path / "sha256.json").write_text(damaged)
    path = tmp_path / "weights"
    path.write_bytes(b"one")
    assert checksum.sha256(path) == digest(b"one")
    assert list(json.loads((tmp_path / "sha256.json").read_text())) == [str(path)]


def test_the_cache_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VIVAVOCE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert checksum.cache_folder() == Path("/xdg/vivavoce")
    monkeypatch.setenv("VIVAVOCE_CACHE", "/mine")
    assert checksum.cache_folder() == Path("/mine")


def test_a_path_given_is_taken_as_it_is(tmp_path: Path) -> None:
    assert models.locate(tmp_path) == tmp_path
    assert models.locate(str(tmp_path)) == tmp_path


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownModel, match="Did you mean 'whisper-base'"):
        models.locate("whisper-bas")


def test_a_hub_model_is_found_in_the_hubs_cache_at_its_revision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setenv("VIVAVOCE_CACHE", str(tmp_path / "viva"))
    spec = ModelSpec(
        id="hubbed",
        job=Job.ASR,
        version="1",
        licence="MIT",
        files=(ModelFile("model.bin", 11, digest(FIRST)),),
        folder=True,
        hub="someone/hubbed",
        revision="a" * 40,
    )
    monkeypatch.setitem(MODELS, "hubbed", spec)
    with pytest.raises(ModelMissing, match="viva models fetch hubbed"):
        models.locate("hubbed")
    snapshot = tmp_path / "models--someone--hubbed" / "snapshots" / ("a" * 40)
    snapshot.mkdir(parents=True)
    (snapshot / "model.bin").write_bytes(FIRST)
    assert models.verify("hubbed") == models.ModelStatus(spec, snapshot, Origin.HUB)
    assert models.fetch("hubbed").path == snapshot  # nothing to download


def test_offline_a_fetch_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelMissing, match=r"could not be downloaded.*Check the connection"):
        models.fetch("whisper-small")


def test_every_model_has_what_a_reader_of_the_list_needs() -> None:
    for spec in MODELS.values():
        assert spec.licence
        assert bool(spec.packages) != bool(spec.hub), spec.id
        assert len(spec.revision) == (40 if spec.hub else 0)
        for file in spec.files:
            assert len(file.sha256) == 64
            assert file.size > 0
            assert bool(file.parts) == bool(spec.packages)


@pytest.mark.models
@pytest.mark.parametrize("model", [spec.id for spec in MODELS.values() if spec.packages])
def test_every_packaged_model_is_the_pinned_one(model: str) -> None:
    found = models.verify(model)
    assert found.path is not None
    folder = found.path if found.spec.folder else found.path.parent
    assert [(folder / file.name).stat().st_size for file in found.spec.files] == [
        file.size for file in found.spec.files
    ]
