"""Published numbers about science by voice, from published answers and counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scenarios.schema import Expertise
from scoring.science.dialogue import AspectUnit, Dialogue, score_dialogues
from scoring.science.imported import Result, Rule, as_answered, result_line
from scoring.science.marks import MEASURES
from scoring.science.run import collect
from scoring.science.stages import Cell, cell, scored

VOCALBENCH = Path(__file__).parents[2] / "data/vocalbench/llama_omni_knowledge.jsonl"


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in VOCALBENCH.read_text(encoding="utf-8").splitlines()]


def accuracy(results: list[Result], rule: Rule = Rule.WORDS) -> Cell:
    return cell(
        scored(as_answered(result, rule=rule) for result in results),
        MEASURES["knowledge_accuracy"],
        intervals=False,
    )


def as_flagged(rows: list[dict[str, Any]], form: str) -> list[Result]:
    return [
        Result(id=row["id"], system="LLaMA-Omni", correct=row[f"{form}_right"], domain=row["topic"])
        for row in rows
    ]


def as_said(rows: list[dict[str, Any]], form: str) -> list[Result]:
    """The answers themselves; of the 330 that may not be passed on, the flags."""
    text = {"speech": "transcript", "text": "text"}[form]
    return [
        Result(
            id=row["id"],
            system="LLaMA-Omni",
            reference=row.get("answer"),
            correct=None if "answer" in row else row[f"{form}_right"],
            **({text: row[text]} if text in row else {}),
        )
        for row in rows
    ]


@pytest.mark.parametrize(("form", "right"), [("speech", 748), ("text", 1094)])
def test_flags_give_the_published_accuracy(rows: list[dict[str, Any]], form: str, right: int) -> None:
    found = accuracy(as_flagged(rows, form))
    assert (found.n, found.value, found.unscored) == (2000, right / 2000, {})  # 37.40 and 54.70


@pytest.mark.parametrize(("form", "right"), [("speech", 747), ("text", 1092)])
def test_answers_scored_again_give_it_but_for_two_keys_that_were_edited_later(
    rows: list[dict[str, Any]], form: str, right: int
) -> None:
    found = accuracy(as_said(rows, form), Rule.SUBSTRING)
    assert (found.n, found.value) == (2000, right / 2000)  # 37.35 and 54.60
    flags = {row["id"]: row[f"{form}_right"] for row in rows}
    again = scored(as_answered(one, rule=Rule.SUBSTRING) for one in as_said(rows, form))
    other = {q.answered.id for q in again if q.marks["knowledge_accuracy"].part != flags[q.answered.id]}
    assert other == {"knowledge-0974"} | ({"knowledge-1958"} if form == "text" else set())


def test_whole_words_find_no_chemical_symbol_in_other_words(rows: list[dict[str, Any]]) -> None:
    # "He" is in "the chemical symbol for helium is e", as a part of other words alone
    helium = next(row for row in rows if row["id"] == "knowledge-0671")
    assert accuracy(as_said([helium], "speech"), Rule.SUBSTRING).value == 1
    assert accuracy(as_said([helium], "speech")).value == 0


def test_topics_give_the_published_accuracies(rows: list[dict[str, Any]]) -> None:
    (table,) = collect((), as_flagged(rows, "speech")).stages
    found = {name: row["knowledge_accuracy"].value for name, row in table.by_domain.items()}
    printed = {"Biology": 40.78, "Chemistry": 51.70, "Physics": 50.32}
    assert {name: round(100 * (found[name] or 0), 2) for name in printed} == printed


def test_published_shares_are_micro_over_1980_items_or_one_less() -> None:
    """63.62 fits 1259 of 1979 alone: a call that failed was left out, which must be told."""
    results = [Result(id=str(i), system="s", correct=i < 1259) for i in range(1979)]
    failed = Result(id="failed", system="s", reference="x", unscored="timeout")
    found = accuracy([*results, failed])
    assert (round(100 * (found.value or 0), 2), found.n, found.unscored) == (63.62, 1979, {"timeout": 1})
    assert found.as_wrong == 1259 / 1980
    for right, printed in ((1195, 60.35), (1140, 57.58), (1113, 56.21), (1929, 97.42)):
        whole = accuracy([Result(id=str(i), system="s", correct=i < right) for i in range(1980)])
        assert round(100 * (whole.value or 0), 2) == printed


def test_a_line_that_is_written_is_read_again() -> None:
    result = Result(id="a", system="s", text="\u0394G is \u22123", reference="\u0394G", correct=True)
    assert Result.model_validate_json(result_line(result)) == result


def test_published_dialogue_numbers_are_over_213_dialogues() -> None:
    right = AspectUnit("x", ("a",), ({"a": "stated"},))
    slow = AspectUnit("x", ("a",), ({"a": "missing"}, {"a": "stated"}))
    # 135 guesses of 213 are right, 1246 turns: in 181 dialogues one aspect takes a second turn
    dialogues = [
        Dialogue(
            str(i),
            Expertise.EXPERT,
            (right,) * 4 + (slow if i < 181 else right,),
            guess=Expertise.EXPERT if i < 135 else Expertise.GRADUATE,
        )
        for i in range(213)
    ]
    found = score_dialogues(dialogues)
    assert found.adaptation.value is not None and round(100 * found.adaptation.value, 2) == 63.38
    assert found.turns.value is not None and round(found.turns.value, 2) == 5.85
    assert (found.within.value, found.never.value) == (1, 0)
