from __future__ import annotations

import numpy as np
import pytest

from streams import clock
from streams.audio import Samples
from streams.speech.interfaces import SpeechError
from streams.speech.smart_turn import SmartTurn, last_seconds
from tests.streams.speech.conftest import PiperClip

RATE = 16000


def test_the_last_eight_seconds_are_heard_and_a_shorter_clip_ends_at_the_end() -> None:
    clip = np.arange(10 * RATE, dtype=np.float32)
    assert np.array_equal(last_seconds(clip), clip[2 * RATE :])
    short = last_seconds(clip[:RATE] + 1)
    assert short.size == 8 * RATE
    assert not short[: 7 * RATE].any()
    assert np.array_equal(short[7 * RATE :], clip[:RATE] + 1)


@pytest.fixture(scope="module")
def smart_turn() -> SmartTurn:
    return SmartTurn()


def completion(detector: SmartTurn, clip: Samples) -> float:
    """Asked 0.2 s into the pause, as a live call would."""
    pause = np.zeros(RATE // 5, np.float32)
    return clock.run(detector.completion(np.concatenate([clip, pause])), simulate=True)


@pytest.mark.models
@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("What is the difference between a gene and a protein?", 0.75),  # 0.95 whole, 0.02 cut
        ("My order number is four seven two nine.", 0.5),  # 0.99 whole, 0.11 cut
    ],
)
def test_a_finished_turn_is_told_from_one_cut_in_mid_phrase(
    smart_turn: SmartTurn, piper_clip: PiperClip, text: str, cut: float
) -> None:
    clip = piper_clip(text)
    assert completion(smart_turn, clip) > 0.5
    assert completion(smart_turn, clip[: round(cut * clip.size)]) < 0.5


@pytest.mark.models
def test_only_the_last_eight_seconds_count(smart_turn: SmartTurn, piper_clip: PiperClip) -> None:
    clip = piper_clip("My order number is four seven two nine.")
    recent = last_seconds(clip)
    before = np.random.default_rng(0).normal(0, 0.1, RATE).astype(np.float32)
    assert completion(smart_turn, np.concatenate([before, recent])) == completion(smart_turn, recent)


@pytest.mark.models
def test_nothing_heard_is_no_finished_turn(smart_turn: SmartTurn) -> None:
    assert clock.run(smart_turn.completion(np.zeros(0, np.float32))) == 0.0
    assert clock.run(smart_turn.completion(np.zeros(RATE, np.float32))) == 0.0


@pytest.mark.models
def test_the_library_of_the_features_logs_nothing(smart_turn: SmartTurn) -> None:
    from loguru import logger

    clock.run(smart_turn.completion(np.ones(RATE, np.float32)))
    lines: list[str] = []
    sink = logger.add(lines.append, format="{name}")
    for module in ("pipecat.audio", "another"):
        exec("logger.debug('hello')", {"__name__": module, "logger": logger})
    logger.remove(sink)
    assert lines == ["another\n"]


@pytest.mark.models
def test_stereo_is_refused(smart_turn: SmartTurn) -> None:
    with pytest.raises(SpeechError, match="shape"):
        clock.run(smart_turn.completion(np.zeros((RATE, 2), np.float32)))
