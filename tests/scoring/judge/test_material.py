"""Items and pairs from recorded calls, and what judging costs."""

from __future__ import annotations

import io
from pathlib import Path

import soundfile

from recordings.reader import Episode
from scoring.blueprint.episodes import stored_blueprints
from scoring.judge.cost import Cost, total
from scoring.judge.material import Answered, answered, level_of, paired
from tests.scoring.judge.calls import ASKED, MONOTONE, call
from tests.scoring.judge.spoken import sounding
from tests.scoring.judging import SAID


def replies(path: Path, *, with_sound: bool = False) -> list[Answered]:
    episode = Episode.load(path)
    return answered(episode, stored_blueprints(episode), with_sound=with_sound)


def test_a_reply_comes_with_the_users_words_and_sound_and_the_facts_it_should_state(tmp_path: Path) -> None:
    (one,) = replies(call(tmp_path / "s", "fake://a", SAID, MONOTONE))
    task, reply = one.item.task, one.item.reply
    assert (task.question.asked, [fact.id for fact in task.question.facts]) == (ASKED, ["guide"])
    assert task.user.blueprint is not None and task.user.blueprint.pitch is not None
    assert task.user.blueprint.pitch.mean_hz == 220
    assert (reply.spoken.words, reply.spoken.blueprint, reply.spoken.seconds) == (SAID, MONOTONE, 2.0)
    assert (reply.spoken.wav, reply.neutral) == (b"", ())


def test_the_sound_is_cut_out_of_the_tracks(tmp_path: Path) -> None:
    (one,) = replies(call(tmp_path / "s", "fake://a", SAID, None), with_sound=True)
    for side, rate, seconds in ((one.item.task.user, 16000, 1), (one.item.reply.spoken, 24000, 2)):
        samples, found = soundfile.read(io.BytesIO(side.wav))
        assert (found, samples.size) == (rate, rate * seconds)
        assert abs(samples).min() > 0 or side is one.item.task.user  # the reply alone


def test_the_other_replies_of_a_call_are_its_neutral_voice(tmp_path: Path) -> None:
    found = replies(call(tmp_path / "s", "fake://a", SAID, sounding(), (ASKED, "And why?", "And when?")))
    assert [len(one.item.reply.neutral) for one in found] == [2, 2, 2]


def test_replies_are_paired_by_the_words_they_answer_and_how_often_those_were_said(tmp_path: Path) -> None:
    one = replies(call(tmp_path / "a" / "s", "fake://a", "one", sounding(), (ASKED, ASKED, "And why?")))
    two = replies(call(tmp_path / "b" / "s", "fake://b", "two", sounding(), (ASKED, "So?", ASKED)))
    found = paired(one, two, "s/0")
    assert found.prompts == (ASKED, ASKED)
    assert [(p.id, p.first.spoken.words, p.second.spoken.words) for p in found.pairs] == [
        ("s/0#1", "one", "two"),
        ("s/0#2", "one", "two"),
    ]
    assert found.unpaired == {"asked_of_one_only": 2}


def test_what_a_scenario_asks_of_the_manner_is_read_from_the_recording(tmp_path: Path) -> None:
    path = call(tmp_path / "s", "fake://a", SAID, sounding())
    episode = Episode.load(path)
    assert level_of(episode) is None and replies(path)[0].item.task.manner == ""
    asked = {"level": 3, "manner": "sad", "content": ["comforts"]}
    episode.scenario["turns"][0]["expression"] = asked
    assert level_of(episode) == "L3"


def test_costs_add_up_and_an_unknown_price_stays_unknown() -> None:
    one = Cost(1, 100, 10, usd=0.5, price_as_of=("2026-03-21",))
    two = Cost(2, 50, 5, estimated=True, audio_s=3.0, compute_s=0.5, usd=None)
    assert total([one, one]).usd == 1.0
    both = one + two
    assert (both.calls, both.prompt_tokens, both.completion_tokens) == (3, 150, 15)
    assert (both.usd, both.estimated, both.audio_s) == (None, True, 3.0)
    assert "price unknown" in str(both) and "prices of 2026-03-21" in str(one)
    assert total([]).usd == 0.0
