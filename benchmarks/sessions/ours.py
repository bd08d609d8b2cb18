"""Our own sessions: the whole media path, recorded, with Silero on what is heard.

`python -m benchmarks.sessions.ours pcm|openai PORT COUNT SECONDS [LATEST_TICK_S]`
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from array import array
from collections import Counter
from pathlib import Path

from agent.connect import connect
from agent.observers import Levels, Nobody
from agent.session import Engines, Session, SessionPlan, warm_up
from benchmarks.sessions.measured import SETTLES_S, STARTS_PER_S, Measure
from recordings.format import EpisodeInfo
from scenarios.load import from_scenario
from scenarios.schema import Limits, Persona, Scenario, Turn
from streams.clock import run
from streams.speech.fake import ToneVoice
from streams.speech.silero import SileroDetector
from streams.speech.voice_cache import VoiceCache

ADDRESSES = {
    "pcm": "pcm+ws://127.0.0.1:{port}/pcm?rate=16000",
    "openai": "openai+ws://127.0.0.1:{port}/v1/realtime?model=sink",
}


class Ticks(Nobody):
    """Looks on at a session, and notes how late each of its ticks was.

    Attributes:
        late_ms: Milliseconds.
    """

    def __init__(self) -> None:
        self.late_ms = array("f")

    def levels(self, levels: Levels) -> None:
        """Note them."""
        self.late_ms.extend(levels.lateness_ms)


SCENARIO = Scenario(
    id="bench",
    title="A user who answers every turn until the time is up",
    persona=Persona(patience_s=60),
    turns=tuple(Turn(text=f"turn {number}") for number in range(200)),
    limits=Limits(max_turns=500, reply_timeout_s=60),
)


def scenario(lasts_s: float) -> Scenario:
    """The scenario of all sessions, each with an end of its own."""
    limits = SCENARIO.limits.model_copy(update={"max_duration_s": lasts_s})
    return SCENARIO.model_copy(update={"limits": limits})


async def measured(
    protocol: str, port: int, count: int, seconds: float, folder: Path, max_lateness_s: float = 0.25
) -> None:
    address = ADDRESSES[protocol].format(port=port)
    # what is said is made once and kept, as for `viva run`
    engines = Engines(ToneVoice(1.5), SileroDetector(), cache=VoiceCache(folder / "voice"))
    await warm_up(engines)
    opening_s = SETTLES_S + count / STARTS_PER_S
    measure = Measure(count, seconds)
    first, all_begun = asyncio.Event(), asyncio.Event()
    ticks = [Ticks() for _ in range(count)]

    async def one(number: int) -> EpisodeInfo:
        left = opening_s - (SETTLES_S + number / STARTS_PER_S if number else 0)
        plan = SessionPlan(
            id=f"s{number}",
            scenario=from_scenario(scenario(left + 2 * SETTLES_S + seconds)),
            max_lateness_s=max_lateness_s,
        )
        endpoint = connect(address, os.environ)
        return await Session(plan, endpoint, engines, folder / plan.id, ticks[number]).run()

    watching = asyncio.create_task(measure.watch(first, all_begun))
    tasks = [asyncio.create_task(one(0))]
    first.set()
    await asyncio.sleep(SETTLES_S + 0.5)
    for number in range(1, count):
        await asyncio.sleep(1 / STARTS_PER_S)
        tasks.append(asyncio.create_task(one(number)))
    all_begun.set()
    episodes = await asyncio.gather(*tasks)
    await watching
    outcomes = Counter(episode.outcome.value for episode in episodes)
    measure.tell([session.late_ms for session in ticks], dict(outcomes))


def main(protocol: str, port: str, count: str, seconds: str, max_lateness_s: str = "0.25") -> None:
    folder = Path(tempfile.mkdtemp(prefix="viva-bench-"))
    try:
        run(measured(protocol, int(port), int(count), float(seconds), folder, float(max_lateness_s)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
