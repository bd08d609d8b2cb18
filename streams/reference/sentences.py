"""Cuts a stream of text into sentences, so that the first can be spoken while the rest is written."""

from __future__ import annotations

import re

_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9])|\n+")
"""A full stop, exclamation or question mark, then a space and something that can begin a sentence."""

_ABBREVIATION = re.compile(r"(?:\b(?:Dr|Mr|Mrs|Ms|Prof|St|vs|etc|e\.g|i\.e|No|Fig)|\b[A-Z])\.$")


class SentenceCutter:
    """Takes text piece by piece; a sentence is complete when the next one has begun."""

    def __init__(self) -> None:
        self._text = ""

    def push(self, piece: str) -> list[str]:
        """The next piece; returns the sentences that it completes."""
        self._text += piece
        done: list[str] = []
        begin = 0
        for match in _END.finditer(self._text):
            sentence = self._text[begin : match.end()].strip()
            if _ABBREVIATION.search(sentence):
                continue
            if sentence:
                done.append(sentence)
            begin = match.end()
        self._text = self._text[begin:]
        return done

    def finish(self) -> list[str]:
        """The text has ended; returns what is left of it."""
        rest, self._text = self._text.strip(), ""
        return [rest] if rest else []


def sentences(text: str) -> list[str]:
    """All sentences of a text."""
    cutter = SentenceCutter()
    return cutter.push(text) + cutter.finish()
