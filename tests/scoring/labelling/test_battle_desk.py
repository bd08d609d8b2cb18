"""A/B listening over real files: answered, gone back to, corrected."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from recordings.label_files import LabelFolder
from recordings.studio.label_cards import AnswerSent, CannotAnswer, Card, Next
from scoring.agreement.battled import battle_sources
from scoring.arena.battles import Battle
from scoring.arena.leaderboard import Request, leaderboard
from scoring.arena.store import append, read
from scoring.labelling.battle_desk import BattleDesk
from tests.scoring.labelling.recorded import heard, ticking, two_runs


@pytest.fixture
def at(tmp_path: Path) -> BattleDesk:
    return make(tmp_path, *two_runs(tmp_path, 1))


def make(folder: Path, *runs: Path, utc: Callable[[], str] | None = None, seed: int = 0) -> BattleDesk:
    store, labels = folder / "battles.jsonl", LabelFolder(folder / "labels")
    return BattleDesk(heard(*runs), store, labels, utc or ticking(), seed=seed)


def answer(at: BattleDesk, card: Card, label: str | None, person: str = "ann", **more: str) -> Next:
    unscored = None if label else "skipped"
    return at.answer(AnswerSent(person=person, token=card.token, label=label, unscored=unscored, **more))


def next_card(at: BattleDesk, person: str = "ann") -> Card:
    card = at.next(person).card
    assert card is not None
    return card


def standing(at: BattleDesk) -> tuple[Battle, ...]:
    return read(at.store).battles


def test_a_wrong_key_is_corrected_by_a_further_line_that_names_the_first(at: BattleDesk) -> None:
    assert at.next("ann").progress.can_go_back is False
    after = answer(at, next_card(at), "1")
    assert after.progress.can_go_back
    (first,) = standing(at)
    card = at.back("ann", 1)
    assert card.given is not None and card.given.label == "1"
    answer(at, card, "2")
    (corrected,) = standing(at)
    assert corrected.corrects == first.id and corrected.id != first.id
    assert first.label is not None and corrected.label == first.label.swapped
    assert (corrected.first, corrected.prompt, corrected.judge) == (first.first, first.prompt, "person:ann")
    assert len(at.store.read_text().splitlines()) == 2  # nothing is rewritten
    assert at.next("ann").progress.answered == 1
    again = at.back("ann", 1)
    assert again.given is not None and again.given.label == "2"
    answer(at, again, None)  # and taken back altogether
    (withheld,) = standing(at)
    assert (withheld.label, withheld.unscored, withheld.corrects) == (None, "skipped", corrected.id)


def test_a_key_pressed_twice_corrects_nothing(at: BattleDesk) -> None:
    card = next_card(at)
    answer(at, card, "1")
    with pytest.raises(CannotAnswer, match="answered already") as twice:
        answer(at, card, "2")
    assert (twice.value.status, twice.value.code) == (409, "answered_before")
    back = at.back("ann", 1)
    answer(at, back, "2")
    with pytest.raises(CannotAnswer, match="answered already"):
        answer(at, back, "1")
    answer(at, at.back("ann", 1), "2")  # the same again is no correction
    assert len(at.store.read_text().splitlines()) == 2


def test_one_goes_back_step_by_step_and_others_answers_are_not_in_the_way(at: BattleDesk) -> None:
    answer(at, next_card(at, "bob"), "both_bad", "bob")
    for label in ("1", "both_good"):
        answer(at, next_card(at), label)
    cards = [at.back("ann", steps) for steps in (1, 2)]
    assert [card.given.label for card in cards if card.given] == ["both_good", "1"]
    with pytest.raises(CannotAnswer, match="There are 2 answers"):
        at.back("ann", 3)
    answer(at, cards[1], "both_bad")
    said = [(battle.judge, battle.label) for battle in standing(at)]
    assert said == [("person:bob", "both_bad"), ("person:ann", "both_bad"), ("person:ann", "both_good")]


def test_another_process_with_another_order_shows_and_corrects_the_same_answer(tmp_path: Path) -> None:
    runs = two_runs(tmp_path, 1)
    first = make(tmp_path, *runs)
    answer(first, next_card(first), "1")
    (said,) = standing(first)
    winner = said.system_a if said.label == "a" else said.system_b
    for seed in range(6):  # sides are drawn by the seed: in some the winner is now shown second
        other = make(tmp_path, *runs, utc=lambda: "2026-02-01T00:00:00+00:00", seed=seed)
        card = other.back("ann", 1)
        assert card.given is not None
        shown = ("1", "2").index(str(card.given.label))
        systems = [reply["system"] for reply in other.reveal("ann", card.token).replies]
        assert systems[shown] == winner


def test_ratings_and_agreement_go_by_the_correction(at: BattleDesk) -> None:
    for _ in range(2):
        answer(at, next_card(at), "both_good")
    assert leaderboard(read(at.store), Request(resamples=0)).to_json()["corrected"] == 0
    answer(at, at.back("ann", 1), "1")
    board = leaderboard(read(at.store), Request(resamples=0)).to_json()
    assert (board["battles"], board["corrected"], board["unscored"]) == (2, 1, {})
    tallies = board["systems"]
    assert isinstance(tallies, dict)
    assert sorted(one["wins"] for one in tallies.values()) == [0, 1]
    (labels,) = battle_sources(at.store)
    assert sorted(labels.by_item.values())[1] == "both_good" and len(labels.by_item) == 2


def test_a_correction_after_one_was_told_whose_they_were_says_so(at: BattleDesk) -> None:
    card = next_card(at)
    answer(at, card, "1")
    assert "after_reveal" not in standing(at)[0].evidence
    at.reveal("ann", card.token)
    answer(at, at.back("ann", 1), "2")
    assert standing(at)[0].evidence["after_reveal"] is True


def test_battles_of_other_recordings_are_not_offered_for_correction(at: BattleDesk) -> None:
    other = {
        "id": "e",
        "prompt": "p",
        "system_a": "A",
        "system_b": "B",
        "judge": "person:ann",
        "label": "a",
    }
    evidence = {"items": ["x/y/1", "z/y/1"], "at_utc": "2027"}
    append(at.store, Battle.model_validate({**other, "judge": "person:ann", "evidence": evidence}))
    assert at.next("ann").progress.can_go_back is False
    with pytest.raises(CannotAnswer, match="There are 0 answers"):
        at.back("ann", 1)


def test_every_line_of_the_store_is_a_battle_of_its_own(at: BattleDesk) -> None:
    answer(at, next_card(at), "1")
    for label in ("2", "1", "2"):
        answer(at, at.back("ann", 1), label)
    lines = [json.loads(line) for line in at.store.read_text().splitlines()]
    assert len({line["id"] for line in lines}) == 4
    assert [line.get("corrects") for line in lines] == [None, *(line["id"] for line in lines[:3])]
