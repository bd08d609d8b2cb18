"""The form in which the user's voice is given a line that has none of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenarios.spoken.verbalise import spoken_form
from streams import clock
from streams.speech.fake import ToneVoice
from streams.speech.interfaces import Speech
from user_sim.policy import Line
from user_sim.voice import UserVoice, Utterance


class Listener(ToneVoice):
    """A tone that remembers what it was asked to say."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    async def speak(self, text: str) -> Speech:
        self.asked.append(text)
        return await super().speak(text)


@pytest.mark.parametrize(
    ("language", "line", "asked"),
    [
        ("en", Line("Add 5 mM EDTA."), "Add five millimolar E D T A."),
        ("en-GB", Line("What is BRCA1?"), "What is bracka one?"),
        ("en", Line("What is BRCA1?", "What is that gene?"), "What is that gene?"),
        ("en", Line("Hello, how are you?"), "Hello, how are you?"),
        ("de", Line("Was ist BRCA1?"), "Was ist BRCA1?"),
    ],
)
def test_a_line_without_a_spoken_form_is_verbalised(
    language: str, line: Line, asked: str, tmp_path: Path
) -> None:
    listener = Listener()
    voice = UserVoice(listener, 16000, spoken_form=spoken_form(language, tmp_path))

    async def main() -> Utterance:
        return await voice.prepare(line)

    assert clock.run(main(), simulate=True).spoken == asked
    assert listener.asked == [asked]
