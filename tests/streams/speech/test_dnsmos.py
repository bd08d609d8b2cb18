"""DNSMOS against its authors' package and against the whole network, on sounds that are made here."""

from __future__ import annotations

import importlib
from types import ModuleType

import numpy as np
import pytest

from streams.audio import Samples
from streams.speech import models, onnx
from streams.speech.dnsmos import MAPPING, PERSONAL, PLAIN, Dnsmos, mapped
from streams.speech.dnsmos import P808 as P808_MODEL
from streams.speech.dnsmos_mel import MelStretch, mel_filters
from streams.speech.dnsmos_p808 import P808
from streams.speech.dnsmos_p835 import P835
from streams.speech.dnsmos_windows import FRAME, WINDOW, Material, materials, window_starts
from streams.speech.interfaces import SpeechError

RATE = 16000


def babble(seconds: float, seed: int = 0) -> Samples:
    """Bursts of harmonics over a noise floor: nothing repeats."""
    draw = np.random.default_rng(seed)
    t = np.arange(round(seconds * RATE)) / RATE
    phase = 2 * np.pi * np.cumsum(140 + 40 * np.sin(2.1 * t)) / RATE
    voice = sum(np.cos(k * phase) / k for k in range(1, 20))
    loud = np.clip(np.sin(2 * np.pi * 2.7 * t) + 0.4 * np.sin(2 * np.pi * 0.31 * t), 0, None)
    return (0.12 * voice * loud + draw.normal(0, 0.003, t.size)).astype(np.float32)


@pytest.fixture(scope="module")
def scorer() -> Dnsmos:
    return Dnsmos()


@pytest.fixture(scope="module")
def speechmos() -> ModuleType:
    return importlib.import_module("speechmos.dnsmos")


@pytest.mark.models
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("samples", "kind"), [(3 * RATE, "dnsmos_personalized"), (79_999, "dnsmos")])
def test_a_short_clip_scores_as_with_its_authors(
    samples: int, kind: str, scorer: Dnsmos, speechmos: ModuleType
) -> None:
    clip = babble(6)[:samples]
    ours = scorer.score(clip)
    opinion = ours.plain if kind == "dnsmos" else ours.personal
    theirs = speechmos.run(clip, RATE, model_type=kind)
    assert opinion.signal == pytest.approx(theirs["sig_mos"], abs=1e-3)
    assert opinion.background == pytest.approx(theirs["bak_mos"], abs=1e-3)
    assert opinion.overall == pytest.approx(theirs["ovrl_mos"], abs=1e-3)
    assert ours.p808 == pytest.approx(theirs["p808_mos"], abs=1e-3)
    assert ours.repeated


def whole(network: str, windows: list[Samples]) -> np.ndarray:
    """Raw scores of the network as it is, by onnxruntime, one window after another."""
    session = onnx.session(models.locate(network))
    return np.concatenate([session.run(None, {"input_1": window[np.newaxis]})[0] for window in windows])


@pytest.mark.models
@pytest.mark.parametrize("samples", [WINDOW + 5000, WINDOW + 2 * RATE])  # a tail of its own; a long stretch
def test_windows_that_share_their_work_score_as_the_whole_network(samples: int) -> None:
    clip = babble(12, seed=1)[:samples]
    network = P835(models.locate(PLAIN))
    made = np.concatenate([network.score(part, part.samples(clip)) for part in materials(samples)])
    expected = whole(PLAIN, [clip[start : start + WINDOW] for start in window_starts(samples)])
    assert np.allclose(made, expected, atol=1e-4)


@pytest.mark.models
@pytest.mark.parametrize(
    ("sound", "network"),
    [("clicks", PLAIN), ("steps", PERSONAL), ("faint", PLAIN), ("silence", PERSONAL), ("loud", PLAIN)],
)
def test_any_sound_scores_as_with_the_whole_network(sound: str, network: str) -> None:
    draw = np.random.default_rng(2)
    t = np.arange(WINDOW)
    made = {
        "clicks": (t % 1777 == 0).astype(float),
        "steps": draw.choice([-1.0, 0.0, 1.0], t.size // 320 + 1).repeat(320)[: t.size],
        "faint": draw.normal(0, 1e-5, t.size),
        "silence": np.zeros(t.size),
        "loud": draw.choice([-1.0, 1.0], t.size),
    }[sound].astype(np.float32)
    (part,) = materials(WINDOW)
    found = P835(models.locate(network)).score(part, part.samples(made))
    assert np.allclose(found, whole(network, [made]), atol=1e-4)


def loudest_first(seconds: int) -> Samples:
    """Speech-like sound with a louder second at its beginning, and the loudest in its middle."""
    clip = babble(seconds, seed=3)
    clip[RATE : 2 * RATE] *= 2
    clip[seconds // 2 * RATE :][:RATE] *= 3
    return clip


@pytest.mark.models
def test_windows_with_one_loudest_moment_share_it_and_score_as_alone() -> None:
    clip = loudest_first(14)[: WINDOW + 4 * RATE]
    (material,) = materials(clip.size)
    groups = list(MelStretch(material, material.samples(clip)).groups())
    # five windows, from 0 s to 4 s on: all of them hold the second from 7 s on
    assert [len(group.starts) for group in groups] == [5]
    quiet = clip.copy()
    quiet[7 * RATE : 8 * RATE] /= 3
    groups = list(MelStretch(material, material.samples(quiet)).groups())
    # that from 1 s on is now the loudest; the window from 2 s on does not hold it
    assert [group.starts[0] for group in groups][:2] == [0, 200]
    network = P808(models.locate(P808_MODEL))
    for sound in (clip, quiet):
        found = network.score(material, material.samples(sound))
        alone = [sound[start : start + WINDOW] for start in window_starts(sound.size)]
        parts = Material(0, 900, (0,))
        expected = [network.score(parts, parts.samples(window))[0] for window in alone]
        assert np.allclose(found, expected, atol=1e-4)


@pytest.mark.filterwarnings("ignore")
def test_the_mel_spectrum_is_that_of_librosa() -> None:
    feature, core, filters = (
        importlib.import_module(f"librosa.{name}") for name in ("feature", "core", "filters")
    )
    assert np.allclose(mel_filters(), filters.mel(sr=RATE, n_fft=321, n_mels=120), atol=1e-7)
    clip = babble(9.1)[:WINDOW]
    power = feature.melspectrogram(y=clip[:-160], sr=RATE, n_fft=321, hop_length=160, n_mels=120)
    expected = (core.power_to_db(power, ref=np.max) + 40) / 40
    material = Material(0, 900, (0,))
    (group,) = MelStretch(material, material.samples(clip)).groups()
    assert np.allclose(group.strip.window(0, 900, 0), expected.T, atol=1e-4)


def test_raw_and_mapped_scores_are_kept_apart() -> None:
    raw = np.array([[3.8230743] * 3, [5.0] * 3])
    made = mapped(PLAIN, raw)
    assert made[0, 2] == pytest.approx(3.3216, abs=1e-4)
    assert made[1, 2] == pytest.approx(3.93, abs=0.01)  # the top of the scale
    assert mapped(PERSONAL, np.array([[1.0, 2.0, 3.0]]))[0] == pytest.approx(
        [
            sum(MAPPING[PERSONAL][0]),
            np.polyval(MAPPING[PERSONAL][1], 2),
            np.polyval(MAPPING[PERSONAL][2], 3),
        ]
    )


@pytest.mark.models
def test_a_clip_of_a_fifth_of_a_second_is_scored_and_flagged(scorer: Dnsmos) -> None:
    assert scorer.score(babble(0.2)).too_short
    assert not scorer.score(babble(1.0)).too_short


@pytest.mark.parametrize(
    ("clip", "said"),
    [
        (np.zeros(0, np.float32), "no samples"),
        (np.array([0.1, np.nan], np.float32), "no numbers"),
        (np.zeros((2, 16000), np.float32), "shape"),
        (np.zeros(16000, np.int16), "int16"),
    ],
)
def test_what_would_be_scored_wrongly_is_refused(clip: Samples, said: str, scorer: Dnsmos) -> None:
    with pytest.raises(SpeechError, match=said):
        scorer.score(clip)


def test_a_window_is_nine_seconds_and_a_frame() -> None:
    assert WINDOW == 9 * RATE + FRAME == 144_160
