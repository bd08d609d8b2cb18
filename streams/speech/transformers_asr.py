"""Speech recognition by the transformers library: Whisper, CTC models, Qwen3-ASR, fine-tunes of them."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from streams.audio import Samples
from streams.speech import models, workers
from streams.speech.gate import transcribe_speech
from streams.speech.hallucination import Segment
from streams.speech.interfaces import SPEECH_RATE, ModelIdentity, SpeechDetector, SpeechError, Transcript
from streams.speech.silero import SileroDetector


class TransformersRecogniser:
    """A transformers model behind the speech gate, decoded greedily, on a GPU if there is one.

    Args:
        model: Folder of a model, or its id on the hub (downloaded on first use unless it is cached).
        detector: Finds the speech in a clip; Silero if None.

    Raises:
        SpeechError: transformers or torch is not installed.
    """

    def __init__(self, model: str | Path, *, detector: SpeechDetector | None = None) -> None:
        for package in ("transformers", "torch"):
            if importlib.util.find_spec(package) is None:
                raise SpeechError(package, "it is not installed", "pip install 'vivavoce[transformers]'")
        self._model = str(model)
        self._detector = detector or SileroDetector()
        self.identity = _identity(self._model)

    async def transcribe(self, samples: Samples, *, language: str = "en") -> Transcript:
        """Transcribe a clip of float32 at 16 kHz; silence gives `no_speech`, never an invention.

        Raises:
            SpeechError: The clip is not mono floats, or the model can't be loaded or used.
        """

        async def recognise(audio: Samples) -> Sequence[Segment]:
            return await workers.run(self._work, audio, language, kind="asr")

        return await transcribe_speech(self.identity.family, samples, self._detector, recognise)

    def _work(self, audio: Samples, language: str) -> Sequence[Segment]:
        try:
            return _load(self._model)(audio, language)
        except (OSError, ValueError) as error:  # no such model, offline, not an ASR model, unknown language
            reason = str(error).partition("\n")[0]
            raise SpeechError(
                f"transformers {self._model}", reason, "Give an ASR model's id or folder."
            ) from error


class _Engine(Protocol):
    def __call__(self, audio: Samples, language: str) -> Sequence[Segment]: ...


class _PipelineEngine:
    """Models of the speech-recognition pipeline: Whisper, encoder-decoders and CTC."""

    def __init__(self, model: str, device: str, dtype: Any) -> None:
        from transformers import pipeline

        self._pipeline = pipeline("automatic-speech-recognition", model=model, device=device, dtype=dtype)

    def __call__(self, audio: Samples, language: str) -> Sequence[Segment]:
        result = self._pipeline({"raw": audio, "sampling_rate": SPEECH_RATE}, **self._options(language))
        duration = audio.size / SPEECH_RATE
        if "chunks" not in result:
            return [Segment(0.0, duration, result["text"].strip())]
        return [
            Segment(
                float(chunk["timestamp"][0] or 0.0),
                # the last one has no end if the model did not say it
                float(duration if chunk["timestamp"][1] is None else chunk["timestamp"][1]),
                chunk["text"].strip(),
            )
            for chunk in result["chunks"]
        ]

    def _options(self, language: str) -> dict[str, Any]:
        if self._pipeline.type == "ctc":
            return {"chunk_length_s": 30}
        generate: dict[str, Any] = {"num_beams": 1, "do_sample": False}
        if self._pipeline.type != "seq2seq_whisper":
            return {"generate_kwargs": generate}
        if getattr(self._pipeline.model.generation_config, "is_multilingual", False):
            generate |= {"language": language, "task": "transcribe"}
        return {"generate_kwargs": generate, "return_timestamps": True}


class _RequestEngine:
    """Language models that hear (Qwen3-ASR and its kin), asked through their transcription request."""

    def __init__(self, model: str, processor: Any, device: str, dtype: Any) -> None:
        from transformers import AutoModelForMultimodalLM

        self._processor = processor
        self._model = AutoModelForMultimodalLM.from_pretrained(model, dtype=dtype).to(device).eval()

    def __call__(self, audio: Samples, language: str) -> Sequence[Segment]:
        inputs = self._processor.apply_transcription_request(audio, language=language)
        inputs = inputs.to(self._model.device, self._model.dtype)
        tokens = self._model.generate(**inputs, do_sample=False, num_beams=1, max_new_tokens=440)
        spoken = tokens[:, inputs["input_ids"].shape[1] :]
        (text,) = self._processor.decode(spoken, return_format="transcription_only")
        return [Segment(0.0, audio.size / SPEECH_RATE, text.strip())]


@cache
def _load(model: str) -> _Engine:
    """The engine for a model, loaded once; in a worker."""
    import torch
    from transformers import AutoProcessor

    gpu = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else ""
    dtype = torch.float16 if gpu == "cuda" else torch.float32
    processor = AutoProcessor.from_pretrained(model)
    if hasattr(processor, "apply_transcription_request"):
        return _RequestEngine(model, processor, gpu or "cpu", dtype)
    return _PipelineEngine(model, gpu or "cpu", dtype)


def _identity(model: str) -> ModelIdentity:
    """A folder's weights are hashed; an id of the hub names its weights by itself."""
    if Path(model).is_dir():
        return models.identity("transformers", model, "transformers")
    return ModelIdentity(
        "transformers", model, f"transformers {importlib.metadata.version('transformers')}"
    )
