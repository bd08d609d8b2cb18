"""The manner of each utterance is on record."""

from __future__ import annotations

from pathlib import Path

from recordings.format import Outcome, UtteranceStarted
from scenarios.schema import Persona, Turn
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from tests.agent.calls import hold, scripted


def test_an_episode_says_who_spoke_each_line_and_how(tmp_path: Path) -> None:
    turns = (Turn(text="one"), Turn(text="two", style="loudness=-6"))
    persona = Persona(voice="loudness=2", style="loudness=1", patience_s=5)
    scenario = scripted().model_copy(update={"turns": turns, "persona": persona})
    endpoint = FakeEndpoint([FakeReply(pcm=tone(0.5), text="yes") for _ in turns])
    call = hold(tmp_path, endpoint, scenario)
    said = [event for event in call.episode.events if isinstance(event, UtteranceStarted)]
    assert [(one.voice, one.style) for one in said] == [
        ("loudness=2", "loudness=1"),
        ("loudness=2", "loudness=-6"),
    ]


def test_an_unknown_voice_is_no_call(tmp_path: Path) -> None:
    scenario = scripted().model_copy(update={"persona": Persona(voice="ana")})
    call = hold(tmp_path, FakeEndpoint([]), scenario)
    assert call.info.outcome is Outcome.USER_FAILED
    assert "the voice 'ana'" in call.info.reason
