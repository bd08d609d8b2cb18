from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from streams.speech.classifier import TransformersClassifier
from streams.speech.interfaces import SpeechError

pytestmark = pytest.mark.models

RATE = 16000


@pytest.fixture(scope="module")
def random_classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wav2vec 2.0 classifier with random weights and tiny dimensions: a real model folder."""
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("random-classifier")
    config = transformers.Wav2Vec2Config(
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        conv_dim=(8, 8),
        conv_kernel=(10, 8),
        conv_stride=(8, 8),
        num_feat_extract_layers=2,
        num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2,
        classifier_proj_size=8,
        id2label={0: "calm", 1: "cheerful", 2: "cross"},
        label2id={"calm": 0, "cheerful": 1, "cross": 2},
    )
    transformers.Wav2Vec2ForSequenceClassification(config).save_pretrained(folder)
    transformers.Wav2Vec2FeatureExtractor().save_pretrained(folder)
    return folder


@pytest.mark.filterwarnings("ignore")
def test_a_folder_gives_a_share_to_every_label(random_classifier: Path) -> None:
    classifier = TransformersClassifier(random_classifier)
    clip = np.random.default_rng(0).normal(0, 0.1, RATE).astype(np.float32)
    scores = classifier.classify(clip)
    assert scores.keys() == {"calm", "cheerful", "cross"}
    assert sum(scores.values()) == pytest.approx(1)
    assert list(scores.values()) == sorted(scores.values(), reverse=True)
    assert classifier.classify(clip) == scores
    assert len(classifier.identity.sha256) == 64


@pytest.mark.filterwarnings("ignore")
def test_a_name_that_is_no_model_is_an_error_with_a_remedy() -> None:
    pytest.importorskip("transformers")
    classifier = TransformersClassifier("nobody/no-such-model")
    with pytest.raises(SpeechError, match="nobody/no-such-model"):
        classifier.classify(np.zeros(RATE, np.float32))


def test_stereo_is_refused(random_classifier: Path) -> None:
    with pytest.raises(SpeechError, match="shape"):
        TransformersClassifier(random_classifier).classify(np.zeros((RATE, 2), np.float32))
