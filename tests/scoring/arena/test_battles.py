from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from scoring.arena.battles import Battle, BattleError, First, Label, Skipped, append, append_new, read


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
