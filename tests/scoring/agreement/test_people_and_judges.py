"""Labels given in the studio, a judge's ratings and its battles, as sources of `viva agreement`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from recordings.label_files import LabelFolder
from recordings.labels import PersonLabel, pair_item
from scoring.agreement.examine import Pair, examine
from scoring.agreement.labels import LabelError, LabelSet
from scoring.agreement.raters import AgainstPeople
from scoring.agreement.sources import Sources, load
from scoring.arena.battles import Battle, Label
from scoring.arena.store import append
from tests.scoring.labelling.recorded import call, rated

ORDERED = LabelSet(("bad", "acceptable", "good"), ordered=True)
TURNS = ("run/s0-x/1", "run/s0-x/3", "run/s1-x/1", "run/s1-x/3")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Two calls of two replies; the judge says good of the first call and bad of the other."""
    for number, label in enumerate(("good", "bad")):
        rated(call(tmp_path / "run" / f"s{number}-x", "fake://x", -20.0), label)
    folder = LabelFolder(tmp_path / "run" / "labels")
    for person, labels in (("ann", "good good bad good"), ("bob", "good bad bad bad")):
        for item, label in zip(TURNS, labels.split(), strict=True):
            folder.add(PersonLabel(item=item, label=label, annotator=person, dimension="content"))
    folder.add(PersonLabel(item=TURNS[0], unscored="inaudible", annotator="bob", dimension="voice_quality"))
    again = PersonLabel(item=TURNS[0], label="bad", annotator="ann", dimension="content", round=2)
    folder.add(again)
    return tmp_path / "run"


def sources(address: str) -> Sources:
    found = load(address)
    assert isinstance(found, Sources)
    return found


def test_the_people_of_a_folder_are_compared_with_a_judge(run: Path) -> None:
    found = examine([load(f"{run}/labels#content"), load(f"{run}#hush-judge/content")], declared=ORDERED)
    assert isinstance(found, AgainstPeople)
    assert {name: one.right for name, one in found.by_person.items()} == {
        "ann/content": 3,
        "bob/content": 3,
    }
    assert (found.items, found.pooled.n) == (4, 8)
    assert found.pooled.clusters == 2  # turns of one call are drawn together


def test_the_people_of_a_folder_are_compared_with_each_other(run: Path) -> None:
    found = examine([load(f"{run}/labels#content")], declared=ORDERED)
    assert isinstance(found, Pair)
    compared = found.comparison
    assert (compared.a, compared.b, compared.n) == ("ann/content", "bob/content", 4)
    assert (compared.dropped.right, compared.clusters) == (2, 2)
    assert sources(f"{run}/labels#bob/voice_quality").only.unscored == {TURNS[0]: "inaudible"}


def test_what_somebody_was_asked_again_is_there_if_it_is_named(run: Path) -> None:
    file = run / "labels" / "ann.jsonl"
    assert sources(str(file)).only.by_item[TURNS[0]] == "good"
    both = [load(f"{file}#ann/content"), load(f"{file}#ann+again/content")]
    found = examine(both, declared=ORDERED)
    assert isinstance(found, Pair)
    assert (found.comparison.n, found.comparison.values["agreement"]) == (1, 0.0)


def test_ratings_of_an_episode_are_sources_by_judge_and_dimension(run: Path) -> None:
    names = [one.name for one in sources(str(run)).found]
    expected = ["content", "overall", "paralinguistics", "voice_quality"]
    assert names == ["hush-judge", *(f"hush-judge/{name}" for name in expected)]
    content = sources(f"{run}#hush-judge/content").only
    assert content.by_item == dict(zip(TURNS, ("good", "good", "bad", "bad"), strict=True))
    path = run / "s0-x" / "scores" / "dimensions.json"
    scores = json.loads(path.read_text())
    scores["turns"][0]["dimensions"]["content"] = {"label": None, "unscored": "no_facts_expected"}
    scores["turns"][1]["dimensions"] = {}
    scores["turns"].append({"turn": "five"})
    path.write_text(json.dumps(scores))
    content = sources(f"{run}#hush-judge/content").only
    assert content.unscored == {TURNS[0]: "no_facts_expected"}
    assert content.by_item == {TURNS[2]: "bad", TURNS[3]: "bad"}


def test_two_copies_of_an_episode_are_refused(run: Path) -> None:
    shutil.copytree(run / "s0-x", run / "copy" / "s0-x")
    for folder in (run / "s0-x", run / "copy" / "s0-x"):
        (folder / "turns.jsonl").write_text("")  # so that no live verdict is found twice first
    with pytest.raises(LabelError, match="two ratings of run/s0-x/1"):
        load(f"{run}#hush-judge/content")


# --- battles --------------------------------------------------------------------------------------


def battle(judge: str, a: str, b: str, label: Label | None, content: str = "1") -> Battle:
    return Battle(
        id=f"{judge} {a} {b}",
        prompt="s0/0",
        system_a=a.partition("/")[0],
        system_b=b.partition("/")[0],
        judge=judge,
        label=label,
        unscored=None if label else "orders_disagree",
        evidence={"items": [a, b], "dimensions": {"content": {"label": content}}},
    )


def test_a_pair_is_the_same_whichever_side_is_system_a(tmp_path: Path) -> None:
    store = tmp_path / "battles.jsonl"
    append(
        store,
        battle("rules", "x/e/1", "y/e/1", Label.A),
        battle("rules", "y/e/3", "x/e/3", Label.A),
        battle("rules", "x/e/5", "y/e/5", None),
    )
    pairs = [pair_item(f"x/e/{n}", f"y/e/{n}") for n in (1, 3, 5)]
    overall = sources(f"{store}#overall").only
    assert overall.by_item == {pairs[0]: "1", pairs[1]: "2"}
    assert overall.unscored == {pairs[2]: "orders_disagree"}
    assert sources(f"{store}#content").only.by_item == dict(zip(pairs, "121", strict=True))


def test_each_judge_of_a_store_is_a_source_of_its_own(tmp_path: Path) -> None:
    store = tmp_path / "battles.jsonl"
    append(
        store,
        battle("rules@1", "x/e/1", "y/e/1", Label.A),
        battle("person:ann", "y/e/1", "x/e/1", Label.B),
        battle("person:ann", "x/e/3", "y/e/3", Label.BOTH_BAD),
    )
    found = examine([load(f"{store}#person:ann/overall"), load(f"{store}#rules@1/overall")])
    assert isinstance(found, Pair)
    assert (found.comparison.n, found.comparison.values["agreement"], found.comparison.only_a) == (
        1,
        1.0,
        1,
    )
    with pytest.raises(LabelError, match="person:ann/overall"):
        sources(str(store)).only  # noqa: B018
