from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from streams.language.sentences import EncoderMissing, MiniLm, SentenceTransformerEncoder
from streams.speech.models import locate, status

SENTENCES = ["The guide RNA leads Cas9 to the matching DNA.", "", "IL-6 rises.", "A train " * 300]

needs_minilm = pytest.mark.skipif(status("minilm-l6-v2").path is None, reason="MiniLM is not installed")


@pytest.fixture(scope="module")
def minilm() -> MiniLm:
    return MiniLm(locate("minilm-l6-v2"))


@needs_minilm
@pytest.mark.models
def test_vectors_have_length_1_and_do_not_depend_on_their_neighbours(minilm: MiniLm) -> None:
    together = minilm.encode(SENTENCES)
    assert together.shape == (4, 384)
    assert np.linalg.norm(together, axis=1) == pytest.approx([1] * 4, abs=1e-5)
    alone = np.concatenate([minilm.encode([sentence]) for sentence in SENTENCES])
    assert np.abs(together - alone).max() < 1e-5
    assert minilm.encode([]).shape == (0, 384)


@needs_minilm
@pytest.mark.models
def test_a_paraphrase_is_nearer_than_another_subject(minilm: MiniLm) -> None:
    fact, paraphrase, other = minilm.encode(
        ["Insulin lowers blood sugar.", "Insulin brings down the glucose in the blood.", "Trains are late."]
    )
    assert fact @ paraphrase > 0.8 > 0.3 > fact @ other


@needs_minilm
@pytest.mark.models
def test_the_vectors_are_those_of_the_published_model(minilm: MiniLm) -> None:
    # made with sentence-transformers 6.2.0: first four components of the first sentence
    assert minilm.encode(SENTENCES[:1])[0, :4] == pytest.approx(REFERENCE, abs=2e-6)


REFERENCE = [-0.0747414, -0.0239231, 0.0026129, -0.0616909]


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(EncoderMissing, match=r"config\.json"):
        MiniLm(tmp_path)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EncoderMissing, match="pip install tokenizers"):
        MiniLm(tmp_path)
    with pytest.raises(EncoderMissing, match="pip install sentence-transformers"):
        SentenceTransformerEncoder("some/model")


@needs_minilm
@pytest.mark.models
def test_weights_are_checked_before_they_are_read() -> None:
    class Other(Exception):
        pass

    def refuse() -> None:
        raise Other

    with pytest.raises(Other):
        MiniLm(locate("minilm-l6-v2"), refuse).encode(["x"])
