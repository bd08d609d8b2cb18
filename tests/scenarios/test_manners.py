from __future__ import annotations

import dataclasses
import itertools
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenarios.load import load_scenario
from scenarios.manners import LIMITS, STYLES, VOICES, Manner, MannerError, style, voice
from scenarios.problems import ScenarioError

SCENARIO = """\
id: styled
title: Styled
persona:
  voice: anna
  style: calm
turns:
  - text: Hello there.
    style: excited; rate=1.3
"""


def problems(tmp_path: Path, old: str, new: str) -> list[str]:
    assert old in SCENARIO
    file = tmp_path / "styled.yaml"
    file.write_text(SCENARIO.replace(old, new))
    with pytest.raises(ScenarioError) as error:
        load_scenario(file)
    return [str(problem).removeprefix(f"{file}:") for problem in error.value.problems]


def test_a_spec_is_a_name_or_parameters_or_both() -> None:
    assert style("") == style("neutral") == voice("") == Manner()
    assert style("calm") == STYLES["calm"]
    assert voice("ben; formants=1.1") == dataclasses.replace(VOICES["ben"], formants=1.1)
    assert style(" calm ;rate = 0.8; pitch=-2 ") == dataclasses.replace(STYLES["calm"], rate=0.8, pitch=-2)
    assert style("pitch=3; formants=1.1") == Manner(pitch=3, formants=1.1)


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ("whisperin", "found the style 'whisperin', expected one of neutral.*did you mean `whispering`"),
        ("anna", "found the style 'anna'"),
        ("calm; rat=0.8", "found 'rat=0.8' in the style.*did you mean `rate`"),
        ("calm; rate", "found 'rate' in the style 'calm; rate', expected each once, as NAME=NUMBER"),
        ("rate=1; rate=2", "expected each once"),
        ("calm;", "found '' in the style"),
        ("rate=fast", "found rate 'fast', expected a number from 0.5 to 2"),
        ("pitch=nan", "found pitch 'nan', expected a number from -12 to 24"),
        ("pitch=inf", "found pitch 'inf'"),
        ("calm; rate=2.5", "found rate 2.5, expected 0.5 to 2"),
        ("formants=0.5", "found formants 0.5, expected 0.7 to 1.5"),
    ],
)
def test_a_spec_that_can_not_be_spoken_is_refused(spec: str, complaint: str) -> None:
    with pytest.raises(MannerError, match=complaint):
        style(spec)


@pytest.mark.parametrize("name", LIMITS)
def test_every_parameter_is_taken_up_to_its_limits_and_not_beyond(name: str) -> None:
    for limit, beyond in zip(LIMITS[name], (-math.inf, math.inf), strict=True):
        Manner(**{name: limit})
        with pytest.raises(MannerError, match=f"found {name} "):
            Manner(**{name: math.nextafter(limit, beyond)})
    with pytest.raises(MannerError):
        Manner(**{name: math.nan})


def test_every_user_can_speak_in_every_style() -> None:
    for who, how in itertools.product(VOICES.values(), STYLES.values()):
        _ = who + how  # within the limits


def test_no_two_users_sound_alike() -> None:
    assert len(VOICES) >= 8
    for (one, a), (other, b) in itertools.combinations([*VOICES.items(), ("", Manner())], 2):
        # a semitone and a half is heard in a melody, a twentieth in the size of a speaker
        alike = abs(a.pitch - b.pitch) < 1.5 and abs(a.formants / b.formants - 1) < 0.05
        assert not alike, (one, other)


def test_together_shifts_add_and_factors_multiply() -> None:
    both = Manner(pitch=2, formants=1.2, rate=0.8, loudness=-3, tremor=0.2) + Manner(
        pitch=-5, formants=1.1, rate=1.5, loudness=1, breath=0.5, tremor=0.5, tremor_hz=8
    )
    expected = Manner(pitch=-3, formants=1.32, rate=1.2, loudness=-2, breath=0.5, tremor=0.5, tremor_hz=8)
    assert both == expected
    assert Manner() + both == both + Manner() == both
    half = Manner(breath=0.5)
    assert (half + half).breath == 0.75
    assert (half + Manner(breath=1)).breath == 1


manners = st.builds(
    Manner,
    **{name: st.floats(low, high).map(lambda v: round(v, 2)) for name, (low, high) in LIMITS.items()},
)


@given(manners)
def test_a_manner_is_written_as_a_spec_that_reads_the_same(manner: Manner) -> None:
    assert style(str(manner)) == manner


def test_a_scenario_with_known_manners_loads(tmp_path: Path) -> None:
    file = tmp_path / "styled.yaml"
    file.write_text(SCENARIO)
    assert load_scenario(file).scenario.persona.voice == "anna"


def test_unknown_names_are_refused_with_their_place_and_the_nearest(tmp_path: Path) -> None:
    (who,) = problems(tmp_path, "voice: anna", "voice: ana")
    assert who.startswith("4:10: persona.voice: found the voice 'ana', expected one of anna, ben")
    assert who.endswith("did you mean `anna`?")
    (how,) = problems(tmp_path, "style: calm", "style: clam")
    assert how.startswith("5:10: persona.style: found the style 'clam'")
    (line,) = problems(tmp_path, "excited; rate=1.3", "excited; rate=3")
    assert line == "8:12: turns[0].style: found rate 3, expected 0.5 to 2"


def test_what_only_together_is_too_much_is_refused(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "excited; rate=1.3", "formants=1.4")
    # anna: 1.16 x 1.4 = 1.624
    assert found == (
        "8:12: turns[0].style: found formants 1.624 from voice and style together, expected 0.7 to 1.5; "
        "change one of the two"
    )


def test_a_recording_has_no_style(tmp_path: Path) -> None:
    (tmp_path / "hello.wav").touch()
    (found,) = problems(tmp_path, "excited; rate=1.3", "excited\n    audio: hello.wav")
    assert found.startswith(
        "8:12: turns[0].style: found the style 'excited' for a recording, expected none"
    )
