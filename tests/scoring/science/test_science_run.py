"""Science from episodes: questions and dialogues are found in a call, scored, and shown."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from recordings.format import Outcome, Side, UtteranceStarted, Verdict
from recordings.reader import read_scores, write_scores
from scenarios.schema import Expertise
from scoring.report.html import render_html
from scoring.report.terminal import print_report
from scoring.science.audience import Guess
from scoring.science.imported import ResultUnreadable
from scoring.score import RunScores, score
from tests.scoring.episodes import CallMaker, tone

ITEM = {
    "kind": "choice",
    "options": {"A": "helium", "B": "neon"},
    "answer": "B",
    "features": ["terminology"],
    "keywords": {"core_entity": ["neon"]},
}
OPEN = {"kind": "open", "answer": "insulin", "keywords": {"core_entity": ["insulin"]}, "pair": "p"}
QUIZ = {
    "id": "quiz",
    "title": "Two questions",
    "domain": "chemistry",
    "turns": [
        {"text": "Which gas glows red?", "item": ITEM},
        {"text": "What lowers blood sugar?", "item": OPEN},
        {"text": "Thank you."},
    ],
}


def fact(name: str) -> dict[str, Any]:
    return {"id": name, "text": f"It is {name}.", "keywords": [[name]]}


def aspect(name: str, *facts: str) -> dict[str, Any]:
    return {
        "id": name,
        "question": {"text": f"What about the {name}?"},
        "facts": [fact(one) for one in facts],
        "keywords": {"core_entity": [name]},
    }


TALK = {
    "id": "talk",
    "title": "A dialogue",
    "domain": "physics",
    "policy": "adaptive",
    "persona": {"expertise": "beginner"},
    "aspects": [aspect("concept", "a", "b"), aspect("use", "c"), aspect("history", "d")],
}


def asks(made: CallMaker, start: float, text: str, label: str = "", heard: str | None = None) -> None:
    made.user(start, start + 1, text, heard=heard)
    event = made.events[-2]
    assert isinstance(event, UtteranceStarted)
    made.events[-2] = event.model_copy(update={"label": label})


def replies(made: CallMaker, start: float, heard: str, written: str = "", **labels: str | None) -> None:
    made.reply(start, tone(1.0, 24000))
    facts = [{"fact": name, "label": label} for name, label in labels.items()]
    given = Verdict(judge="rules", label="partial", detail={"facts": facts})
    made.turn(
        Side.ENDPOINT,
        start,
        start + 1,
        intended=written or None,
        heard=heard,
        verdicts=(given,) if labels else (),
    )


def quiz(answer: str, other: str = "It is insulin.") -> CallMaker:
    made = CallMaker()
    asks(
        made,
        0.5,
        "Which gas glows red? A: helium, B: neon.",
        heard="which gas glows red a helium b neon",
    )
    replies(made, 2.0, answer, "It is option B.")
    asks(made, 4.0, "What lowers blood sugar?", heard="what lowers blood sugar")
    replies(made, 5.5, other)
    asks(made, 8.0, "Thank you.")
    replies(made, 9.5, "You are welcome.")
    return made


def scores_of(folder: Path) -> RunScores:
    return asyncio.run(score([folder]))


def plain(scores: RunScores) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(scores.to_json()["science"], allow_nan=False))
    return found


def test_questions_of_a_call_are_scored_by_stage(tmp_path: Path) -> None:
    quiz("It is option B.").write(tmp_path / "run/e0", scenario=QUIZ)
    quiz("I cannot say.", "No idea.").write(tmp_path / "run/e1", scenario=QUIZ)
    quiz("It is option A.").write(tmp_path / "run/v", scenario=QUIZ, outcome=Outcome.BEHIND_REAL_TIME)
    scores = scores_of(tmp_path / "run")
    (table,) = plain(scores)["stages"]
    assert (table["system"], table["condition"], table["questions"]) == ("reference://", "speech", 2)
    found = table["all"]
    # four questions in two calls, the void one is left out: B, none, insulin, wrong
    accuracy = found["knowledge_accuracy"]
    assert (accuracy["value"], accuracy["as_wrong"], accuracy["n"]) == (2 / 3, 2 / 4, 3)
    assert accuracy["unscored"] == {"no_choice": 1}
    assert found["perception_loose"]["n"] == 2  # of the open question alone
    assert found["recognition_wer"]["value"] == 0
    # "It is option B." was heard once, "I cannot say" the other time
    assert found["generation_wer"]["value"] == 4 / 8
    assert found["generation_wer"]["unscored"] == {"no_text": 2}
    assert table["heat"]["knowledge_accuracy"]["chemistry"]["terminology"]["value"] == 1
    written = read_scores(tmp_path / "run/e0", "science")["metrics"]["science_knowledge_choice"]
    assert [value["value"] for value in written["values"]] == [1.0]
    assert written["values"][0]["evidence"] == {"chance": 0.5}


def test_a_judge_that_judged_later_decides_what_rules_leave_open(tmp_path: Path) -> None:
    folder = quiz("The one that glows in signs.").write(tmp_path / "run/e0", scenario=QUIZ)
    assert plain(scores_of(tmp_path / "run"))["stages"][0]["all"]["knowledge_choice"]["n"] == 0
    verdict = {"judge": "llm:m", "facts": [{"fact": "answer", "label": "stated"}]}
    write_scores(folder, "judge", {"turns": [{"turn": 1, "verdict": verdict}]})
    assert plain(scores_of(tmp_path / "run"))["stages"][0]["all"]["knowledge_choice"]["value"] == 1
    verdict["facts"] = [{"fact": "answer", "label": "brilliant"}]  # no label of the set
    write_scores(folder, "judge", {"turns": [{"turn": 1, "verdict": verdict}]})
    assert plain(scores_of(tmp_path / "run"))["stages"][0]["all"]["knowledge_choice"]["n"] == 0


def dialogue() -> CallMaker:
    made = CallMaker()
    asks(made, 0.5, "What about the concept?", "aspect concept, try 1")
    replies(made, 2.0, "The concept is a.", a="stated", b="missing")
    asks(made, 4.0, "And b?", "aspect concept, try 2")
    replies(made, 5.5, "It is b.", a="missing", b="stated")
    asks(made, 8.0, "What about the use?", "aspect use, try 1")
    replies(made, 9.5, "It has no use at all.", c="contradicted")
    asks(made, 12.0, "Are you sure?", "aspect use, try 2")
    made.length = 40.0  # no reply
    return made


def test_a_dialogue_is_judged_aspect_by_aspect(tmp_path: Path) -> None:
    dialogue().write(tmp_path / "run/d0", scenario=TALK)
    (table,) = plain(scores_of(tmp_path / "run"))["dialogues"]
    # the concept is stated in two turns, the use stands contradicted, the history was never reached
    assert (table["factuality_loose"]["hits"], table["factuality_loose"]["n"]) == (1, 3)
    assert table["factuality_strict"]["hits"] == 1
    assert (table["mean_turns"], table["never_completed"]["hits"]) == (4, 1)
    assert (table["judges"], table["guessers"]) == ({"rules": 1}, {"rules": 1})
    assert table["adaptation"]["unscored"] == {"too_few_words": 1}


def test_a_guess_beside_the_episode_goes_before_that_by_rule(tmp_path: Path) -> None:
    folder = dialogue().write(tmp_path / "run/d0", scenario=TALK)
    write_scores(folder, "audience", Guess(Expertise.GRADUATE, judge="llm:m").to_json())
    (table,) = plain(scores_of(tmp_path / "run"))["dialogues"]
    assert (table["guessers"], table["distance"]) == ({"llm:m": 1}, 2)
    assert table["confusion"][0] == [0, 0, 1, 0]


def test_answers_in_writing_beside_the_calls_are_compared_with_them(tmp_path: Path) -> None:
    quiz("It is option A.").write(tmp_path / "run/e0", scenario=QUIZ)
    lines = [
        {"id": "quiz/1", "system": "llm", "text": "The answer is B.", "condition": "text"},
        {"id": "quiz/2", "system": "llm", "text": "Insulin.", "condition": "text"},
    ]
    file = tmp_path / "run/llm.results.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = plain(scores_of(tmp_path / "run"))
    contrast, choice_open = found["contrasts"][0], found["contrasts"][1:]
    assert (contrast["name"], contrast["dropped"]["n"]) == ("speech_text", 2)
    assert contrast["dropped"]["difference"] == -1 / 2
    assert choice_open == []
    assert [table["condition"] for table in found["stages"]] == ["speech", "text"]
    assert found["stages"][1]["domains"].keys() == {"chemistry"}
    file.write_text('{"id": "x"}\n')
    with pytest.raises(ResultUnreadable, match=r"llm.results.jsonl:1: system: Field required"):
        scores_of(tmp_path / "run")


def test_tables_are_shown_in_the_terminal_and_as_a_page(tmp_path: Path) -> None:
    for name in ("first", "<second>"):
        quiz("It is option B.").write(
            tmp_path / f"run/q-{name[:2]}".replace("<", "_"), scenario=QUIZ, endpoint=name
        )
    dialogue().write(tmp_path / "run/d0", scenario=TALK, endpoint="first")
    scores = scores_of(tmp_path / "run")
    out = Console(file=io.StringIO(), width=160, highlight=False)
    print_report(scores, out)
    shown = out.file.getvalue()  # type: ignore[attr-defined]
    for title in ("questions by stage", "by domain and feature", "dialogues", "coupling of stages"):
        assert title in shown
    page = render_html(scores)
    assert "&lt;second&gt;: 2 questions by stage" in page and "<second>" not in page
    assert 'class="number shade10"' in page
    assert page.count('<th scope="row"><bdi>chemistry</bdi></th>') >= 2


def test_calls_without_science_say_nothing_of_it(tmp_path: Path) -> None:
    made = CallMaker().user(0.5, 1.5, "Hello.").reply(2.0, tone(1.0, 24000))
    made.write(tmp_path / "run/e0")
    scores = scores_of(tmp_path / "run")
    assert "science" not in scores.to_json()
    assert not scores.science
