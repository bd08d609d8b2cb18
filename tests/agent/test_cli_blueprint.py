from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
from typer.testing import CliRunner

from agent.cli.main import app
from agent.cli.scores.blueprint import with_word_times
from recordings.format import Side
from tests.scoring.blueprint.sounds import quiet, talk
from tests.scoring.episodes import CallMaker, tone

RATE = 16000


def viva(*arguments: str | Path) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["blueprint", *map(str, arguments)])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def reply(tmp_path: Path) -> Path:
    path = tmp_path / "reply.wav"
    soundfile.write(path, talk(), RATE, subtype="PCM_16")
    return path


@pytest.mark.models
def test_a_recording_is_one_record(reply: Path, tmp_path: Path) -> None:
    code, out, err = viva(reply, "--json", "--svg", tmp_path / "reply.svg")
    assert (code, err) == (0, "")
    record = json.loads(out, parse_constant=pytest.fail)
    assert record["version"] == 2
    assert 1 < record["quality"]["plain"]["overall"] < 5
    assert record["unscored"]["transcript"] == "no_recogniser"
    assert (tmp_path / "reply.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("what", "cause"), [("empty", "no_audio"), ("zeros", "silent"), ("nan", "not_finite")]
)
def test_a_recording_with_nothing_to_measure_is_unscored_and_no_error(
    what: str, cause: str, tmp_path: Path
) -> None:
    clip = {"empty": quiet(0), "zeros": quiet(1), "nan": np.full(1600, np.nan, np.float32)}[what]
    soundfile.write(tmp_path / "clip.wav", clip, RATE, subtype="FLOAT")
    code, out, _ = viva(tmp_path / "clip.wav", "--json")
    assert code == 0
    assert json.loads(out)["unscored"]["quality"] == cause


def test_channels_are_named_and_never_mixed(tmp_path: Path) -> None:
    stereo = np.stack([quiet(1), quiet(1)], axis=1)
    soundfile.write(tmp_path / "call.wav", stereo, RATE)
    code, _, err = viva(tmp_path / "call.wav")
    assert code == 2
    assert "found 2 channels, expected 1" in err and "--channel" in err
    assert viva(tmp_path / "call.wav", "--channel", "2", "--compact")[0] == 0
    assert viva(tmp_path / "call.wav", "--channel", "3")[0] == 2


@pytest.mark.parametrize("name", ["nowhere.wav", "text.wav"])
def test_what_is_no_recording_is_bad_input(name: str, tmp_path: Path) -> None:
    (tmp_path / "text.wav").write_text("this is no sound")
    code, out, err = viva(tmp_path / name, "--json")
    assert (code, out) == (2, "")
    assert name in err


@pytest.mark.models
def test_an_episode_has_a_record_for_every_turn(tmp_path: Path) -> None:
    call = CallMaker().user(0.5, 1.5).reply(2.0, tone(1.0, 24000)).turn(Side.ENDPOINT, 2.0, 3.0)
    call.write(tmp_path / "run" / "call")
    code, out, err = viva(tmp_path / "run", "--json", "--svg", tmp_path / "pictures")
    assert code == 0
    (episode,) = json.loads(out)["episodes"]
    assert [turn["side"] for turn in episode["turns"]] == ["user", "endpoint"]
    assert "2/2 turns" in err
    assert len(list((tmp_path / "pictures").iterdir())) == 2
    assert viva(tmp_path / "run", "--compact")[1].count("\n# call, turn") == 1


@pytest.mark.parametrize(
    ("spec", "asked"),
    [
        ("whisper:base", "whisper:base?words=true"),
        ("whisper:tiny?beam=2", "whisper:tiny?beam=2&words=true"),
        ("default", "whisper:base?words=true"),
        ("whisper:base?words=false", "whisper:base?words=false"),
        ("openai:whisper-1", "openai:whisper-1"),
    ],
)
def test_whisper_is_asked_for_the_times_of_words(spec: str, asked: str) -> None:
    assert with_word_times(spec) == asked
