"""`viva scenarios import`: questions of public sets become packs that load."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.cli import exits
from agent.cli.exchange.pack import import_pack
from scenarios.imported import Imported, ImportUnreadable, read
from scenarios.items import query
from scenarios.load import load_pack
from scenarios.schema import Item, ItemKind, Scenario

DATA = Path("tests/data")


def item(scenario: Scenario) -> Item:
    found = scenario.turns[0].item
    assert found is not None
    return found


def keys(imported: Imported) -> list[str]:
    """The right answers, in words."""
    items = [item(scenario) for scenario in imported.scenarios]
    return [one.options.get(one.answer, one.answer) for one in items]


def test_sciknoweval_keeps_its_letters_and_abbreviations() -> None:
    first = read("sciknoweval", DATA / "sciknoweval/questions.jsonl").scenarios[0]
    assert (first.id, first.domain) == ("sciknoweval-biology-817", "biology")
    assert item(first).answer == "D" and item(first).terms == ("2Fe", "2S", "AtNEET", "ROS")
    assert query(first.turns[0]).text.endswith("D: Regulation of iron and ROS levels in cells.")


def test_pubmedqa_is_a_choice_of_yes_no_and_maybe() -> None:
    imported = read("pubmedqa", DATA / "pubmedqa/questions.json")
    assert keys(imported) == ["yes", "no", "maybe"]
    assert item(imported.scenarios[0]).source == "PubMed 21645374"


def test_vocalbench_is_open() -> None:
    imported = read("vocalbench", DATA / "vocalbench/questions.json")
    assert keys(imported) == ["Leonardo da Vinci", "Vincent van Gogh", "Milan"]
    assert {item(one).kind for one in imported.scenarios} == {ItemKind.OPEN}


@pytest.mark.parametrize(
    ("task", "answers"),
    [
        ("formal_fallacies", ["invalid", "invalid"]),
        ("navigate", ["No", "No"]),
        ("object_counting", ["8", "15"]),
        ("web_of_lies", ["No", "No"]),
    ],
)
def test_the_tasks_of_big_bench_audio_keep_their_keys(task: str, answers: list[str]) -> None:
    imported = read("bigbench", DATA / f"bbh/{task}.json")
    assert keys(imported) == answers
    assert all("Options" not in one.turns[0].text for one in imported.scenarios)
    assert not imported.scenarios[0].turns[0].text.startswith("Question")


def test_options_with_letters_keep_them_and_their_key(tmp_path: Path) -> None:
    file = tmp_path / "date_understanding.json"
    listed = "It is Christmas Eve of 1937. What date is tomorrow?\nOptions:\n(A) 12/11/1937\n(B) 12/25/1937"
    eleven = "Which one?\nOptions:\n" + "\n".join(f"- option {n}" for n in range(11))
    rows = [
        {"input": listed, "target": "(B)"},
        {"input": "Which one?\nOptions:\n(A) this\n(B) that", "target": "(C)"},  # no such option
        {"input": "Which one?\nOptions:\n1. this\n2. that", "target": "this"},  # in a way that is not known
        {"input": eleven, "target": "option 0"},  # letters end at J: none is left out in silence
    ]
    file.write_text(json.dumps({"examples": rows}))
    imported = read("bigbench", file)
    (one,) = imported.scenarios
    assert item(one).kind is ItemKind.CHOICE
    assert (item(one).options, item(one).answer) == ({"A": "12/11/1937", "B": "12/25/1937"}, "B")
    assert query(one.turns[0]).text.endswith("A: 12/11/1937, B: 12/25/1937.")
    assert imported.left_out == {"empty": 1, "options_unreadable": 1, "too_many_options": 1}


def test_what_cannot_be_asked_is_left_out_by_cause(tmp_path: Path) -> None:
    file = tmp_path / "questions.json"
    good = {"Qid": "q-1", "Question": "Where is Milan?", "Answer": "Italy", "Source": "x"}
    rows = [
        good,
        good,
        {**good, "Qid": "q-2", "Answer": " "},
        {**good, "Qid": "q-3", "Question": "word " * 121},
    ]
    file.write_text(json.dumps(rows))
    imported = read("vocalbench", file)
    assert [one.id for one in imported.scenarios] == ["vocalbench-q-1"]
    assert imported.left_out == {"id_twice": 1, "empty": 1, "too_long": 1}


def test_an_option_that_stands_twice_or_a_key_that_is_no_option_is_no_item(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    good = {"id": "1", "question": "Which one?", "options": {"A": "this", "B": "that"}, "answer": "A"}
    rows = [
        good,
        {**good, "id": "2", "options": {"A": "this", "B": "This"}},
        {**good, "id": "3", "answer": "C"},
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    imported = read("sciknoweval", file)
    assert len(imported.scenarios) == 1 and imported.left_out == {"not_an_item": 2}


@pytest.mark.parametrize("text", ["no json", "[1, 2]", '{"examples": [{"input": "x"}]}', "[]", "5"])
def test_another_file_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "questions.json"
    file.write_text(text)
    for format in ("vocalbench", "bigbench", "pubmedqa", "sciknoweval"):
        with pytest.raises(ImportUnreadable, match=r"questions\.json: found .*, expected "):
            read(format, file)


def test_the_pack_that_is_written_loads_as_it_was_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for format, name in (("bigbench", "bbh/object_counting.json"), ("pubmedqa", "pubmedqa/questions.json")):
        out = tmp_path / format
        assert import_pack(format, DATA / name, out, 0, json=True) == exits.PASS
        report = json.loads(capsys.readouterr().out)
        wanted = read(format, DATA / name).scenarios
        loaded = load_pack(out)
        assert report["questions"] == len(wanted) and report["left_out"] == {}
        assert sorted(s.id for s in wanted) == [one.scenario.id for one in loaded.scenarios]
        assert {s.id: s for s in wanted} == {one.scenario.id: one.scenario for one in loaded.scenarios}
        assert loaded.pack.licence == "MIT"


def test_a_folder_that_exists_an_unknown_format_and_no_file_are_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = DATA / "pubmedqa/questions.json"
    assert import_pack("pubmedqa", file, tmp_path, 0, json=False) == exits.BAD_INPUT
    assert "exists already" in capsys.readouterr().err
    assert import_pack("pubmed", file, tmp_path / "a", 0, json=False) == exits.BAD_INPUT
    assert "expected sciknoweval, pubmedqa" in capsys.readouterr().err
    assert import_pack("pubmedqa", tmp_path / "none.json", tmp_path / "b", 0, json=False) == exits.BAD_INPUT
