from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.speech import models, onnx, silero_graph
from streams.speech.interfaces import SpeechError
from streams.speech.onnx_graph import Graph
from streams.speech.silero_graph import over_frames
from tests.streams.speech.conftest import PiperClip

Floats = npt.NDArray[np.float32]
RATE = np.array(16000, np.int64)


def by_the_file(windows: Floats, state: Floats) -> tuple[list[float], Floats]:
    """What the file's network says to the windows (n, 576) of a stream, and its state (2, 128) then."""
    session = onnx.session(models.locate("silero-vad"))
    heard, memory = [], state[:, None]
    for window in windows:
        found, memory = session.run(None, {"input": window[None], "state": memory, "sr": RATE})
        heard.append(float(found[0, 0]))
    return heard, memory[:, 0]


@pytest.mark.models
def test_it_says_what_the_file_says_of_streams_of_any_length(piper_clip: PiperClip) -> None:
    clip = piper_clip("Good morning, could you tell me when the next train to the city leaves?")
    windows = np.lib.stride_tricks.sliding_window_view(clip, 576)[::512]
    assert len(windows) > 90
    random = np.random.default_rng(5)
    state = random.normal(0, 0.3, (2, 3, 128)).astype(np.float32)
    streams = [windows[:90], windows[40:41], random.normal(0, 0.1, (33, 576)).astype(np.float32)]
    lengths = np.array([90, 1, 33], np.int32)
    firsts = np.array([0, 90, 91])
    heard, after = silero_graph.session(models.locate("silero-vad")).run(
        None,
        {
            "windows": np.concatenate(streams),
            "state": state,
            "places": firsts + np.minimum(np.arange(90)[:, None], lengths - 1),
            "lengths": lengths,
        },
    )
    for index, stream in enumerate(streams):
        expected, memory = by_the_file(stream, state[:, index])
        assert max(expected) - min(expected) > 0.9 or len(stream) < 90  # speech and silence are in it
        np.testing.assert_allclose(heard[: len(stream), index], expected, atol=1e-4)
        np.testing.assert_allclose(after[:, index], memory, atol=1e-3)


@given(frames=st.integers(1, 5), stride=st.integers(1, 2), seed=st.integers(0, 1000))
def test_a_convolution_over_frames_is_one_matrix(frames: int, stride: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    kernel = random.integers(-9, 9, (2, 3, 3)).astype(np.float32)  # outputs, inputs, frames
    values = random.integers(-9, 9, (frames, 3)).astype(np.float32)
    matrix, made = over_frames(kernel, frames, stride)
    padded = np.pad(values, ((1, 1), (0, 0)))
    expected = [
        [np.sum(padded[at : at + 3] * kernel[output].T) for output in range(2)]
        for at in range(0, frames, stride)
    ]
    assert made == len(expected)
    assert np.array_equal((values.reshape(-1) @ matrix).reshape(made, 2), expected)


def test_a_file_without_such_weights_is_refused(tmp_path: Path) -> None:
    graph = Graph()
    graph.output(graph.op("MatMul", graph.input("x"), graph.constant(np.eye(3, dtype=np.float32))))
    path = tmp_path / "other.onnx"
    path.write_bytes(graph.to_bytes())
    with pytest.raises(SpeechError, match=r"other\.onnx holds no weights of Silero 5 or 6 at 16 kHz"):
        silero_graph.session(path)
