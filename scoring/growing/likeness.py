"""Whether a prompt was there before: in the same words, or in others that mean the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from scoring.text import normalise
from streams.language.sentences import SentenceEncoder, Vectors

SIMILAR = 0.8
"""Cosine from which two prompts say the same, by all-MiniLM-L6-v2. The nearest two of the 76 prompts of
`expression` have 0.63; rewordings of some of them 0.87 to 0.98, other requests in like words up to 0.75."""


@dataclass(frozen=True, slots=True)
class Near:
    """The prompt that is nearest to another.

    Attributes:
        name: Of the scenario.
        same: It has the same words, whatever case, punctuation and spelling of numbers.
        similarity: Cosine, -1 to 1; None without a sentence model.
    """

    name: str
    same: bool
    similarity: float | None


class Likeness:
    """Remembers prompts and finds the nearest. Blocks: use it in a worker thread.

    Args:
        encoder: The sentence model; None compares words alone.
        prompts: Names and texts to begin with.

    Raises:
        EncoderMissing: The sentence model can't be used.
    """

    def __init__(self, encoder: SentenceEncoder | None, prompts: Iterable[tuple[str, str]]) -> None:
        self._encoder = encoder
        self._names: list[str] = []
        self._words: dict[str, str] = {}
        self._vectors: Vectors = np.zeros((0, 0), np.float32)
        self._add(list(prompts))

    def add(self, name: str, text: str) -> None:
        """Remember a prompt."""
        self._add([(name, text)])

    def nearest(self, text: str) -> Near | None:
        """The prompt that is most like a text; None if there is none, or no model to say which it is."""
        same = self._words.get(normalise(text))
        if same is not None:
            return Near(same, True, 1.0 if self._encoder else None)
        if self._encoder is None or not self._names:
            return None
        cosines = self._vectors @ self._encoder.encode([text])[0]
        best = int(np.argmax(cosines))
        return Near(self._names[best], False, float(cosines[best]))

    def _add(self, prompts: list[tuple[str, str]]) -> None:
        for name, text in prompts:
            self._names.append(name)
            self._words.setdefault(normalise(text), name)
        if self._encoder is not None and prompts:
            fresh = self._encoder.encode([text for _, text in prompts])
            self._vectors = np.concatenate([self._vectors, fresh]) if self._vectors.size else fresh
