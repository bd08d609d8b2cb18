from __future__ import annotations

import errno
import json
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings.errors import RecordingError
from recordings.label_files import AppendOnly, LabelFolder, NameUnfit, is_label_folder, person_named
from recordings.labels import PersonLabel, call_of, pair_item

LINE = PersonLabel(item="r/e/1", label="good", annotator="ann", dimension="content")
AGAIN = LINE.model_copy(update={"label": "bad"})


def test_a_correction_is_appended_and_counts(tmp_path: Path) -> None:
    folder = LabelFolder(tmp_path / "labels")
    assert (folder.people(), folder.labels("ann")) == ([], [])
    folder.add(LINE)
    before = (tmp_path / "labels" / "ann.jsonl").read_bytes()
    folder.add(AGAIN)
    folder.add(LINE.model_copy(update={"round": 2}))
    assert (tmp_path / "labels" / "ann.jsonl").read_bytes().startswith(before)
    assert [(one.label, one.round) for one in folder.labels("ann")] == [("bad", 1), ("good", 2)]
    folder.add(LINE.model_copy(update={"annotator": "bob", "item": pair_item("r/e/1", "s/e/1")}), pair=True)
    assert folder.people() == ["ann", "bob"]
    assert (len(folder.pair_labels("bob")), folder.labels("bob")) == (1, [])


def test_what_another_process_wrote_is_seen(tmp_path: Path) -> None:
    mine, theirs = LabelFolder(tmp_path), LabelFolder(tmp_path)
    mine.add(LINE)
    assert len(theirs.labels("ann")) == 1
    mine.add(LINE.model_copy(update={"item": "r/e/3"}))
    assert len(theirs.labels("ann")) == 2


@given(cut=st.integers(0, 10_000))
def test_whatever_a_dying_process_left_of_the_last_line_no_other_is_lost(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    path = tmp_path_factory.mktemp("torn") / "ann.jsonl"
    first, second = LINE.model_dump_json() + "\n", AGAIN.model_dump_json() + "\n"
    left = second[: cut % (len(second) + 1)]
    path.write_text(first + left)
    folder = LabelFolder(path.parent)
    whole = left.rstrip("\n") == second.rstrip("\n")  # only the end of the line was missing
    assert [one.label for one in folder.labels("ann")] == (["bad"] if whole else ["good"])
    more = LINE.model_copy(update={"item": "r/e/9"})
    folder.add(more)
    kept = [json.loads(line) for line in path.read_text().splitlines()]
    assert [one["label"] for one in kept] == (["good", "bad", "good"] if whole else ["good", "good"])
    assert folder.labels("ann")[-1] == more


def test_a_full_disk_takes_a_line_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ann.jsonl"
    AppendOnly(path).append(LINE)
    before = path.read_bytes()
    write = os.write

    def nearly_full(file: int, data: memoryview) -> int:
        if len(data) > 10:
            return write(file, data[:10])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", nearly_full)
    with pytest.raises(RecordingError, match=r"No space left.*--labels DIR") as failed:
        AppendOnly(path).append(AGAIN)
    assert failed.value.disk_trouble
    assert path.read_bytes() == before


def test_each_line_is_forced_to_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    fsync = os.fsync

    def watched(file: int) -> None:
        synced.append(os.fstat(file).st_size)
        fsync(file)

    monkeypatch.setattr(os, "fsync", watched)
    path = tmp_path / "labels" / "ann.jsonl"
    AppendOnly(path).append(LINE)
    assert synced[-1] == path.stat().st_size and len(synced) == 2  # the folder, then the line
    AppendOnly(path).append(AGAIN)
    assert synced[-1] == path.stat().st_size and len(synced) == 3


def test_many_writers_mix_no_lines(tmp_path: Path) -> None:
    def work(name: str) -> None:
        for n in range(20):
            AppendOnly(tmp_path / "ann.jsonl").append(LINE.model_copy(update={"item": f"{name}/e/{n}"}))

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(LabelFolder(tmp_path).labels("ann")) == 80


def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path) -> None:
    (tmp_path / "ann.jsonl").write_text("{}\n" + LINE.model_dump_json() + "\n")
    with pytest.raises(RecordingError, match=r"ann\.jsonl:1.*item"):
        LabelFolder(tmp_path).labels("ann")


def test_a_link_in_the_folder_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    mine = tmp_path / "mine" / "notes"
    mine.write_text("dear diary\n")
    folder = LabelFolder(tmp_path / "labels")
    folder.path.mkdir()
    (folder.path / "ann.jsonl").symlink_to(mine)
    (folder.path / "bob.jsonl").symlink_to(tmp_path / "mine" / "nothing-yet")
    (folder.path / "pairs").symlink_to(tmp_path / "mine")
    with pytest.raises(RecordingError, match=r"ann\.jsonl: cannot be written"):
        folder.add(LINE)
    with pytest.raises(RecordingError, match=r"bob\.jsonl: cannot be written"):
        folder.add(LINE.model_copy(update={"annotator": "bob"}))
    with pytest.raises(RecordingError, match=r"Name another: --store FILE\."):
        AppendOnly(folder.path / "bob.jsonl", "Name another: --store FILE.").append(LINE)
    with pytest.raises(RecordingError, match="pairs: leads elsewhere"):
        folder.add(LINE, pair=True)
    assert (mine.read_text(), len(list((tmp_path / "mine").iterdir()))) == ("dear diary\n", 1)


@pytest.mark.parametrize("name", ["ann", "Čeněk", "R. Daneel", "user@lab", "x" * 64])
def test_a_name_that_a_file_can_have_is_taken(name: str) -> None:
    assert person_named(f" {name} ") == name


@pytest.mark.parametrize(
    "name", ["", " ", ".", "..", "../x", "a/b", "a\\b", ".hidden", "x" * 65, "a\0b", "-x"]
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(NameUnfit, match="letters, digits"):
        person_named(name)


def test_a_pair_has_one_name_and_its_first_call(tmp_path: Path) -> None:
    assert pair_item("b/e/1", "a/e/3") == pair_item("a/e/3", "b/e/1") == "a/e/3 | b/e/1"
    assert (call_of("a/e/3"), call_of("a/e/3 | b/e/1"), call_of("e/3"), call_of("p")) == (
        "a/e",
        "a/e",
        "e",
        "",
    )


def test_a_folder_of_labels_is_known(tmp_path: Path) -> None:
    assert not is_label_folder(tmp_path)
    (tmp_path / "events.jsonl").write_text('{"t": 0}\n')
    assert not is_label_folder(tmp_path)
    (tmp_path / "ann.jsonl").write_text(LINE.model_dump_json() + "\n")
    assert is_label_folder(tmp_path)
