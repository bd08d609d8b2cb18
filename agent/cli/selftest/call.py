"""One call of the self-test, held and examined: what a worker process does."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agent.selftest.hold import hold
from agent.selftest.plan import Trial, facts_of, questions
from recordings.reader import Episode
from scoring.score import read_timeline, view_of
from scoring.selftest.detectors import findings
from scoring.selftest.readings import Readings, Tracks, read
from scoring.selftest.table import Examined
from scoring.transcribe import transcribe
from scoring.transcripts import received_clips
from streams.clock import run
from streams.reference.engines import kept_voice
from streams.reference.rehearsal import SHIPPED
from streams.speech.interfaces import Recogniser
from streams.speech.kept import KeptRecogniser


@dataclass(frozen=True, slots=True)
class Order:
    """A call to be held.

    Attributes:
        folder: Where it is recorded.
        keep: Whether the recording stays.
        recogniser: Model that puts replies into words.
        voice: Model that speaks for both sides.
    """

    trial: Trial
    folder: Path
    keep: bool
    recogniser: str = "whisper:base"
    voice: str = "piper-joe"


@dataclass(frozen=True, slots=True)
class Call:
    """A call that was held.

    Attributes:
        transcribed: Replies that were put into words anew.
        spoken: Sentences that were spoken anew.
        seconds: Its length.
    """

    examined: Examined
    readings: Readings | None
    transcribed: int
    spoken: int
    seconds: float


def work(order: Order) -> Call:
    """Hold and examine one call; runs in a process that holds one at a time.

    Raises:
        SpeechError: A model is missing.
        RecordingError: The recording can't be written.
    """
    recogniser, voice = _recogniser(order.recogniser), run(kept_voice(order.voice))
    before = recogniser.made, voice.made
    folder = order.folder / order.trial.name
    info = run(hold(order.trial, folder, voice), simulate=not order.trial.wall_clock)
    if info.outcome.void:
        examined, readings = _examined(order.trial, {}, f"{info.outcome.value}: {info.reason}"), None
    else:
        readings = run(examine(order.trial, folder, recogniser))
        examined = _examined(order.trial, findings(readings))
    if not order.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return Call(examined, readings, recogniser.made - before[0], voice.made - before[1], info.duration_s)


async def examine(trial: Trial, folder: Path, recogniser: Recogniser) -> Readings:
    """Measure a recorded call."""
    episode = Episode.load(folder)
    timeline = read_timeline(episode)
    clips = [clip for e in timeline.exchanges for clip in received_clips(e, episode.received)]
    view = view_of(episode, timeline, await transcribe(episode, clips, recogniser))
    user, rate = episode.track("user_clean")
    facts = {answer.question: facts_of(answer) for answer in questions(trial.seed)}
    return read(view, Tracks(user, episode.track("endpoint")[0], rate), facts, SHIPPED.instructions)


def _examined(trial: Trial, found: dict[str, float], void: str = "") -> Examined:
    planted = trial.defect.value if trial.defect else ""
    return Examined(trial.name, planted, trial.dose, found, void)


@cache
def _recogniser(name: str) -> KeptRecogniser:
    from streams.speech.select import recogniser

    return KeptRecogniser(recogniser(name))
