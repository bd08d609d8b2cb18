"""Commands in which a person calls."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from agent.cli import exits
from agent.cli.judging.options import JudgeLlmOption, JudgeOption
from agent.cli.options import (
    DetectorOption,
    Json,
    LlmOption,
    MaxLateness,
    Out,
    RecogniserOption,
    TurnDetectorOption,
)

app = typer.Typer()


class ModeName(StrEnum):
    """As `user_sim.person.Mode`, without its imports."""

    FREE = "free"
    GUIDED = "guided"
    CO_PILOT = "co-pilot"


ModeOption = Annotated[
    ModeName | None,
    typer.Option(
        help="free; guided: the scenario's turns or aspects, any words will do; co-pilot: the "
        "simulated user proposes each line. Default: guided with a scenario, else free.",
        show_default=False,
    ),
]
LatencyOption = Annotated[
    float, typer.Option(help="Latency asked of the sound card, in ms.", min=5, max=500)
]
PushOption = Annotated[
    bool, typer.Option("--push-to-talk", help="Send silence until the space bar is pressed.")
]
ListOption = Annotated[bool, typer.Option("--list-devices", help="Show the devices, call nobody.")]
CheckOption = Annotated[
    bool, typer.Option("--check", help="Listen, play three chirps, say what is wrong; call nobody.")
]
SecondsOption = Annotated[
    float | None, typer.Option(help="Hang up after so long.", min=1, show_default=False)
]


@app.command(
    epilog="Example:  viva mic reference://    By a scenario:  viva mic ADDRESS --scenario demo/museum "
    "--mode guided    First:  viva mic --check"
)
def mic(
    endpoint: Annotated[str, typer.Argument(help="Address of the endpoint, as for `viva run`.")] = "",
    scenario: Annotated[str, typer.Option(help="Scenario to go by; none is free talk.")] = "",
    mode: ModeOption = None,
    input_: Annotated[str, typer.Option("--input", help="Microphone: a part of its name.")] = "",
    output: Annotated[str, typer.Option(help="Ear: a part of its name.")] = "",
    latency: LatencyOption = 50.0,
    push_to_talk: PushOption = False,
    list_devices: ListOption = False,
    check: CheckOption = False,
    seconds: SecondsOption = None,
    judge: JudgeOption = "rules",
    judge_llm: JudgeLlmOption = "",
    llm: LlmOption = "",
    recogniser: RecogniserOption = "default",
    detector: DetectorOption = "default",
    turn_detector: TurnDetectorOption = "default",
    max_lateness: MaxLateness = 250.0,
    out: Out = None,
    json: Json = False,
) -> None:
    """Take the call yourself: your microphone is the user, and the episode is scored like any other.

    Wear headphones. Keys: space talks (with --push-to-talk), n leaves out what is proposed, q or Ctrl+C
    hangs up.
    """
    from agent.cli.judging.judge import JudgeOptions
    from agent.cli.mic import call as command
    from agent.cli.mic import sound as devices
    from agent.cli.runs.request import EngineChoice

    if list_devices:
        exits.leave(devices.list_devices(json))
        return
    sound = devices.Sound(input_, output, latency / 1000)
    if check:
        exits.leave(devices.check(sound, json))
        return
    request = command.MicRequest(
        endpoint=endpoint,
        scenario=scenario,
        mode=mode.value if mode else "guided" if scenario else "free",
        sound=sound,
        push_to_talk=push_to_talk,
        seconds=seconds,
        engines=EngineChoice("none", recogniser, detector, turn_detector, llm),
        judge=JudgeOptions(judge, judge_llm),
        max_lateness_s=max_lateness / 1000,
        out=out,
        json=json,
    )
    exits.leave(command.call(request))


@app.command("mic-report", epilog="Example:  viva mic-report recordings/episodes")
def mic_report(
    paths: Annotated[list[Path], typer.Argument(help="Episodes, runs, or folders of runs, of both.")],
    json: Json = False,
) -> None:
    """Say how far the simulated user is from people who called with the same scenarios."""
    from agent.cli.mic.report import mic_report as command

    exits.leave(command(paths, json))
