"""The assistant with its real models: Piper asks, Whisper hears, Piper answers."""

from __future__ import annotations

import pytest

from streams.audio import to_float
from streams.clock import run
from streams.endpoints.events import AudioReceived, TextMode, TextReceived, UserTextReceived
from streams.endpoints.openai_realtime.dialects import RealtimeOptions
from streams.reference.config import Config
from streams.reference.engines import load
from streams.reference.inprocess import ReferenceEndpoint
from streams.resample import resample
from tests.streams.reference.reference_calls import RATE, call


@pytest.mark.models
def test_a_spoken_question_gets_a_spoken_answer() -> None:
    async def main() -> None:
        config = Config()
        engines = await load(config)
        question = await engines.voice.speak("What is CRISPR Cas9?")
        endpoint = ReferenceEndpoint(config, options=RealtimeOptions(transcription="any"))
        said = {0.5: resample(question.pcm, question.rate, RATE)}
        result = await call(endpoint, said, 20.0)
        assert len(result.of(UserTextReceived)) == 1
        words = [event.text for event in result.of(TextReceived) if event.mode is TextMode.FINAL]
        assert "DNA" in words[0]
        # what it says with its voice is what it says in text
        reply = b"".join(event.pcm for event in result.of(AudioReceived))
        heard = await engines.recogniser.transcribe(to_float(resample(reply, RATE, 16000)))
        assert "editing DNA" in heard.text

    run(main(), simulate=True)
