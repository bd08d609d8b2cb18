"""Conditions in a scenario's file: what is right, and how what is wrong is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from scenarios.conditions import Bed, Codec, Conditions
from scenarios.load import load_scenario, scenario_sha256
from scenarios.problems import ScenarioError

HEAD = "version: 1\nid: call\ntitle: A call\n"
TURNS = "turns:\n  - text: What is it?\n"


def write(folder: Path, conditions: str, turns: str = TURNS) -> Path:
    body = "".join(f"  {line}\n" for line in conditions.splitlines())
    path = folder / "x.yaml"
    path.write_text(f"{HEAD}{turns}conditions:\n{body}" if body else HEAD + turns)
    return path


def problem(path: Path) -> str:
    with pytest.raises(ScenarioError) as error:
        load_scenario(path)
    (one,) = error.value.problems
    assert one.line > 1  # the place is in the file, not the file
    return str(one).split(": ", 1)[1]


# --- what is right ----------------------------------------------------------------------------------


def test_every_condition_can_be_asked_for(tmp_path: Path) -> None:
    everything = """\
reverberation: {rt60_s: 0.5, distance_m: 1.5}
second_speaker: {snr_db: 12, lines: [Are you there]}
noise:
  - {bed: cafe, snr_db: 10}
  - {bed: hum, snr_db: 30}
echo: {delay_ms: 180, gain_db: -25}
gain_db: -3
clipping_dbfs: -20
codec: g711_ulaw
packet_loss: {rate: 0.05, model: gilbert_elliott, burst_frames: 3, concealment: repeat}
jitter: {mean_ms: 15, max_ms: 120}
"""
    loaded = load_scenario(write(tmp_path, everything))
    conditions = loaded.scenario.conditions
    assert loaded.warnings == () and not conditions.clean
    assert [noise.bed for noise in conditions.noise] == [Bed.CAFE, Bed.HUM]
    assert conditions.codec is Codec.G711_ULAW
    assert conditions.packet_loss is not None and conditions.packet_loss.burst_frames == 3


def test_a_scenario_without_conditions_is_the_one_it_was(tmp_path: Path) -> None:
    loaded = load_scenario(write(tmp_path, ""))
    assert loaded.scenario.conditions == Conditions() and loaded.scenario.conditions.clean
    explicit = load_scenario(write(tmp_path, "codec: none\ngain_db: 0"))
    assert explicit.scenario.conditions.clean
    assert explicit.sha256 == loaded.sha256 == scenario_sha256(loaded.scenario)


@pytest.mark.parametrize("rate", [8000, 11025, 44100, 48000])
def test_a_noise_file_may_have_any_rate(tmp_path: Path, rate: int) -> None:
    soundfile.write(tmp_path / "fan.wav", 0.1 * np.ones(2 * rate), rate)
    noise = load_scenario(write(tmp_path, "noise: [{bed: fan.wav, snr_db: 10}]")).scenario.conditions.noise
    assert noise[0].file == "fan.wav"


# --- what is impossible -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        (
            "packet_loss: {rate: 1.5}",
            "conditions.packet_loss.rate: found the number 1.5, expected a share from 0 to 1 (0.05 is five",
        ),
        (
            "packet_loss: {rate: -0.1}",
            "conditions.packet_loss.rate: found the number -0.1, expected a share",
        ),
        (
            "packet_loss: {rate: 0.9, model: gilbert_elliott, burst_frames: 2}",
            "conditions.packet_loss: found a rate of 0.9 in bursts of 2 frames, expected a rate of at most"
            " 0.667, or longer bursts",
        ),
        (
            "packet_loss: {rate: 0.1, model: gilbert_elliott}",
            "conditions.packet_loss: found model gilbert_elliott, expected burst_frames",
        ),
        (
            "packet_loss: {rate: 0.1, burst_frames: 3}",
            "conditions.packet_loss: found burst_frames with independent losses, expected model: gil",
        ),
        (
            "echo: {delay_ms: -20}",
            "conditions.echo.delay_ms: found the number -20, expected a delay of 50 to 2000 ms",
        ),
        ("echo: {delay_ms: 100, gain_db: 6}", "conditions.echo.gain_db: found the number 6, expected less"),
        (
            "jitter: {mean_ms: 300, max_ms: 100}",
            "conditions.jitter: found a mean_ms of 300, expected a max_ms that is not below it, not 100",
        ),
        (
            "jitter: {mean_ms: -5}",
            "conditions.jitter.mean_ms: found the number -5, expected greater than 0",
        ),
        (
            "noise: [{bed: rain, snr_db: 10}]",
            "conditions.noise[0].bed: found 'rain', expected pink, babble, hum, keyboard, cafe, or",
        ),
        ("noise: [{bed: pink}]", "conditions.noise[0].snr_db: found no key `snr_db`, expected one"),
        ("noise: [{bed: pink, snr_db: -40}]", "conditions.noise[0].snr_db: found the number -40, expected"),
        (
            "reverberation: {rt60_s: 0}",
            "conditions.reverberation.rt60_s: found the number 0, expected greater than or equal to 0.15",
        ),
        (
            "reverberation: {rt60_s: 1, distance_m: 40}",
            "conditions.reverberation.distance_m: found the number 40, expected less than or equal to 3",
        ),
        (
            "clipping_dbfs: 3",
            "conditions.clipping_dbfs: found the number 3, expected less than or equal to 0",
        ),
        ("codec: opus", "conditions.codec: found 'opus', expected 'none', 'g711_ulaw', 'g711_alaw' or"),
        ("codecs: none", "conditions.codecs: found an unknown key `codecs`, expected one of"),
    ],
)
def test_what_cannot_be_is_refused_with_place_and_remedy(
    tmp_path: Path, conditions: str, expected: str
) -> None:
    assert problem(write(tmp_path, conditions)).startswith(expected)


@pytest.mark.parametrize(
    ("shape", "rate", "found"),
    [
        ((48000, 2), 48000, "2 channels, expected one; keep one of them (ffmpeg"),
        ((0,), 48000, "no samples, expected sound; record it again"),
        ((8000,), 4000, "4000 samples per second, expected 8000 or more"),
        ((4800,), 48000, "0.10 s of noise, expected 1 s or more; it is repeated"),
    ],
)
def test_a_noise_file_that_cannot_be_played_is_refused(
    tmp_path: Path, shape: tuple[int, ...], rate: int, found: str
) -> None:
    soundfile.write(tmp_path / "fan.wav", 0.1 * np.ones(shape), rate)
    told = problem(write(tmp_path, "noise: [{bed: fan.wav, snr_db: 10}]"))
    assert told.startswith(f"conditions.noise[0].bed: found 'fan.wav', which holds {found}")


def test_a_noise_file_that_is_silent_broken_or_not_there_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "noise: [{bed: fan.wav, snr_db: 10}]")
    assert "there is no file" in problem(path)
    (tmp_path / "fan.wav").write_bytes(b"not a sound")
    assert "which holds no sound that can be read" in problem(path)
    soundfile.write(tmp_path / "fan.wav", np.zeros(16000), 16000)
    assert "which holds nothing but silence, expected noise" in problem(path)


def test_an_snr_without_speech_is_refused(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "hello.wav", np.zeros(16000), 16000)
    turns = "turns:\n  - {text: Hello, audio: hello.wav}\n"
    told = problem(write(tmp_path, "noise: [{bed: pink, snr_db: 10}]", turns))
    expected = (
        "turns[0].audio: found 'hello.wav', which holds nothing but silence, expected speech; an snr_db"
    )
    assert told.startswith(expected)
    load_scenario(write(tmp_path, "codec: g711_alaw", turns))  # no level is set against it


def test_clipping_that_nothing_reaches_is_worth_a_warning(tmp_path: Path) -> None:
    loaded = load_scenario(write(tmp_path, "gain_db: -20\nclipping_dbfs: -3"))
    (warning,) = loaded.warnings
    assert "conditions.clipping_dbfs: found clipping at -3 dBFS, which is hardly ever reached" in str(
        warning
    )
