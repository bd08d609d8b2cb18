"""Labelling from the first question to the last, over real files."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import soundfile

from recordings.errors import RecordingError
from recordings.label_files import LabelFolder
from recordings.labels import pair_item
from recordings.studio.label_cards import AnswerSent, CannotAnswer, Card, Next
from scoring.arena.battles import First, Label
from scoring.arena.store import append
from scoring.labelling.contests import Heard, battle
from scoring.labelling.desk import LabellingDesk
from scoring.labelling.growth import Growth
from tests.scoring.labelling.recorded import call, desk, rated, two_runs

PAIR = pair_item("hush-one/s0-hush-one/1", "hush-two/s0-hush-two/1")


def answer(at: LabellingDesk, card: Card, label: str | None, person: str = "ann", **more: str) -> Next:
    unscored = None if label else "inaudible"
    return at.answer(AnswerSent(person=person, token=card.token, label=label, unscored=unscored, **more))


def labelled(at: LabellingDesk, person: str, **by_part: str) -> list[Card]:
    """Answer everything, the same to every question of a part; what was asked."""
    asked = []
    card = at.next(person).card
    while card is not None:
        asked.append(card)
        card = answer(at, card, by_part.get(card.part, "1"), person).card
    return asked


def test_every_reply_is_rated_and_every_pair_compared(tmp_path: Path) -> None:
    at = desk(tmp_path / "labels", *two_runs(tmp_path))
    about = at.about()
    # 2 scenarios x 2 questions x 2 systems
    assert (about.units, about.replies, about.pairs, dict(about.left_out)) == (4, 8, 4, {})
    asked = labelled(at, "ann", absolute="good", relative="1")
    assert Counter(card.part for card in asked) == {"absolute": 24, "relative": 12}  # three dimensions
    progress = at.next("ann").progress
    assert (progress.answered, progress.left, progress.open, progress.units) == (36, 0, 0, 4)
    single, pairs = (LabelFolder(tmp_path / "labels").labels("ann"), at.folder.pair_labels("ann"))
    assert {line.label for line in single} == {"good"} and len(single) == 24
    # "1" is always what was shown first, which is now one system and now the other
    firsts = {line.shown["first"].partition("/")[0] for line in pairs}
    assert firsts == {"hush-one", "hush-two"}
    for line in pairs:
        first_is_lesser = line.shown["first"] == min(line.item.split(" | "))
        assert line.label == ("1" if first_is_lesser else "2")


def test_a_comparison_that_ratings_decide_is_not_asked_but_kept(tmp_path: Path) -> None:
    at = desk(tmp_path / "labels", *two_runs(tmp_path, 1), dimensions=("content",))
    asked = labelled(at, "ann", absolute="bad")
    assert [card.part for card in asked] == ["absolute"] * 4
    lines = at.folder.pair_labels("ann")
    assert [(line.label, line.shown) for line in lines] == [("both_bad", {"by": "ratings"})] * 2


def test_a_correction_is_a_further_line_and_takes_comparisons_along(tmp_path: Path) -> None:
    at = desk(tmp_path / "labels", *two_runs(tmp_path, 1), dimensions=("content",))
    labelled(at, "ann", absolute="good", relative="both_good")
    lines = (tmp_path / "labels" / "ann.jsonl").read_bytes()
    # the answers were, latest first: comparison of the second unit, its two ratings, ...
    card = at.back("ann", 2)
    assert (card.part, card.given and card.given.label) == ("absolute", "good")
    assert answer(at, card, "bad", note=" too short ").card is None
    written = (tmp_path / "labels" / "ann.jsonl").read_bytes()
    assert written.startswith(lines)
    assert json.loads(written[len(lines) :])["note"] == "too short"
    one, two = sorted(line.label or "" for line in at.folder.pair_labels("ann"))
    assert one in "12" and two == "both_good"
    again = at.back("ann", 1).given
    assert again is not None and (again.label, again.note) == ("bad", "too short")
    with pytest.raises(CannotAnswer, match="5 answers to go back to"):
        at.back("ann", 6)  # the comparison is no answer any more: the ratings decide it


def test_a_comparison_shown_again_names_the_sides_as_they_are_shown(tmp_path: Path) -> None:
    at = desk(tmp_path / "labels", *two_runs(tmp_path), dimensions=("content",))
    labelled(at, "ann", absolute="good", relative="2")
    shown = [at.back("ann", step) for step in range(1, 13)]
    assert {card.given and card.given.label for card in shown if card.part == "relative"} == {"2"}


@pytest.mark.parametrize("stop", [0, 1, 2, 5, 11])
def test_another_process_goes_on_where_this_one_died(tmp_path: Path, stop: int) -> None:
    runs = two_runs(tmp_path)
    whole = labelled(desk(tmp_path / "one", *runs), "ann", absolute="good")
    at = desk(tmp_path / "two", *runs)
    for _ in range(stop):
        card = at.next("ann").card
        assert card is not None
        at.next("ann")  # a page that is loaded again is given the same question
        assert at.next("ann").card == card
        answer(at, card, "good" if card.part == "absolute" else "1")
    (tmp_path / "two").mkdir(exist_ok=True)
    with (tmp_path / "two" / "ann.jsonl").open("a") as file:
        file.write('{"item": "torn')  # killed in the middle of a line
    later = desk(tmp_path / "two", *runs[::-1])
    rest = labelled(later, "ann", absolute="good")
    assert len(rest) == len(whole) - stop
    files = [(tmp_path / name / "ann.jsonl").read_text().splitlines() for name in ("one", "two")]
    kept = [[(x["item"], x["dimension"], x["label"]) for x in map(json.loads, lines)] for lines in files]
    assert kept[0] == kept[1]


def test_two_people_share_the_work_and_hear_their_own_orders(tmp_path: Path) -> None:
    at = desk(tmp_path / "labels", *two_runs(tmp_path, 4), dimensions=("content",), twice=0.25)
    cards = {who: at.next(who).card for who in ("ann", "bob")}
    assert cards["ann"] and cards["bob"] and cards["ann"].token != cards["bob"].token
    while any(cards.values()):
        for who in ("ann", "bob"):
            if (card := cards[who]) is not None:
                cards[who] = answer(at, card, "good" if card.part == "absolute" else "1", who).card
    counts = Counter(line.item for who in ("ann", "bob") for line in at.folder.labels(who))
    assert sorted(counts.values()) == [1] * 12 + [2] * 4  # 8 units of two replies, two of them twice
    logs = [json.loads((tmp_path / f"labels/log/{who}.jsonl").read_text()) for who in ("ann", "bob")]
    assert logs[0]["order"] != logs[1]["order"]
    assert sorted(logs[0]["order"]) == sorted(logs[1]["order"])
    assert (logs[0]["kind"], logs[0]["seed"], logs[0]["twice"]) == ("session", 0, 0.25)


def test_a_token_is_its_persons_and_an_answer_one_of_those_offered(tmp_path: Path) -> None:
    at = desk(tmp_path / "labels", *two_runs(tmp_path, 1))
    card = at.next("ann").card
    assert card is not None
    for person, label, code in (
        ("bob", "good", "no_such_question"),
        ("ann", "both_good", "no_such_label"),
        ("../ann", "good", "name_unfit"),
    ):
        with pytest.raises(CannotAnswer) as found:
            answer(at, card, label, person)
        assert found.value.code == code
    with pytest.raises(CannotAnswer):
        at.answer(AnswerSent(person="ann", token=card.token, label="good", unscored="skipped"))
    assert not (tmp_path / "labels" / "ann.jsonl").exists()
    only = desk(tmp_path / "labels", *two_runs(tmp_path / "x", 1), person="ann")
    with pytest.raises(CannotAnswer) as refused:
        only.next("bob")
    assert refused.value.code == "somebody_else"


def test_nothing_is_taken_that_the_disk_does_not_take(tmp_path: Path) -> None:
    (tmp_path / "labels").write_text("a file where the folder should be")
    at = desk(tmp_path / "labels", *two_runs(tmp_path, 1))
    with pytest.raises(RecordingError, match="--labels DIR"):
        at.next("ann")


# --- what is heard --------------------------------------------------------------------------------


def test_a_reply_is_heard_as_it_was_and_two_equally_loud(tmp_path: Path) -> None:
    at = desk(tmp_path / "labels", *two_runs(tmp_path, 1), dimensions=("content",))

    def peaks(card: Card) -> list[float]:
        found = []
        for sound in card.sounds[1:]:
            samples, rate = soundfile.read(io.BytesIO(at.sound(sound.token)))
            assert (rate, samples.size, sound.seconds) == (
                48000,
                96000,
                2.0,
            )  # whatever the endpoint's rate
            found.append(20 * np.log10(np.abs(samples).max()))
        return found

    card = at.next("ann").card
    alone: list[list[float]] = []
    both: list[list[float]] = []
    while card is not None:
        assert (card.sounds[0].name, card.asked) in {("asked", "How does it work?"), ("asked", "And why?")}
        (alone if card.part == "absolute" else both).append(peaks(card))
        card = answer(at, card, "good" if card.part == "absolute" else "1").card
    assert sorted(round(peak) for (peak,) in alone) == [-27, -27, -15, -15]
    for one, other in both:
        assert one == pytest.approx(other, abs=0.02)
    for line in at.folder.pair_labels("ann"):
        gains = {item: level["gain_db"] for item, level in line.shown["levels"].items()}
        one, two = (gains[item] for item in sorted(gains))
        assert two - one == pytest.approx(12.0, abs=0.02)  # the second system is 12 dB quieter


# --- what becomes known afterwards ----------------------------------------------------------------


def test_names_and_verdicts_are_told_when_all_of_a_unit_is_labelled_and_that_is_noted(
    tmp_path: Path,
) -> None:
    at = desk(tmp_path / "labels", *two_runs(tmp_path, 1), dimensions=("content",))
    card = at.next("ann").card
    assert card is not None
    with pytest.raises(CannotAnswer, match="still to be labelled"):
        at.reveal("ann", card.token)
    for label in ("good", "good"):
        following = answer(at, at.next("ann").card or card, label)
    with pytest.raises(CannotAnswer, match="still to be labelled"):  # the two are still to be compared
        at.reveal("ann", card.token)
    assert following.card is not None and following.card.part == "relative"
    answer(at, following.card, "both_good")
    told = at.reveal("ann", card.token).replies
    assert sorted(reply["system"] for reply in told) == ["hush-one", "hush-two"]
    assert {rating["label"] for rating in told[0]["ratings"]} == {"good"}
    log = (tmp_path / "labels/log/ann.jsonl").read_text().splitlines()
    assert [json.loads(line)["kind"] for line in log] == ["session", "revealed"]


def test_a_label_corrected_after_one_was_told_whose_it_was_says_so(tmp_path: Path) -> None:
    at = desk(tmp_path / "labels", *two_runs(tmp_path, 1), dimensions=("content",))
    asked = labelled(at, "ann", absolute="good", relative="1")
    at.reveal("ann", asked[-1].token)
    for steps in (1, 2):
        answer(at, at.back("ann", steps), "2" if at.back("ann", steps).part == "relative" else "bad")
    kept = [*at.folder.labels("ann"), *at.folder.pair_labels("ann")]
    told = [line for line in kept if line.shown.get("after_reveal")]
    assert told and len(told) < len(kept)
    assert {item for line in told for item in line.item.split(" | ")} <= at.folder.revealed("ann")


def test_agreement_grows_with_the_labels(tmp_path: Path) -> None:
    runs = two_runs(tmp_path, 2)
    at = desk(tmp_path / "labels", *runs, dimensions=("content",), again=0.5)
    assert at.agreement() == {"labels": []}
    for folder in sorted(runs[1].iterdir()):
        rated(folder, "bad")
    labelled(at, "ann", absolute="good")
    first, pairs = at.agreement()["labels"]
    assert (first["part"], pairs["part"], first["people"]) == (
        "absolute",
        "relative",
        {"undefined": "only_one_person_has_labelled"},
    )
    # the judge says good of one system's four replies and bad of the other's
    assert (first["judge"]["items"], first["judge"]["percent"]) == (8, 50.0)
    assert first["judge"]["intervals"]["percent"] is not None
    (again,) = first["again"]
    assert (again["n"], again["percent"]) == (4, 100.0)  # two units of four, of two replies
    labelled(at, "bob", absolute="bad")
    people = at.agreement()["labels"][0]["people"]
    assert (people["n"], people["pairs"][0]["right"]) == (8, 0)
    assert pairs["judge"] == {"undefined": "no_judge_has_rated_these"}


def test_comparisons_are_held_against_a_judges_battles_and_not_against_peoples(tmp_path: Path) -> None:
    runs = two_runs(tmp_path, 1)
    at = desk(tmp_path / "labels", *runs, dimensions=("overall",))
    at.growth = Growth(battles=tmp_path / "battles.jsonl")
    labelled(at, "ann", absolute="good", relative="both_good")
    person = [battle(match, Heard("ann", "1", None, First.A, {}, {})) for match in at.material.matches]
    append(tmp_path / "battles.jsonl", *person)
    assert at.agreement()["labels"][1]["judge"] == {"undefined": "no_judge_has_rated_these"}
    judged = [
        one.model_copy(update={"judge": "rules@1", "id": f"j{n}", "label": label})
        for n, (one, label) in enumerate(zip(person, (Label.BOTH_GOOD, Label.A), strict=True))
    ]
    append(tmp_path / "battles.jsonl", *judged)
    found = at.agreement()["labels"][1]["judge"]
    assert (found["n"], found["percent"]) == (2, 50.0)


def test_words_of_others_steer_nothing(tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script> \u202egnp.exe\x1b[2J"
    run = call(tmp_path / "hush-one" / "s0-hush-one", "fake://hush-one", -20.0, (hostile,)).parent
    card = desk(tmp_path / "labels", run).next("ann").card
    assert card is not None
    assert card.asked == "<script>alert(1)</script> ⟨U+202E⟩gnp.exe⟨U+001B⟩[2J"  # text nodes do the rest
