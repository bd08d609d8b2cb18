from __future__ import annotations

import pytest

from scoring.agreement.labels import LabelError, Labels
from scoring.agreement.probes import DIMENSIONS, POSSIBLE, Dimensions, content_tie, flips, probe
from scoring.judge import fusion
from scoring.judge.dimensions import Dimension
from scoring.statistics.intervals import Interval, wilson
from scoring.statistics.undefined import Undefined
from tests.scoring.agreement.tallies import DATA, rows

TREES = {
    name: {
        (row["content"], row["paralinguistics"], row["voice_quality"]): row[name]
        for row in rows(DATA / "trace_counts" / "fusion_truth_tables.csv")
    }
    for name in ("content_first", "acceptability_cap")
}


def fuse(name: str, content: str, paralinguistics: str, voice_quality: str) -> str:
    return TREES[name][content, paralinguistics, voice_quality]


def people(corpus: str) -> list[Dimensions]:
    """People's labels of the three dimensions, item by item, from published counts."""
    return [
        Dimensions(row["content"], row["paralinguistics"], row["voice_quality"])
        for row in rows(DATA / "trace_counts" / f"{corpus}_hcot_joint_counts.csv")
        for _ in range(int(row["count"]))
    ]


@pytest.mark.parametrize(
    ("corpus", "tree", "n", "counts"),
    [
        # 19.9 / 39.2 / 40.9 % of 497 and 29.0 / 7.6 / 63.4 % of 314
        ("speakbench", "content_first", 497, (99, 195, 203)),
        ("s2sarena", "acceptability_cap", 314, (91, 24, 199)),
    ],
)
def test_who_decides_when_content_ties(corpus: str, tree: str, n: int, counts: tuple[int, ...]) -> None:
    found = content_tie(people(corpus), lambda *labels: fuse(tree, *labels))
    assert found.paralinguistics.n == n
    assert tuple(s.count for s in (found.paralinguistics, found.voice_quality, found.still_tie)) == counts
    assert found.other.count == 0


@pytest.mark.parametrize(
    ("corpus", "tree", "percent"),
    [
        ("speakbench", "content_first", (43.5, 8.7, 8.0)),
        ("s2sarena", "acceptability_cap", (9.6, 40.1, 2.9)),
    ],
)
def test_which_dimension_turns_the_verdict(corpus: str, tree: str, percent: tuple[float, ...]) -> None:
    found = flips(people(corpus), lambda *labels: fuse(tree, *labels))
    values = (found.content.value, found.paralinguistics.value, found.voice_quality.value)
    assert [round(100 * value, 1) for value in values if isinstance(value, float)] == list(percent)


def test_a_fusion_that_copies_content_flips_with_nothing_else() -> None:
    items = [Dimensions("1", "2", "2"), Dimensions("both_good", "1", "2")]
    found = flips(items, lambda content, paralinguistics, voice_quality: content)
    assert (found.content.count, found.paralinguistics.count, found.voice_quality.count) == (1, 0, 0)
    interval = found.content.interval
    assert isinstance(interval, Interval) and 0.5 in interval
    assert content_tie(items, lambda content, *_: content).still_tie.count == 2


def test_a_winner_that_no_dimension_explains_is_other() -> None:
    found = content_tie([Dimensions("1", "both_good", "both_good")], lambda *_: "2")
    assert (found.other.count, found.still_tie.count) == (1, 0)


def test_no_items_have_no_shares() -> None:
    assert flips([], lambda *_: "1").content.value == Undefined("no_items")
    assert content_tie([], lambda *_: "1").other.interval == Undefined("no_items")


def source(*labels: str, **unscored: str) -> Labels:
    return Labels("judge", {f"i{n}": label for n, label in enumerate(labels) if label}, unscored)


def test_comparisons_that_lack_a_label_are_counted_by_what_is_missing_first() -> None:
    labels = {
        "content": source("both_good", "1", "2", "", "better"),
        "paralinguistics": source("1", "1", "", "1", "1", i2="no_blueprint"),
        "voice_quality": source("2", "", "1", "1", "1"),
    }
    found = probe("judge", labels, lambda content, *_: content, "copy@1")
    assert (found.n, found.judge, found.fusion) == (1, "judge", "copy@1")
    assert found.unscored == {
        "voice_quality:not_labelled": 1,
        "paralinguistics:no_blueprint": 1,
        "content:not_labelled": 1,
        "content:unknown_label": 1,
    }
    assert found.to_json()["flips"]["content"]["count"] == 0  # type: ignore[index]


def test_a_judge_without_a_dimension_is_refused() -> None:
    with pytest.raises(LabelError, match="judge: holds no labels of paralinguistics, voice_quality"):
        probe("judge", {"content": source("1")}, fusion.majority, "majority@1")


def test_comparisons_on_one_prompt_are_drawn_together() -> None:
    # ten prompts of five comparisons; on three of them the content decides
    items = {
        f"{prompt}/{n}": ("1" if prompt < 3 else "both_good") for prompt in range(10) for n in range(5)
    }
    good = Labels("judge", dict.fromkeys(items, "both_good"))
    content = Labels("judge", items, clusters={item: item[0] for item in items})
    labels = {"content": content, "paralinguistics": good, "voice_quality": good}
    found = probe("judge", labels, fusion.content_first, "content-first@1").flips.content
    expected = wilson(3, 10)
    assert (found.count, found.n) == (15, 50)
    assert isinstance(found.interval, Interval) and isinstance(expected, Interval)
    assert found.interval.low == pytest.approx(expected.low)
    assert found.interval.high == pytest.approx(expected.high)


def test_the_words_of_the_probes_are_those_of_judges_and_fusions() -> None:
    assert tuple(dimension.value for dimension in Dimension) == DIMENSIONS
    assert POSSIBLE.names == fusion.LABELS
