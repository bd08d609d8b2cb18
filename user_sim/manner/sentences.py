"""What voices and styles are checked with: plain words, which a recogniser writes in one way only."""

from __future__ import annotations

SENTENCES = (
    "Can you explain how the guide finds the right place in the genome?",
    "Please book a quiet table by the window for my parents.",
    "My parcel has not arrived, and nobody answers the telephone.",
    "What is the difference between a virus and a bacterium?",
    "The train to Manchester leaves from the other platform today.",
    "I would like to change the address on my account.",
    "How long does the battery last when the screen is bright?",
    "She bought some apples and a bottle of cold water.",
    "Could you say that again a little more slowly?",
    "The weather in the mountains can change very quickly.",
    "Thank you, that answers my question about the insurance.",
    "Why does the doctor want to see the results before the operation?",
)
"""No numbers, no names that are spelt in several ways."""

NAMES = "What does CRISPR-Cas9 do with BRCA1 and p53?"
"""Names of science in one sentence: reported as they are heard, not counted."""
