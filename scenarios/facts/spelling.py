"""Whether two words are the same, one of them misspelt by a recogniser. Pure.

*Misspelt* is a rapidfuzz ratio of at least 90 (one wrong letter in ten, one too many or too few in five
or more) with the same first letter and the same digits; prefixes and endings that turn a word into its
opposite or another substance ("inter"/"intra", "hyper"/"hypo", "phosphate"/"phosphite") never match.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

FUZZY_RATIO = 90.0
"""rapidfuzz ratio, 0 to 100, from which a word counts as the same word misspelt."""

FUZZY_LETTERS = 5
"""Shorter words must be spelt right."""

_OPPOSITES = (("hyper", "hypo"), ("inter", "intra"), ("micro", "macro"), ("ab", "ad"), ("pre", "pro"))
_SUBSTANCES = ("ate", "ite", "ide", "ine", "ane", "ene", "yne", "ose", "ase", "ol")


def same(wanted: str, heard: str) -> bool:
    """Whether a word that was heard is the wanted one."""
    return wanted == heard or (len(wanted) >= FUZZY_LETTERS and misspelt(wanted, heard))


def misspelt(wanted: str, heard: str) -> bool:
    """Whether letters that were heard are the wanted ones, misspelt."""
    from rapidfuzz import fuzz

    if wanted[0] != heard[0] or re.sub(r"\D", "", wanted) != re.sub(r"\D", "", heard):
        return False
    if fuzz.ratio(wanted, heard) < FUZZY_RATIO:
        return False
    return not (_differ(wanted, heard, _OPPOSITES) or _other_substance(wanted, heard))


def _differ(first: str, second: str, pairs: Sequence[tuple[str, str]]) -> bool:
    return any(
        (first.startswith(a) and second.startswith(b)) or (first.startswith(b) and second.startswith(a))
        for a, b in pairs
    )


def _other_substance(first: str, second: str) -> bool:
    endings = [next((e for e in _SUBSTANCES if word.endswith(e)), "") for word in (first, second)]
    return endings[0] != endings[1] and "" not in endings
