"""`viva import TABLE.csv`: single answers with sound become results that `viva science` reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from agent.cli.exchange import imported
from streams.audio import Samples
from streams.speech.interfaces import ModelIdentity, Transcript
from tests.agent.cli_calls import Viva
from tests.scoring.episodes import tone

TABLE = """\
ID,Question,Audio,Text,Reference,Domain
q1,What is water made of?,sounds/a.wav,Hydrogen and oxygen.,oxygen,chemistry
q2,Who found radium?,sounds/b.wav,Marie Curie found radium.,Marie Curie,physics
"""


class Ears:
    """Hears what was agreed for the length of a clip in whole tenths of a second."""

    identity = ModelIdentity("fake", "ears", "1")

    def __init__(self, words: dict[int, str]) -> None:
        self._words = words

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        # 0.2 s of margin stand on either side
        text = self._words[round(10 * samples.size / 16000) - 4]
        return Transcript(text)


@pytest.fixture
def folder(viva: Viva) -> Path:
    (viva.folder / "set/sounds").mkdir(parents=True)
    soundfile.write(viva.folder / "set/sounds/a.wav", tone(0.5, 16000), 16000)
    soundfile.write(viva.folder / "set/sounds/b.wav", tone(0.7, 8000), 8000)
    (viva.folder / "set/answers.csv").write_text(TABLE)
    return viva.folder / "set"


def test_answers_are_heard_and_reported_by_stage(
    viva: Viva, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ears = Ears({5: "hydrogen and oxen", 7: "marie curie found radium"})
    monkeypatch.setattr(imported, "make_recogniser", lambda _: ears)
    done = viva("import", "set/answers.csv", "--name", "bot", "--out", "o", "--json")
    assert done.code == 0, done.err
    assert (done.json["answers"], done.json["failed"]) == (2, [])
    (table,) = done.json["science"]["stages"]
    assert (table["system"], table["questions"]) == ("bot", 2)
    whole = table["all"]
    # of 3 + 4 words that were written one, oxygen, was said otherwise
    assert whole["generation_wer"]["value"] == pytest.approx(1 / 7)
    # what counts is what was said: no oxygen in the first answer
    assert (whole["knowledge_accuracy"]["value"], whole["knowledge_accuracy"]["n"]) == (0.5, 2)
    again = viva("science", "o/answers.results.jsonl", "--json")
    assert again.json == done.json["science"]


def test_a_file_that_cannot_be_read_leaves_its_answer_unscored(
    viva: Viva, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "sounds/b.wav").write_bytes(b"nonsense")
    monkeypatch.setattr(imported, "make_recogniser", lambda _: Ears({5: "hydrogen and oxygen"}))
    done = viva("import", "set/answers.csv", "--out", "o", "--json")
    assert done.code == 2
    (problem,) = done.json["failed"]
    assert "sounds/b.wav: cannot be read as audio" in problem
    cell = done.json["science"]["stages"][0]["all"]["generation_wer"]
    assert (cell["value"], cell["n"], cell["unscored"]) == (0.0, 1, {"audio_unreadable": 1})


def test_without_a_recogniser_speech_is_unscored(viva: Viva, folder: Path) -> None:
    done = viva("import", "set/answers.csv", "--recogniser", "none", "--out", "o", "--json")
    cell = done.json["science"]["stages"][0]["all"]["generation_wer"]
    assert (cell["n"], cell["unscored"]) == (0, {"not_transcribed": 2})


def test_questions_of_a_pack_are_known_by_their_ids(viva: Viva) -> None:
    (viva.folder / "quiz.yaml").write_text(
        "version: 1\nid: q1\ntitle: Quiz\ndomain: chemistry\nturns:\n"
        "  - text: What is water made of?\n"
        "    item: {kind: choice, options: {A: iron, B: hydrogen and oxygen}, answer: B}\n"
    )
    (viva.folder / "a.csv").write_text("id,transcript\nq1,The answer is B.\n")
    arguments = ("--scenario", "quiz.yaml", "--recogniser", "none", "--out", "o", "--json")
    done = viva("import", "a.csv", *arguments)
    assert done.code == 0, done.err
    (table,) = done.json["science"]["stages"]
    assert (table["system"], list(table["domains"])) == ("a", ["chemistry"])
    assert table["all"]["knowledge_accuracy"]["value"] == 1.0


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "has columns without names"),
        ("id,name\n1,2\n", "has columns id, name. One must be audio, text or transcript"),
        ("id,text\n", "holds no answer"),
        ("id,text\na,x\na,y\n", "a.csv:3: has the id 'a' twice"),
        ("id,text\na,x,y\n", "a.csv:2: has 3 cells for 2 columns"),
        ("id,text,correct\na,x,perhaps\n", "a.csv:2: has 'perhaps' as correct"),
        ("id,audio\na,../secret.wav\n", "a.csv:2: names '../secret.wav', which lies outside its folder"),
        ("id,audio\na,/etc/passwd\n", "which lies outside"),
        ("id,audio\na,C:\\secret.wav\n", "which lies outside"),
        ("id,audio\na,link.wav\n", "which lies outside"),
        ("id,audio\na,x\0.wav\n", "a.csv"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_whole(viva: Viva, content: str, complaint: str) -> None:
    (viva.folder / "set").mkdir()
    soundfile.write(viva.folder / "secret.wav", np.ones(100, np.int16), 16000)
    (viva.folder / "set/link.wav").symlink_to(viva.folder / "secret.wav")
    (viva.folder / "set/a.csv").write_bytes(content.encode())
    done = viva("import", "set/a.csv", "--recogniser", "none", "--out", "o", "--json")
    assert done.code == 2
    assert complaint in done.err
    assert not (viva.folder / "o").exists()


def test_results_are_never_overwritten_nor_mixed_with_calls(viva: Viva, folder: Path) -> None:
    assert viva("import", "set/answers.csv", "--recogniser", "none", "--out", "o", "--json").code == 0
    done = viva("import", "set/answers.csv", "--recogniser", "none", "--out", "o", "--json")
    assert (done.code, "exists already" in done.err) == (2, True)
    done = viva("import", "set/answers.csv", "set/sounds", "--recogniser", "none", "--out", "p")
    assert (done.code, "are imported apart" in done.err) == (2, True)
