"""From what a language model writes to what a person says. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

END = "[END]"
"""The model's word for "I hang up now", alone or at the end of a line."""

_END = re.compile(r"(\*\*|__|\*|_|)\[END\]\1(?P<closing>[\s\"'”»’.]*)$", re.IGNORECASE | re.MULTILINE)
_OTHER_SIDE = re.compile(
    r"^\W*(assistant|ai|endpoint|they|bot|model)\W*:.*", re.IGNORECASE | re.MULTILINE | re.DOTALL
)
_BLOCK = re.compile(r"^[ \t]*(#{1,6}[ \t]+|>[ \t]*|[-+*•][ \t]+|\d+[.)][ \t]+)", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*```.*$", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_BRACKETS = re.compile(r"\[[^\]]*\]|<[^<>]*>")
_STRONG = re.compile(r"(\*\*\*|\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_DIRECTION = re.compile(
    r"(?P<before>^|[.!?…\n][ \t]*)(\*[^*\n]+\*|\([^()\n]+\)|(?<!\w)_[^_\n]+_(?!\w))[ \t]*"
)
_EMPHASIS = re.compile(r"\*([^*\n]+)\*|(?<!\w)_([^_\n]+)_(?!\w)|`([^`\n]+)`")
_QUOTES = "\"“”„«»'‘’ "


@dataclass(frozen=True, slots=True)
class SpokenWords:
    """What is to be said.

    Attributes:
        text: Plain spoken text; "" if nothing was left.
        ends: The caller hangs up afterwards.
    """

    text: str
    ends: bool


def spoken_words(written: str, name: str) -> SpokenWords:
    """Take a model's reply down to the words a caller says.

    Removed are: all after the end token; lines of the other side that the model made up; the caller's name
    before its words; stage directions (in brackets anywhere, in asterisks or parentheses where a sentence
    would begin); markdown; quotes around the whole.

    Args:
        written: The model's reply.
        name: The caller's name.
    """
    end = _END.search(written)
    text = written[: end.start()] + end["closing"] if end else written
    text = _OTHER_SIDE.sub("", text)
    text = re.sub(
        rf"^\W*(user|caller|me|you|{re.escape(name)})\W*?:[*_]*",
        "",
        text,
        flags=re.IGNORECASE | re.MULTILINE,
    )
    for pattern, kept in ((_FENCE, ""), (_BLOCK, ""), (_LINK, r"\1"), (_BRACKETS, ""), (_STRONG, r"\2")):
        text = pattern.sub(kept, text)
    text = _DIRECTION.sub(r"\g<before>", text)
    text = _EMPHASIS.sub(lambda found: found[1] or found[2] or found[3], text)
    text = " ".join(text.split())
    if text[:1] in _QUOTES and text[-1:] in _QUOTES:
        text = text.strip(_QUOTES)
    spoken = any(character.isalnum() for character in text)
    return SpokenWords(text if spoken else "", end is not None)
