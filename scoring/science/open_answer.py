"""Is the short answer to an open question in what was said? Pure.

An answer holds the key if the key, or another accepted wording of it, is said as whole words and not
negated; a judge's label, where there is one, decides what the words leave open. A part of a number is
another number: neither "3.5" nor "minus 3" nor "3 percent" holds "3". A minus may be written, or said as
"minus" or "negative".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scenarios.facts.matching import Match, Token, find_all, tokens

_SIGNS = frozenset({"minus", "negative"})


def holds(answer: str, key: str, accept: Sequence[str] = ()) -> bool:
    """Whether one of the wordings of the key is said and not negated ("no" is not in "know")."""
    heard = tokens(answer)
    return any(
        not match.negated and not _part_of_number(match, heard)
        for wording in (key, *accept)
        for said in _said(wording)
        for match in find_all(said, heard)
    )


def _said(wording: str) -> Iterator[str]:
    """A wording, and the same with its minus said as "negative"."""
    yield wording
    forms = [token.form for token in tokens(wording)]
    if "minus" in forms:
        yield " ".join("negative" if form == "minus" else form for form in forms)


def _part_of_number(match: Match, heard: Sequence[Token]) -> bool:
    """Whether the number at an end of a match goes on beyond it."""
    # the point of "3.5" ends where its 3 does
    places = [i for i, t in enumerate(heard) if match.start <= t.start < match.end and t.form != "point"]
    if not places:
        return False
    first, last = places[0], places[-1]
    if heard[first].form.isdecimal():
        before = [token.form for token in heard[max(0, first - 2) : first]]
        decimals = before[-1:] == ["point"] and before[0].isdecimal()
        if decimals or not _SIGNS.isdisjoint(before[-1:]):
            return True
    after = [token.form for token in heard[last + 1 : last + 3]]
    goes_on = len(after) == 2 and after[0] == "point" and after[1].isdecimal()
    return heard[last].form.isdecimal() and (goes_on or after[:1] == ["percent"])
