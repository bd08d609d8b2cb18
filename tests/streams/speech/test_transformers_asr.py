from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from streams import clock
from streams.speech.energy import EnergyDetector
from streams.speech.interfaces import SpeechError
from streams.speech.models import locate
from streams.speech.transformers_asr import TransformersRecogniser
from tests.streams.speech.contracts import check_recogniser

pytestmark = pytest.mark.models

RATE = 16000


@pytest.fixture(scope="module")
def random_whisper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Whisper with random weights and tiny dimensions, and the real tokeniser: a real model folder."""
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("random-whisper")
    tokenizer = transformers.WhisperTokenizerFast(
        tokenizer_file=str(locate("whisper-tiny") / "tokenizer.json"),
        eos_token="<|endoftext|>",
        bos_token="<|endoftext|>",
        unk_token="<|endoftext|>",
    )
    config = transformers.WhisperConfig(
        vocab_size=len(tokenizer),
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        max_target_positions=64,
        decoder_start_token_id=50257,
        pad_token_id=50256,
        bos_token_id=50256,
        eos_token_id=50256,
    )
    model = transformers.WhisperForConditionalGeneration(config)
    model.generation_config = transformers.GenerationConfig(
        decoder_start_token_id=50257,
        eos_token_id=50256,
        pad_token_id=50256,
        max_length=24,
        no_timestamps_token_id=50362,
        max_initial_timestamp_index=50,
        begin_suppress_tokens=[220, 50256],
        is_multilingual=False,
    )
    model.save_pretrained(folder)
    transformers.WhisperProcessor(transformers.WhisperFeatureExtractor(), tokenizer).save_pretrained(folder)
    return folder


def test_a_transformers_model_keeps_the_contract(random_whisper: Path) -> None:
    recogniser = TransformersRecogniser(random_whisper, detector=EnergyDetector())
    assert recogniser.identity.sha256
    noise = np.random.default_rng(0).normal(0, 0.1, 2 * RATE).astype(np.float32)
    clock.run(check_recogniser(recogniser, noise, None), simulate=True)


def test_a_folder_that_holds_no_asr_model_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no-such-model"}))
    recogniser = TransformersRecogniser(tmp_path, detector=EnergyDetector())
    noise = np.random.default_rng(0).normal(0, 0.1, RATE).astype(np.float32)
    with pytest.raises(SpeechError, match="Give an ASR model's id or folder"):
        clock.run(recogniser.transcribe(noise), simulate=True)
