"""What a grown scenario's user says, by ear: the weightiest cause, and the manner in a real voice."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from agent.cli.packs.grow_sound import Heard, heard, manner, record
from agent.cli.packs.spoken_queries import Bench
from scenarios.load import LoadedScenario, load_pack
from scoring.verify import Checked, compare
from streams.clock import run
from streams.speech import select
from streams.speech.audio_files import read_clip
from streams.speech.fake import ScriptedRecogniser, ToneVoice
from tests.agent.growing import bench
from user_sim.manner.verify import Check

FITS, MISSES = Check("range", 1.0, (0.5, 1.5)), Check("pitch", 9.0, (-1.0, 1.0))


def scenario(id: str) -> LoadedScenario:
    return next(one for one in load_pack("expression").scenarios if one.scenario.id == id)


def line(heard: str = "good evening", p808: float = 4.0, cause: str = "") -> Checked:
    comparison = compare("good evening", heard) if heard else None
    return Checked(
        "s", "turns[0]", "good evening", heard=heard, comparison=comparison, p808=p808, cause=cause
    )


@pytest.mark.parametrize(
    ("lines", "traits", "cause", "detail"),
    [
        ((line(), line()), (FITS,), "", ""),
        ((line(), line(p808=3.2)), (FITS,), "quality", "P.808 3.20 below 3.5"),
        ((line("good morning", 3.2),), (), "words", "evening / morning; P.808 3.20 below 3.5"),
        ((line("good morning"),), (FITS, MISSES), "manner", "pitch 9.00 not in -1 to 1; evening / morning"),
        ((line(), line("")), (MISSES,), "silent", "pitch 9.00 not in -1 to 1"),
        ((line(), line(cause="voice: broken")), (), "failed", "voice: broken"),
        ((line(),), (Check("range", None, (0.5, 1.5)),), "manner", "range unmeasured not in 0.5 to 1.5"),
    ],
)
def test_the_weightiest_of_what_is_wrong_is_the_cause_and_all_of_it_the_detail(
    lines: tuple[Checked, ...], traits: tuple[Check, ...], cause: str, detail: str
) -> None:
    found = Heard(lines, traits)
    assert (found.cause, found.detail) == (cause, detail)


def test_every_line_is_heard_and_a_neutral_turn_has_no_manner_to_measure() -> None:
    found = run(heard(scenario("symptoms-3"), bench()))
    assert [one.place for one in found.lines] == ["turns[0]", "turns[1]"]
    assert (found.cause, found.manner) == ("", ())


def test_a_voice_that_fails_is_a_cause() -> None:
    broken = scenario("symptoms-3")
    persona = broken.scenario.persona.model_copy(update={"voice": "nobody"})
    wrong = LoadedScenario(broken.scenario.model_copy(update={"persona": persona}), None, Path(), "")
    assert run(heard(wrong, bench())).cause == "failed"


def test_what_is_asked_is_written_as_it_is_spoken(tmp_path: Path) -> None:
    # 0.5 s of tone, tired: at a rate of 0.78 it takes 0.641 s
    path = tmp_path / "review/x.wav"
    run(record(scenario("storytelling-4"), Bench(ToneVoice(0.5), ScriptedRecogniser([])), path))
    clip = read_clip(path)
    assert clip.rate == 16000
    assert len(clip.pcm) / 2 / clip.rate == pytest.approx(0.5 / 0.78, abs=0.02)
    assert np.any(np.frombuffer(clip.pcm, np.int16))


@pytest.mark.models
@pytest.mark.parametrize("id", ["small-talk-4", "storytelling-4"])  # whispering, tired
def test_a_real_voice_has_the_manner_that_it_is_asked_for(id: str) -> None:
    voice = Bench(select.voice("default", os.environ), ScriptedRecogniser([]))
    found = run(manner(scenario(id), voice))
    assert len(found) >= 3 and all(one.fits for one in found), found
