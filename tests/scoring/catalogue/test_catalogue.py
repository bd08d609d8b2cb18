"""The table of many episodes, made of what is kept; and two runs side by side."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from recordings.format import Outcome
from recordings.reader import episode_folders
from scoring.catalogue.differences import counterparts, differences
from scoring.catalogue.kept import Kept
from scoring.catalogue.measuring import Measuring
from scoring.catalogue.runs import Manifests, runs
from scoring.catalogue.table import columns
from scoring.digest.read import keep
from scoring.score import METRICS, RunScores, score
from streams.clock import run as run_loop
from tests.scoring.digests import Made, digest
from tests.scoring.episodes import CallMaker, tone


def held(run: Path, name: str, latency: float, **more: Any) -> Path:
    call = CallMaker().user(0.5, 1.5).reply(1.5 + latency, tone(0.5, 24000))
    return call.write(run / name, **more)


def measured(run: Path) -> RunScores:
    scores = run_loop(score([run]), simulate=True)
    keep(scores.episodes)
    return scores


def table(run: Path, kept: Kept | None = None) -> dict[str, dict[str, Any]]:
    known = (kept or Kept()).look(episode_folders(str(run)))
    return {column["name"]: column for column in columns(known, METRICS)}


def test_what_is_measured_comes_from_the_digest_and_the_rest_from_episode_json(tmp_path: Path) -> None:
    run = tmp_path / "run"
    held(run, "a", 0.4)
    held(run, "b", 0.6, outcome=Outcome.BEHIND_REAL_TIME)
    measured(run)
    held(run, "c", 0.8)
    found = table(run)
    assert found["episode"]["values"] == ["a", "b", "c"]
    assert found["scored"]["values"] == [True, True, False]
    assert found["void"]["values"] == [False, True, False]
    assert found["response_latency"]["values"] == [400.0, 600.0, None]
    assert found["scenario"]["values"] == ["tones"] * 3
    assert found["duration_s"]["values"] == [3.4, 3.6, 3.8]
    assert found["problem"]["values"] == ["", "", ""]


def test_the_values_are_those_of_the_report(tmp_path: Path) -> None:
    run = tmp_path / "run"
    held(run, "a", 0.4)
    scores = measured(run)
    found = table(run)
    (episode,) = scores.episodes
    for metric in METRICS:
        result = episode.metrics[metric.name]
        if result.value is not None:
            assert found[metric.name]["values"] == [pytest.approx(result.value, abs=1e-6)], metric.name
        elif not result.n and result.unscored:
            assert found[metric.name]["values"] == [None]
            causes = found[metric.name]["unscored"]
            assert causes and set(causes) <= set(result.unscored)
            assert all(rows == [0] for rows in causes.values())


def test_what_has_not_changed_is_not_put_together_again(tmp_path: Path) -> None:
    run, kept = tmp_path / "run", Kept()
    held(run, "a", 0.4)
    measured(run)
    first = kept.look(episode_folders(str(run)))
    assert kept.look(episode_folders(str(run))) is first
    held(run, "b", 0.6)
    second = kept.look(episode_folders(str(run)))
    assert (len(second.places), len(second.others)) == (2, 1)
    measured(run)
    third = kept.look(episode_folders(str(run)))
    assert (len(third.places), len(third.others)) == (2, 0)


def test_an_episode_that_was_scored_again_is_not_what_was_kept(tmp_path: Path) -> None:
    run, kept = tmp_path / "run", Kept()
    held(run, "a", 0.4)
    measured(run)
    assert table(run, kept)["scored"]["values"] == [True]
    info = json.loads((run / "a" / "episode.json").read_text())
    (run / "a" / "episode.json").write_text(json.dumps({**info, "seed": 77}))
    assert table(run, kept)["scored"]["values"] == [False]
    assert table(run, kept)["seed"]["values"] == [77]


def test_looking_writes_nothing(tmp_path: Path) -> None:
    run = tmp_path / "run"
    held(run, "a", 0.4)
    before = sorted(path.relative_to(run) for path in run.rglob("*"))
    table(run)
    assert sorted(path.relative_to(run) for path in run.rglob("*")) == before


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "no JSON"),
        (b"[1]", "schema version None"),
        (b'{"schema_version": 99}', "schema version 99"),
        (b'{"schema_version": 1, "id": NaN}', "is not valid"),
        (b'{"schema_version": 1}', "is not valid"),
        (b"\xff\xfe", "no JSON"),
    ],
)
def test_an_episode_that_cannot_be_read_has_a_row_that_says_so(
    content: bytes, problem: str, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    held(run, "a", 0.4)
    (run / "b").mkdir()
    (run / "b" / "episode.json").write_bytes(content)
    found = table(run)
    assert found["episode"]["values"] == ["a", "b"]
    assert found["outcome"]["values"][1] is None
    assert problem in found["problem"]["values"][1]


@pytest.mark.parametrize("spoiled", [b"", b"PK\x03\x04 torn", os.urandom(2000)])
def test_a_torn_digest_is_as_good_as_none(spoiled: bytes, tmp_path: Path) -> None:
    run = tmp_path / "run"
    held(run, "a", 0.4)
    measured(run)
    (run / "digest.npz").write_bytes(spoiled)
    assert table(run)["scored"]["values"] == [False]


def test_runs_are_the_folders_of_the_episodes(tmp_path: Path) -> None:
    for name, count in (("one", 2), ("two", 1)):
        for number in range(count):
            held(tmp_path / name, f"call-{number}", 0.4, endpoint=f"fake://{name}")
    manifest = {"started_at_utc": "2026-01-01T00:00:00+00:00", "episodes": [{}, {}, {}], "scenarios": []}
    (tmp_path / "one" / "run.json").write_text(json.dumps(manifest))
    (tmp_path / "two" / "run.json").write_text("{")
    folders = [
        (os.path.basename(os.path.dirname(path)), os.path.dirname(path))
        for path in episode_folders(str(tmp_path))
    ]
    known = Kept().look(episode_folders(str(tmp_path)))
    first, second = runs(folders, columns(known, METRICS), Manifests())
    assert (first["id"], first["episodes"], first["planned"], first["unscored"]) == ("one", 2, 3, 2)
    assert (first["endpoints"], first["started_at_utc"][:10]) == (["fake://one"], "2026-01-01")
    assert (second["episodes"], second["problem"]) == (1, "run.json cannot be read")


def test_differences_are_what_either_manifest_says() -> None:
    mine = {"endpoints": ["a"], "vivavoce": "1", "settings": {"judge": "rules", "voice": "x"}}
    yours = {"endpoints": ["b"], "vivavoce": "1", "settings": {"judge": "llm"}}
    assert differences(mine, yours) == [
        {"what": "endpoints", "a": ["a"], "b": ["b"]},
        {"what": "judge", "a": "rules", "b": "llm"},
        {"what": "voice", "a": "x", "b": None},
    ]


def test_counterparts_share_scenario_and_seed() -> None:
    first, second = digest(Made("p"), Made("q", 1)), digest(Made("q", 1), Made("r"))
    ids = {row.path: f"1{row.id}" for row in first.rows}
    assert counterparts(first, second, ids) == [
        {"scenario": "p", "seed": 0, "repeat": 0, "a": "1p-0", "b": None},
        {"scenario": "q", "seed": 1, "repeat": 0, "a": "1q-1", "b": None},  # its other path has no id here
        {"scenario": "r", "seed": 0, "repeat": 0, "a": None, "b": None},
    ]


def test_what_nobody_has_measured_is_measured_and_kept_in_memory(tmp_path: Path) -> None:
    run, measuring = tmp_path / "run", Measuring()
    held(run, "a", 0.4)
    held(run, "b", 0.6, outcome=Outcome.UNFINISHED)
    (run / "c").mkdir()
    (run / "c" / "episode.json").write_text("{")
    spoiled = held(run, "d", 0.4)
    (spoiled / "events.jsonl").write_text("{}\n{}\n")
    files = sorted(run.rglob("*"))
    known = measuring.wait_for(episode_folders(str(run)))
    found = {column["name"]: column["values"] for column in columns(known, METRICS)}
    assert found["scored"] == [True, False, False, False]
    assert found["response_latency"] == [400.0, None, None, None]
    assert measuring.look(episode_folders(str(run)))[1] == 0  # what failed is not tried again and again
    assert sorted(run.rglob("*")) == files


def test_thousands_are_not_measured_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoring.catalogue.measuring.MOST", 1)
    for name in ("a", "b"):
        held(tmp_path / "run", name, 0.4)
    known, left = Measuring().look(episode_folders(str(tmp_path / "run")))
    assert (left, known.places) == (0, (-1, -1))


def test_a_run_that_was_moved_is_known_by_its_new_name(tmp_path: Path) -> None:
    held(tmp_path / "old", "a", 0.4)
    measured(tmp_path / "old")
    (tmp_path / "old").rename(tmp_path / "new")
    known = Kept().look(episode_folders(str(tmp_path / "new")))
    assert [row.path for row in known.digest.rows] == [str(tmp_path / "new" / "a")]
