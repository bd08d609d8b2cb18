"""`viva scenarios verify`: queries are spoken, heard, compared, measured."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agent.cli import exits
from agent.cli.packs import verify as command
from agent.cli.packs.spoken_queries import Bench
from agent.cli.packs.verify import VerifyRequest, check_all, make_bench, verify
from benchmarks.verify import PLANTED, scenario
from scenarios.load import find, from_scenario
from scoring.verify import Look
from streams.audio import Samples
from streams.clock import run
from streams.speech.fake import ScriptedRecogniser, ToneVoice

PACK = """\
id: two
title: Two questions
turns:
  - text: Which letter comes first?
    item: {kind: choice, options: {A: alpha, B: beta}, answer: A}
goodbye:
  text: Good night!
"""


def file(folder: Path) -> Path:
    path = folder / "two.yaml"
    path.write_text(PACK)
    return path


def bench(heard: list[str], quality: float = 4.0) -> Bench:
    def p808(samples: Samples) -> float:
        assert samples.dtype == np.float32
        return quality

    return Bench(ToneVoice(0.3), ScriptedRecogniser(heard), p808)


def test_every_line_is_checked_with_its_options_read_aloud(tmp_path: Path) -> None:
    heard = ["Which letter comes first? A alpha, B beta.", "Good knight!"]
    first, last = run(check_all(find(str(file(tmp_path))), bench(heard)))
    assert first.text == "Which letter comes first? A: alpha, B: beta."
    assert (first.place, first.looks, first.p808) == ("turns[0]", (), 4.0)
    assert (last.place, last.looks) == ("goodbye", (Look.WORDS,))


def test_the_report_lists_what_to_look_at_and_the_file_holds_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    heard = ["Which letter comes first? A alpha, B beta.", ""]
    monkeypatch.setattr(command, "make_bench", lambda *_: bench(heard, quality=3.2))
    out = tmp_path / "verify.json"
    request = VerifyRequest([str(file(tmp_path))], floor=3.5, out=out, json=True)
    assert verify(request) == exits.GATE_FAILED
    report = json.loads(capsys.readouterr().out)
    assert report["by_cause"] == {"words": 0, "quality": 2, "silent": 1, "failed": 0}
    assert [row["place"] for row in report["look_at"]] == ["goodbye", "turns[0]"]
    assert len(json.loads(out.read_text())["queries_checked"]) == 2


def test_people_get_a_table_and_a_limit_counts_queries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        command, "make_bench", lambda *_: bench(["which letter comes first a alpha b beta"])
    )
    request = VerifyRequest([str(file(tmp_path))], limit=1, out=tmp_path / "verify.json")
    assert verify(request) == exits.PASS
    printed = capsys.readouterr()
    assert "0 of 1 queries to look at" in printed.out
    assert printed.err == "[1/1] two turns[0]  good\n"


def test_a_voice_that_fails_is_a_cause_and_not_a_crash() -> None:
    wrong = scenario(1, "Hello?")
    persona = wrong.persona.model_copy(update={"voice": "nobody"})
    loaded = from_scenario(wrong.model_copy(update={"persona": persona}))
    (found,) = run(check_all([loaded], bench(["hello"])))
    assert found.looks == (Look.FAILED,)
    assert "nobody" in found.cause


@pytest.mark.parametrize(("pack", "voice"), [("no-such-pack", "tone:0.1"), ("demo", "pipper")])
def test_what_is_not_there_is_bad_input(pack: str, voice: str, tmp_path: Path) -> None:
    assert verify(VerifyRequest([pack], voice=voice, out=tmp_path / "out.json")) == exits.BAD_INPUT


@pytest.mark.models
def test_nine_of_ten_planted_mispronunciations_are_found() -> None:
    loaded = [from_scenario(scenario(n, text, spoken)) for n, (text, spoken) in enumerate(PLANTED)]
    found = run(check_all(loaded, make_bench("default", "whisper:base", 0)))
    assert sum(Look.WORDS in one.looks for one in found) >= 9
