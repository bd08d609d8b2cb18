from __future__ import annotations

import json
from pathlib import Path

import pytest
import soundfile

from agent.cli import exits
from agent.cli.packs.voice_check import MAX_WER_ABOVE, Row, examine
from agent.cli.packs.voices import row_json, voices
from scenarios.manners import STYLES, VOICES
from streams import clock
from streams.audio import to_float
from streams.levels import active_level
from streams.speech.fake import ScriptedRecogniser
from tests.user_sim.synthetic_speech import VowelVoice

TEXT = "the red house is old"


def rows(heard: list[str]) -> dict[str, Row]:
    async def main() -> list[Row]:
        return [row async for row in examine(VowelVoice(0.5), ScriptedRecogniser(heard), [TEXT])]

    return {row.name: row for row in clock.run(main())}


def test_the_list_is_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert voices(False, None, "default", "default", json=True) == exits.PASS
    report = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in report["voices"]] == list(VOICES)
    assert [one["name"] for one in report["styles"]] == list(STYLES)
    (calm,) = [one for one in report["styles"] if one["name"] == "calm"]
    assert calm["rate"] == STYLES["calm"].rate and calm["spec"] == str(STYLES["calm"])


def test_people_get_two_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert voices(False, None, "default", "default", json=False) == exits.PASS
    out = capsys.readouterr().out
    assert all(name in out for name in (*VOICES, *STYLES))


def test_a_sample_of_everything_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert voices(False, tmp_path / "samples", "tone:0.2", "none", json=True) == exits.PASS
    paths = json.loads(capsys.readouterr().out)["samples"]
    assert len(paths) == len(VOICES) + len(STYLES)
    whisper, rate = soundfile.read(tmp_path / "samples" / "style-whispering.wav", dtype="int16")
    found = active_level(to_float(whisper), rate)
    assert found is not None and found.dbov == pytest.approx(-36, abs=0.2)


def test_a_voice_that_is_not_there_is_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert voices(False, tmp_path, "pipper", "none", json=True) == exits.BAD_INPUT
    assert "voice 'pipper'" in capsys.readouterr().err


def test_every_manner_is_measured_and_recognised() -> None:
    # two texts for each row: the sentence and the names; "sad" is heard wrongly, a whisper not at all
    order = ["untouched", "resynthesis", *STYLES, *VOICES]
    wrong = {"resynthesis": "the red horse is old", "sad": "the red", "whispering": ""}
    found = rows([text for name in order for text in (wrong.get(name, TEXT), f"names of {name}")])
    assert list(found) == order
    assert [len(found[name].checks) for name in ("untouched", "calm", "whispering", "anna")] == [0, 5, 3, 0]
    assert found["resynthesis"].wer == pytest.approx(1 / 5)
    # three of five words are missing: more than a fifth and a tenth
    assert found["sad"].wer == pytest.approx(3 / 5) and 1 / 5 + MAX_WER_ABOVE < 3 / 5
    assert [name for name, row in found.items() if not row.intelligible] == ["sad"]
    assert found["whispering"].wer == 1.0  # reported, and allowed
    assert found["anna"].names == "names of anna"
    plain = row_json(found["calm"])
    assert plain["passes"] is found["calm"].passes is all(check.fits for check in found["calm"].checks)
    assert plain["words"] == 5
    assert plain["traits"]["duration"]["measured"] == pytest.approx(1 / 0.88, abs=0.03)
