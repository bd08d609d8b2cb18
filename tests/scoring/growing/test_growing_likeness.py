"""A prompt that was there before is found: in the same words, or in others that mean the same."""

from __future__ import annotations

import numpy as np
import pytest

from scenarios.growing.cells import examples
from scenarios.load import load_pack
from scoring.growing.likeness import SIMILAR, Likeness, Near
from scoring.judge.select import encoder

PROMPTS = [
    ("p/cat", "Tell me a joke about a cat."),
    ("p/knee", "I fell off my bike, and my knee is bleeding."),
]
REWORDED = {
    "I have twisted my ankle, and it is swollen. What should I do first?": (
        "I sprained my ankle and now it's swollen. What's the first thing I should do?"
    ),
    "Guide me through three slow breaths in a calm and slow voice.": (
        "In a slow, calm voice, lead me through three slow breaths."
    ),
    "I fell off my bike, and my knee is bleeding.": "I came off my bike and my knee is bleeding.",
}
OTHERS = [
    "I burned my hand on the stove, and it hurts. What should I do first?",
    "Guide me through a short stretch for my neck in a calm and slow voice.",
    "I fell out with my brother, and now he does not talk to me.",
]


@pytest.mark.parametrize("text", ["tell me a joke about a cat", "Tell me -- a JOKE, about a cat!"])
def test_the_same_words_are_the_same_without_any_model(text: str) -> None:
    assert Likeness(None, PROMPTS).nearest(text) == Near("p/cat", True, None)


def test_without_a_model_other_words_are_near_to_nothing() -> None:
    likeness = Likeness(None, PROMPTS)
    assert likeness.nearest("Tell me a joke about a dog.") is None
    likeness.add("p/dog", "Tell me a joke about a dog.")
    assert likeness.nearest("Tell me a joke about a dog.") == Near("p/dog", True, None)
    assert Likeness(None, []).nearest("Hello.") is None


class Directions:
    """A sentence model whose vectors are written down."""

    name = "directions"

    def encode(self, sentences: list[str]) -> np.ndarray:
        known = {"east": (1.0, 0.0), "north": (0.0, 1.0), "north-east": (0.6, 0.8)}
        return np.array([known[sentence] for sentence in sentences], np.float32)


def test_the_nearest_is_that_with_the_largest_cosine_also_among_those_added_later() -> None:
    likeness = Likeness(Directions(), [("p/east", "east")])  # type: ignore[arg-type]
    assert likeness.nearest("north-east") == Near("p/east", False, float(np.float32(0.6)))
    likeness.add("p/north", "north")
    assert likeness.nearest("north-east") == Near("p/north", False, float(np.float32(0.8)))


@pytest.mark.models
def test_rewordings_of_our_prompts_are_the_same_and_other_requests_are_not() -> None:
    seeds = examples(load_pack("expression").scenarios)
    likeness = Likeness(encoder(), [])
    for seed in seeds:  # our own are all different
        near = likeness.nearest(seed.ask.text)
        assert near is None or (near.similarity or 0) < SIMILAR
        likeness.add(seed.name, seed.ask.text)
    for text, reworded in REWORDED.items():
        found = likeness.nearest(reworded)
        assert found is not None and not found.same
        assert (found.similarity or 0) > SIMILAR
        assert text == next(seed.ask.text for seed in seeds if seed.name == found.name)
    for text in OTHERS:
        found = likeness.nearest(text)
        assert found is not None and (found.similarity or 0) < SIMILAR
