from __future__ import annotations

import importlib

import numpy as np
import pytest

from streams import clock
from streams.audio import Samples
from streams.speech.interfaces import SpeechError, Transcript
from streams.speech.whisper import WhisperRecogniser
from tests.streams.speech.conftest import PiperClip
from tests.streams.speech.contracts import check_recogniser

pytestmark = pytest.mark.models

RATE = 16000


def hear(recogniser: WhisperRecogniser, clip: Samples, language: str = "en") -> Transcript:
    return clock.run(recogniser.transcribe(clip, language=language), simulate=True)


def silence(seconds: float) -> Samples:
    return np.zeros(int(seconds * RATE), np.float32)


@pytest.fixture(scope="module")
def tiny() -> WhisperRecogniser:
    return WhisperRecogniser("whisper-tiny")


def test_whisper_keeps_the_contract(tiny: WhisperRecogniser, piper_clip: PiperClip) -> None:
    speech = piper_clip("I would like to cancel my order, please.")
    clock.run(check_recogniser(tiny, speech, "cancel my order"), simulate=True)


def test_a_real_thank_you_is_heard_between_long_silences(
    tiny: WhisperRecogniser, piper_clip: PiperClip
) -> None:
    clip = np.concatenate([silence(20), piper_clip("Thank you."), silence(20)])
    assert hear(tiny, clip).text.rstrip(".!").lower() == "thank you"


@pytest.mark.parametrize("word", ["Yes.", "No."])
def test_the_shortest_answers_get_through_the_gate(
    tiny: WhisperRecogniser, piper_clip: PiperClip, word: str
) -> None:
    assert hear(tiny, piper_clip(word)).text == word


def test_words_have_times_of_the_clip_also_after_a_long_silence(piper_clip: PiperClip) -> None:
    recogniser = WhisperRecogniser("whisper-tiny", words=True)
    clip = np.concatenate([silence(12), piper_clip("What happens during the S phase?"), silence(5)])
    heard = hear(recogniser, clip)
    assert "".join(word.text for word in heard.words) == "".join(heard.text.split())
    assert 12.0 <= heard.words[0].start < 12.3  # stamped seconds early by Whisper alone
    assert heard.words[-1].end <= clip.size / RATE - 4.8


def test_an_english_model_refuses_another_language(tiny: WhisperRecogniser, piper_clip: PiperClip) -> None:
    with pytest.raises(SpeechError, match="does not know the language 'de'"):
        hear(tiny, piper_clip("Yes."), language="de")


def test_the_base_model_is_joined_and_hears(piper_clip: PiperClip) -> None:
    base = WhisperRecogniser("whisper-base")
    assert base.identity.sha256.startswith("905e5bf8")
    text = "I would like to cancel my order, please."
    assert hear(base, piper_clip(text)) == Transcript(text)


def test_what_whisper_hears_of_a_clip_does_not_depend_on_the_threads_of_numpy(
    tiny: WhisperRecogniser,
) -> None:
    threads = importlib.import_module("threadpoolctl").threadpool_limits
    hears = tiny._model("en").whole.feature_extractor
    clip = np.random.default_rng(0).normal(0, 0.1, 5 * RATE).astype(np.float32)
    found = []
    for count in (1, 2):
        with threads(count, user_api="blas"):
            found.append(hears(clip))
    assert np.array_equal(*found)
