"""What a person is asked about a scenario that was grown, in words. Pure."""

from __future__ import annotations

from scenarios.expression_task import Level
from scenarios.growing.review import Review
from scoring.growing.opinions import LEVEL
from scoring.report.safe import neutralise

LEVELS = {
    Level.SEMANTIC: "words alone: nothing hangs on how the user speaks or the answer sounds",
    Level.PERCEIVE: "the user's manner must be noticed, and the answer must suit it",
    Level.EXPRESS: "the user asks for an answer in a certain manner",
    Level.BOTH: "the user's manner must be noticed, and answered in a manner that suits it",
}
"""The four levels of S2S-Arena."""


def question(one: Review, name: str) -> str:
    """What is asked: does it belong to its level, is its manner what it says?"""
    if name == LEVEL:
        return f"Does this belong to level {one.level}?"
    spoken = f"spoken in this manner: {neutralise(one.perceive)}" if one.perceive else ""
    fitting = f"does it call for an answer that sounds {neutralise(one.manner)}" if one.manner else ""
    if spoken and fitting:
        return f"Is it {spoken}, and {fitting}?"
    if spoken:
        return f"Is it {spoken}?"
    if fitting:
        return f"{fitting[0].upper()}{fitting[1:]}?"
    return "Is it spoken plainly, and does it ask for no manner?"


def about(one: Review) -> tuple[tuple[str, str], ...]:
    """What the scenario says of itself, each with its name."""
    found = {
        "Level": f"{one.level}: {LEVELS[Level(one.level)]}",
        "Task": f"{one.task}, {one.domain}",
        "Said before": one.before,
        "The user sounds": one.perceive,
        "The answer is to sound": one.manner,
    }
    return tuple((name, neutralise(text)) for name, text in found.items() if text)
