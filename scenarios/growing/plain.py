"""Texts that a language model wrote are data: only what is plain to say and to read is taken. Pure."""

from __future__ import annotations

import re
import unicodedata

_SIGNS = frozenset(" .,;:!?'\"()-–—…’‘“”«»¿¡/%&+€$£°，。！？；：、「」")
_OPENING = "\"'“‘«„(¿¡「"
_ADDRESS = re.compile(r"\w://|\bwww\.|\.\./|(?:^|\s)/\w")


def is_plain(text: str) -> bool:
    """Whether a text is one line of prose: letters, digits, spaces and the signs of sentences.

    So no control or direction characters, no line breaks, no markup or braces, nothing that begins like
    YAML ("- ", "!!", "&x", "---"), no path and no address.
    """
    first = text.lstrip(_OPENING)[:1]
    return (
        bool(first) and _is_word(first) and all(c in _SIGNS or _is_word(c) for c in text)
    ) and not _ADDRESS.search(text)


def _is_word(character: str) -> bool:
    """Letters, marks on them, and digits."""
    return unicodedata.category(character)[0] in "LMN"
