"""DNSMOS P.835: signal, background and overall quality of windows of 9.01 s.

The network is a log spectrum, seven convolutions with three poolings, and the largest value over the
window, from which three dense layers make three scores. The convolutions are shared by the windows that
overlap (`dnsmos_strips`); nothing is computed of the nine values in ten that are zero
(`sparse_convolution`).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from streams.audio import Samples
from streams.speech.compiled import product
from streams.speech.dnsmos_layers import Network
from streams.speech.dnsmos_strips import Floats, Stage, Strip, windows_after
from streams.speech.dnsmos_windows import FRAME, WINDOW_FRAMES, Material
from streams.speech.sparse_convolution import largest, pooled

_BINS = 161
_FLOOR = np.float32(1e-12)

SHORT_FRAMES = 1000
"""In so short a stretch the layers at full resolution are shared one by one. Less is then done again at the
edges of windows, of which a short turn has many; but all that a layer makes is kept, 41 kB a frame."""


class P835:
    """The network of one P.835 model.

    Args:
        model: Path of its ONNX file.
    """

    def __init__(self, model: Path) -> None:
        network = Network(model)
        parts = [network.weights[f"time2freq/stft-{part}/kernel:0"][:, :, 0] for part in ("real", "imag")]
        self._transform = np.concatenate(parts).T.copy()  # (320, 322)
        first = network.first("conv2d")
        convolutions = [network.convolution(f"conv2d_{number}") for number in range(1, 7)]
        second, third, fourth, fifth, sixth, seventh = convolutions

        def full(spectrum: Floats) -> Floats:
            return pooled(fourth(third(second(first(spectrum)))))

        self._short = (
            Stage(lambda spectrum: second(first(spectrum)), stride=1, reach=2, edge=2),
            Stage(third, stride=1, reach=1, edge=3),
            Stage(lambda cells: pooled(fourth(cells)), stride=2, reach=2, edge=2),
        )
        self._long = (Stage(full, stride=2, reach=4, edge=2),)
        self._rest = (
            Stage(lambda cells: pooled(fifth(cells)), stride=2, reach=2, edge=2),
            Stage(sixth, stride=1, reach=1, edge=3),
            Stage(lambda cells: seventh(pooled(cells)), stride=2, reach=2, edge=3),
        )
        names = (f"mos_estimator_logpow/{name}" for name in ("dense", "dense_1", "dense_3"))
        self._dense = network.dense(*names)

    def score(self, material: Material, samples: Samples) -> npt.NDArray[np.float64]:
        """Raw scores (signal, background, overall) of every window, shape (windows, 3).

        Args:
            material: Where the windows are.
            samples: Its samples, see `Material.samples`.
        """
        starts = sorted(set(material.starts))
        spectrum = Strip(self._spectrum(samples[FRAME:]), cyclic=material.cyclic)
        stages = (*(self._short if material.frames <= SHORT_FRAMES else self._long), *self._rest)
        windows = windows_after(stages, spectrum, starts, WINDOW_FRAMES)
        scores = (self._dense(largest(window)) for window in windows)
        made = dict(zip(starts, scores, strict=True))
        return np.stack([made[start] for start in material.starts]).astype(np.float64)

    def _spectrum(self, samples: Samples) -> Floats:
        """Log power, shape (frames, 161); a frame is 20 ms, one begins every 10 ms."""
        frames = np.lib.stride_tricks.sliding_window_view(samples, 2 * FRAME)[::FRAME]
        parts = product(frames, self._transform)
        power = np.square(parts[:, :_BINS]) + np.square(parts[:, _BINS:])
        made: Floats = np.log10(np.maximum(power, _FLOOR))
        return made
