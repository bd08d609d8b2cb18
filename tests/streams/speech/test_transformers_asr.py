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


@pytest.fixture(scope="module")
def random_qwen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Qwen3-ASR with random weights and tiny dimensions: a language model that hears."""
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    torch.manual_seed(3)  # with these weights it says something
    folder = tmp_path_factory.mktemp("random-qwen")
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(locate("whisper-tiny") / "tokenizer.json"),
        eos_token="<|endoftext|>",
        pad_token="<|endoftext|>",
        extra_special_tokens={
            "audio_token": "<|audio_pad|>",
            "audio_bos_token": "<|audio_start|>",
            "audio_eos_token": "<|audio_end|>",
        },
    )
    tokenizer.add_tokens(["<asr_text>"])
    language_model = {
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "vocab_size": len(tokenizer),
    }
    encoder = {
        "encoder_layers": 1,
        "encoder_attention_heads": 2,
        "encoder_ffn_dim": 16,
        "d_model": 16,
        "output_dim": 16,
        "downsample_hidden_size": 4,
    }
    config = transformers.Qwen3ASRConfig(
        text_config=language_model,
        audio_config=encoder,
        audio_token_id=tokenizer.convert_tokens_to_ids("<|audio_pad|>"),
        pad_token_id=50256,
        eos_token_id=50256,
    )
    transformers.Qwen3ASRForConditionalGeneration(config).save_pretrained(folder)
    template = (
        "{% for m in messages %}{% for c in m['content'] %}{% if c['type'] == 'audio' %}"
        "<|audio_start|><|audio_pad|><|audio_end|>"
        "{% else %}{{ c['text'] }}{% endif %}{% endfor %}{% endfor %}"
    )
    transformers.Qwen3ASRProcessor(
        transformers.Qwen3ASRFeatureExtractor(), tokenizer, chat_template=template
    ).save_pretrained(folder)
    return folder


@pytest.mark.parametrize("model", ["random_whisper", "random_qwen"])
def test_a_transformers_model_keeps_the_contract(model: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(model)
    recogniser = TransformersRecogniser(folder, detector=EnergyDetector())
    assert len(recogniser.identity.sha256) == 64
    noise = np.random.default_rng(0).normal(0, 0.1, 2 * RATE).astype(np.float32)

    async def main() -> None:
        await check_recogniser(recogniser, noise, None)
        heard = await recogniser.transcribe(noise)
        assert heard.text or heard.dropped, "random weights say random words"

    clock.run(main(), simulate=True)


def test_a_folder_that_holds_no_asr_model_is_an_error(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no-such-model"}))
    recogniser = TransformersRecogniser(tmp_path, detector=EnergyDetector())
    noise = np.random.default_rng(0).normal(0, 0.1, RATE).astype(np.float32)
    with pytest.raises(SpeechError, match="Give an ASR model's id or folder"):
        clock.run(recogniser.transcribe(noise), simulate=True)
