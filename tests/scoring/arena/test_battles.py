from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from scoring.arena.battles import Battle, BattleError, First, Label, Skipped
from scoring.arena.store import append, append_new, read


def battle(**fields: object) -> Battle:
    return Battle.model_validate(
        {"id": "1", "prompt": "p", "system_a": "A", "system_b": "B", "label": "a", **fields}
    )


def line(**fields: object) -> str:
    return json.dumps({"id": "1", "prompt": "p", "system_a": "A", "system_b": "B", "label": "a", **fields})


def test_what_is_appended_is_read_again_in_order(tmp_path: Path) -> None:
    store = tmp_path / "battles.jsonl"
    full = battle(
        id="2",
        first="b",
        judge="rules 1",
        label="both_bad",
        evidence={"reason": "both “mumble”", "scores": [1, 2]},
        domain="medical",
        level="L3",
        condition="noise 10 dB",
        duration_a_s=2.5,
        duration_b_s=4.0,
    )
    failed = battle(id="3", label=None, unscored="judge_failed")
    append(store, battle())
    append(store, full, failed)
    found = read(store)
    assert found.battles == (battle(), full, failed)
    assert found.scored == (battle(), full)
    assert found.unscored == {"judge_failed": 1}
    assert len(store.read_text(encoding="utf-8").splitlines()) == 3


def test_a_store_is_only_ever_appended_to(tmp_path: Path) -> None:
    store = tmp_path / "battles.jsonl"
    append(store, battle())
    before = store.read_bytes()
    append(store, battle(id="2"))
    assert store.read_bytes().startswith(before)


@pytest.mark.parametrize(
    ("fields", "cause", "found", "systems"),
    [
        ({"system_b": "A"}, "self_battle", "A", ("A",)),
        ({"label": "draw"}, "unknown_label", "draw", ("A", "B")),
        ({"label": "A"}, "unknown_label", "A", ("A", "B")),
        ({"id": "0"}, "duplicate_id", "0", ("A", "B")),
    ],
)
def test_a_battle_that_says_nothing_is_skipped_and_counted_with_its_line(
    tmp_path: Path, fields: dict[str, object], cause: str, found: str, systems: tuple[str, ...]
) -> None:
    store = tmp_path / "battles.jsonl"
    store.write_text(f"{line(id='0')}\n{line(**fields)}\n{line(id='9')}\n")
    read_again = read(store)
    assert [one.id for one in read_again.battles] == ["0", "9"]
    assert read_again.skipped == (Skipped(2, cause, found, systems),)
    assert read_again.unscored == {cause: 1}
    assert read_again.systems == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("not json", "Invalid JSON"),
        (line(prompt=""), "prompt: String should have at least 1 character"),
        (line(winner="A"), "winner: Extra inputs are not permitted"),
        (line(label=None), "expected a label, or the cause"),
        (line(unscored="judge_failed"), "expected a label, or the cause"),
        (line(schema_version=2), "schema_version: Input should be 1"),
        (line(duration_a_s=0), "duration_a_s: Input should be greater than 0"),
        ("", "Invalid JSON"),
        ('{"id": "7"}', "prompt: Field required"),
    ],
)
def test_a_line_that_is_no_battle_is_an_error_with_its_number(
    tmp_path: Path, text: str, found: str
) -> None:
    store = tmp_path / "battles.jsonl"
    store.write_text(f"{line()}\n{text}\n{line(id='3')}\n")
    with pytest.raises(BattleError, match=found) as error:
        read(store)
    assert str(error.value).startswith(f"{store}:2: is no battle")


def test_a_line_torn_by_a_crash_is_counted_and_must_be_removed_before_more_is_written(
    tmp_path: Path,
) -> None:
    store = tmp_path / "battles.jsonl"
    append(store, battle())
    with store.open("a") as file:
        file.write(line(id="2")[:30])
    found = read(store)
    assert len(found.battles) == 1
    assert found.unscored == {"torn_line": 1}
    with pytest.raises(BattleError, match=r"ends in the middle of a line\. Remove that line"):
        append(store, battle(id="3"))


def test_a_store_that_is_not_there_or_no_text_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BattleError, match=r"nowhere.jsonl: cannot be read \(No such file"):
        read(tmp_path / "nowhere.jsonl")
    (tmp_path / "x").write_bytes(line().encode() + b"\n\xff\n")
    with pytest.raises(BattleError, match="x:2: is not UTF-8"):
        read(tmp_path / "x")


def test_a_system_cannot_meet_itself() -> None:
    with pytest.raises(ValidationError, match="cannot be compared with itself"):
        battle(system_b="A")


def test_exchanging_the_sides_keeps_the_winner() -> None:
    given = battle(first="a", label="a", duration_a_s=1.0, duration_b_s=2.0)
    turned = given.swapped()
    assert turned.systems == ("B", "A")
    assert (turned.label, turned.first) == (Label.B, First.B)
    assert (turned.duration_a_s, turned.duration_b_s) == (2.0, 1.0)
    assert turned.swapped() == given
    assert battle(label="both_good", first="both").swapped().label is Label.BOTH_GOOD
    assert battle(label=None, unscored="no_audio").swapped().label is None


def test_every_tie_is_half_a_point() -> None:
    assert [label.score for label in Label] == [1, 0, 0.5, 0.5, 0.5]


def test_what_could_not_be_judged_may_be_judged_again(tmp_path: Path) -> None:
    store = tmp_path / "new folder" / "battles.jsonl"
    assert append_new(store, [battle(label=None, unscored="timeout")]) == 1
    assert append_new(store, [battle(label=None, unscored="timeout")]) == 0
    assert append_new(store, [battle()]) == 1
    assert append_new(store, [battle(label="b")]) == 0  # an outcome stands
    found = read(store)
    assert (found.scored, found.unscored) == ((battle(),), {})


def test_another_battle_of_the_same_id_is_refused(tmp_path: Path) -> None:
    store = tmp_path / "battles.jsonl"
    append_new(store, [battle()])
    with pytest.raises(BattleError, match="has another battle '1', on 'p'"):
        append_new(store, [battle(system_b="C")])
    assert read(store).battles == (battle(),)


# --- corrections -------------------------------------------------------------------------------


def test_a_correction_takes_the_place_of_a_battle_and_both_stay_in_the_file(tmp_path: Path) -> None:
    store = tmp_path / "battles.jsonl"
    append(store, battle(judge="person:ann"), battle(id="2", judge="person:ann"))
    append(store, battle(id="3", judge="person:ann", label="b", corrects="1"))
    found = read(store)
    assert [(one.id, one.label) for one in found.battles] == [("3", "b"), ("2", "a")]
    assert [one.id for one in found.records] == ["1", "2", "3"]
    assert (found.corrected, found.skipped, found.unscored) == (1, (), {})
    assert len(store.read_text(encoding="utf-8").splitlines()) == 3


@pytest.mark.parametrize("named", ["1", "2"])
def test_of_several_corrections_the_last_counts_whichever_of_them_it_names(
    tmp_path: Path, named: str
) -> None:
    store = tmp_path / "battles.jsonl"
    append(store, battle(), battle(id="2", label="b", corrects="1"))
    append(store, battle(id="3", label=None, unscored="skipped", corrects=named))
    found = read(store)
    assert [(one.id, one.unscored) for one in found.battles] == [("3", "skipped")]
    assert (found.scored, found.corrected) == ((), 2)


@pytest.mark.parametrize(
    ("fields", "cause", "found"),
    [
        ({"corrects": "9"}, "nothing_to_correct", "9"),
        ({"corrects": "2"}, "nothing_to_correct", "2"),  # itself
        ({"corrects": "1", "judge": "person:bob"}, "corrects_another", "1"),
        ({"corrects": "1", "prompt": "q"}, "corrects_another", "1"),
        ({"corrects": "1", "system_b": "C"}, "corrects_another", "1"),
        ({"corrects": "1", "id": "1"}, "duplicate_id", "1"),
        ({"corrects": "1", "label": "draw"}, "unknown_label", "draw"),
    ],
)
def test_what_corrects_nothing_of_its_own_is_skipped_and_the_battle_stands(
    tmp_path: Path, fields: dict[str, str], cause: str, found: str
) -> None:
    store = tmp_path / "battles.jsonl"
    store.write_text(f"{line()}\n{line(**{'id': '2', 'label': 'b', **fields})}\n")
    read_again = read(store)
    assert [one.id for one in read_again.battles] == ["1"]
    assert [(one.line, one.cause, one.found) for one in read_again.skipped] == [(2, cause, found)]
    assert read_again.corrected == 0


def test_a_correction_may_name_the_sides_the_other_way_round(tmp_path: Path) -> None:
    store = tmp_path / "battles.jsonl"
    append(store, battle(), battle(id="2", corrects="1").swapped())
    (standing,) = read(store).battles
    assert (standing.systems, standing.label) == (("B", "A"), "b")  # A has still won


def test_what_was_corrected_is_not_judged_or_imported_again(tmp_path: Path) -> None:
    store, other = tmp_path / "battles.jsonl", tmp_path / "other.jsonl"
    append_new(store, [battle()])
    append_new(store, [battle(id="2", label=None, unscored="skipped", corrects="1")])
    assert append_new(store, [battle()]) == 0  # its id is known, and it was taken back
    assert [one.id for one in read(store).battles] == ["2"]
    assert append_new(other, read(store).records) == 2
    assert read(other) == read(store)
    assert append_new(other, read(store).records) == 0
