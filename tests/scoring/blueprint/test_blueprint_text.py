"""A blueprint as a judge reads it, and as a person sees it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from scoring.blueprint.measure import Instruments, blueprint_of
from scoring.blueprint.picture import picture
from scoring.blueprint.record import GROUPS, Blueprint, Cause
from scoring.blueprint.text import CONTOURS, FIELDS, compact_text, full_text
from streams.speech.interfaces import Transcript, Word
from streams.speech.models import locate
from tests.scoring.blueprint.sounds import noise, quiet, talk, vowel
from tests.scoring.blueprint.test_blueprint_record import TOLD, Listener, Moods

RATE = 16000


@cache
def tokenizers() -> list[Any]:
    """Two real tokenizers: one of word pieces, and Whisper's, of byte pairs as in the GPT family."""
    library = pytest.importorskip("tokenizers")
    made = []
    for model in ("minilm-l6-v2", "whisper-base"):
        tokenizer = library.Tokenizer.from_file(str(Path(locate(model)) / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        made.append(tokenizer)
    return made


@cache
def records() -> dict[str, Blueprint]:
    emotions = Moods(dict.fromkeys(("angry", "happy", "sad", "neutral", "fearful"), 0.2))
    tools = Instruments(Listener(), emotions, Moods({"england": 0.6, "us": 0.4}))
    background = talk() + noise(talk().size / RATE, 0.0005)
    return {
        "whole": blueprint_of(background, RATE, TOLD, instruments=tools),
        "bare": blueprint_of(talk(), RATE),
        "long": blueprint_of(np.tile(talk(), 4), RATE, instruments=Instruments(Listener())),
        "noise": blueprint_of(noise(1, 0.1), RATE),
        "silent": blueprint_of(quiet(1), RATE),
        "short": blueprint_of(vowel(150, 0.1), RATE, instruments=Instruments(Listener())),
    }


NAMES = ("whole", "bare", "long", "noise", "silent", "short")


@pytest.mark.models
@pytest.mark.parametrize("name", NAMES)
def test_the_compact_form_costs_at_most_half_the_tokens(name: str) -> None:
    record = records()[name]
    for tokenizer in tokenizers():
        full, compact = (len(tokenizer.encode(text(record)).ids) for text in (full_text, compact_text))
        assert compact <= full / 2


@pytest.mark.parametrize("name", NAMES)
def test_the_compact_form_has_every_field_or_the_cause_of_its_absence(name: str) -> None:
    record = records()[name]
    text = compact_text(record)
    for place, short in [*((f.place, f.short) for f in FIELDS), *((c[0], c[3]) for c in CONTOURS)]:
        group, _, field = place.partition(".")
        if (cause := record.unscored.get(group)) is not None:
            assert line_of(text, cause).endswith(group) or f" {group} " in line_of(text, cause)
        elif (cause := record.unscored.get(place)) is not None:
            assert field.partition("_")[0] in line_of(text, cause)
        else:
            assert f"{short} " in text


def line_of(text: str, cause: Cause) -> str:
    start = f"unscored, {cause.value.replace('_', ' ')}: "
    return next(line for line in text.splitlines() if line.startswith(start))


def test_both_forms_say_the_same_numbers() -> None:
    record = records()["whole"]
    assert record.pitch is not None and record.loudness is not None
    assert f"Mean pitch: {record.pitch.mean_hz:.1f} Hz" in full_text(record)
    assert f"f0 Hz {record.pitch.mean_hz:.0f}," in compact_text(record)
    assert f"Integrated loudness: {record.loudness.integrated_lufs:.1f} LUFS" in full_text(record)
    assert f"LUFS {record.loudness.integrated_lufs:.0f}," in compact_text(record)
    for text in (full_text(record), compact_text(record)):
        assert "one two three" in text
        assert "england" in text


def test_every_part_has_its_heading_and_what_is_missing_its_cause() -> None:
    text = full_text(records()["silent"])
    assert text.count("not measured (silent)") == len(GROUPS) - 1
    assert "not measured (no recogniser)" in text
    assert "nan" not in text.lower() and "None" not in text


def test_a_clip_of_less_than_a_second_warns_of_its_scores() -> None:
    assert "not reliable" in full_text(records()["short"])
    assert "unreliable" in compact_text(records()["short"])


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_valid_and_takes_the_colours_of_its_page(name: str) -> None:
    drawn = picture(records()[name])
    root = ElementTree.fromstring(drawn)
    assert root.tag.endswith("svg")
    for element in root.iter():
        for key in ("stroke", "fill"):
            assert element.get(key, "none") in ("none", "currentColor")
    assert len(drawn) < 4000


def test_a_picture_puts_pauses_and_contours_where_they_are_in_time() -> None:
    record = blueprint_of(np.concatenate([quiet(1.7), talk()]), RATE)  # 1.7 + 2.3 = 4 s: 80 units a second
    root = ElementTree.fromstring(picture(record))
    (pause,) = (element for element in root.iter() if element.get("class") == "pause")
    # 1.7 + 0.03 + 3 * 0.25 + 2 * 0.06 = 2.6 s, and the pause lasts 0.5 s; the syllables fade within 20 ms
    assert float(pause.get("x", "")) == pytest.approx(2.6 * 80, abs=1.7)
    assert float(pause.get("width", "")) == pytest.approx(0.5 * 80, abs=3.3)
    (line,) = (element for element in root.iter() if element.get("class") == "pitch")
    points = [tuple(map(float, point.split(","))) for point in line.get("points", "").split()]
    assert len(points) == 20
    assert points[0][0] == pytest.approx(1.73 * 80, abs=3)
    assert points[-1][0] == pytest.approx(3.97 * 80, abs=3)
    assert points[-1][1] < points[0][1]  # 200 Hz at the end, 150 Hz at the start: up is high


def test_words_keep_their_times_in_the_full_form_only() -> None:
    told = Transcript("hi there", (Word("hi", 0.1, 0.3), Word("there", 0.4, 0.8)))
    record = blueprint_of(talk(), RATE, told)
    assert "hi 0.10-0.30, there 0.40-0.80" in full_text(record)
    assert '"hi there"' in compact_text(record)
