"""The persona's voice and style in what goes into the microphone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from scenarios.manners import STYLES, VOICES, Manner
from streams import clock
from streams.audio import to_float, to_pcm, to_pcm16
from streams.levels import active_level
from streams.speech.interfaces import Speech
from streams.speech.voice_cache import VoiceCache
from tests.user_sim.synthetic_speech import RATE, VowelVoice, sentence
from user_sim.manner.spoken import in_manner
from user_sim.policy import Line
from user_sim.voice import UserVoice, UserVoiceFailed, Utterance


def prepare(voice: UserVoice, *lines: Line) -> list[Utterance]:
    async def main() -> list[Utterance]:
        return [await voice.prepare(line) for line in lines]

    return clock.run(main(), simulate=True)


def made(manner: Manner, rate: int = RATE) -> bytes:
    return in_manner(Speech(to_pcm16(sentence()), RATE), manner, rate)


def level(utterance: Utterance) -> float:
    found = active_level(to_float(utterance.pcm), utterance.rate)
    assert found is not None
    return found.dbov


def test_the_persona_speaks_in_its_voice_and_style_and_a_line_in_its_own() -> None:
    voice = UserVoice(VowelVoice(), RATE, who="ben", style="calm")
    plain, loud = prepare(voice, Line("one"), Line("two", style="angry; rate=1"))
    assert plain.pcm == made(VOICES["ben"] + STYLES["calm"])
    assert (plain.voice, plain.style) == ("ben", "calm")
    angry = Manner(pitch=2, range=1.5, loudness=6, tilt=1.5)
    assert loud.pcm == made(VOICES["ben"] + angry)
    assert (loud.voice, loud.style) == ("ben", "angry; rate=1")


def test_where_speech_begins_and_ends_is_found_on_the_finished_sound() -> None:
    (spoken,) = prepare(UserVoice(VowelVoice(), RATE, style="rate=0.5"), Line("one"))
    assert spoken.samples == 51200  # 1.6 s at half the speed
    # 0.1 s of silence at both ends become 0.2 s; the vocoder smears a hard edge over its window of 25 ms,
    # here twice as long
    assert spoken.audible_start == pytest.approx(3200, abs=800)
    assert spoken.audible_end == pytest.approx(51200 - 3200, abs=800)


@pytest.mark.parametrize("rate", [8000, 24000])
def test_speech_is_at_minus_26_and_a_style_relative_to_it(rate: int) -> None:
    voice = UserVoice(VowelVoice(), rate)
    lines = [Line("one", style=style) for style in ("", "whispering", "excited", "loudness=-3")]
    neutral, whispering, excited, soft = (level(one) for one in prepare(voice, *lines))
    assert neutral == pytest.approx(-26, abs=0.1)
    assert whispering == pytest.approx(-36, abs=0.1)
    assert excited == pytest.approx(-22, abs=0.1)
    assert soft == pytest.approx(-29, abs=0.1)


def test_every_manner_has_its_own_place_in_the_cache(tmp_path: Path) -> None:
    lines = [Line("one"), Line("one", style="calm"), Line("one", style="calm; rate=1.1")]
    engine = VowelVoice()
    first = prepare(UserVoice(engine, RATE, VoiceCache(tmp_path)), *lines)
    assert len(engine.spoken) == 3 and len({one.pcm for one in first}) == 3
    again = VowelVoice()
    assert prepare(UserVoice(again, RATE, VoiceCache(tmp_path)), *lines) == first
    assert again.spoken == []
    prepare(UserVoice(again, RATE, VoiceCache(tmp_path), who="anna"), lines[0])
    assert again.spoken == ["one"]


@pytest.mark.parametrize(
    ("who", "style", "complaint"),
    [
        ("ana", "", "the voice 'ana', expected one of anna"),
        ("", "load", "the style 'load'"),
        ("anna", "formants=1.4", "found formants 1.624, expected 0.7 to 1.5"),
    ],
)
def test_a_manner_that_no_voice_has_is_our_failure(who: str, style: str, complaint: str) -> None:
    with pytest.raises(UserVoiceFailed, match=complaint):
        prepare(UserVoice(VowelVoice(), RATE, who=who), Line("one", style=style))


def test_a_recording_is_brought_to_the_same_level_but_keeps_its_manner(tmp_path: Path) -> None:
    quiet = to_pcm16(sentence() * np.float32(0.1))
    soundfile.write(tmp_path / "quiet.wav", to_pcm(quiet), RATE)
    voice = UserVoice(VowelVoice(), RATE, who="anna", style="calm", folder=tmp_path)
    (spoken,) = prepare(voice, Line("one", audio="quiet.wav"))
    assert level(spoken) == pytest.approx(-26, abs=0.1)
    before = active_level(to_float(quiet), RATE)
    assert before is not None
    assert spoken.gain_db == pytest.approx(-26 - before.dbov, abs=0.01)
    assert np.allclose(to_float(spoken.pcm), to_float(quiet) * 10 ** (spoken.gain_db / 20), atol=1e-4)
    assert (spoken.voice, spoken.style) == ("", "")


def test_a_recording_without_speech_is_not_amplified(tmp_path: Path) -> None:
    breath = to_pcm16(np.random.default_rng(1).normal(size=RATE).astype(np.float32) * 0.002)  # -54 dBov
    soundfile.write(tmp_path / "breath.wav", to_pcm(breath), RATE)
    soundfile.write(tmp_path / "zeros.wav", np.zeros(RATE, np.int16), RATE)
    voice = UserVoice(VowelVoice(), RATE, folder=tmp_path)
    (spoken,) = prepare(voice, Line("one", audio="breath.wav"))
    assert (spoken.pcm, spoken.gain_db) == (breath, 0.0)
    with pytest.raises(UserVoiceFailed, match="the sound of it is silence"):
        prepare(voice, Line("one", audio="zeros.wav"))
