"""A policy of one's own: a user who asks the same question until it hears a number.

Run:  python examples/own_policy.py
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from agent.session import Engines, Session, SessionPlan
from recordings.format import EpisodeInfo
from scenarios.load import from_scenario
from scenarios.schema import Scenario, Turn
from streams.clock import run
from streams.endpoints.fake import FakeEndpoint, FakeReply, tone
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ScriptedRecogniser, ToneVoice
from user_sim.policy import Action, CallStarted, Ending, HangUp, Line, Percept, Say, Silence, TurnHeard

QUESTION = Line("How many bones does an adult have?")


class Insistent:
    """Pure: percepts in, actions out. It knows nothing of audio, sockets or clocks."""

    def __init__(self, patience: int = 3) -> None:
        self.left = patience

    def observe(self, percept: Percept) -> Sequence[Action]:
        """Ask, and ask again while the answer holds no number."""
        match percept:
            case CallStarted():
                return (Say(QUESTION, "first try"),)
            case TurnHeard(text=text) if re.search(r"\d", text):
                return (HangUp(Ending.DONE),)
            case TurnHeard() | Silence() if self.left > 0:
                self.left -= 1
                return (Say(QUESTION, "again"),)
            case TurnHeard() | Silence():
                return (HangUp(Ending.IMPATIENT),)
            case _:
                return ()

    def lines_ahead(self) -> Sequence[Line]:
        """The voice may prepare the question while the endpoint talks."""
        return (QUESTION,)


async def call(folder: Path) -> EpisodeInfo:
    """A call in which the endpoint needs two attempts; fakes stand in for models and network."""
    endpoint = FakeEndpoint([FakeReply(pcm=tone(1.5)), FakeReply(pcm=tone(1.5))])
    engines = Engines(
        voice=ToneVoice(),
        detector=EnergyDetector(),
        recogniser=ScriptedRecogniser(["Quite a few, I think.", "An adult has 206 bones."]),
    )
    frame = Scenario(id="bones", title="Insists on a number", turns=(Turn(text=QUESTION.text),))
    plan = SessionPlan(id="bones", scenario=from_scenario(frame), policy=Insistent())
    return await Session(plan, endpoint, engines, folder).run()


def main() -> EpisodeInfo:
    """Hold the call in simulated time."""
    info = run(call(Path(tempfile.mkdtemp()) / "bones"), simulate=True)
    print(f"{info.outcome.value} after {info.duration_s:.1f} s: {info.reason}")
    return info


if __name__ == "__main__":
    main()
