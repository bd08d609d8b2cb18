"""Makes the sample episodes in recordings/samples: `PYTHONPATH=. .venv/bin/python scripts/samples.py`.

Three short calls at 16 kHz, in simulated time, judged live by rules, scored, and packed as FLAC.
"""

from __future__ import annotations

import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from agent.cli.runs.request import EngineChoice
from agent.cli.runs.run import load_engines
from agent.live_judge import LiveJudge
from agent.session import Session, SessionPlan
from recordings.exporting.pack import pack
from recordings.reader import Episode
from scenarios.load import LoadedScenario, load_pack, load_scenario
from scoring.judge.select import JudgeChoice
from scoring.judge.select import judge as select_judge
from scoring.score import score
from streams.audio import AudioFormat
from streams.clock import run as run_loop
from streams.endpoints.openai_realtime.dialects import RealtimeOptions
from streams.reference.config import Config
from streams.reference.inprocess import ReferenceEndpoint

SAMPLES = Path(__file__).parents[1] / "recordings" / "samples"

WIRE = AudioFormat(16000)


@dataclass(frozen=True)
class Sample:
    """A call to hold.

    Attributes:
        variant: The endpoint's parameters, as they may be named in the episode.
        files: Parameters that name a file of this machine, and stay out of it.
    """

    name: str
    scenario: LoadedScenario
    variant: str = ""
    files: str = ""


def samples() -> list[Sample]:
    """The three calls."""
    museum = next(one for one in load_pack("demo").scenarios if one.scenario.id == "museum")
    made_of = SAMPLES / "made-of"
    vaccine = load_scenario(made_of / "interruption.yaml")
    return [
        Sample("good-call", museum),
        Sample("interruption", vaccine, "mode=rehearsed", f"&answers={made_of / 'vaccine-answers.yaml'}"),
        Sample(
            "wrong-fact",
            museum,
            "mode=rehearsed&defects=swaps_fact:1",
            f"&answers={made_of / 'museum-answers.yaml'}",
        ),
    ]


async def make(sample: Sample, folder: Path) -> None:
    """Hold a call, score it, and pack it into the folder of samples."""
    options = RealtimeOptions(input=WIRE, output=WIRE)
    config = Config.parse(sample.variant + sample.files)
    address = "reference://" + (f"?{sample.variant}" if sample.variant else "")
    endpoint = ReferenceEndpoint(config, options=options, address=address)
    engines = load_engines(EngineChoice("default", "default", "default", "default", ""))
    judge = select_judge(JudgeChoice("rules"), os.environ)
    assert judge is not None
    plan = SessionPlan(
        id=sample.name, run="samples", scenario=sample.scenario, seed=1, observers=(LiveJudge(judge),)
    )
    episode = folder / sample.name
    info = await Session(plan, endpoint, engines, episode).run()
    await score([episode], engines.recogniser)
    pack(Episode.load(episode), SAMPLES / sample.name)
    sys.stderr.write(f"{sample.name}: {info.outcome}, {info.duration_s:.1f} s\n")


def main() -> None:
    """Make them; folders that are there stay as they are."""
    with tempfile.TemporaryDirectory() as folder:
        for sample in samples():
            if not (SAMPLES / sample.name).exists():
                run_loop(make(sample, Path(folder)), simulate=True)


if __name__ == "__main__":
    main()
