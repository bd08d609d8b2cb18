"""Questions of knowledge as they are asked: the options of a multiple choice are read aloud. Pure."""

from __future__ import annotations

from scenarios.basics import Say
from scenarios.schema import Item, Turn


def query(turn: Turn) -> Say:
    """What the user says in a turn.

    A turn that asks a multiple choice holds the question alone; its options follow, each with its letter:
    "What does PCR amplify? A: DNA, B: proteins, C: lipids." A recording is what it is. Any other turn is
    said as it stands.
    """
    if turn.item is None or not turn.item.options or turn.audio is not None:
        return turn
    spoken = _with_options(turn.spoken, turn.item) if turn.spoken else None
    return Say(text=_with_options(turn.text, turn.item), spoken=spoken, style=turn.style)


def _with_options(question: str, item: Item) -> str:
    read = ", ".join(f"{letter}: {text}" for letter, text in sorted(item.options.items()))
    return f"{question} {read}."
