"""Text: how long do all four error rates of 10,000 pairs of 50 words take on one core?"""

from __future__ import annotations

import random
import time
from typing import Any

PAIRS = 10_000
WORDS = 50
WRONG = 0.1
"""Share of words that a hypothesis has otherwise; one pair in four names no terms."""

VOCABULARY = (
    "the of and to in is a we with that for this it was are on as by from at which these were between"
    " when how  where not each can more than after gene protein temperature analysis cells reaction"
    " energy membrane carbon  water result system model high low pressure sample behaviour colour centre"
    " analysed it's don't light heat  five ten twenty 37 1984 DNA mRNA BRCA1 CRISPR-Cas9 IL-6"
    " electrospinning perovskite phosphoramidite agarose"
)


def pairs(count: int = PAIRS, seed: int = 0) -> list[Any]:
    """Sentences with their transcripts: lower case, spelled abbreviations, wrong words."""
    from scoring.text.rates import TextPair

    chance = random.Random(seed)
    words = VOCABULARY.split()
    made = []
    for number in range(count):
        said = [chance.choice(words) for _ in range(WORDS)]
        heard = [word if chance.random() > WRONG else chance.choice(words) for word in said]
        heard = [" ".join(word) if word == "DNA" else word.lower() for word in heard]
        terms = None if number % 4 == 0 else ("electrospinning", "agarose")
        made.append(TextPair(number, f"{' '.join(said)}.", " ".join(heard), terms))
    return made


def four_error_rates() -> dict[str, Any]:
    """Normalise, align and count; terms are looked for where a pair names none. In processor time."""
    from scenarios.spoken.terms import WordFrequencies
    from scoring.text.rates import combined, compare

    made = pairs()
    began = time.process_time()
    rarity = WordFrequencies()
    rates = combined(compare(pair, rarity) for pair in made)
    seconds = time.process_time() - began
    return {
        "pairs": len(made),
        "words": rates.wer.of,
        "seconds": round(seconds, 2),
        "microseconds_a_pair": round(1e6 * seconds / len(made)),
    }
