from __future__ import annotations

import asyncio

import numpy as np
import pytest

from streams import clock
from streams.audio import Samples
from streams.speech.interfaces import BatchRecogniser, Transcript
from streams.speech.whisper import WhisperRecogniser
from streams.speech.whisper_batch import TOGETHER, batches, fits, left
from streams.speech.whisper_window import Window
from tests.streams.speech.conftest import PiperClip

RATE = 16000
T = 50364  # the time 0 among the tokens
TEXTS = (
    "Good morning.",
    "I would like to cancel my order, please.",
    "No.",
    "When does the next train leave?",
)


def test_what_fits_in_thirty_seconds_is_heard_in_one_window() -> None:
    assert fits(30 * RATE)
    assert not fits(30 * RATE + 1)


def test_clips_of_like_windows_and_lengths_go_together_and_so_many_at_most() -> None:
    short, long = 2 * RATE, 12 * RATE
    lengths = [short, long, *[short] * TOGETHER, long]
    apart, one = Window(500), Window(500, filled=3000)
    assert batches(lengths, apart) == [[0, *range(2, TOGETHER + 1)], [TOGETHER + 1], [1, TOGETHER + 2]]
    assert batches(lengths, one) == [[0, *range(2, TOGETHER + 1)], [TOGETHER + 1, 1, TOGETHER + 2]]


@pytest.mark.parametrize(
    ("tokens", "more"),
    [
        ([T, 1, 2, T + 5], False),
        ([T, 1, T + 5, T + 5, 2, T + 9], False),
        ([T, 1, T + 5, T + 5], True),  # the second segment has only begun
        ([T, 1, T + 5, T + 5, 2, 3], True),  # and here it is cut
        ([T, 1, 2], False),
        ([], False),
    ],
)
def test_a_window_without_a_time_at_its_end_has_more_speech_once_a_segment_has_ended(
    tokens: list[int], more: bool
) -> None:
    assert left(tokens, T) is more


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many clips went through the decoder in each of its passes."""
    from ctranslate2.models import Whisper

    made: list[int] = []
    generate = Whisper.generate

    def counted(self: Whisper, encoded: object, prompts: list[list[int]], **options: object) -> object:
        made.append(len(prompts))
        return generate(self, encoded, prompts, **options)

    monkeypatch.setattr(Whisper, "generate", counted)
    return made


@pytest.mark.models
@pytest.mark.parametrize("model", ["whisper-tiny", "whisper-base"])  # with the full window, and a short one
def test_clips_are_heard_together_as_alone(model: str, piper_clip: PiperClip, passes: list[int]) -> None:
    recogniser = WhisperRecogniser(model)
    assert isinstance(recogniser, BatchRecogniser)
    silence: Samples = np.zeros(2 * RATE, np.float32)
    clips = [
        *(piper_clip(text) for text in TEXTS),
        silence,
        np.concatenate([silence, piper_clip(TEXTS[1])]),
    ]

    async def main() -> tuple[list[Transcript], list[Transcript]]:
        alone = [await recogniser.transcribe(clip) for clip in clips]
        passes.clear()
        return alone, await recogniser.transcribe_all(clips)

    alone, together = clock.run(main(), simulate=True)
    assert passes[0] == 5  # silence is not asked about; what goes round in circles is heard again, alone
    assert [plain(heard.text) for heard in together] == [plain(heard.text) for heard in alone]
    assert [heard.no_speech for heard in together] == [False] * 4 + [True, False]


@pytest.mark.models
def test_clips_of_many_calls_that_wait_are_heard_together_each_for_its_own(
    piper_clip: PiperClip, passes: list[int]
) -> None:
    recogniser = WhisperRecogniser("whisper-tiny")

    async def main() -> list[Transcript]:
        return await asyncio.gather(*(recogniser.transcribe(piper_clip(text)) for text in TEXTS * 3))

    heard = [plain(each.text) for each in clock.run(main())]
    assert heard == [plain(text) for text in TEXTS * 3]
    assert max(passes) > 1  # how many wait together is a matter of the clock


def plain(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum() or letter == " ")
