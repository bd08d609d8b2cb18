"""What a voice is like: an emotion, an accent; by any audio classifier of the transformers library."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from streams.audio import Samples
from streams.speech import models
from streams.speech.interfaces import SPEECH_RATE, ModelIdentity, SpeechError
from streams.speech.windows import check_mono


class VoiceClassifier(Protocol):
    """Scores by label for a clip of speech."""

    @property
    def identity(self) -> ModelIdentity:
        """Which model this is."""

    def classify(self, samples: Samples) -> Mapping[str, float]:
        """Scores in [0, 1] by label for a clip of mono float32 at 16 kHz. Blocking: call it in a worker.

        Raises:
            SpeechError: The engine failed.
        """


class TransformersClassifier:
    """An audio-classification model, loaded when the first clip comes.

    Args:
        model: Folder of a model, or its id on the hub (downloaded on first use unless it is cached).

    Raises:
        SpeechError: transformers or torch is not installed.
    """

    def __init__(self, model: str | Path) -> None:
        for package in ("transformers", "torch"):
            if importlib.util.find_spec(package) is None:
                raise SpeechError(package, "it is not installed", "pip install 'vivavoce[transformers]'")
        self._model = str(model)
        self.identity = _identity(self._model)

    def classify(self, samples: Samples) -> Mapping[str, float]:
        """Scores in [0, 1] by label, the highest first.

        Raises:
            SpeechError: The clip is not mono floats, or the model can't be loaded or used.
        """
        check_mono("classifier", samples)
        try:
            found = _load(self._model)({"raw": samples, "sampling_rate": SPEECH_RATE}, top_k=None)
        except (OSError, ValueError) as error:  # no such model, offline, not a classifier of audio
            reason = str(error).partition("\n")[0]
            remedy = "Give the id or folder of an audio classifier."
            raise SpeechError(f"transformers {self._model}", reason, remedy) from error
        return {str(item["label"]): float(item["score"]) for item in found}


@cache
def _load(model: str) -> Any:
    from transformers import pipeline

    return pipeline("audio-classification", model=model, device="cpu")


def _identity(model: str) -> ModelIdentity:
    """A folder's weights are hashed; an id of the hub names its weights by itself."""
    if Path(model).is_dir():
        return models.identity("transformers", model, "transformers")
    version = f"transformers {importlib.metadata.version('transformers')}"
    return ModelIdentity("transformers", model, version)
