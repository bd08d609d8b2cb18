"""Qwen2.5-Omni and Qwen3-Omni with tiny dimensions and random weights, as folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

_TOKENS = {
    "image_token": "<|image_pad|>",
    "audio_token": "<|audio_pad|>",
    "video_token": "<|video_pad|>",
    "vision_bos_token": "<|vision_start|>",
    "vision_eos_token": "<|vision_end|>",
    "audio_bos_token": "<|audio_start|>",
    "audio_eos_token": "<|audio_end|>",
}
_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% for c in m.content %}"
    "{% if c.type == 'audio' %}<|audio_start|><|audio_pad|><|audio_end|>{% else %}{{ c.text }}{% endif %}"
    "{% endfor %}<|im_end|>\n{% endfor %}<|im_start|>assistant\n"
)
_ROPE = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 1, 1]}


def tokenizer() -> Any:
    """One token for each byte, and the special ones."""
    import transformers
    from tokenizers.pre_tokenizers import ByteLevel

    vocab = {letter: number for number, letter in enumerate(sorted(ByteLevel.alphabet()))}
    made = transformers.Qwen2Tokenizer(vocab=vocab, merges=[], extra_special_tokens=_TOKENS)
    more = ["<|im_start|>", "<|im_end|>", "user", "assistant", "system"]
    made.add_tokens([transformers.AddedToken(each, special=True) for each in more], special_tokens=True)
    return made


def processor(kind: str) -> Any:
    """The model's own processor; without what it has for pictures, which wants torchvision."""
    import transformers

    mels = transformers.WhisperFeatureExtractor(feature_size=16)
    cls = getattr(transformers, kind)
    made = cls.__new__(cls)
    words = tokenizer()
    made.tokenizer, made.feature_extractor, made.chat_template = words, mels, _TEMPLATE
    made.image_processor = made.video_processor = None
    for name, token in _TOKENS.items():
        setattr(made, name, token)
        setattr(made, f"{name}_id", words.convert_tokens_to_ids(token))
    return made


def text_config(**more: Any) -> dict[str, Any]:
    """A language model of one layer."""
    return {
        "vocab_size": 300,
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "head_dim": 8,
        "rope_parameters": _ROPE,
        **more,
    }


_AUDIO = {
    "num_mel_bins": 16,
    "d_model": 16,
    "encoder_layers": 1,
    "encoder_attention_heads": 2,
    "encoder_ffn_dim": 16,
    "output_dim": 16,
}
_VISION = {
    "depth": 1,
    "hidden_size": 16,
    "intermediate_size": 16,
    "num_heads": 2,
    "out_hidden_size": 16,
}


def qwen25(folder: Path) -> None:
    """A Qwen2.5-Omni in a folder."""
    import torch
    import transformers

    words = tokenizer()
    id_of = words.convert_tokens_to_ids
    audio_ids = {
        "audio_token_index": id_of("<|audio_pad|>"),
        "image_token_index": id_of("<|image_pad|>"),
        "video_token_index": id_of("<|video_pad|>"),
        "audio_start_token_id": id_of("<|audio_start|>"),
        "audio_end_token_id": id_of("<|audio_end|>"),
        "vision_start_token_id": id_of("<|vision_start|>"),
    }
    config = transformers.Qwen2_5OmniConfig(
        thinker_config={
            "text_config": text_config(),
            "audio_config": _AUDIO,
            "vision_config": _VISION,
            **audio_ids,
        },
        talker_config=text_config(
            vocab_size=128,
            embedding_size=16,
            tts_text_start_token_id=1,
            tts_text_end_token_id=2,
            tts_text_pad_token_id=3,
            tts_codec_start_token_id=100,
            tts_codec_end_token_id=101,
            tts_codec_pad_token_id=102,
            tts_codec_mask_token_id=103,
            **audio_ids,
        ),
        token2wav_config={
            "dit_config": {
                "hidden_size": 16,
                "num_hidden_layers": 1,
                "num_attention_heads": 2,
                "head_dim": 8,
                "emb_dim": 16,
                "num_embeds": 128,
                "mel_dim": 8,
                "look_ahead_layers": [0],
                "look_backward_layers": [0],
                "enc_dim": 8,
                "enc_emb_dim": 8,
                "enc_channels": [8, 8, 8, 8, 24],
                "enc_attention_channels": 8,
                "enc_se_channels": 8,
            },
            "bigvgan_config": {"mel_dim": 8, "upsample_initial_channel": 64},
        },
    )
    torch.manual_seed(0)
    model = transformers.Qwen2_5OmniForConditionalGeneration(config)
    _fill(model)
    model.save_pretrained(folder)
    speaker = {"bos_token": 4, "cond": torch.zeros(1, 8), "ref_mel": torch.zeros(1, 30, 8)}
    torch.save({"Chelsie": speaker}, folder / "spk_dict.pt")


def _fill(model: torch.nn.Module) -> None:
    """Small weights everywhere: the classes leave some as the memory was, which may be no numbers."""
    import torch

    with torch.no_grad():
        for weights in model.parameters():
            weights.normal_(std=0.02)


_CODE2WAV = {
    "codebook_size": 128,
    "hidden_size": 16,
    "intermediate_size": 16,
    "num_attention_heads": 2,
    "num_key_value_heads": 2,
    "num_hidden_layers": 1,
    "num_quantizers": 4,
    "decoder_dim": 64,
}


def qwen3(folder: Path) -> None:
    """A Qwen3-Omni in a folder; its talker's last 1024 tokens are never said."""
    import torch
    import transformers

    id_of = tokenizer().convert_tokens_to_ids
    media = {
        "audio_token_id": id_of("<|audio_pad|>"),
        "image_token_id": id_of("<|image_pad|>"),
        "video_token_id": id_of("<|video_pad|>"),
        "audio_start_token_id": id_of("<|audio_start|>"),
        "vision_start_token_id": id_of("<|vision_start|>"),
    }
    experts = {"num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 16}
    audio = {**_AUDIO, "downsample_hidden_size": 8, "n_window": 50, "n_window_infer": 100}
    vision = {**_VISION, "deepstack_visual_indexes": [0], "num_position_embeddings": 16}
    config = transformers.Qwen3OmniMoeConfig(
        thinker_config={
            "text_config": text_config(**experts),
            "audio_config": audio,
            "vision_config": vision,
            **media,
        },
        talker_config={
            "text_config": text_config(**experts, vocab_size=1100, shared_expert_intermediate_size=16),
            "code_predictor_config": {
                **text_config(vocab_size=128, num_code_groups=4),
                "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0},
            },
            "num_code_groups": 4,
            "thinker_hidden_size": 16,
            "accept_hidden_layer": 1,
            "codec_eos_token_id": 90,
            "codec_nothink_id": 91,
            "codec_think_bos_id": 92,
            "codec_think_eos_id": 93,
            "codec_pad_id": 94,
            "codec_bos_id": 95,
            "speaker_id": {"ethan": 96},
            "spatial_merge_size": 2,
            **media,
        },
        code2wav_config=_CODE2WAV,
        im_start_token_id=id_of("<|im_start|>"),
        im_end_token_id=id_of("<|im_end|>"),
        system_token_id=id_of("system"),
        user_token_id=id_of("user"),
        assistant_token_id=id_of("assistant"),
        tts_pad_token_id=1,
        tts_bos_token_id=2,
        tts_eos_token_id=3,
    )
    torch.manual_seed(0)
    model = transformers.Qwen3OmniMoeForConditionalGeneration(config)
    _fill(model)
    model.save_pretrained(folder)
