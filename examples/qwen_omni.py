"""Qwen2.5-Omni and Qwen3-Omni as endpoints, in this process, through transformers.

    pip install 'vivavoce[transformers]' torchvision accelerate
    QWEN_OMNI=Qwen/Qwen2.5-Omni-7B viva run demo --endpoint python:examples/qwen_omni.py:QwenOmni
    QWEN_OMNI=/models/qwen3-omni viva run demo --endpoint python:examples/qwen_omni.py:QwenOmni

`QWEN_OMNI` is the id of a model on the hub or a folder; `QWEN_OMNI_SPEAKER` one of its voices. The weights
are loaded once, every session keeps a dialogue of its own. Its test runs both classes with tiny
random weights; with the real ones, which want a GPU and torchvision, it was not run.
"""

import os
from functools import cache
from typing import Any

import numpy as np

PROMPT = (
    "You are Qwen, a virtual human developed by the Qwen Team, Alibaba Group, capable of perceiving"
    " auditory and visual inputs, as well as generating text and speech."
)
"""Qwen2.5-Omni speaks with this prompt alone, says its model card; vivavoce changes nothing about it."""

RATE = 24000
"""Samples per second of what both models say."""


@cache
def weights(name: str) -> tuple[Any, Any]:
    """Model and processor, loaded once for all sessions."""
    import torch
    import transformers

    config = transformers.AutoConfig.from_pretrained(name)
    kind = getattr(transformers, config.architectures[0])
    on_gpu = torch.cuda.is_available()
    model = kind.from_pretrained(name, dtype="auto", device_map="auto" if on_gpu else None)
    return model.eval(), transformers.AutoProcessor.from_pretrained(name)


class QwenOmni:
    """One session: `start` loads, `reply` answers a turn with all that was said before it."""

    def start(self) -> None:
        """Load the weights, and begin a dialogue."""
        self.model, self.processor = weights(os.environ.get("QWEN_OMNI", "Qwen/Qwen2.5-Omni-7B"))
        self.dialogue: list[dict[str, Any]] = [
            {"role": "system", "content": [{"type": "text", "text": PROMPT}]}
        ]
        self.heard: list[Any] = []

    def reply(self, audio: Any, rate: int) -> tuple[Any, int, str]:
        """Answer a turn of the user.

        Args:
            audio: float32 in [-1, 1), mono, at 16000/s, which is what the models hear.
            rate: 16000.

        Returns:
            Audio, its rate, and the words.
        """
        import torch

        self.heard.append(audio)
        self.dialogue.append({"role": "user", "content": [{"type": "audio", "audio": "turn.wav"}]})
        text = self.processor.apply_chat_template(self.dialogue, add_generation_prompt=True, tokenize=False)
        inputs = self.processor(
            text=text, audio=self.heard, sampling_rate=rate, return_tensors="pt", padding=True
        )
        inputs = inputs.to(self.model.device).to(self.model.dtype)
        with torch.inference_mode():
            written, sound = self.model.generate(
                **inputs, **self.options(), thinker_return_dict_in_generate=True
            )
        tokens = getattr(written, "sequences", written)[:, inputs["input_ids"].shape[1] :]
        words = self.processor.batch_decode(tokens, skip_special_tokens=True)[0].strip()
        self.dialogue.append({"role": "assistant", "content": [{"type": "text", "text": words}]})
        return np.asarray(sound.float().cpu()).reshape(-1), RATE, words

    def options(self) -> dict[str, Any]:
        """For `generate`: voice and limits; a reply is at most some 30 s."""
        speaker = os.environ.get("QWEN_OMNI_SPEAKER")
        limits = {"thinker_max_new_tokens": 256, "talker_max_new_tokens": 2048}
        return {**limits, **({"speaker": speaker} if speaker else {})}
