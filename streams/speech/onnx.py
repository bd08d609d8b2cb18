"""Sessions of onnxruntime for small models that run on one core."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from streams.speech.interfaces import SpeechError


class Session(Protocol):
    """What is used of an `onnxruntime.InferenceSession`."""

    def run(self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any]) -> list[Any]:
        """Run the model on named arrays; returns its outputs in order."""


@cache
def session(path: Path) -> Session:
    """The session of a model: CPU, one thread, sequential; loaded once. Call it in a worker."""
    return session_of(str(path))


def session_of(model: str | bytes) -> Session:
    """The same of a model's path or of its bytes; not kept."""
    if importlib.util.find_spec("onnxruntime") is None:
        raise SpeechError("onnxruntime", "it is not installed", "pip install 'vivavoce[hear]'")
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors
    loaded: Session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return loaded
