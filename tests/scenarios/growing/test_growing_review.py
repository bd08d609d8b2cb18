"""The queue of a person's check: who is drawn, what stays, and what is no queue."""

from __future__ import annotations

import json

import pytest

from recordings.strict_json import encode
from scenarios.growing.records import Unreadable
from scenarios.growing.review import Answers, Review, read_queue, review_of, sampled, to_queue
from scenarios.load import load_pack

SCENARIOS = {one.scenario.id: one.scenario for one in load_pack("expression").scenarios}
IDS = [f"joke-1-g{number:04d}" for number in range(200)]


def line(id: str, level: bool | None = None, manner: bool | None = None, **more: str) -> Review:
    return Review.model_validate(
        {
            "scenario": id,
            "domain": "entertainment",
            "task": "joke",
            "level": 1,
            "text": "A joke, please.",
            "content": ["tells a joke"],
            "answers": Answers(level=level, manner=manner),
            **more,
        }
    )


def test_a_line_holds_what_a_person_must_know_and_two_open_questions() -> None:
    found = json.loads(encode(review_of(SCENARIOS["symptoms-4"], "review/symptoms-4.wav")))
    assert found == {
        "version": 1,
        "scenario": "symptoms-4",
        "audio": "review/symptoms-4.wav",
        "domain": "medical",
        "task": "symptoms",
        "level": 4,
        "before": "Hi there. Can you hear me all right?",
        "text": "I fell off my bike, and my knee is bleeding.",
        "perceive": "child",
        "manner": "cheerful",
        "content": list(SCENARIOS["symptoms-4"].turns[1].expression.content),  # type: ignore[union-attr]
        "answers": {"level": None, "manner": None},
        "reviewer": "",
        "note": "",
    }


def test_a_sample_is_random_seeded_and_without_regard_to_order() -> None:
    one = sampled(IDS, 20, 1)
    assert one == sampled(reversed(IDS), 20, 1) != sampled(IDS, 20, 2)
    assert len(set(one)) == 20 and set(one) <= set(IDS)
    assert sampled(IDS[:5], 20, 1) == sampled(IDS[:5], 5, 1)
    assert sampled(IDS, 0, 1) == []


def test_a_sample_of_a_grown_pack_is_of_the_old_and_the_new_alike() -> None:
    # 100 of 200 are new: of 50 drawn 25 are, give or take 3 * sqrt(50 * 1/2 * 1/2 * 150/199) = 9.2
    new = [sum(id in IDS[100:] for id in sampled(IDS, 50, seed)) for seed in range(40)]
    assert all(16 <= count <= 34 for count in new)
    assert 24 <= sum(new) / len(new) <= 26


def test_what_was_answered_stays_and_what_was_not_makes_room() -> None:
    kept = [line("a", level=True), line("b"), line("c"), line("d", note="odd"), line("e", reviewer="Kim")]
    stay, missing = to_queue(kept, ["c", "a", "f"])
    assert [one.scenario for one in stay] == ["a", "c", "d", "e"]
    assert stay[0].answers.level is True
    assert missing == ["f"]
    assert to_queue([], ["x", "y"]) == ([], ["x", "y"])


def test_a_queue_is_read_as_it_was_written_and_empty_lines_are_passed_over() -> None:
    lines = [line("a", True, False, note="ü"), line("b")]
    text = "\n".join(encode(one).decode() for one in lines)
    assert read_queue(f"{text}\n\n") == lines
    assert read_queue("") == []


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ('"level":null', '"level":"yes"', "answers.level: Input should be a valid boolean"),
        ('"level":null', '"level":1', "answers.level: Input should be a valid boolean"),
        ('"level":1', '"level":5', "level: 5 is not a valid Level"),
        ('"note":""', '"note":"","grade":3', "grade: Extra inputs"),
        ('"text":"A joke, please.",', "", "text: Field required"),
        ('"scenario":"b"', '"scenario":"a"', "a a second time"),
        ("{", "", "Invalid JSON"),
    ],
)
def test_a_line_that_is_none_is_named(old: str, new: str, found: str) -> None:
    first, second = (json.dumps(json.loads(encode(line(id))), separators=(",", ":")) for id in "ab")
    assert old in second
    with pytest.raises(Unreadable, match=f"^line 2: .*{found}"):
        read_queue(f"{first}\n{second.replace(old, new, 1)}\n")
