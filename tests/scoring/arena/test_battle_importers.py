from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from scoring.arena.battles import BattleError, First, Label
from scoring.arena.importers import load, resolve
from scoring.arena.store import append, read
from tests.scoring.arena.matches import COMPARED, SPEAKBENCH, battles

HEADER = "prompt,system_a,system_b,label\n"


def csv(folder: Path, text: str) -> Path:
    path = folder / "battles.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_plain_csv_is_read_in_the_order_of_its_rows(tmp_path: Path) -> None:
    found = load(csv(tmp_path, HEADER + "1,A,B,a\n2,B,C,both_bad\n\n3,A,C, tie \n"))
    assert [(b.id, b.prompt, *b.systems, b.label) for b in found.battles] == [
        ("battles:2", "1", "A", "B", Label.A),
        ("battles:3", "2", "B", "C", Label.BOTH_BAD),
        ("battles:5", "3", "A", "C", Label.TIE),
    ]
    assert all(b.first is None for b in found.battles)
    assert found.unscored == {}


def test_optional_columns_are_fields_and_others_are_kept_as_evidence(tmp_path: Path) -> None:
    header = "label,system_b,system_a,prompt,id,judge,first,domain,level,condition,duration_a_s,reason\n"
    (found,) = load(
        csv(tmp_path, header + 'b,B,A,p,x1,rules,a,medical,L2,quiet,1.5,"clear, calm"\n')
    ).battles
    assert (found.id, found.judge, found.first) == ("x1", "rules", First.A)
    assert (found.domain, found.level, found.condition) == ("medical", "L2", "quiet")
    assert (found.duration_a_s, found.duration_b_s) == (1.5, None)
    assert found.evidence == {"reason": "clear, calm"}


@pytest.mark.parametrize(
    ("label", "means"),
    [
        ("a", Label.A),
        ("Both_Good", Label.BOTH_GOOD),
        ("1", Label.A),
        ("2", Label.B),
        ("model1", Label.A),
        ("Model_B ", Label.B),
        ("tie (bothbad)", Label.BOTH_BAD),
        ("GPT-4", Label.A),
        ("Claude-v1", Label.B),
        ("gpt-4", None),  # names are exact
        ("draw", None),
        ("", None),
        ("None", None),
        ("3", None),
    ],
)
def test_labels_in_other_words_are_resolved_and_never_guessed(label: str, means: Label | None) -> None:
    assert resolve(label, "GPT-4", "Claude-v1") is means


def test_a_declared_label_means_a_side_whatever_the_systems_are_called() -> None:
    assert resolve("a", "b", "a") is Label.A
    assert resolve("tie", "tie", "x") is Label.TIE


def test_a_name_that_is_also_another_tools_word_is_no_label() -> None:
    assert resolve("1", "2", "1") is None  # side a, or the system called 1?
    assert resolve("1", "1", "2") is Label.A  # both readings agree


def test_the_winner_given_by_name_is_never_a_tie(tmp_path: Path) -> None:
    found = load(csv(tmp_path, HEADER + "p,GPT-4,Claude-v1,GPT-4\n" * 10))
    assert Counter(b.label for b in found.battles) == {Label.A: 10}


def test_what_says_nothing_is_skipped_and_counted(tmp_path: Path) -> None:
    rows = "id,prompt,system_a,system_b,label\n1,p,A,B,a\n2,p,A,A,a\n3,p,A,B,draw\n1,p,B,A,a\n4,p,C,C,\n"
    found = load(csv(tmp_path, rows))
    assert [b.id for b in found.battles] == ["1"]
    assert [(s.line, s.cause, s.found) for s in found.skipped] == [
        (3, "self_battle", "A"),
        (4, "unknown_label", "draw"),
        (5, "duplicate_id", "1"),
        (6, "self_battle", "C"),
    ]
    assert found.systems == ["A", "B", "C"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("prompt,system_a,label\n1,A,a\n", "battles.csv:1: has no column system_b. Expected a header with"),
        (HEADER + "1,A,B,a\n1,A,B\n", "battles.csv:3: has 3 cells for 4 columns"),
        (HEADER + "1,A,,a\n", "battles.csv:2: is no battle .system_b: String should have at least 1"),
        (HEADER + ",A,B,a\n", "battles.csv:2: is no battle .prompt: String should have at least 1"),
        ("prompt,prompt,system_a,system_b,label\n", "battles.csv:1: names a column twice"),
        (HEADER + '1,A,B,"a\n', "is no CSV"),
        ("prompt,system_a,system_b,label,first\n1,A,B,a,left\n", "battles.csv:2: is no battle .first:"),
        ("", "battles.csv:1: has no column"),
        ('{"a": 1}\n{}\n', "battles.csv:1: is no battle"),
    ],
)
def test_a_file_that_cannot_be_read_says_where(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(BattleError, match=message):
        load(csv(tmp_path, text))


def test_a_csv_of_a_spreadsheet_has_a_mark_at_its_start(tmp_path: Path) -> None:
    path = tmp_path / "battles.csv"
    path.write_text(HEADER + '1,"A, the first",B,a\n', encoding="utf-8-sig")
    assert load(path).battles[0].system_a == "A, the first"


def test_a_store_is_recognised(tmp_path: Path) -> None:
    append(tmp_path / "x.jsonl", *battles(("A", "B", "ab")))
    assert load(tmp_path / "x.jsonl") == read(tmp_path / "x.jsonl")


def test_audiojudges_annotations_are_read_whole() -> None:
    found = load(SPEAKBENCH)
    assert len(found.battles) == 508
    assert Counter(b.label for b in found.battles)[Label.TIE] == 183
    assert len(found.systems) == 13
    assert found.unscored == {}
    first = found.battles[0]
    assert (first.id, first.prompt, first.judge) == ("speakbench_annotations:1", "0", "person")
    assert first.systems == ("gpt4o-audio+asr+tts", "typhoon2-audio")
    assert first.evidence == {"timestamp": "2025-05-12T05:58:45"}


def test_an_annotation_that_lacks_a_key_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"data_ID": 0, "model1": "A", "model2": "B"}\n')
    with pytest.raises(
        BattleError, match=r"x.jsonl:1: is no annotation of AudioJudge\. Expected an object"
    ):
        load(path)


def test_audiojudges_comparisons_are_one_battle_a_row_judged_in_both_orders(tmp_path: Path) -> None:
    header = "instruction_id,model,pos1_prediction,pos2_prediction\n"
    # pos1: the model was first; pos2: the baseline was first
    rows = "1,m,1,2\n2,m,2,1\n3,m,1,1\n4,m,tie,tie\n5,m,1,tie\n6,m,tie,2\n7,m,1,\n8,base,1,2\n"
    found = load(csv(tmp_path, header + rows), "base")
    assert [b.label for b in found.battles] == [
        Label.A,
        Label.B,
        Label.TIE,
        Label.TIE,
        Label.TIE,
        Label.TIE,
    ]
    assert all(b.first is First.BOTH and b.systems == ("m", "base") for b in found.battles)
    assert found.battles[2].evidence == {"pos1_prediction": "1", "pos2_prediction": "1"}
    assert found.unscored == {"unknown_label": 1, "self_battle": 1}


def test_audiojudges_comparisons_need_the_name_of_their_baseline() -> None:
    with pytest.raises(BattleError, match="does not name its baseline"):
        load(COMPARED)
    found = load(COMPARED, "gpt4o-audio")
    assert len(found.battles) == 972
    assert found.unscored == {"self_battle": 81}
