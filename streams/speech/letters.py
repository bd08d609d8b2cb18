"""The letter A, told from the article: espeak, which reads for Piper, takes most for the article. Pure.

"DNA" is spelled well, "A T G C" begins with "uh". A capital A alone is a letter where it does not begin a
sentence (and no title goes on after it), and where it begins one but other letters follow it.
"""

from __future__ import annotations

import re

_ALONE = re.compile(r"(?<![\w'\u2019-])A(?=\s+\w)")
_SPELLED = re.compile(r"(?:\s+[A-Z0-9](?!\w)){2}|\s+[A-Z](?!\w)\s*(?:[.,;:!?]|$)")
_TITLE = re.compile(r"\s+[A-Z]\w")
_OPENING = " \t\n\"'([\u201c\u2018"
_ENDING = (".", "!", "?", ":")


def letters_named(text: str, name: str) -> str:
    """A text with `name` in the place of every A that is a letter and would be read as the article."""
    return _ALONE.sub(lambda found: name if _is_letter(text, found) else found[0], text)


def _is_letter(text: str, found: re.Match[str]) -> bool:
    before = text[: found.start()].rstrip(_OPENING)
    begins = not before or before.endswith(_ENDING)
    return bool(_SPELLED.match(text, found.end())) or not (begins or _TITLE.match(text, found.end()))
