"""`viva import` of what pipecat's evals recorded: mixes of both sides, found by their records."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import soundfile

from agent.cli.exchange import imported
from recordings.check import check
from recordings.errors import RecordingError
from recordings.importing import pipecat
from recordings.reader import Episode
from streams.audio import Samples
from streams.speech.interfaces import ModelIdentity, Transcript
from tests.agent.cli_calls import Viva
from tests.scoring.episodes import CallMaker, tone


class Script:
    """Hears given texts, one for each clip in order."""

    identity = ModelIdentity("fake", "script", "1")

    def __init__(self, *texts: str) -> None:
        self._texts = list(texts)

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        return Transcript(self._texts.pop(0)) if self._texts else Transcript("", no_speech=True)


def a_pipecat_run(folder: Path, **changes: Any) -> Path:
    """As `pipecat eval suite` writes it; see recordings.importing.pipecat."""
    (folder / "recordings").mkdir(parents=True)
    call = CallMaker(user_rate=16000, endpoint_rate=16000, length=10.0)
    call.reply(0.5, tone(1.0, 16000)).user(2.0, 3.0).reply(3.75, tone(1.0, 16000))
    mixed = call.user_track + call.endpoint_track
    soundfile.write(folder / "recordings/bot__book__001.wav", mixed, 16000)
    messages = [
        {"role": "assistant", "content": "Hello, how can I help?"},
        {"role": "user", "content": "A table for four, please."},
        {"role": "assistant", "content": "Friday at seven works."},
    ]
    record = {
        "bot": "bot.py",
        "name": "openai/gpt",
        "scenario": "book",
        "kind": "simulation",
        "ended_by": "bot",
        "messages": messages,
        "artifacts": {"recording": "/somewhere/else/recordings/bot__book__001.wav"},
    }
    (folder / "results.jsonl").write_text(json.dumps(record | changes) + "\n")
    return folder


def test_a_mix_of_both_sides_is_taken_apart_by_words_and_says_nothing_of_overlap(
    viva: Viva, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_pipecat_run(viva.folder / "evals")
    ears = Script("hello how can i help", "a table for four please", "friday at seven works")
    monkeypatch.setattr(imported, "make_recogniser", lambda _: ears)
    done = viva("import", "evals", "--detector", "none", "--out", "o", "--json")
    assert done.code == 0, done.err
    (scored,) = done.json["episodes"]
    assert (scored["endpoint"], scored["outcome"]) == ("openai/gpt", "endpoint_hung_up")
    (turn,) = scored["turns"]
    assert (turn["latency_ms"], turn["intended"]) == (750.0, "A table for four, please.")
    assert turn["heard"] == "Friday at seven works."
    # the bot ended the call, which nobody had said it may do
    assert done.json["metrics"]["passed"]["n"] == 1
    for name in ("overlap", "time_to_yield", "talk_over", "eva_turn_taking"):
        assert done.json["metrics"][name]["unscored"] == {"sides_were_mixed": 1}, name
    episode = Episode.load(viva.folder / "o/bot__book__001")
    assert check(episode) == []
    assert episode.info.imported is not None
    assert episode.info.imported.inferred["sides"] == "by the words that a recogniser heard"


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({}, "is a mix of both sides, which only a recogniser can tell apart"),
        ({"messages": []}, "has no recording with the words of both sides"),
        ({"artifacts": {"recording": "../../etc/passwd"}}, "has no recording with the words of both sides"),
    ],
)
def test_a_mix_that_cannot_be_taken_apart_is_refused(
    viva: Viva, changes: dict[str, Any], complaint: str
) -> None:
    a_pipecat_run(viva.folder / "evals", **changes)
    done = viva("import", "evals", "--recogniser", "none", "--detector", "none", "--out", "o", "--json")
    assert (done.code, complaint in done.err) == (2, True), done.err


def two_pipecat_runs(folder: Path, *named: str) -> list[Path]:
    """Recordings of one name in folders a and b, and the paths by which results.jsonl names them."""
    a_pipecat_run(folder)
    made = folder / "recordings/bot__book__001.wav"
    record = json.loads((folder / "results.jsonl").read_text())
    places = [folder / "a/call.wav", folder / "b/call.wav"]
    for place in places:
        place.parent.mkdir()
        shutil.copyfile(made, place)
    made.unlink()
    records = [
        {**record, "name": f"bot {number}", "artifacts": {"recording": path}}
        for number, path in enumerate(named)
    ]
    (folder / "results.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    return places


def test_recordings_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    places = two_pipecat_runs(tmp_path / "evals", "/there/evals/b/call.wav", "C:\\evals\\a\\call.wav")
    found = {source.endpoint: source for source in pipecat.sources(tmp_path / "evals")}
    assert found["bot 0"].sounds == (places[1],) and found["bot 1"].sounds == (places[0],)
    assert sorted(source.name for source in found.values()) == ["a-call", "b-call"]


def test_a_recording_that_is_missing_is_not_another_of_the_same_name(tmp_path: Path) -> None:
    two_pipecat_runs(tmp_path / "evals", "/there/a/call.wav", "/there/b/call.wav", "/there/c/call.wav")
    assert [one.endpoint for one in pipecat.sources(tmp_path / "evals")] == ["bot 0", "bot 1"]


def test_of_two_records_of_one_recording_the_last_counts(tmp_path: Path) -> None:
    two_pipecat_runs(tmp_path / "evals", "/there/a/call.wav", "/there/a/call.wav")
    assert [one.endpoint for one in pipecat.sources(tmp_path / "evals")] == ["bot 1"]


@pytest.mark.parametrize("named", [["call.wav"], ["/c/call.wav", "/d/call.wav"]])
def test_recordings_that_cannot_be_told_apart_are_refused(named: list[str], tmp_path: Path) -> None:
    two_pipecat_runs(tmp_path / "evals", *named)
    with pytest.raises(
        RecordingError, match=r"which recording that is cannot be told\. Import each folder"
    ):
        pipecat.sources(tmp_path / "evals")


def test_no_recording_is_that_of_two_simulations(tmp_path: Path) -> None:
    _, other = two_pipecat_runs(tmp_path / "evals", "/c/call.wav", "/d/call.wav")
    other.unlink()
    with pytest.raises(RecordingError, match="which recording that is cannot be told"):
        pipecat.sources(tmp_path / "evals")


def test_a_link_is_no_recording(tmp_path: Path) -> None:
    place, other = two_pipecat_runs(tmp_path / "evals", "/there/a/call.wav", "/there/b/call.wav")
    outside = place.rename(tmp_path / "outside.wav")
    place.symlink_to(outside)
    assert [one.sounds for one in pipecat.sources(tmp_path / "evals")] == [(other,)]
