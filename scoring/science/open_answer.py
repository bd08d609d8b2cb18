"""Is the short answer to an open question in what was said? Pure.

An answer holds the key if the key, or another accepted wording of it, is said as whole words and not
negated; a judge's label, where there is one, decides what the words leave open.
"""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.facts.matching import find, tokens


def holds(answer: str, key: str, accept: Sequence[str] = ()) -> bool:
    """Whether one of the wordings of the key is said and not negated ("no" is not in "know")."""
    heard = tokens(answer)
    matches = (find(wording, heard) for wording in (key, *accept))
    return any(match is not None and not match.negated for match in matches)
