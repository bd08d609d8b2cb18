"""Speech activity by Silero VAD: one small recurrent model, batched over all streams that wait.

The model hears 512 samples at a time *and the 64 before them*; without that context it finds almost no
speech and says nothing about it. Its state and context belong to one stream and start at zero. The network
is `streams.speech.silero_graph`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from streams.audio import Samples
from streams.speech import models, onnx, silero_graph
from streams.speech.batching import Batching
from streams.speech.interfaces import SPEECH_RATE
from streams.speech.windows import Windows, check_rate

_CONTEXT = 64
_SLICE = 32
"""Windows a stream may have in one batch (1 s): a long clip never keeps live streams waiting."""

_ASLEEP_AFTER = 31
"""Windows of exact zeros (1 s) after which a stream sleeps.

Nothing plays on a silent line, so most windows of a call are exact zeros. A stream that sleeps answers 0.0
at no cost and keeps its state. Measured on 50 spoken clips after 0 to 30 s of zeros, no clip was missed
either way; onsets against the first 10 ms over -40 dBFS: 2 +- 11 ms early asleep, 7 +- 14 ms late awake.
"""

BEAT_S = 0.02
"""On the wall clock a batch begins at least so long after the one before: of a hundred streams many wait by
then, and a window costs half as much in a batch of eight or more as it does alone. A stream that is alone
does not wait: it asks less often."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class State:
    """What the model remembers of one stream.

    Attributes:
        recurrent: Shape (2, 128).
        context: The last 64 samples.
        zeros: How many windows in a row were exact zeros.
    """

    recurrent: Floats = field(default_factory=lambda: np.zeros((2, 128), np.float32))
    context: Floats = field(default_factory=lambda: np.zeros(_CONTEXT, np.float32))
    zeros: int = 0

    @property
    def asleep(self) -> bool:
        """True if another window of zeros need not be asked about."""
        return self.zeros >= _ASLEEP_AFTER


_Job = tuple[State, Floats]
_Answer = tuple[State, list[float]]


class SileroDetector:
    """Silero VAD; streams of one detector share its model and are run together.

    Speech ends are found about 85 +- 17 ms late (the model lets speech fade), beginnings within one window.

    Args:
        model: "silero-vad", or the path of another ONNX file of Silero 5 or 6.

    Raises:
        SpeechError: The model is missing or not the pinned one, or (at the first window) has other weights.
    """

    window = 512
    """Samples in a window: 32 ms."""

    def __init__(self, model: str | Path = "silero-vad") -> None:
        self._path = models.locate(model)
        self.identity = models.identity("silero", model, "onnxruntime")
        self._batching: Batching[_Job, _Answer] = Batching(self._work, kind="vad", beat_s=BEAT_S)

    def stream(self, rate: int = SPEECH_RATE) -> SileroStream:
        """A new stream with state of its own. Raises `SpeechError` for a rate other than 16 kHz."""
        check_rate("silero", rate)
        return SileroStream(self)

    async def score(self, state: State, windows: Floats) -> _Answer:
        """The state after these windows (shape (n, 512)), and the speech probability of each."""
        return await self._batching.ask((state, windows))

    def _work(self, jobs: Sequence[_Job]) -> list[_Answer]:
        return score(silero_graph.session(self._path), jobs)


class SileroStream:
    """Speech activity on one stream; one call of `feed` at a time."""

    def __init__(self, detector: SileroDetector) -> None:
        self._detector = detector
        self._windows = Windows(SileroDetector.window)
        self._state = State()

    async def feed(self, samples: Samples) -> list[float]:
        """Next samples at 16 kHz; returns the speech probability of each window completed by them."""
        windows = self._windows.cut(samples)
        if self._state.asleep and not windows.any():
            return [0.0] * len(windows)
        probabilities: list[float] = []
        for start in range(0, len(windows), _SLICE):
            self._state, scored = await self._detector.score(self._state, windows[start : start + _SLICE])
            probabilities += scored
        return probabilities


def score(model: onnx.Session, jobs: Sequence[_Job]) -> list[_Answer]:
    """Hear the next windows (n, 512) of several streams, all at once, with a `silero_graph.session`."""
    windows = np.concatenate([own for _, own in jobs])
    borders = [0, *accumulate(len(own) for _, own in jobs)]
    sounding: list[bool] = np.any(windows, axis=1).tolist()
    heard = [
        _awake(sounding, range(*span), state.zeros)
        for span, (state, _) in zip(pairwise(borders), jobs, strict=True)
    ]
    recurrent = [state.recurrent for state, _ in jobs]
    scored = [0.0] * len(windows)
    asked = [index for index, (rows, _) in enumerate(heard) if rows]
    if asked:
        lengths = [len(heard[index][0]) for index in asked]
        places = np.zeros((max(lengths), len(asked)), np.int64)
        for stream, index in enumerate(asked):
            places[: lengths[stream], stream] = heard[index][0]
        probabilities, memory = model.run(
            None,
            {
                "windows": _with_context(windows, borders[:-1], [state.context for state, _ in jobs]),
                "state": np.stack([recurrent[index] for index in asked], axis=1),
                "places": places,
                "lengths": np.array(lengths, np.int32),
            },
        )
        for stream, (index, spoken) in enumerate(zip(asked, probabilities.T.tolist(), strict=True)):
            recurrent[index] = memory[:, stream].copy()
            for row, probability in zip(heard[index][0], spoken, strict=False):
                scored[row] = probability
    return [
        (State(memory, windows[end - 1, -_CONTEXT:].copy(), zeros), scored[start:end])
        for (start, end), memory, (_, zeros) in zip(pairwise(borders), recurrent, heard, strict=True)
    ]


def _awake(sounding: Sequence[bool], rows: Sequence[int], zeros: int) -> tuple[list[int], int]:
    """Which windows of a stream the model is asked about, and how many at the end are zeros in a row."""
    asked = []
    for row in rows:
        if sounding[row] or zeros < _ASLEEP_AFTER:
            asked.append(row)
            zeros = 0 if sounding[row] else zeros + 1
    return asked, zeros


def _with_context(windows: Floats, firsts: Sequence[int], contexts: Sequence[Floats]) -> Floats:
    """Each window behind the 64 samples before it: in the window before, or in what a stream remembers."""
    made = np.empty((len(windows), _CONTEXT + SileroDetector.window), np.float32)
    made[:, _CONTEXT:] = windows
    made[1:, :_CONTEXT] = windows[:-1, -_CONTEXT:]
    made[firsts, :_CONTEXT] = contexts
    return made
