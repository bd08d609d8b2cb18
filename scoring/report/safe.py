"""Text of others is data: it must not steer a page or a terminal."""

from __future__ import annotations

import unicodedata

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def neutralise(text: str) -> str:
    """Make bidi controls, other control characters and half surrogates visible as their code points."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_harmless(character) for character in text)


def _harmless(character: str) -> str:
    if character in "\n\t":
        return " "
    if character in _BIDI or unicodedata.category(character) in ("Cc", "Cs"):
        return (
            f"\N{MATHEMATICAL LEFT ANGLE BRACKET}U+{ord(character):04X}\N{MATHEMATICAL RIGHT ANGLE BRACKET}"
        )
    return character
