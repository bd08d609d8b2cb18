"""Abbreviations by the rule of S3-Bench: runs of letters and digits with a capital that is not the first.

The rule takes DNA, mRNA, pH, H2O, NaCl; of IL-6 it takes "IL". It misses p53 and X-ray, and it takes
McDonald and a shouted WARNING: it is kept as published, so that numbers can be compared. Pure.
"""

from __future__ import annotations

import re
import unicodedata

_ABBREVIATION = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z0-9]+[A-Z])[A-Za-z0-9]+")
_RUN = re.compile(r"[A-Za-z0-9]+")


def abbreviations(text: str) -> list[str]:
    """Every abbreviation of a text, in order, as often as it occurs.

    The text is taken as it stands, in its own case; only Unicode forms are made alike (NFKC: H₂O is H2O).
    """
    return _ABBREVIATION.findall(unicodedata.normalize("NFKC", text))


def runs(text: str) -> list[str]:
    """Every run of letters and digits, in its own case: what an abbreviation is compared with."""
    return _RUN.findall(unicodedata.normalize("NFKC", text))
