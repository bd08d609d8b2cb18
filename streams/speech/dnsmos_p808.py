"""DNSMOS P.808: overall quality of windows of 9.01 s, heard as a mel spectrum.

The network is five convolutions with three poolings, and the largest value over the window, from which
three dense layers make one score. The convolutions are shared by windows that overlap and have their
loudest moment in common.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from streams.audio import Samples
from streams.speech.dnsmos_layers import Network
from streams.speech.dnsmos_mel import MelStretch
from streams.speech.dnsmos_strips import Stage, windows_after
from streams.speech.dnsmos_windows import WINDOW_FRAMES, Material
from streams.speech.sparse_convolution import largest, pooled


class P808:
    """The network of the P.808 model.

    Args:
        model: Path of its ONNX file.
    """

    def __init__(self, model: Path) -> None:
        network = Network(model)
        first = network.first("conv2d_5")
        second, third, fourth, fifth = (network.convolution(f"conv2d_{number}") for number in range(6, 10))
        self._stages = (
            Stage(lambda levels: pooled(first(levels)), stride=2, reach=2, edge=1),
            Stage(lambda cells: pooled(second(cells)), stride=2, reach=2, edge=1),
            Stage(lambda cells: fourth(third(cells)), stride=1, reach=2, edge=3),
            Stage(lambda cells: fifth(pooled(cells)), stride=2, reach=2, edge=3),
        )
        self._dense = network.dense(*(f"mos_estimator_small_1/dense_{number}" for number in (3, 4, 5)))

    def score(self, material: Material, samples: Samples) -> npt.NDArray[np.float64]:
        """Raw score of every window, shape (windows,).

        Args:
            material: Where the windows are.
            samples: Its samples, see `Material.samples`.
        """
        made: dict[int, float] = {}
        for group in MelStretch(material, samples).groups():
            windows = windows_after(self._stages, group.strip, group.places, WINDOW_FRAMES)
            scores = (float(self._dense(largest(window))[0]) for window in windows)
            made |= zip(group.starts, scores, strict=True)
        return np.array([made[start] for start in material.starts])
