from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.judge.contract import FactLabel
from scoring.judge.rules import RulesJudge
from tests.scoring.judging import GUIDE, INSULIN, to_judge

WORDS = [
    "the",
    "an",
    "not",
    "no",
    "never",
    "guide",
    "RNA",
    "DNA",
    "of",
    "free",
    "errors",
    "into",
    "20",
    "percent",
]
TEXT = st.lists(st.sampled_from([*WORDS, ".", ",", "?", "!"]), min_size=1, max_size=25).map(" ".join)


@pytest.mark.parametrize("heard", ["The.", "A guide RNA leads it. The.", "... ?!", "An!", "The. The. The."])
def test_a_sentence_without_a_word_of_its_own_is_judged_like_any_other(heard: str) -> None:
    verdict = RulesJudge().verdict(to_judge(heard, GUIDE))
    assert [fact.label for fact in verdict.facts] == [FactLabel.MISSING]


@settings(max_examples=300, deadline=None)
@given(st.one_of(TEXT, st.text(max_size=60)))
def test_whatever_was_heard_gets_a_label_or_a_cause(heard: str) -> None:
    for fact in (GUIDE, INSULIN):
        (found,) = RulesJudge().verdict(to_judge(heard, fact)).facts
        assert (found.label is None) == bool(found.cause)
