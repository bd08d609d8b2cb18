"""Verifying a pack: how many planted mispronunciations are found, and how much else must be looked at?"""

from __future__ import annotations

from typing import Any

from agent.cli.packs.verify import check_all, make_bench
from scenarios.load import from_scenario
from scenarios.schema import Persona, Scenario, Turn
from scoring.verify import Checked, summary
from streams.clock import run

PLANTED = (
    ("What happens to table salt, NaCl, in water?", "What happens to table salt, nackle, in water?"),
    ("Why is mRNA unstable in the body?", "Why is murna unstable in the body?"),
    ("Is 5 mM a high concentration of calcium?", "Is five millimetres a high concentration of calcium?"),
    ("Which reactions are fast at −80 °C?", "Which reactions are fast at eighty degrees Celsius?"),
    ("What does the virus HIV do to cells?", "What does the virus hive do to cells?"),
    ("Why is light deflected by a star?", "Why is light deflated by a star?"),
    ("How large is 10⁻³ of a metre?", "How large is ten to the third of a metre?"),
    ("What does the enzyme ligase join?", "What does the enzyme lee gassy join?"),
    ("How does an MRI scanner see the brain?", "How does an emory scanner see the brain?"),
    ("How was the mass of the electron measured?", "How was the mass of the election measured?"),
)
"""Written, and a spoken form that is wrong."""

SOUND = (
    "What is the difference between weather and climate?",
    "How does a vaccine prepare the immune system?",
    "Why does ice float on water?",
    "What does DNA polymerase do?",
    "How far away is the moon?",
    "What is the boiling point of water at 2 km?",
    "Which gas do plants take from the air?",
    "What is the charge of the ion Na⁺?",
    "How does PCR copy a piece of DNA?",
    "Why do metals conduct electricity?",
    "What is the role of CO2 in the climate?",
    "How do glaciers shape a valley?",
    "What does the kidney filter from the blood?",
    "Why is the derivative of a constant zero?",
    "What is a black hole made of?",
    "How fast does sound travel in air at 20 °C?",
    "What does an algorithm need to terminate?",
    "Which planet has the largest moons?",
    "Why is graphene so strong?",
    "What is a catalyst?",
)
"""Queries that are said as they are written."""


def scenario(number: int, text: str, spoken: str | None = None) -> Scenario:
    """A call that asks one question."""
    turn = Turn(text=text, spoken=spoken)
    return Scenario(id=f"query-{number}", title="A query", persona=Persona(), turns=(turn,))


def checked(planted: int = len(PLANTED), sound: int = len(SOUND), floor: float = 3.5) -> list[Checked]:
    """Planted queries first, then sound ones: spoken by Piper, heard by Whisper base."""
    queries = [*PLANTED[:planted], *((text, None) for text in SOUND[:sound])]
    loaded = [from_scenario(scenario(n, text, spoken)) for n, (text, spoken) in enumerate(queries)]
    return run(check_all(loaded, make_bench("default", "whisper:base", floor)))


def planted() -> dict[str, Any]:
    """Ten planted among thirty."""
    found = checked()
    wrong, sound = found[: len(PLANTED)], found[len(PLANTED) :]
    total = summary(found)
    return {
        "found": sum(bool(one.comparison and one.comparison.clear) for one in wrong),
        "of": len(wrong),
        "looked_at_in_vain": sum(bool(one.looks) for one in sound),
        "sound": len(sound),
        "p808_mean": total["p808_mean"],
    }
