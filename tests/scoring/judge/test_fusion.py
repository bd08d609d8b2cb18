"""The fusion policies against TRACE's truth tables, and against what people's labels were fused into."""

from __future__ import annotations

import csv
import itertools
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from scenarios.schema import FusionName
from scoring.judge.contract import JudgeUnfit
from scoring.judge.dimensions import Dimension, Labelled
from scoring.judge.fusion import (
    FUSIONS,
    LABELS,
    WORST,
    FusionChoice,
    FusionNotChosen,
    UnknownLabel,
    fusion_named,
    rating_min,
)

COUNTS = Path(__file__).parents[2] / "data" / "trace_counts"


def rows(name: str) -> list[dict[str, str]]:
    with (COUNTS / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def agreement(corpus: str, policy: str) -> tuple[int, int]:
    """How many overall labels of people the policy gives from their dimensions, and of how many."""
    rule = FUSIONS[policy].rule
    right = n = 0
    for row in rows(f"{corpus}_hcot_joint_counts"):
        count = int(row["count"])
        n += count
        fused = rule(row["content"], row["paralinguistics"], row["voice_quality"])
        right += count * (fused == row["overall"])
    return right, n


@pytest.mark.parametrize(
    ("policy", "column"), [("content-first", "content_first"), ("acceptability-cap", "acceptability_cap")]
)
def test_all_64_cases_of_a_tree(policy: str, column: str) -> None:
    table = rows("fusion_truth_tables")
    assert {(r["content"], r["paralinguistics"], r["voice_quality"]) for r in table} == set(
        itertools.product(LABELS, repeat=3)
    )
    rule = FUSIONS[policy].rule
    found = [rule(r["content"], r["paralinguistics"], r["voice_quality"]) for r in table]
    assert found == [r[column] for r in table]


@pytest.mark.parametrize(
    ("corpus", "policy", "right", "n"),
    [
        ("speakbench", "content-first", 485, 497),  # 97.59 %
        ("s2sarena", "acceptability-cap", 296, 314),  # 94.27 %
        ("speakbench", "acceptability-cap", 191, 497),  # 38.4 %: each tree is for its own kind of talk
        ("s2sarena", "content-first", 199, 314),  # 63.4 %
        ("speakbench", "majority", 398, 497),  # 80.1 %
        ("s2sarena", "majority", 173, 314),  # 55.1 %
    ],
)
def test_peoples_dimensions_fused_are_peoples_overall_labels(
    corpus: str, policy: str, right: int, n: int
) -> None:
    assert agreement(corpus, policy) == (right, n)


def test_rating_min_is_the_minimum_of_who_is_acceptable() -> None:
    sides = {"1": (1, 0), "2": (0, 1), "both_good": (1, 1), "both_bad": (0, 0)}
    names = {pair: label for label, pair in sides.items()}
    for one, two in itertools.product(LABELS, repeat=2):
        (a, b), (c, d) = sides[one], sides[two]
        assert rating_min(one, two) == names[min(a, c), min(b, d)]


def test_every_policy_treats_both_sides_alike() -> None:
    other = {"1": "2", "2": "1"}
    for fusion in FUSIONS.values():
        for labels in itertools.product(LABELS, repeat=3):
            turned = fusion.rule(*(other.get(label, label) for label in labels))
            fused = fusion.rule(*labels)
            assert turned == other.get(fused, fused)
        assert Counter(fusion.rule(*labels) for labels in itertools.product(LABELS, repeat=3)).total() == 64


@pytest.mark.parametrize("policy", sorted(FUSIONS))
def test_an_unknown_label_is_unscored_and_not_both_bad(policy: str) -> None:
    fusion = FUSIONS[policy]
    for odd in ("tie", "A", "", "Both_Bad"):
        with pytest.raises(UnknownLabel, match="expected one of 1, 2, both_good, both_bad"):
            fusion.rule("1", "both_good", odd)
        labels = dict.fromkeys(Dimension, Labelled("1")) | {Dimension.VOICE_QUALITY: Labelled(odd)}
        assert fusion.fuse(labels) == Labelled(None, "voice_quality:label_unknown")
    missing = dict.fromkeys(Dimension, Labelled("1")) | {Dimension.CONTENT: Labelled(None, "timeout")}
    assert fusion.fuse(missing) == Labelled(None, "content:timeout")


def test_a_policy_that_is_not_known_says_which_are() -> None:
    assert fusion_named("content-first").version == 1
    with pytest.raises(
        JudgeUnfit, match="Known: content-first@1, acceptability-cap@1, majority@1, rating-min@1"
    ):
        fusion_named("best")


def test_a_policy_is_named_with_its_version_or_without_and_not_with_another() -> None:
    assert fusion_named("content-first@1") is fusion_named("content-first") is FUSIONS["content-first"]
    with pytest.raises(
        JudgeUnfit, match=r"'content-first@2': there is no such policy\. Known: content-first@1"
    ):
        fusion_named("content-first@2")


def test_a_manifest_may_name_every_policy_there_is_and_no_other() -> None:
    assert set(get_args(FusionName)) == {"", *map(str, FUSIONS.values())}


def test_the_command_goes_before_the_pack_and_nobody_guesses() -> None:
    assert FusionChoice("majority").of("p", "content-first@1").name == "majority"
    assert FusionChoice().of("p", "content-first@1").name == "content-first"
    with pytest.raises(FusionNotChosen, match=r"p named no policy when it was called\. Say --fusion"):
        FusionChoice().of("p", "")
    with pytest.raises(FusionNotChosen, match="a scenario without a pack named no policy"):
        FusionChoice().of("", "")
    assert FusionChoice(default=WORST).of("p", "") is WORST
    with pytest.raises(JudgeUnfit, match="'best'"):
        FusionChoice("best")


@pytest.mark.parametrize(
    ("content", "manner", "quality", "overall"),
    [
        # content-first, acceptability-cap, majority, rating-min
        ("good", "good", "good", ("good", "good", "good", "good")),
        ("good", "good", "acceptable", ("acceptable",) * 4),
        ("good", "bad", "good", ("acceptable", "bad", "acceptable", "bad")),
        ("good", "good", "bad", ("acceptable", "acceptable", "acceptable", "bad")),
        ("bad", "good", "good", ("bad", "bad", "acceptable", "bad")),
        ("bad", "bad", "good", ("bad", "bad", "bad", "bad")),
    ],
)
def test_a_single_reply_is_fused_as_if_it_were_compared_with_its_like(
    content: str, manner: str, quality: str, overall: tuple[str, ...]
) -> None:
    ratings = {
        Dimension.CONTENT: Labelled(content),
        Dimension.PARALINGUISTICS: Labelled(manner),
        Dimension.VOICE_QUALITY: Labelled(quality),
    }
    assert tuple(fusion.rate(ratings).label for fusion in FUSIONS.values()) == overall
