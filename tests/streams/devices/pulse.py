"""A real sound system without sound cards: PulseAudio in its own folder, seen through ALSA and PortAudio.

Null sinks: what is played into `mouth` is what the device `viva_mouth` captures; the device `viva_ear`
plays into another, which no microphone hears; `viva_loop` plays into `mouth`.
"""

from __future__ import annotations

import contextlib
import ctypes.util
import importlib.util
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.kept import kept

ALSA = """
pcm.viva_mouth { type pulse device "mouth.monitor" }
pcm.viva_ear { type pulse device "ear" }
pcm.viva_loop { type pulse device "mouth" }
pcm.pulse { type pulse }
pcm.!default { type pulse }
ctl.!default { type pulse }
"""


def missing() -> str:
    """What is not installed; "" if nothing is missing."""
    wanted = [program for program in ("pulseaudio", "paplay", "pactl") if shutil.which(program) is None]
    if ctypes.util.find_library("portaudio") is None:
        wanted.append("libportaudio2")
    if not any(Path("/usr/lib").glob("*/alsa-lib/libasound_module_pcm_pulse.so")):
        wanted.append("libasound2-plugins")
    if importlib.util.find_spec("sounddevice") is None:
        wanted.append("sounddevice")
    return ", ".join(wanted)


needs_pulse = pytest.mark.skipif(bool(missing()), reason=f"not installed: {missing()}")


@contextlib.contextmanager
def sound_system(home: Path) -> Iterator[Mapping[str, str]]:
    """A sound system of its own; yields the environment in which programs find it."""
    run = home / "run"
    run.mkdir(mode=0o700, parents=True)
    (home / ".asoundrc").write_text(ALSA)
    environ = dict(os.environ)
    environ.update(
        HOME=str(home),
        XDG_RUNTIME_DIR=str(run),
        PULSE_RUNTIME_PATH=str(run),
        PULSE_SERVER=f"unix:{run}/native",
    )
    null = "rate=48000 format=s16le channels=1"
    modules = [
        f"module-native-protocol-unix socket={run}/native auth-anonymous=1",
        f"module-null-sink sink_name=mouth {null}",
        f"module-null-sink sink_name=ear {null}",
    ]
    # it goes into the background once it is ready
    subprocess.run(
        [
            "pulseaudio",
            "--daemonize=yes",
            "--system=false",
            "--exit-idle-time=-1",
            "-n",
            "--log-target=null",
        ]
        + [f"--load={module}" for module in modules],
        env=environ,
        check=True,
        timeout=30,
    )
    keeper = kept(int((run / "pid").read_text()))
    try:
        for command in (("set-default-sink", "ear"), ("set-default-source", "mouth.monitor")):
            subprocess.run(["pactl", *command], env=environ, check=True, timeout=30)
        yield environ
    finally:
        keeper.kill()
        keeper.wait()
        subprocess.run(["pulseaudio", "--kill"], env=environ, check=False, timeout=30)
