from __future__ import annotations

import pytest

from recordings.format import Side, Turn, Verdict
from scoring.judged import JudgedFacts, judged, judged_later


def turn(index: int, *verdicts: dict[str, str | None], judge: str = "rules") -> Turn:
    given = tuple(
        Verdict(
            judge=judge,
            label="partial",
            detail={"facts": [{"fact": fact, "label": label} for fact, label in labels.items()]},
        )
        for labels in verdicts
    )
    return Turn(index=index, side=Side.ENDPOINT, start=0, end=1, rate=8000, verdicts=given)


def test_the_last_verdict_on_a_turn_is_on_all_of_it() -> None:
    found = judged([turn(1, {"a": "missing"}, {"a": "stated"})], {})
    assert found == JudgedFacts("rules", {"a": "stated"})


def test_a_judge_that_judged_later_goes_before_the_live_one() -> None:
    later = {1: JudgedFacts("llm:m", {"a": "contradicted"})}
    turns = [turn(1, {"a": "stated"}), turn(3, {"a": "stated"})]
    assert judged(turns[:1], later) == later[1]
    assert judged(turns[1:], later) == JudgedFacts("rules", {"a": "stated"})


@pytest.mark.parametrize(
    ("labels", "together"),
    [
        (("stated", "contradicted"), "contradicted"),
        (("missing", "stated"), "stated"),
        (("missing", None), None),
        ((None, "stated"), "stated"),
        (("missing", "missing"), "missing"),
    ],
)
def test_a_reply_in_several_turns_has_one_label_for_each_fact(
    labels: tuple[str | None, ...], together: str | None
) -> None:
    found = judged([turn(i, {"a": label}) for i, label in enumerate(labels)], {})
    assert found is not None and found.labels == {"a": together}


def test_a_reply_that_nobody_judged_has_no_labels() -> None:
    assert judged([], {}) is None
    empty = Verdict(judge="rules", unscored="nothing_heard")
    assert judged([turn(1).model_copy(update={"verdicts": (empty,)})], {}) is None


def test_a_label_that_is_not_in_the_set_is_none() -> None:
    facts = [{"fact": "a", "label": "brilliant"}, {"fact": "b", "label": ["stated"]}, {"fact": "c"}, "d"]
    found = judged_later({"turns": [{"turn": 2, "verdict": {"judge": "llm:m", "facts": facts}}]})
    assert found == {2: JudgedFacts("llm:m", {"a": None, "b": None, "c": None})}


@pytest.mark.parametrize("data", [None, [], "text", {"turns": None}, {"turns": [1, {"turn": 1}]}])
def test_a_file_of_something_else_holds_no_labels(data: object) -> None:
    assert judged_later(data) == {}
