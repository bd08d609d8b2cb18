"""Speech quality by DNSMOS: ITU-T P.835 (signal, background, overall), plain and personalised, and P.808.

The models are those of Microsoft's speechmos package, taken as files. Scores are predictions of what a
crowd of listeners would have said, from 1 to 5; clean speech reaches about 3.4 overall after the mapping.
"""

from __future__ import annotations

import importlib.util
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from streams.audio import Samples
from streams.speech import dnsmos_p808, dnsmos_p835, models
from streams.speech.dnsmos_windows import WINDOW, materials
from streams.speech.interfaces import SPEECH_RATE, ModelIdentity, SpeechError
from streams.speech.windows import check_mono

PLAIN, PERSONAL, P808 = "dnsmos-p835", "dnsmos-p835-personal", "dnsmos-p808"

SHORTEST_S = 1.0
"""A shorter clip is repeated nine times and more: its scores are given and flagged."""

Polynomials = tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]

MAPPING: dict[str, Polynomials] = {
    PLAIN: (
        (-0.08397278, 1.22083953, 0.0052439),
        (-0.13166888, 1.60915514, -0.39604546),
        (-0.06766283, 1.11546468, 0.04602535),
    ),
    PERSONAL: (
        (-0.01019296, 0.02751166, 1.19576786, -0.24348726),
        (-0.04976499, 0.44276479, -0.1644611, 0.96883132),
        (-0.00533021, 0.005101, 1.18058466, -0.11236046),
    ),
}
"""The authors' polynomials from raw to mapped scores, highest power first: signal, background, overall."""

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Opinion:
    """Scores of P.835: signal, background, overall."""

    signal: float
    background: float
    overall: float


@dataclass(frozen=True, slots=True)
class Quality:
    """What DNSMOS says of a clip: means over its windows.

    Attributes:
        plain: P.835, mapped: the numbers that are published.
        plain_raw: The same as the network gives them; never to be compared with mapped ones.
        personal: P.835 of the personalised model, mapped: other talkers count as background.
        personal_raw: The same as the network gives them.
        p808: P.808, overall; the network's own, without a mapping.
        windows: How many windows of 9.01 s were scored.
        repeated: The clip was repeated to fill a window.
        too_short: It is shorter than 1 s.
    """

    plain: Opinion
    plain_raw: Opinion
    personal: Opinion
    personal_raw: Opinion
    p808: float
    windows: int
    repeated: bool
    too_short: bool


class Dnsmos:
    """The three models, loaded when the first clip is scored; may be used by several threads.

    Raises:
        SpeechError: A model is missing or not the pinned one; or numba is.
    """

    def __init__(self) -> None:
        if importlib.util.find_spec("numba") is None:
            raise SpeechError("numba", "it is not installed", "pip install 'vivavoce[quality]'")
        self._paths = {name: models.locate(name) for name in (PLAIN, PERSONAL, P808)}
        self.identities: tuple[ModelIdentity, ...] = tuple(
            models.identity("dnsmos", name, "numba") for name in self._paths
        )

    def score(self, samples: Samples) -> Quality:
        """Score a clip. Blocking: call it in a worker.

        Args:
            samples: Mono float32 at 16 kHz; what is over full scale clips.

        Raises:
            SpeechError: Not mono floats, no samples, or samples that are no numbers.
        """
        check_mono("dnsmos", samples)
        if not samples.size or not np.isfinite(samples).all():
            found = "no samples" if not samples.size else "samples that are no numbers"
            raise SpeechError("dnsmos", f"{found}, expected speech", "Leave the clip unscored.")
        clip = np.clip(samples, -1, 1).astype(np.float32, copy=False)
        plain, personal, p808 = (self._raw(name, clip) for name in (PLAIN, PERSONAL, P808))
        return Quality(
            plain=_mean(mapped(PLAIN, plain)),
            plain_raw=_mean(plain),
            personal=_mean(mapped(PERSONAL, personal)),
            personal_raw=_mean(personal),
            p808=float(p808.mean()),
            windows=len(p808),
            repeated=clip.size < WINDOW,
            too_short=clip.size < SHORTEST_S * SPEECH_RATE,
        )

    def _raw(self, name: str, clip: Samples) -> Scores:
        """The scores of all windows, as the network gives them."""
        network = _network(self._paths[name], name)
        parts = (network.score(part, part.samples(clip)) for part in materials(clip.size))
        return np.concatenate(list(parts))


def mapped(model: str, raw: Scores) -> Scores:
    """Raw scores of P.835 (n, 3) on the scale of the published ones, even where that is outside 1 to 5."""
    columns = [np.polyval(curve, raw[:, index]) for index, curve in enumerate(MAPPING[model])]
    return np.stack(columns, axis=1)


def _mean(scores: Scores) -> Opinion:
    return Opinion(*map(float, scores.mean(axis=0)))


_loading = threading.Lock()


def _network(path: Path, name: str) -> dnsmos_p808.P808 | dnsmos_p835.P835:
    with _loading:  # two threads must not both load it
        return _load(path, name)


@cache
def _load(path: Path, name: str) -> dnsmos_p808.P808 | dnsmos_p835.P835:
    return dnsmos_p808.P808(path) if name == P808 else dnsmos_p835.P835(path)
