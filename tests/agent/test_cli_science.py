from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agent.cli_calls import Viva
from tests.scoring.science.test_science_run import QUIZ, TALK, dialogue, quiz
from tests.streams.openai_server import Reply, Request, chat, failure, serving

PACK = """\
version: 1
id: quiz
title: Two questions
domain: chemistry
turns:
  - text: Which gas glows red?
    item:
      kind: choice
      options: {A: helium, B: neon}
      answer: B
  - text: What lowers blood sugar?
    item:
      kind: open
      answer: insulin
"""


def knows(request: Request) -> Reply:
    """Knows about gases; has no answer about blood."""
    asked = request.json["messages"][-1]["content"]
    return chat("The answer is B.") if "gas" in asked else failure(400, "no medicine here")


@pytest.fixture
def pack(viva: Viva) -> str:
    (viva.folder / "quiz.yaml").write_text(PACK)
    return "quiz.yaml"


@pytest.mark.wall_clock
def test_questions_are_asked_in_writing_and_the_answers_kept(viva: Viva, pack: str) -> None:
    with serving(knows) as server:
        done = viva(
            "ask",
            pack,
            "--llm",
            f"{server.base_url}#org/m",
            "--out",
            "out",
            "--instructions",
            "Be brief.",
            "--json",
        )
    assert done.code == 0
    assert "1 of 2 questions answered" in done.err
    assert [message["role"] for message in server.requests[0].json["messages"]] == ["system", "user"]
    lines = (viva.folder / "out/org-m.results.jsonl").read_text().splitlines()
    found = {line["id"]: line for line in map(json.loads, lines)}
    assert found["quiz/1"]["question"] == "Which gas glows red? A: helium, B: neon."
    assert found["quiz/1"]["text"] == "The answer is B."
    assert (found["quiz/2"].get("text"), found["quiz/2"]["unscored"]) == (None, "http_400")
    (table,) = done.json["science"]["stages"]
    accuracy = table["all"]["knowledge_accuracy"]
    assert (accuracy["value"], accuracy["as_wrong"]) == (1.0, 0.5)
    # the same file, without the server
    again = viva("science", "out/org-m.results.jsonl", "--json")
    assert again.json["stages"] == done.json["science"]["stages"]
    assert viva("science", "out", "--json").json == again.json


@pytest.mark.wall_clock
def test_a_server_that_answers_nothing_is_no_result(viva: Viva, pack: str) -> None:
    with serving(lambda request: failure(400, "no")) as server:
        done = viva("ask", pack, "--llm", f"{server.base_url}#m", "--out", "out")
    assert done.code == 3
    assert "0 of 2 questions answered" in done.err


def test_what_cannot_be_asked_is_bad_input(viva: Viva, pack: str) -> None:
    there = ("--llm", "http://127.0.0.1:9/v1#m", "--out", "out")
    for arguments, complaint in (
        (("hello.yaml", *there), "no turn has an item"),
        (("nothing.yaml", *there), "nothing.yaml"),
        ((pack, "--llm", "http://127.0.0.1:9/v1", "--out", "out"), "Put the model's name"),
    ):
        done = viva("ask", *arguments)
        assert (done.code, done.out) == (2, "")
        assert complaint in done.err


def test_calls_and_results_are_shown_side_by_side(viva: Viva, tmp_path: Path) -> None:
    quiz("It is option A.").write(tmp_path / "run/e0", scenario=QUIZ)
    other = tmp_path / "other.jsonl"
    other.write_text(
        '{"id": "quiz/1", "system": "other", "transcript": "Option B.", "condition": "speech"}\n'
    )
    done = viva("science", str(tmp_path / "run"), str(other), "--json")
    assert [table["system"] for table in done.json["stages"]] == ["other", "reference://"]
    pairs = [(pair["part"], *pair["stages"]) for pair in done.json["coupling"]]
    assert len(set(pairs)) == len(pairs) == 6  # two systems, of which one has no transcript: the main ones
    shown = viva("science", str(tmp_path / "run"))
    assert shown.code == 0 and "2 questions by stage" in shown.out


@pytest.mark.wall_clock
def test_a_language_model_guesses_the_level_and_the_guess_is_kept(viva: Viva, tmp_path: Path) -> None:
    def guess(request: Request) -> Reply:
        system = request.json["messages"][0]["content"]
        nonce = system.partition("<<<DATA ")[2].partition('"')[0]
        return chat(json.dumps({"nonce": nonce, "reason": "r", "level": "undergraduate"}))

    dialogue().write(tmp_path / "run/d0", scenario=TALK)
    with serving(guess) as server:
        done = viva(
            "science", str(tmp_path / "run"), "--guess", "--judge-llm", f"{server.base_url}#m", "--json"
        )
    (table,) = done.json["dialogues"]
    assert (table["guessers"], table["distance"]) == ({"llm:m": 1}, 1)
    assert (tmp_path / "run/d0/scores/audience.json").is_file()
    later = viva("science", str(tmp_path / "run"), "--json")
    assert later.json["dialogues"][0]["guessers"] == {"llm:m": 1}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "1: no result"),
        ("[]\n", "1: Input should be"),
        ('{"id": "a", "system": "s"}\n{"id": "b"}\n', "2: system: Field required"),
        ('{"id": "a", "system": "s", "answer": "x"}\n', "1: answer: Extra inputs"),
        (
            '{"id": "a", "system": "s", "correct": "rather"}\n',
            "1: correct: Input should be a valid boolean",
        ),
        ('{"id": "a", "system": "s", "reference": ""}\n', "1: reference: String should have"),
        ("no JSON\n", "1: Invalid JSON"),
    ],
)
def test_a_line_that_is_no_result_is_bad_input(
    viva: Viva, tmp_path: Path, content: str, complaint: str
) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text(content)
    done = viva("science", str(file))
    assert (done.code, done.out) == (2, "")
    assert f"r.jsonl:{complaint}" in done.err


def test_a_guess_without_a_language_model_is_bad_input(viva: Viva, tmp_path: Path) -> None:
    quiz("It is option A.").write(tmp_path / "run/e0", scenario=QUIZ)
    done = viva("science", str(tmp_path / "run"), "--guess")
    assert done.code == 2 and "--judge-llm" in done.err
