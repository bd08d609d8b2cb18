"""`viva mic` through a real sound system: PulseAudio, ALSA and PortAudio."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from scipy.signal import correlate

import recordings
from agent.cli.runs.demo import reference_server
from recordings.check import check
from recordings.reader import Episode
from streams.audio import to_float
from streams.resample import resample
from tests.streams.devices.pulse import needs_pulse, sound_system
from tests.streams.devices.sounds import speech_like

pytestmark = [pytest.mark.wall_clock, needs_pulse]

RATE = 16000
SAMPLE = Path(recordings.__file__).parent / "samples" / "good-call"


def position(track: np.ndarray[Any, Any], piece: np.ndarray[Any, Any]) -> float:
    """Where a piece lies in a track, in samples, between samples by a parabola."""
    fit = correlate(track, piece, mode="valid")
    at = int(np.argmax(fit))
    below, here, above = fit[at - 1 : at + 2]
    return float(at + 0.5 * (below - above) / (below - 2 * here + above))


def test_what_is_recorded_is_what_was_played_and_does_not_drift(tmp_path: Path) -> None:
    seconds = 24
    played = speech_like(seconds, 48000, rms=0.15)
    soundfile.write(tmp_path / "played.wav", played, 48000, subtype="PCM_16")
    with sound_system(tmp_path / "home") as environ:
        recorder = subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.streams.devices.record", str(tmp_path / "heard.npz")),
                *("viva_mouth", "viva_ear", str(seconds + 4)),
            ],
            env=environ,
            stdout=subprocess.PIPE,
            text=True,
        )
        with recorder:
            assert recorder.stdout is not None and recorder.stdout.readline() == "READY\n"
            player = ["paplay", "--latency-msec=300", "--device=mouth", str(tmp_path / "played.wav")]
            subprocess.run(player, env=environ, check=True, timeout=120)
            assert recorder.wait(timeout=60) == 0
    heard = np.load(tmp_path / "heard.npz")
    track = heard["track"]
    clip = to_float(resample((played * 32767).astype("<i2").tobytes(), 48000, RATE))
    offsets, matches = [], []
    # PulseAudio changes the latency of a null sink when somebody begins to play into it: that must be over
    for begin in range(11, seconds - 1):
        piece = clip[begin * RATE : (begin + 1) * RATE]
        at = position(track, piece)
        # less what the track itself says that it lags by: on a busy machine it grows (`Fault.LATE`)
        delay = heard["delay_s"][min(round(at / RATE * 50), heard["delay_s"].size - 1)]
        offsets.append(1000 * (at / RATE - begin - delay))
        found = track[round(at) : round(at) + RATE]
        matches.append(float(np.corrcoef(found, piece)[0, 1]))
    # in pieces of one second, each at its place
    assert np.median(matches) >= 0.99 and np.quantile(matches, 0.1) >= 0.98
    assert max(offsets) - min(offsets) < 5.0  # ms
    # The sink plays by a clock of its own, some 30 ppm off (it rounds down to microseconds): the file is
    # heard so much faster, and so it is on a track that goes by our clock. The arrival of blocks tells it.
    first, last = float(np.median(offsets[:5])), float(np.median(offsets[-5:]))
    true = way_ms(heard, 11 + 2.5, seconds - 1 - 2.5)
    assert abs(last - first - true) < 1.0


def way_ms(heard: Any, begin: float, end: float) -> float:
    """By how much sound comes later at the end than at the beginning, against the count of samples."""
    at, counts = heard["blocks"].T
    late = 1000 * (at - np.cumsum(counts) / float(heard["rate"]))
    since = at - float(heard["origin"])
    earliest = [late[np.abs(since - time) < 3].min() for time in (begin, end)]
    return float(earliest[1] - earliest[0])


@pytest.mark.models
def test_a_call_by_microphone_is_scored_like_any_other(tmp_path: Path) -> None:
    sample = Episode.load(SAMPLE)
    asked = next(turn for turn in sample.turns if turn.intended == "How much is a ticket?")
    clip = tmp_path / "question.wav"
    pcm, rate = sample.track("user")
    soundfile.write(clip, np.append(pcm[asked.start : asked.end], np.zeros(rate // 2, np.int16)), rate)
    with sound_system(tmp_path / "home") as environ, reference_server() as address:
        call = subprocess.Popen(
            [
                *(sys.executable, "-m", "agent.cli.main", "mic", address, "--out", str(tmp_path / "run")),
                *("--input", "viva_mouth", "--output", "viva_ear", "--latency", "100", "--seconds", "60"),
                # what is tested is the sound, not how busy the machine is
                *("--max-lateness", "5000", "--json", "--recogniser", "whisper:tiny", "--judge", "none"),
            ],
            env=environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with call:
            assert call.stderr is not None
            for line in call.stderr:
                if "connected" in line:
                    break
            play = ["paplay", "--latency-msec=300", "--device=mouth", str(clip)]
            subprocess.run(play, env=environ, check=True, timeout=60)
            for line in call.stderr:
                if "  endpoint  " in line:  # its reply is over: the person has what they wanted
                    break
            call.send_signal(signal.SIGINT)
            out, errors = call.communicate(timeout=240)
    assert call.returncode == 0, errors
    episode = Episode.load(tmp_path / "run" / "call")
    assert check(episode) == []
    assert episode.info.user == "person" and episode.info.outcome == "completed"
    said = " ".join(turn.said or "" for turn in episode.turns if turn.side == "user").lower()
    assert "ticket" in said
    told = json.loads(out)
    assert told["episode"].endswith("call")
    latency = told["metrics"]["response_latency"]
    assert latency["n"] >= 1


def quick_call(out: Path, environ: Any) -> subprocess.Popen[str]:
    """A call of nobody with nobody, that has begun."""
    call = subprocess.Popen(
        [
            *(sys.executable, "-m", "agent.cli.main", "mic", "fake://", "--out", str(out)),
            *("--input", "viva_mouth", "--output", "viva_ear", "--latency", "100"),
            *("--recogniser", "none", "--detector", "energy", "--turn-detector", "none", "--judge", "none"),
            *("--max-lateness", "5000"),
        ],
        env=environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert call.stderr is not None
    for line in call.stderr:
        if "connected" in line:
            break
    return call


def test_ctrl_c_hangs_up_and_the_episode_is_whole(tmp_path: Path) -> None:
    with sound_system(tmp_path / "home") as environ, quick_call(tmp_path / "run", environ) as call:
        call.send_signal(signal.SIGINT)
        _, errors = call.communicate(timeout=60)
    assert call.returncode == 0, errors
    episode = Episode.load(tmp_path / "run" / "call")
    assert episode.info.outcome == "completed" and episode.info.reason == "the person hung up"
    assert check(episode) == []


def test_a_sound_system_that_dies_ends_the_call_with_a_cause(tmp_path: Path) -> None:
    with sound_system(tmp_path / "home") as environ, quick_call(tmp_path / "run", environ) as call:
        subprocess.run(["pulseaudio", "--kill"], env=environ, check=True, timeout=30)
        _, errors = call.communicate(timeout=60)
    assert call.returncode == 3, errors
    episode = Episode.load(tmp_path / "run" / "call")
    assert episode.info.outcome == "user_failed" and "viva_mouth" in episode.info.reason
    assert check(episode) == []
