"""Holds the calls of the self-test: one process, one engine, no model but the voice."""

from __future__ import annotations

from pathlib import Path

from agent.selftest.plan import Trial, scenario
from agent.session import Engines, Session, SessionPlan
from recordings.format import EpisodeInfo
from scenarios.load import from_scenario
from streams.audio import Samples
from streams.reference import engines as reference
from streams.reference.answers import KnowledgeAnswerer
from streams.reference.inprocess import reference_endpoint
from streams.reference.knowledge_base import KnowledgeBase
from streams.reference.rehearsal import SHIPPED
from streams.speech.energy import EnergyDetector
from streams.speech.fake import ScriptedRecogniser
from streams.speech.interfaces import ModelIdentity, Voice


class PatientEars:
    """An end-of-turn model that takes nothing for an end: the user waits out every pause of 2 s."""

    identity = ModelIdentity("fake", "patient", "1")

    async def completion(self, samples: Samples) -> float:
        """Never complete."""
        return 0.0


async def hold(trial: Trial, folder: Path, speaker: Voice) -> EpisodeInfo:
    """Hold one call and record it into a folder; both sides have the same voice."""
    loaded = from_scenario(scenario(trial.seed))
    plan = SessionPlan(id=trial.name, scenario=loaded, seed=trial.seed)
    endpoint = reference_endpoint(trial.address, engines=_sides(speaker))
    engines = Engines(voice=speaker, detector=EnergyDetector(), turn_detector=PatientEars())
    return await Session(plan, endpoint, engines, folder).run()


def _sides(speaker: Voice) -> reference.Engines:
    """The endpoint's engines; of these the rehearsed mode needs the voice alone."""
    answerer = KnowledgeAnswerer(KnowledgeBase(()))
    return reference.Engines(EnergyDetector(), ScriptedRecogniser(()), speaker, answerer)


async def rehearse(voice: str) -> None:
    """Speak all that the self-test's endpoint may say by itself, and all that its user asks, once.

    Raises:
        SpeechError: The voice is missing.
    """
    speaker = await reference.kept_voice(voice)
    script = SHIPPED
    for text in (script.interjection, script.giving_way, script.stalling, script.instructions):
        await speaker.speak(text)
    for answer in script.answers:
        for text in (answer.question, *answer.said(), *answer.said(wrong_fact=True, wrong_number=True)):
            await speaker.speak(text)
