"""`viva mic`: a person takes the call; also what is done with their sound devices before it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import math
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.cli import exits
from agent.cli.judge import JudgeOptions, make_judge, make_live
from agent.cli.output import complain, print_json
from streams.clock import run as run_loop

if TYPE_CHECKING:
    from agent.cli.run_request import EngineChoice
    from agent.person import Person
    from agent.session import Engines
    from recordings.format import EpisodeInfo
    from scenarios.load import LoadedScenario
    from scoring.judge.contract import Judge
    from streams.devices.checkup import Checkup
    from streams.devices.interfaces import Device
    from streams.endpoints.protocol import Endpoint

EPISODE = "call"
"""Name of the episode's folder."""


@dataclass(frozen=True, slots=True)
class Sound:
    """Sound devices by parts of their names; latency in seconds."""

    input: str = ""
    output: str = ""
    latency_s: float = 0.05

    def open(self) -> Device:
        """The devices. Raises `DeviceMissing` if there are none such."""
        from streams.devices.portaudio import SoundCard

        return SoundCard(self.input, self.output, self.latency_s)


@dataclass(frozen=True, slots=True)
class MicRequest:
    """What was asked for; see `viva mic --help`."""

    endpoint: str
    scenario: str
    mode: str
    sound: Sound
    engines: EngineChoice
    judge: JudgeOptions
    push_to_talk: bool = False
    seconds: float | None = None
    max_lateness_s: float = 0.25
    out: Path | None = None
    json: bool = False


def list_devices(json: bool) -> int:
    """Show all sound devices."""
    from streams.devices.interfaces import DeviceMissing
    from streams.devices.portaudio import listed

    try:
        devices = listed()
    except DeviceMissing as error:
        return complain(error, exits.OUR_FAILURE)
    if json:
        print_json({"devices": [asdict(device) for device in devices]})
        return exits.PASS
    for device in devices:
        sides = "/".join(
            name for name, count in (("input", device.inputs), ("output", device.outputs)) if count
        )
        chosen = f"  (default {' and '.join(device.default)})" if device.default else ""
        sys.stdout.write(f"{device.name}  [{sides}, {device.rate} Hz, {device.host}]{chosen}\n")
    if not devices:
        sys.stderr.write("viva: there is no sound device on this machine\n")
    return exits.PASS


def check(sound: Sound, json: bool) -> int:
    """Listen to the room, play three chirps, and say what is wrong; exit code 1 if anything is."""
    from streams.devices.checkup import check_up
    from streams.devices.interfaces import DeviceError, DeviceMisnamed

    try:
        found = run_loop(check_up(sound.open()))
    except DeviceMisnamed as error:
        return complain(error, exits.BAD_INPUT)
    except DeviceError as error:
        return complain(error, exits.OUR_FAILURE)
    problems = [*_problems(found)]
    if json:
        print_json({**_plain(asdict(found)), "problems": problems})
    else:
        _show(found, problems)
    return exits.GATE_FAILED if problems else exits.PASS


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    """JSON has no infinity: silence has no level."""
    return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in values.items()}


def _problems(found: Checkup) -> list[str]:
    problems = []
    if found.silent:
        problems.append("the microphone gives nothing but zeros: it is muted, or not the one you mean")
    if found.peak_dbfs >= -0.01:
        problems.append("the microphone is at full scale: turn it down")
    if found.needs_headphones:
        problems.append(f"the microphone hears the ear at {found.echo_db:.0f} dB: wear headphones")
    lost = sum(abs(trouble.seconds) for trouble in found.troubles)
    if lost > 0.1:
        problems.append(f"{lost * 1000:.0f} ms of sound were lost or late: try a greater --latency")
    return problems


def _show(found: Checkup, problems: list[str]) -> None:
    write = sys.stdout.write
    write(f"devices     {found.device}\n")
    level = (
        "silence"
        if found.peak_dbfs == -math.inf
        else f"{found.noise_dbfs:.0f} dBFS, peak {found.peak_dbfs:.0f} dBFS"
    )
    write(f"room        {level}\n")
    if found.round_trip_s is None or found.spread_s is None:
        write("round trip  not measured: no chirp came back (with headphones that is as it should be)\n")
    else:
        write(
            f"round trip  {found.round_trip_s * 1000:.0f} ms, +/- {found.spread_s * 500:.1f} ms; "
            f"heard back at {found.echo_db:.0f} dB\n"
        )
    write(f"drift       {found.drift_ppm:+.0f} ppm\n")
    for problem in problems:
        write(f"problem     {problem}\n")


# --- the call


def call(request: MicRequest) -> int:
    """Hold the call, score it; returns the exit code."""
    from agent.cli.run import check_user, default_folder
    from agent.connect import connect
    from recordings.errors import RecordingError
    from scenarios.problems import ScenarioError
    from scoring.judge.contract import JudgeUnfit
    from streams.devices.interfaces import DeviceError, DeviceMisnamed
    from streams.endpoints.errors import EndpointError
    from streams.language.errors import LanguageError
    from streams.language.sentences import EncoderMissing
    from streams.speech.interfaces import EngineMisnamed, SpeechError

    if not request.endpoint:
        return complain(ValueError("Missing argument 'ENDPOINT': name its address."), exits.BAD_INPUT)
    led = request.mode != "free"
    if led and not request.scenario:
        found = f"--mode {request.mode} goes by a scenario: name one with --scenario."
        return complain(ValueError(found), exits.BAD_INPUT)
    out = request.out or default_folder("mic")
    try:
        scenario = scenario_named(request.scenario)
        if led:
            check_user(scenario, request.engines.llm)
        endpoint = connect(request.endpoint, os.environ)
        device = request.sound.open()
        engines = ears(request.engines)
        judge, budget = make_judge(request.judge)
        others = make_live(request.judge, budget)
    except (EndpointError, ScenarioError, RecordingError, JudgeUnfit, LanguageError) as error:
        return complain(error, exits.BAD_INPUT)
    except (EngineMisnamed, DeviceMisnamed) as error:
        return complain(error, exits.BAD_INPUT)
    except (DeviceError, SpeechError, EncoderMissing) as error:
        return complain(error, exits.OUR_FAILURE)
    held = functools.partial(_hold, request, scenario, endpoint, device, engines, judge, others, out)
    try:
        return run_loop(held())
    except (RecordingError, OSError) as error:
        return complain(error, exits.for_disk(error))
    except SpeechError as error:
        return complain(error, exits.OUR_FAILURE)
    except KeyboardInterrupt:
        sys.stderr.write("\nviva: interrupted\n")
        return exits.INTERRUPTED


def scenario_named(name: str) -> LoadedScenario:
    """The scenario to go by, one alone; "" is free talk.

    Raises:
        ScenarioError: It cannot be used.
    """
    from scenarios.load import find, from_scenario
    from user_sim.person import free_scenario

    return next(iter(find(name))) if name else from_scenario(free_scenario())


def ears(choice: EngineChoice) -> Engines:
    """The ears, and nobody's voice.

    Raises:
        SpeechError: An engine is not installed.
        LanguageError: The language model's name is none, or its key is not set.
    """
    from agent.cli.run import composer, recogniser
    from agent.person import NoVoice
    from agent.session import Engines
    from streams.speech import select

    return Engines(
        voice=NoVoice(),
        detector=select.detector(choice.detector),
        turn_detector=select.turn_detector(choice.turn_detector),
        recogniser=recogniser(choice.recogniser),
        composer=composer(choice.llm),
    )


async def _hold(
    request: MicRequest,
    scenario: LoadedScenario,
    endpoint: Endpoint,
    device: Device,
    engines: Engines,
    judge: Judge | None,
    others: Callable[[], Any],
    out: Path,
) -> int:
    from agent.cli.mic_end import conclude
    from agent.cli.mic_keys import keys
    from agent.cli.mic_screen import screen
    from agent.live_judge import LiveJudge
    from agent.person import Person
    from agent.session import Session, SessionPlan
    from user_sim.person import Mode

    sys.stderr.write("loading models ...\n")
    await warm_up(engines, judge)
    person = Person(device, engines.detector, engines.recogniser, Mode(request.mode), request.push_to_talk)
    observers = (*(() if judge is None else (LiveJudge(judge),)), *others())
    plan = SessionPlan(
        id=EPISODE,
        scenario=scenario,
        observers=observers,
        person=person,
        max_lateness_s=request.max_lateness_s,
    )
    with screen(scenario.scenario, person, request.endpoint, json=request.json) as audience:
        session = Session(plan, endpoint, engines, out / EPISODE, audience)
        with keys(person, push_to_talk=request.push_to_talk):
            info = await _until_hung_up(session.run(), person, request.seconds)
    return await conclude(info, out, engines.recogniser, json=request.json)


async def _until_hung_up(call: Any, person: Person, seconds: float | None) -> EpisodeInfo:
    """The first Ctrl+C hangs up, the second breaks off."""
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(call)

    def interrupted() -> None:
        loop.remove_signal_handler(signal.SIGINT)
        if not person.hang_up():
            task.cancel()

    loop.add_signal_handler(signal.SIGINT, interrupted)
    timer = None if seconds is None else loop.call_later(seconds, person.hang_up)
    try:
        info: EpisodeInfo = await task
        return info
    finally:
        loop.remove_signal_handler(signal.SIGINT)
        if timer is not None:
            timer.cancel()


async def warm_up(engines: Engines, judge: Judge | None) -> None:
    """Load the models before the call; the voice is the person's."""
    import numpy as np

    from streams.speech.interfaces import SPEECH_RATE, SpeechError

    second = (0.01 * np.sin(np.arange(SPEECH_RATE) * 0.3)).astype(np.float32)
    with contextlib.suppress(SpeechError):  # what fails here fails in the call, and there it is on record
        await engines.detector.stream().feed(second)
        if engines.turn_detector is not None:
            await engines.turn_detector.completion(second)
        if engines.recogniser is not None:
            await engines.recogniser.transcribe(second)
    if judge is not None:
        await judge.warm_up()
