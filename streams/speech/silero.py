"""Speech activity by Silero VAD: one small recurrent model, batched over all streams that wait.

The model hears 512 samples at a time *and the 64 before them*; without that context it finds almost no
speech and says nothing about it. Its state and context belong to one stream and start at zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from streams.audio import Samples
from streams.speech import models, onnx
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

_RATE = np.array(SPEECH_RATE, np.int64)

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
        SpeechError: The model is missing or not the pinned one.
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
        return score(onnx.session(self._path), jobs)


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
    """Run the next windows (n, 512) of several streams, each stream's in order, all streams at once."""
    size = SileroDetector.window
    tracks = [np.concatenate([state.context, windows.ravel()]) for state, windows in jobs]
    sounding: list[list[bool]] = [np.any(windows, axis=1).tolist() for _, windows in jobs]
    recurrent = [state.recurrent for state, _ in jobs]
    zeros = [state.zeros for state, _ in jobs]
    answers = [[0.0] * len(windows) for _, windows in jobs]
    together: list[int] = []  # the streams whose memory is in `memory`, side by side
    memory = np.zeros((2, 0, 128), np.float32)
    for step in range(max(len(windows) for _, windows in jobs)):
        awake = [
            index
            for index, sounds in enumerate(sounding)
            if step < len(sounds) and (sounds[step] or zeros[index] < _ASLEEP_AFTER)
        ]
        if not awake:
            continue
        if awake != together:
            together, memory = awake, np.stack([recurrent[index] for index in awake], axis=1)
        span = slice(size * step, size * (step + 1) + _CONTEXT)
        heard, memory = model.run(
            None,
            {
                "input": np.stack([tracks[index][span] for index in awake]),
                "state": memory,
                "sr": _RATE,
            },
        )
        for place, (index, probability) in enumerate(zip(awake, heard[:, 0].tolist(), strict=True)):
            answers[index][step] = probability
            recurrent[index] = memory[:, place]
            zeros[index] = 0 if sounding[index][step] else zeros[index] + 1
    return [
        (State(memory.copy(), track[-_CONTEXT:].copy(), count), heard)
        for memory, track, count, heard in zip(recurrent, tracks, zeros, answers, strict=True)
    ]
