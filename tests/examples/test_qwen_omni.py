"""The example for Qwen2.5-Omni and Qwen3-Omni: two turns with the real classes, tiny and random."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from examples import qwen_omni
from streams import clock
from streams.endpoints.local.model import Said
from streams.endpoints.local.python import PythonModel, load
from tests.examples import tiny_omni

pytestmark = [
    pytest.mark.models,
    pytest.mark.filterwarnings("ignore:Passing `repetition_penalty` with `inputs_embeds`:UserWarning"),
]

TARGET = "examples.qwen_omni:QwenOmni"
SHORT = {"thinker_max_new_tokens": 6, "talker_max_new_tokens": 20}


@pytest.mark.parametrize(
    ("make", "processor", "options"),
    [
        # the real talker's end of speech is outside of the tiny vocabulary
        (tiny_omni.qwen25, "Qwen2_5OmniProcessor", {**SHORT, "talker_eos_token_id": [101, 102]}),
        (tiny_omni.qwen3, "Qwen3OmniMoeProcessor", SHORT),
    ],
)
def test_the_model_hears_answers_and_keeps_the_dialogue(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[Path], None],
    processor: str,
    options: dict[str, Any],
) -> None:
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("torch")
    folder = tmp_path / "model"
    folder.mkdir()
    make(folder)
    # AutoProcessor wants torchvision, for pictures; the model's own class hears without
    monkeypatch.setattr(
        transformers.AutoProcessor, "from_pretrained", lambda _: tiny_omni.processor(processor)
    )
    monkeypatch.setenv("QWEN_OMNI", str(folder))
    monkeypatch.setattr(qwen_omni.QwenOmni, "options", lambda _: options)
    qwen_omni.weights.cache_clear()
    noise = np.random.default_rng(0).normal(0, 0.1, 8000).astype(np.float32)
    model = PythonModel(load(TARGET), TARGET, 16000)

    async def turns() -> list[Said]:
        await model.start()
        return [said for _ in range(2) async for said in model.reply(noise)]

    first, second = clock.run(turns())
    assert (first.rate, second.rate) == (qwen_omni.RATE, qwen_omni.RATE)
    assert len(first.pcm) > 2000 and len(second.pcm) > 2000
    dialogue = model._object.dialogue
    assert [each["role"] for each in dialogue] == ["system", *["user", "assistant"] * 2]
    assert dialogue[2]["content"][0]["text"] == first.text
    qwen_omni.weights.cache_clear()
