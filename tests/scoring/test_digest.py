from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings.format import Outcome
from recordings.reader import find_episodes, write_scores
from scoring.digest import store
from scoring.digest.columns import Column, Digest, joined
from scoring.digest.make import digest_of
from scoring.digest.read import digest_of_found
from scoring.metric import Values
from scoring.score import METRICS, EpisodeScores, combine, score
from streams.clock import run
from tests.scoring.episodes import CallMaker, tone

RATE = 24000


def call(latency: float = 0.5, turns: int = 2) -> CallMaker:
    made = CallMaker()
    for turn in range(turns):
        made.user(4 * turn + 1, 4 * turn + 2).reply(
            4 * turn + 2 + latency, tone(1.0, RATE), item=f"i{turn}"
        )
    return made


def several(folder: Path) -> Path:
    """Four calls, one of them void and one without a reply."""
    call(0.5).write(folder / "a", endpoint="fake://one")
    call(0.7, 3).write(folder / "b", endpoint="fake://two")
    call(0.9).write(folder / "c", outcome=Outcome.BEHIND_REAL_TIME, endpoint="fake://two")
    CallMaker(length=30).user(1, 2).write(folder / "d", endpoint="fake://two")
    return folder


def read(path: Path, again: bool = False) -> tuple[Digest, list[str]]:
    """The digest, and the names of the episodes that were scored for it."""
    seen: list[EpisodeScores] = []
    digest = run(digest_of_found(find_episodes(path), again=again, scored=seen.append))
    return digest, [episode.path.name for episode in seen]


def same(digest: Digest, other: Digest) -> bool:
    return all(digest.aggregate(metric) == other.aggregate(metric) for metric in METRICS)


def test_a_digest_aggregates_as_the_episodes_themselves(tmp_path: Path) -> None:
    scores = run(score([several(tmp_path)]))
    digest = digest_of(scores.episodes)
    assert {metric.name: digest.aggregate(metric) for metric in METRICS} == combine(scores.episodes)
    two = digest.where(row.endpoint == "fake://two" for row in digest.rows)
    own = [episode for episode in scores.episodes if episode.endpoint == "fake://two"]
    assert {metric.name: digest.aggregate(metric, two) for metric in METRICS} == combine(own)
    selected = digest.select(two)
    assert {metric.name: selected.aggregate(metric) for metric in METRICS} == combine(own)


def test_a_second_reading_scores_nothing_and_gives_the_same(tmp_path: Path) -> None:
    first, scored = read(several(tmp_path))
    assert scored == ["a", "b", "c", "d"]
    second, scored = read(tmp_path)
    assert scored == []
    assert second.rows == first.rows
    assert same(first, second)
    assert read(tmp_path, again=True)[1] == ["a", "b", "c", "d"]


def test_what_was_judged_or_held_since_is_scored_and_the_rest_is_not(tmp_path: Path) -> None:
    read(several(tmp_path))
    write_scores(tmp_path / "b", "judge", {"turns": []})
    call(1.5).write(tmp_path / "bb")
    digest, scored = read(tmp_path)
    assert scored == ["b", "bb"]
    assert [row.id for row in digest.rows] == ["a", "b", "bb", "c", "d"]
    assert same(digest, read(tmp_path, again=True)[0])


def test_an_episode_that_is_gone_is_in_no_number(tmp_path: Path) -> None:
    read(several(tmp_path))
    for file in sorted((tmp_path / "a").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    digest, scored = read(tmp_path)
    assert ([row.id for row in digest.rows], scored) == (["b", "c", "d"], [])
    assert same(digest, read(tmp_path, again=True)[0])


def test_reading_one_episode_leaves_what_is_kept_of_the_others(tmp_path: Path) -> None:
    read(several(tmp_path))
    write_scores(tmp_path / "a", "judge", {"turns": []})
    assert read(tmp_path / "a")[1] == ["a"]
    assert read(tmp_path)[1] == []


def test_a_run_that_was_moved_keeps_its_digest(tmp_path: Path) -> None:
    read(several(tmp_path / "here"))
    (tmp_path / "here").rename(tmp_path / "there")
    digest, scored = read(tmp_path / "there")
    assert scored == []
    assert digest.rows[0].path == str(tmp_path / "there/a")


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 nonsense", None])
def test_a_digest_that_is_torn_or_of_other_metrics_is_made_anew(
    tmp_path: Path, damage: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(several(tmp_path))
    if damage is None:
        monkeypatch.setattr(store, "VERSION", 99)
    else:
        (tmp_path / store.FILE).write_bytes(damage)
    assert read(tmp_path)[1] == ["a", "b", "c", "d"]


def test_a_folder_that_cannot_be_written_is_read_all_the_same(tmp_path: Path) -> None:
    several(tmp_path)
    (tmp_path / f".{store.FILE}.new").mkdir()  # what the file would be written to first
    assert read(tmp_path)[1] == ["a", "b", "c", "d"]
    assert not (tmp_path / store.FILE).exists()


def test_rows_say_who_called_under_what(tmp_path: Path) -> None:
    noisy = {"noise": [{"bed": "cafe", "snr_db": 10}], "codec": "g711_ulaw"}
    calm = {"persona": {"voice": "anna", "style": "calm", "patience_s": 5}}
    call().write(tmp_path / "a", scenario={**calm, "conditions": noisy})
    call().write(tmp_path / "b", scenario=calm)
    call().write(tmp_path / "c", scenario={"persona": {"patience_s": 5}, "conditions": noisy})
    a, b, c = read(tmp_path)[0].rows
    assert (a.user, c.user) == ("anna, calm (tones 500 Hz)", "tones 500 Hz")
    assert (a.condition, b.condition) == ("cafe noise at 10 dB, codec g711_ulaw", "")
    assert a.asked_under == b.asked_under != c.asked_under
    assert a.asked_by == c.asked_by != b.asked_by


# --- columns ------------------------------------------------------------------------------------

entries = st.lists(
    st.tuples(st.integers(0, 4), st.floats(-5, 5), st.sampled_from(["", "no_reply", "cut"])), max_size=12
)


def column(made: list[tuple[int, float, str]]) -> Column:
    values = [(place, value) for place, value, cause in made if not cause]
    gone = [(place, cause) for place, _, cause in made if cause]
    causes = tuple(dict.fromkeys(cause for _, cause in gone))
    return Column(
        np.array([place for place, _ in values], np.int64),
        Values(
            np.array([value for _, value in values], np.float64),
            np.zeros((len(values), 2), np.int64),
            np.zeros(len(values), np.bool_),
        ),
        np.array([(place, causes.index(cause)) for place, cause in gone], np.int64).reshape(-1, 2),
        causes,
    )


@given(st.lists(entries, min_size=1, max_size=3), st.sets(st.integers(0, 14)))
def test_joining_and_selecting_lose_nothing_and_mix_nothing_up(
    lots: list[list[tuple[int, float, str]]], chosen: set[int]
) -> None:
    whole = joined([column(lot) for lot in lots], [5] * len(lots))
    places = np.array(sorted(place for place in chosen if place < 5 * len(lots)), np.int64)
    part = whole.select(places, 5 * len(lots))
    expected = [
        (5 * number + place, value, cause)
        for number, lot in enumerate(lots)
        for place, value, cause in lot
        if 5 * number + place in chosen
    ]
    found = [(int(places[e]), v, "") for e, v in zip(part.episode, part.values.values, strict=True)]
    found += [(int(places[e]), 0.0, part.causes[code]) for e, code in part.missing]
    assert sorted(found) == sorted((p, 0.0 if cause else v, cause) for p, v, cause in expected)


def test_the_name_of_the_file_is_no_episode(tmp_path: Path) -> None:
    read(several(tmp_path))
    assert os.path.isfile(tmp_path / store.FILE)
    assert len(read(tmp_path)[0].rows) == 4
