"""One blueprint for every turn of an episode, on both sides."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recordings.format import Side, Turn
from recordings.reader import Episode
from scoring.blueprint.episodes import (
    Studio,
    episode_blueprints,
    on_grid,
    stored_blueprints,
)
from scoring.blueprint.measure import Instruments
from scoring.blueprint.record import Cause
from streams import clock
from streams.audio import Samples
from streams.speech.dnsmos_windows import GRID, WINDOW
from streams.speech.interfaces import ModelIdentity, SpeechError, Transcript, Word
from tests.scoring.blueprint.sounds import vowel
from tests.scoring.blueprint.test_blueprint_record import Listener
from tests.scoring.episodes import CallMaker


class Writer:
    """A recogniser that says how long a clip was; it fails on clips of 2 s and more."""

    identity = ModelIdentity("test", "writer", "1")

    def __init__(self) -> None:
        self.heard: list[float] = []

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        self.heard.append(samples.size / 16000)
        if samples.size >= 32000:
            raise SpeechError("writer", "its pen is dry")
        return Transcript("a word", (Word("a", 0.1, 0.2), Word("word", 0.3, 0.6)))


def sung(hz: float, seconds: float, rate: int) -> np.ndarray:
    return np.asarray(vowel(hz, seconds, rate) * 32767, np.int16)


@pytest.fixture
def episode(tmp_path: Path) -> Episode:
    call = CallMaker()
    call.user(0.5, 1.5)
    call.user_parts[0] = (call.user_parts[0][0], sung(120, 1.0, 16000))
    call.reply(2.0, sung(240, 3.0, 24000))
    call.turn(Side.ENDPOINT, 2.0, 5.0)
    return Episode.load(call.write(tmp_path / "call"))


def made_of(episode: Episode, studio: Studio, told: list[int] | None = None) -> object:
    def tell(turn: Turn) -> None:
        if told is not None:
            told.append(turn.index)

    return clock.run(episode_blueprints(episode, studio, progress=tell), simulate=True)


def test_every_turn_of_both_sides_has_a_record(episode: Episode) -> None:
    told: list[int] = []
    made_of(episode, Studio(Instruments(Listener())), told)
    stored = stored_blueprints(episode)
    assert stored is not None
    assert sorted(told) == [0, 1]
    assert [(turn.side, turn.track) for turn in stored.turns] == [
        (Side.USER, "user.wav"),
        (Side.ENDPOINT, "endpoint.wav"),
    ]
    user, endpoint = (turn.blueprint for turn in stored.turns)
    assert user.pitch is not None and user.pitch.mean_hz == pytest.approx(120, rel=0.01)
    assert endpoint.pitch is not None and endpoint.pitch.mean_hz == pytest.approx(240, rel=0.01)
    assert (user.sample_rate, endpoint.sample_rate) == (16000, 24000)
    assert (user.seconds, endpoint.seconds) == (1.0, 3.0)
    assert stored.of(1) == endpoint and stored.of(7) is None
    json.loads((episode.path / "scores" / "blueprint.json").read_text(), parse_constant=pytest.fail)


def test_what_is_stored_is_not_made_again_unless_the_models_are_others(episode: Episode) -> None:
    writer = Writer()
    first = made_of(episode, Studio(Instruments(), writer))
    assert len(writer.heard) == 2
    assert made_of(episode, Studio(Instruments(), writer)) == first
    assert len(writer.heard) == 2
    told: list[int] = []
    made_of(episode, Studio(Instruments()), told)
    assert sorted(told) == [0, 1]


def test_a_recogniser_that_fails_leaves_that_transcript_unscored(episode: Episode) -> None:
    made_of(episode, Studio(Instruments(), Writer()))
    stored = stored_blueprints(episode)
    assert stored is not None
    user, endpoint = (turn.blueprint for turn in stored.turns)
    assert user.transcript is not None and user.transcript.text == "a word"
    assert user.pace is not None and user.pace.source == "words"
    assert endpoint.unscored["transcript"] is Cause.RECOGNISER_FAILED
    assert [(model.role, model.name) for model in stored.models] == [("recogniser", "writer")]


def test_a_turn_without_a_sample_is_unscored(tmp_path: Path) -> None:
    call = CallMaker(length=2.0).turn(Side.ENDPOINT, 1.0, 1.0)
    episode = Episode.load(call.write(tmp_path / "call"))
    made_of(episode, Studio(Instruments(Listener()), Writer()))
    stored = stored_blueprints(episode)
    assert stored is not None
    assert stored.turns[0].blueprint.unscored["quality"] is Cause.NO_AUDIO


def test_a_file_of_another_episode_or_version_is_made_anew(episode: Episode) -> None:
    made_of(episode, Studio(Instruments()))
    path = episode.path / "scores" / "blueprint.json"
    for change in ({"episode": "another"}, {"version": 99}, {"turns": "none"}):
        path.write_text(json.dumps(json.loads(path.read_text()) | change))
        assert stored_blueprints(episode) is None
        made_of(episode, Studio(Instruments()))
        assert stored_blueprints(episode) is not None


@given(st.integers(0, 500_000), st.integers(1, 600_000), st.sampled_from([8000, 16000, 24000, 48000]))
def test_a_stretch_moves_its_end_by_less_than_40_ms_and_onto_the_grid(
    start: int, size: int, rate: int
) -> None:
    length = start + size + rate
    first, last = on_grid(start, start + size, rate, length)
    assert first == start
    assert 0 <= last - (start + size) < 0.04 * rate
    heard = (last - first) * 16000
    assert heard % rate == 0
    at_16_khz = heard // rate
    assert at_16_khz % GRID == 0 if at_16_khz < WINDOW else (at_16_khz - WINDOW) % GRID == 0


def test_a_stretch_never_leaves_its_track() -> None:
    assert on_grid(100, 1000, 16000, 1000) == (100, 1000)
    assert on_grid(100, 5000, 16000, 1000) == (100, 1000)
    assert on_grid(2000, 2500, 16000, 1000) == (2000, 2000)
    assert on_grid(500, 400, 16000, 1000) == (500, 500)
