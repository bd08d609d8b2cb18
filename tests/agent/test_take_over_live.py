"""A call of `viva run` that a person takes over: commands through Mosquitto, sound through PulseAudio."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile

from recordings.check import check
from recordings.format import DeviceOpened, UtteranceStarted
from recordings.reader import Episode
from streams.events.messages import Ack
from tests.agent.cli_calls import ENGINES, Viva
from tests.streams.devices.pulse import needs_pulse, sound_system
from tests.streams.events.brokers import Observer, mosquitto, needs_mosquitto, publish

pytestmark = [needs_mosquitto, needs_pulse, pytest.mark.wall_clock]

TALK = """\
version: 1
id: talk
title: Questions
limits: {max_duration_s: 60}
turns: [{text: One.}, {text: Two.}, {text: Three.}, {text: Four.}]
"""


def said(seen: Observer, what: str) -> bool:
    """Whether a line of the call holds these words."""
    run = seen.watch.runs.get("run")
    session = None if run is None else run.sessions.get("talk")
    return session is not None and any(what in line.text for line in session.lines)


def test_a_person_takes_a_call_over_and_gives_it_back_by_commands(
    viva: Viva, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (viva.folder / "talk.yaml").write_text(TALK)
    tone = 0.3 * np.sin(2 * np.pi * 400 * np.arange(24000) / 48000)
    soundfile.write(tmp_path / "words.wav", tone, 48000)
    with mosquitto(tmp_path / "broker") as broker, sound_system(tmp_path / "home") as environ:
        for name in ("HOME", "XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH", "PULSE_SERVER"):
            monkeypatch.setenv(name, environ[name])
        options = ("--mqtt", str(broker.broker), "--mqtt-allow", "take-over", "--no-report")
        devices = ("--mic-input", "viva_mouth", "--mic-output", "viva_ear", "--max-lateness", "5000")

        def tell(name: str) -> None:
            command = {"id": name, "name": name, "episode": "talk"}
            publish(broker.broker, "viva/test/run/command", json.dumps(command).encode())

        with Observer(broker.broker) as seen:
            seen.connected()
            running = viva.start(
                *(
                    "run",
                    "talk.yaml",
                    "--endpoint",
                    "fake://?replies=4&seconds=0.3&delay=0.3",
                    "--out",
                    "run",
                    *ENGINES,
                ),
                *options,
                *devices,
            )
            seen.until(lambda seen: said(seen, "One."))
            tell("take_over")
            seen.until(lambda seen: said(seen, "[a person speaks in the user's place, by viva_mouth"))
            seen.until(lambda seen: said(seen, "[say: "))  # as fast as the device was: Two or Three
            before = len(seen.of("latency"))
            player = ["paplay", "--latency-msec=100", "--device=mouth", str(tmp_path / "words.wav")]
            subprocess.run(player, check=True, timeout=60)
            seen.until(lambda seen: len(seen.of("latency")) > before)  # their words are answered
            tell("give_back")
            seen.until(lambda seen: said(seen, "[the simulated user speaks again]"))
            _, errors = running.communicate(timeout=60)
    assert running.returncode == 0, errors
    assert [(m.id, m.status) for m in seen.of("ack") if isinstance(m, Ack)] == [
        ("take_over", "done"),
        ("give_back", "done"),
    ]
    episode = Episode.load(viva.folder / "run" / "talk")
    assert check(episode) == []
    assert episode.info.outcome == "taken_over", episode.info.reason
    spoken = [event for event in episode.events if isinstance(event, UtteranceStarted)]
    assert [event.utterance for event in spoken] == ["u0", "u1", "u2", "u3"]
    [person] = [event for event in spoken if event.voice == "person"]
    assert spoken[0] is not person is not spoken[3]
    assert person.samples / episode.info.user_rate == pytest.approx(0.5, abs=0.03)
    [opened] = [event for event in episode.events if isinstance(event, DeviceOpened)]
    assert opened.device == "viva_mouth / viva_ear"


def test_a_microphone_that_is_not_there_is_bad_input_before_any_call(
    viva: Viva, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sound_system(tmp_path / "home") as environ:
        for name in ("HOME", "XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH", "PULSE_SERVER"):
            monkeypatch.setenv(name, environ[name])
        broker = ("--mqtt", "mqtt://127.0.0.1:1/viva", "--mqtt-allow", "take_over")
        running = viva.start(
            *("run", "hello.yaml", "--endpoint", "fake://", *ENGINES, *broker, "--mic-input", "scarlett")
        )
        _, errors = running.communicate(timeout=60)
    assert running.returncode == 2 and "no input device is called so" in errors
