from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from recordings.errors import RecordingError
from recordings.format import EndpointText, Flushed, Outcome, ResponseFinished, Side, Verdict
from recordings.reader import read_scores
from scoring.score import RunScores, combine, score
from streams.audio import Samples
from streams.speech.interfaces import ModelIdentity, SpeechError, Transcript
from tests.scoring.episodes import CallMaker, tone


class Ear:
    """A recogniser that tells the length of a clip, in tenths of a second."""

    def __init__(self, name: str = "ear", silent_below: float = 0.0, broken: bool = False) -> None:
        self.identity = ModelIdentity("test", name, "1")
        self.clips: list[float] = []
        self.languages: set[str] = set()
        self._silent_below = silent_below
        self.broken = broken

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        if self.broken:
            raise SpeechError("ear", "is broken")
        self.languages.add(language)
        seconds = samples.size / 16000 - 0.4  # less the margins of 0.2 s
        self.clips.append(round(seconds, 3))
        if seconds < self._silent_below:
            return Transcript("", no_speech=True)
        return Transcript(f"{seconds:.1f} seconds")


class Ears(Ear):
    """The same, of many clips at once."""

    async def transcribe_all(self, clips: list[Samples], *, language: str = "en") -> list[Transcript]:
        return [await self.transcribe(clip, language=language) for clip in clips]


def call(reply_s: float = 1.0) -> CallMaker:
    made = CallMaker().user(0.5, 2.5, "two point oh", heard="two point four")
    made.reply(3.3, tone(reply_s, 24000), response="r0", item="i0")
    made.turn(Side.ENDPOINT, 3.3, 3.3 + reply_s, intended="It is one.", heard="it is won")
    return made


def run(paths: list[Path], ear: Ear | None = None) -> RunScores:
    return asyncio.run(score(paths, ear))


def plain(scores: RunScores) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(scores.to_json(), allow_nan=False))
    return found


def test_an_episode_is_a_row_per_exchange(tmp_path: Path) -> None:
    made = call().user(6.0, 7.0, "anyone?")
    made.length = 40.0
    made.write(tmp_path / "run" / "e0")
    data = plain(run([tmp_path / "run"]))
    assert data["run"] == str(tmp_path / "run")
    (episode,) = data["episodes"]
    rows = episode.pop("turns")
    metrics = episode.pop("metrics")
    assert episode.pop("usage")["minutes"] == 0.667  # 40 s
    assert episode == {
        "id": "e0",
        "scenario": "tones",
        "endpoint": "reference://",
        "outcome": "completed",
        "fault": "nobody",
        "void": False,
        "path": str(tmp_path / "run" / "e0"),
    }
    assert rows == [
        {
            "user_start_s": 0.5,
            "user_end_s": 2.5,
            "endpoint_start_s": 3.3,
            "endpoint_end_s": 4.3,
            "latency_ms": 800.0,
            "intended": "two point oh",
            "said": None,
            "heard": "it is won",
            "endpoint_text": "It is one.",
            "endpoint_heard_user": "two point four",
            "unscored": {"said": "not_transcribed"},
        },
        {
            "user_start_s": 6.0,
            "user_end_s": 7.0,
            "endpoint_start_s": None,
            "endpoint_end_s": None,
            "latency_ms": None,
            "intended": "anyone?",
            "said": None,
            "heard": None,
            "endpoint_text": None,
            "endpoint_heard_user": None,
            "unscored": {
                "said": "not_transcribed",
                "endpoint_heard_user": "no_transcript",
                "endpoint_text": "no_reply",
                "heard": "no_reply",
                "latency_ms": "no_reply",
            },
        },
    ]
    assert metrics["response_latency"] == {
        "value": 800.0,
        "n": 1,
        "unscored": {"no_reply": 1},
        "unit": "ms",
        "version": 1,
    }


def test_word_errors_compare_what_they_say_they_compare(tmp_path: Path) -> None:
    call().write(tmp_path / "run" / "e0")
    metrics = plain(run([tmp_path], Ear()))["metrics"]
    assert metrics["user_wer_heard"]["value"] == 1.0  # 2.0 / 2.4: one of one
    assert metrics["endpoint_wer_heard"]["value"] == pytest.approx(1 / 3)  # one / won
    assert metrics["user_wer_said"]["value"] == 1.0  # 2.0 / 2.0 seconds: one insertion
    assert metrics["endpoint_wer_said"]["value"] == 1.0  # it is one / 1.0 seconds


def test_the_spoken_form_counts_as_the_users_words_too(tmp_path: Path) -> None:
    made = CallMaker().user(0.0, 1.0, "BRCA1", spoken="bracka one", heard="Bracka one.")
    made.reply(1.5, tone(1.0, 24000)).write(tmp_path / "e")
    assert plain(run([tmp_path]))["metrics"]["user_wer_heard"]["value"] == 0.0


def test_an_interrupted_reply_is_not_charged_for_words_nobody_heard(tmp_path: Path) -> None:  # D27
    made = (
        CallMaker()
        .user(0.0, 1.0, heard="hello there")
        .reply(1.5, tone(6.0, 24000), response="r0", item="i0")
    )
    made.user(4.0, 5.0, "stop", heard="stop").flush(4.3)
    made.turn(Side.ENDPOINT, 1.5, 4.3, intended="one two three four", heard="one two", interrupted=True)
    made.note(
        Flushed(t=4.3, by="endpoint", at=103200, items=(("i0", 67200, 144000),)),
        ResponseFinished(t=4.3, response="r0", status="cancelled"),
    )
    made.write(tmp_path / "e")
    data = plain(run([tmp_path], Ear()))
    first = data["episodes"][0]["turns"][0]
    assert first["endpoint_end_s"] == pytest.approx(4.3, abs=0.001)  # 2.8 s of 6 were heard
    assert first["heard"] == "one two"
    assert data["metrics"]["endpoint_wer_heard"]["unscored"] == {"interrupted": 1, "session_ended": 1}
    assert data["metrics"]["endpoint_wer_said"]["unscored"] == {
        "reply_not_completed": 1,
        "session_ended": 1,
    }


def test_the_endpoints_text_is_that_of_what_was_heard(tmp_path: Path) -> None:
    # i0 is cut before its first sound: the live turn took its text too, the score does not
    made = CallMaker().user(0.0, 1.0)
    made.reply(0.5, np.zeros(12000, np.int16), response="r0", item="i0").flush(0.9)
    made.reply(1.5, tone(1.0, 24000), response="r1", item="i1")
    made.note(
        EndpointText(t=0.5, text="Never heard.", mode="final", item="i0", response="r0"),
        EndpointText(t=1.5, text="It ", mode="delta", item="i1", response="r1"),
        EndpointText(t=1.6, text="is", mode="delta", item="i1", response="r1"),
        EndpointText(t=1.7, text="It is one.", mode="final", item="i1", response="r1"),
        EndpointText(t=1.8, text=" late", mode="delta", item="i1", response="r1"),
    )
    made.turn(Side.ENDPOINT, 1.5, 2.5, intended="Never heard. It is one.", heard="it is one")
    made.write(tmp_path / "e")
    data = plain(run([tmp_path]))
    assert data["episodes"][0]["turns"][0]["endpoint_text"] == "It is one."
    assert data["metrics"]["endpoint_wer_heard"]["value"] == 0.0


def test_a_language_without_word_spaces_has_no_word_errors(tmp_path: Path) -> None:
    call().write(tmp_path / "e", language="zh")
    metric = plain(run([tmp_path]))["metrics"]["user_wer_heard"]
    assert (metric["value"], metric["unscored"]) == (None, {"language_without_word_spaces": 1})


def test_a_language_without_word_spaces_has_character_errors_and_others_have_none(tmp_path: Path) -> None:
    made = CallMaker().user(0.5, 1.5, "我们今天去公园散步吧", heard="我们昨天去公园跑步吧")
    made.write(tmp_path / "zh", language="zh")
    found = plain(run([tmp_path / "zh"]))["metrics"]["user_cer_heard"]
    assert (found["value"], found["n"], found["unscored"]) == (0.2, 1, {})  # 2 of 10 characters
    call().write(tmp_path / "en")
    found = plain(run([tmp_path / "en"]))["metrics"]["user_cer_heard"]
    assert (found["value"], found["n"], found["unscored"]) == (None, 0, {})


@pytest.mark.parametrize("make", [Ear, Ears])
def test_a_recogniser_is_told_the_language_without_its_region(tmp_path: Path, make: type[Ear]) -> None:
    ear = make()
    run([call().write(tmp_path / "e", language="en-GB")], ear)
    assert (ear.clips, ear.languages) == ([2.0, 1.0], {"en"})


def test_transcripts_are_made_once_per_model(tmp_path: Path) -> None:
    folder = call().write(tmp_path / "e")
    first, again, other = Ear(), Ear(), Ear("other")
    scores = run([folder], first)
    assert first.clips == [2.0, 1.0]  # the utterance, and the reply as it arrived
    assert scores.episodes[0].view.texts[0].said == "2.0 seconds"
    run([folder], again)
    assert again.clips == []
    run([folder], other)
    assert other.clips == [2.0, 1.0]
    stored = read_scores(folder, "transcripts")
    assert stored["model"]["name"] == "other"
    # without a recogniser the stored ones serve
    assert run([folder]).episodes[0].view.texts[0].said == "2.0 seconds"


def test_the_reply_as_heard_is_transcribed_only_if_the_call_did_not(tmp_path: Path) -> None:
    made = CallMaker().user(0.5, 2.5).reply(3.3, tone(1.0, 24000))
    made.turn(Side.ENDPOINT, 3.3, 4.3, intended="one", unscored={"heard": "no_recogniser"})
    folder = made.write(tmp_path / "e")
    assert plain(run([folder]))["episodes"][0]["turns"][0]["unscored"]["heard"] == "no_recogniser"
    row = plain(run([folder], Ear()))["episodes"][0]["turns"][0]
    assert row["heard"] == "1.0 seconds"


def test_silence_and_failure_of_the_recogniser_are_causes(tmp_path: Path) -> None:
    folder = call().write(tmp_path / "e")
    row = plain(run([folder], Ear(silent_below=9)))["episodes"][0]["turns"][0]
    assert (row["said"], row["unscored"]["said"]) == (None, "no_speech")
    row = plain(run([folder], Ear("b", broken=True)))["episodes"][0]["turns"][0]
    assert (row["said"], row["unscored"]["said"]) == (None, "recogniser_failed")
    # what failed is tried again
    row = plain(run([folder], Ear("b")))["episodes"][0]["turns"][0]
    assert row["said"] == "2.0 seconds"


def test_void_episodes_are_shown_and_counted_but_not_averaged(tmp_path: Path) -> None:
    call().write(tmp_path / "good")
    late = CallMaker().user(0.0, 1.0).reply(9.0, tone(1.0, 24000))
    late.write(tmp_path / "late", outcome=Outcome.BEHIND_REAL_TIME)
    data = plain(run([tmp_path]))
    assert [episode["void"] for episode in data["episodes"]] == [False, True]
    assert data["episodes"][1]["metrics"]["response_latency"]["value"] == 8000
    latency = data["metrics"]["response_latency"]
    assert (latency["value"], latency["n"], latency["unscored"]) == (800, 1, {"void_episode": 1})


def test_the_order_of_episodes_changes_no_aggregate(tmp_path: Path) -> None:
    for number, arrival in enumerate((1.3, 1.7, 2.9, 1.1)):
        CallMaker().user(0.0, 1.0, "a b c", heard="a b").reply(arrival, tone(1.0, 24000)).write(
            tmp_path / f"e{number}"
        )
    scores = run([tmp_path])
    assert combine(scores.episodes) == combine(scores.episodes[::-1])


def test_scores_are_written_beside_the_episode_with_their_evidence(tmp_path: Path) -> None:
    folder = call().write(tmp_path / "e")
    run([folder])
    latency = read_scores(folder, "timing")["metrics"]["response_latency"]
    assert (latency["value"], latency["statistic"], latency["n"]) == (800, "median", 1)
    assert latency["spread"]["p95"] is None
    (value,) = latency["values"]
    assert value["exchange"] == 0
    assert value["evidence"]["user_end_s"] == 2.5
    words = read_scores(folder, "words")["metrics"]["user_wer_heard"]["values"][0]
    assert words["evidence"]["normaliser"] == "vivavoce-words-2"


def test_an_episode_named_twice_counts_once(tmp_path: Path) -> None:
    folder = call().write(tmp_path / "run" / "e")
    scores = run([folder, tmp_path / "run"])
    assert len(scores.episodes) == 1
    assert scores.run == str(tmp_path / "run")


def test_live_verdicts_stand_in_the_row_of_the_reply(tmp_path: Path) -> None:
    made = CallMaker().user(0.0, 1.0).reply(1.5, tone(1.0, 24000))
    verdict = Verdict(judge="facts", label="partly", reason="one of two")
    made.turn(Side.ENDPOINT, 1.5, 2.5, heard="x", verdicts=(verdict,)).write(tmp_path / "e")
    (row,) = plain(run([tmp_path]))["episodes"][0]["turns"]
    assert row["verdicts"] == [verdict.model_dump(mode="json")]


def test_an_unfinished_episode_with_no_audio_can_be_scored(tmp_path: Path) -> None:
    folder = call().write(tmp_path / "e", outcome=Outcome.UNFINISHED)
    for name in ("user.wav", "user_clean.wav", "endpoint.wav", "received.wav", "events.jsonl"):
        (folder / name).unlink()
    (folder / "received.jsonl").unlink()
    (folder / "turns.jsonl").unlink()
    data = plain(run([folder]))
    assert data["episodes"][0]["void"]


def test_a_folder_without_episodes_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="holds no episode"):
        run([tmp_path])


def test_stereo_tracks_are_refused(tmp_path: Path) -> None:  # D26
    import soundfile

    folder = call().write(tmp_path / "e")
    soundfile.write(folder / "endpoint.wav", np.zeros((24000, 2), np.int16), 24000, subtype="PCM_16")
    with pytest.raises(RecordingError, match="2 channels"):
        run([folder])
