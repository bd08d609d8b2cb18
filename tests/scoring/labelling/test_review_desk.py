"""The check of a pack that has grown: heard, answered, gone on with, counted."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from recordings.errors import RecordingError
from recordings.label_files import LabelFolder
from recordings.strict_json import encode
from recordings.studio.label_cards import AnswerSent, CannotAnswer, Card, Next
from scenarios.growing.review import Review
from scoring.labelling.review_desk import ReviewDesk
from tests.scoring.labelling.recorded import ticking

RATE = 16000


def line(id: str, level: int = 1, **more: object) -> Review:
    return Review.model_validate(
        {
            "scenario": id,
            "audio": f"review/{id}.wav",
            "domain": "medical",
            "task": "symptoms",
            "level": level,
            "text": "My knee hurts.",
            "content": ["asks since when"],
            **more,
        }
    )


def desk(folder: Path, *lines: Review, **options: Any) -> ReviewDesk:
    (folder / "review").mkdir(parents=True, exist_ok=True)
    queue(folder, *lines)
    for one in lines:
        tone = 0.1 * np.sin(2 * np.pi * 440 * np.arange(RATE // 2) / RATE)
        soundfile.write(folder / "review" / f"{one.scenario}.wav", tone, RATE, subtype="PCM_16")
    return ReviewDesk(folder / "review.jsonl", LabelFolder(folder / "labels"), ticking(), **options)


def queue(folder: Path, *lines: Review) -> None:
    (folder / "review.jsonl").write_bytes(b"".join(encode(one) + b"\n" for one in lines))


def answer(at: ReviewDesk, card: Card | None, label: str | None, person: str = "ann", **more: str) -> Next:
    assert card is not None
    unscored = None if label else "inaudible"
    return at.answer(AnswerSent(person=person, token=card.token, label=label, unscored=unscored, **more))


def test_each_scenario_is_heard_and_asked_about_twice(tmp_path: Path) -> None:
    at = desk(tmp_path, line("a"), line("b", 2, perceive="nervous", before="Hi."))
    assert (at.about().units, at.about().dimensions) == (2, ("level", "manner"))
    found = at.next("ann")
    asked = []
    while found.card is not None:
        (sound,) = found.card.sounds
        pcm, rate = soundfile.read(io.BytesIO(at.sound(sound.token)))
        assert (rate, pcm.size, sound.seconds) == (48000, 24000, 0.5)
        asked.append((found.card.dimension, found.card.question, dict(found.card.facts)))
        found = answer(at, found.card, "consistent")
    assert sorted(question for _, question, _ in asked) == [
        "Does this belong to level 1?",
        "Does this belong to level 2?",
        "Is it spoken in this manner: nervous?",
        "Is it spoken plainly, and does it ask for no manner?",
    ]
    assert [dimension for dimension, _, _ in asked] == ["level", "manner"] * 2
    nervous = next(facts for _, _, facts in asked if "The user sounds" in facts)
    assert nervous == {
        "Level": "2: the user's manner must be noticed, and the answer must suit it",
        "Task": "symptoms, medical",
        "Said before": "Hi.",
        "The user sounds": "nervous",
    }
    kept = at.folder.labels("ann")
    assert [(one.dimension, one.label) for one in kept] == [
        ("level", "consistent"),
        ("manner", "consistent"),
    ] * 2
    assert at.report()["level"]["share"] == at.report()["manner"]["share"] == 1.0


def test_another_process_goes_on_and_an_answer_is_corrected(tmp_path: Path) -> None:
    lines = [line(name) for name in "abc"]
    first = desk(tmp_path, *lines)
    before = answer(first, first.next("ann").card, "not_consistent", note=" why? ")
    other = desk(tmp_path, *lines)
    after = other.next("ann")
    assert after.card is not None and before.card is not None
    assert (after.card.question, after.card.dimension) == (before.card.question, "manner")
    assert (after.progress, after.progress.answered, after.progress.left) == (before.progress, 1, 5)
    with pytest.raises(CannotAnswer, match="not known"):
        answer(other, before.card, "consistent")  # of the process that has ended
    card = other.back("ann", 1)
    assert card.given is not None and (card.given.label, card.given.note) == ("not_consistent", "why?")
    answer(other, card, "consistent")
    assert len((tmp_path / "labels/ann.jsonl").read_text().splitlines()) == 2
    assert other.report()["level"]["yes"] == 1
    with pytest.raises(CannotAnswer, match="There are 1 answers"):
        other.back("ann", 2)


def test_several_people_have_their_own_order_and_are_compared(tmp_path: Path) -> None:
    names = [f"s{number:02}" for number in range(12)]
    at = desk(tmp_path, *map(line, names))
    orders = {}
    for person, label in (("ann", "consistent"), ("bob", "not_consistent")):
        found, order = at.next(person), []
        while found.card is not None:
            found = answer(at, found.card, label, person)
        orders[person] = order = [one.item for one in at.folder.labels(person)]
        assert sorted(set(order)) == names
    assert orders["ann"] != orders["bob"]
    report = at.report()
    assert report["divided"] == {"level": 12, "manner": 12}
    assert report["between_people"]["level"]["pairs"][0]["accuracy"] == 0
    assert at.about().people == ("ann", "bob")


def test_the_work_is_shared_and_some_of_it_is_done_by_two(tmp_path: Path) -> None:
    at = desk(tmp_path, *(line(f"s{n:02}") for n in range(8)), twice=0.25)
    # what one person has before them is not asked of another
    found = {person: at.next(person) for person in ("ann", "bob")}
    while cards := {person: one.card for person, one in found.items() if one.card is not None}:
        for person, card in cards.items():
            found[person] = answer(at, card, "consistent", person)
    asked = [one.item for person in ("ann", "bob") for one in at.folder.labels(person)]
    # each scenario has two questions; a quarter of eight is asked of both
    assert sorted(map(asked.count, sorted(set(asked)))) == [2] * 6 + [4] * 2
    mine = len(at.folder.labels("ann"))
    assert (found["ann"].progress.answered, found["ann"].progress.units) == (mine, mine // 2)
    assert at.report()["between_people"]["level"]["n"] == 2
    assert at.next("cleo").card is None


def test_a_share_is_asked_again_at_the_end_and_the_first_answers_count(tmp_path: Path) -> None:
    at = desk(tmp_path, *(line(f"s{n}") for n in range(4)), again=0.5)
    found, given = at.next("ann"), 0
    assert found.progress.left == 12  # 4 scenarios and 2 of them again, each with 2 questions
    while found.card is not None:
        level, first = found.card.dimension == "level", given < 8
        given += 1
        label = "consistent" if first else "not_consistent" if level else None
        found = answer(at, found.card, label)
    assert given == 12 and found.progress.answered == 12
    assert [one.round for one in at.folder.labels("ann")] == [1] * 8 + [2] * 4
    report = at.report()
    assert report["level"]["yes"] == report["manner"]["yes"] == 4 and report["inconsistent"] == []
    assert report["with_themselves"] == {"level": [{"person": "ann", "same": 0, "n": 2}], "manner": []}
    assert report["withheld"] == {"level": {}, "manner": {}}


def test_what_was_filled_in_by_hand_is_not_asked_of_the_same_person_again(tmp_path: Path) -> None:
    filled = line("a", answers={"level": True, "manner": False}, reviewer="kim")
    at = desk(tmp_path, filled, line("b"))
    assert (at.next("kim").progress.left, at.next("ann").progress.left) == (2, 4)
    assert at.report()["inconsistent"][0]["scenario"] == "a"


def test_what_is_queued_meanwhile_is_asked_too(tmp_path: Path) -> None:
    at = desk(tmp_path, line("a"))
    for _ in range(2):
        answer(at, at.next("ann").card, "consistent")
    assert at.next("ann").card is None
    desk(tmp_path, line("a"), line("b"))
    assert at.next("ann").progress.left == 2


def test_a_line_that_cannot_be_heard_can_be_said_to_be_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path / "secret.wav"
    soundfile.write(outside, np.zeros(8000), RATE)
    pack = tmp_path / "pack"
    (pack / "review").mkdir(parents=True)
    (pack / "review/link.wav").symlink_to(outside)
    (pack / "review/text.wav").write_text("no sound")
    paths = ("../secret.wav", str(outside), "review/link.wav", "review/text.wav", "review/none.wav", "")
    for number, audio in enumerate(paths):
        at = desk(pack, line(f"s{number}", audio=audio))
        capsys.readouterr()
        card = at.next("ann").card
        assert card is not None and card.sounds[0].token == ""
        assert capsys.readouterr().err.count(audio.rpartition("/")[2] or ".wav") == bool(audio)
        after = answer(at, card, None)
        assert after.progress.answered == 1
    assert at.report()["withheld"] == {"level": {"inaudible": 1}, "manner": {}}


def test_words_of_a_pack_steer_no_page(tmp_path: Path) -> None:
    at = desk(tmp_path, line("a", text="\u202egood", content=["\x1b[2J"], before="a\x07b"))
    card = at.next("ann").card
    assert card is not None
    assert (card.asked, card.wanted, dict(card.facts)["Said before"]) == (
        "⟨U+202E⟩good",
        ("⟨U+001B⟩[2J",),
        "a⟨U+0007⟩b",
    )


def test_what_is_no_answer_or_no_queue_is_refused(tmp_path: Path) -> None:
    at = desk(tmp_path, line("a"), person="ann")
    card = at.next("ann").card
    with pytest.raises(CannotAnswer, match="none of consistent, not_consistent"):
        answer(at, card, "good")
    with pytest.raises(CannotAnswer, match="opened for somebody else"):
        at.next("bob")
    (tmp_path / "review.jsonl").write_text('{"scenario": 1}\n')
    with pytest.raises(RecordingError, match="line 1: scenario"):
        at.next("ann")
    assert not (tmp_path / "labels").exists()
