"""What the rules make of a reply to somebody who speaks in a manner: by words, form and sound."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from scenarios.manners import STYLES
from scoring.blueprint.record import Blueprint
from scoring.judge.contract import Question
from scoring.judge.dimensions import Dimension, Item, Rating, Reply, Spoken, Task
from scoring.judge.material import withheld
from scoring.judge.reaction_rules import REACTION, USER, findings
from scoring.judge.reaction_words import EXPECTED
from scoring.judge.rules import RulesJudge
from scoring.judge.trace_rules import TraceRules
from tests.scoring.judge.spoken import sounding

DATA = Path(__file__).parents[2] / "data"
CALM = sounding()


def rated(
    perceive: str, words: str, reply: Blueprint | None = None, *neutral: Blueprint
) -> tuple[Rating | None, str]:
    task = Task(Question("?"), Spoken("?"), perceive=perceive)
    found = findings(task, Reply(Spoken(words, reply), neutral))[-1]
    assert found.measure == REACTION
    return found.rating, found.cause


@pytest.mark.parametrize(
    ("perceive", "words"),
    [
        ("nervous", "You sound nervous."),
        ("nervous", "Take a deep breath."),
        ("sad; rate=0.8", "I can hear that you are disappointed."),
        ("tired", "You\N{RIGHT SINGLE QUOTATION MARK}re exhausted, so let us stop here."),
        ("child", "Ask your mum."),
    ],
)
def test_a_reply_that_names_or_answers_the_manner_is_good(perceive: str, words: str) -> None:
    assert rated(perceive, words) == (Rating.GOOD, "")


@pytest.mark.parametrize(
    ("perceive", "words"),
    [
        ("nervous", "Read chapter one, then chapter two."),
        ("nervous", "You do not sound nervous at all."),
        ("whispering", "Please do not whisper."),
        ("sad", "A sad song was played. You may listen to it."),
        ("sad", "I'm sorry, I don't know that."),
        ("angry", "I'm sorry, I can't help with that."),
        ("excited", ""),
    ],
)
def test_where_no_reaction_is_seen_there_is_no_verdict(perceive: str, words: str) -> None:
    assert rated(perceive, words) == (None, "reaction_not_found")


def test_a_long_speech_to_somebody_in_a_hurry_is_bad_and_a_short_answer_does() -> None:
    assert rated("hurried", "Wooster sher.")[0] is Rating.ACCEPTABLE
    assert rated("hurried", "word " * 50) == (None, "reaction_not_found")
    assert rated("hurried", "word " * 81)[0] is Rating.BAD


def test_a_child_is_told_in_simple_words() -> None:
    # 14 words in two sentences, 14 syllables: 0.39 * 7 + 11.8 - 15.59 = -1.1
    assert (
        rated("child", "The sun shines on the rain. Then you see red, green and blue.")[0]
        is Rating.ACCEPTABLE
    )
    hard = "Spherical droplets disperse incident electromagnetic radiation according to its wavelength."
    assert rated("child", hard)[0] is Rating.BAD


def test_a_voice_adapts_if_it_leaves_its_own_neutral_by_more_than_chance() -> None:
    usual = sounding(loudness={"integrated_lufs": -23.0})
    for level, rating in ((-30.0, Rating.ACCEPTABLE), (-27.0, None), (-16.0, Rating.BAD)):
        reply = sounding(loudness={"integrated_lufs": level})
        # 6 LU are twice what can be heard
        assert rated("whispering", "A mouse found a feather.", reply, usual)[0] is rating
    assert rated("whispering", "A mouse found a feather.", reply)[0] is None  # without a neutral voice


def test_what_adapts_in_one_way_and_not_in_the_other_is_left_open() -> None:
    usual = sounding(pitch={"mean_hz": 150.0})
    # easy words for a child, in a voice that goes down by an octave instead of up
    low = sounding(pitch={"mean_hz": 75.0})
    words = "The sun shines on the rain. Then you see red, green and blue."
    assert rated("child", words, low, usual) == (None, "reaction_not_found")


@pytest.mark.parametrize(
    ("perceive", "changes", "own", "cause"),
    [
        # angry is higher, livelier, faster and 6 LU louder: nothing of it is there, or loudness alone
        ("angry", {}, Rating.BAD, "user_manner_not_heard"),
        ("angry", {"loudness": {"integrated_lufs": -17.0}}, Rating.ACCEPTABLE, ""),
        # hurried is faster, and one change alone proves nothing
        ("hurried", {}, Rating.ACCEPTABLE, ""),
        ("hurried", {"pace": {"articulation_wpm": 224.0}}, Rating.GOOD, ""),
        ("whispering", {}, Rating.BAD, "user_manner_not_heard"),
        ("whispering", {"pitch": {"voiced_share": 0.3}}, Rating.GOOD, ""),
    ],
)
def test_a_manner_that_the_user_did_not_have_cannot_be_noticed(
    perceive: str, changes: dict[str, Any], own: Rating, cause: str
) -> None:
    user, neutral = Spoken("?", sounding(**changes)), (sounding(),)
    task = Task(Question("?"), user, perceive=perceive, user_neutral=neutral)
    found, reaction = findings(task, Reply(Spoken("You are angry, in a hurry, whispering.")))
    assert (found.measure, found.rating) == (USER, own)
    assert (reaction.rating, reaction.cause) == (None if cause else Rating.GOOD, cause)


def test_without_a_neutral_turn_of_the_user_it_is_taken_as_it_was_meant() -> None:
    task = Task(Question("?"), Spoken("?", sounding()), perceive="hurried")
    own, reaction = findings(task, Reply(Spoken("You are in a hurry.")))
    assert (own.rating, own.cause, reaction.rating) == (None, "no_neutral", Rating.GOOD)


def test_a_manner_that_nobody_listed_is_unscored_and_without_one_nothing_is_said() -> None:
    assert rated("rate=1.4", "Quickly.") == (None, "manner_unknown")
    assert findings(Task(Question("?"), Spoken("?")), Reply(Spoken("Hello."))) == []
    assert set(STYLES) - set(EXPECTED) == {"neutral", "firm"}


def test_paralinguistics_is_no_better_than_the_reaction_and_unscored_without_one() -> None:
    def label(words: str) -> tuple[str | None, str]:
        task = Task(Question("?"), Spoken("?"), perceive="hurried")
        item = Item("x", task, Reply(Spoken(words, sounding())))
        found = asyncio.run(TraceRules(RulesJudge()).rate(item)).labels[Dimension.PARALINGUISTICS]
        return found.label, found.cause

    assert label("In short: the second door.") == ("good", "")
    assert label("The second door.") == ("acceptable", "")
    assert label("word " * 90) == ("bad", "")
    assert label("word " * 50) == (None, "reaction_not_found")


def test_what_is_withheld_is_withheld_of_the_users_neutral_voice_too() -> None:
    task = Task(Question("?"), Spoken("?", CALM), perceive="hurried", user_neutral=(CALM,))
    kept = withheld(Item("x", task, Reply(Spoken("Hello.", CALM))), {"pace"})
    assert kept.task.user_neutral[0].pace is None


def test_replies_that_are_not_aware_are_never_taken_for_such_that_are() -> None:
    lines = (DATA / "reactions/replies.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    unaware = [rated(row["perceive"], row["reply"])[0] for row in rows if row["label"] == "unaware"]
    assert len(unaware) == 22 and not {Rating.GOOD, Rating.ACCEPTABLE} & set(unaware)
