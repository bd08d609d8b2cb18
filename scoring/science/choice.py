"""Which option of a multiple-choice question was chosen: by rule, and never by a guess (S3-Bench). Pure.

In this order, the first that decides:

1. A letter behind "answer", "option", "choice" or "letter": in the last line that has one, else anywhere.
   Two different letters in it decide nothing, unless the speaker corrects itself ("no, B"). So does a
   capital that ends a clause behind "it is", "I would say" and the like ("It is B."), unless an option's
   own text is that letter.
2. The answer is a lone letter.
3. The text of exactly one option is in the answer; of options that hold each other the longest counts.

What is denied right before it ("not option A", "not neon") is not chosen. A bare "a" is an article: a
letter counts in capitals, or with ")" or "." behind it and not inside a sentence. Spelled letters ("option
bee", "answer see") count behind those words only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from scoring.text import tokens

SPOKEN_LETTERS = {
    "ay": "A",
    "eh": "A",
    "hey": "A",
    "be": "B",
    "bee": "B",
    "see": "C",
    "sea": "C",
    "dee": "D",
    "ee": "E",
    "eff": "F",
    "gee": "G",
    "aitch": "H",
    "eye": "I",
    "jay": "J",
}
"""How a recogniser writes letters; only read as letters behind "option" and the like."""

_CUE = r"(?:answers?|options?|choices?|letters?|choose|chose|pick|select)"
_LINK = (
    r"(?:\s+(?:is|was|would\s+be|must\s+be|should\s+be|option|choice|letter|the|number|correct|right|of))*"
)
_SAID = re.compile(
    rf"\b{_CUE}\b{_LINK}\s*[:,\-\u2013\u2014]?\s*[\"'(\[*]*([A-Za-z]{{1,5}})[\"')\]*]*(?=[\s.,;:!?)]|$)",
    re.IGNORECASE,
)
_LETTER_FIRST = re.compile(
    r"(?:^|[\s\"'(\[*])([A-J])[\"')\]*]*\s+is\s+(?:the\s+)?(?:correct|right|answer)", 0
)
_PLAINLY = re.compile(
    r"\b(?:(?i:it|that|this)(?:\s+is|'s|\u2019s|\s+(?:would|must|should)\s+be)"
    r"|I(?:\s+would|'d|\u2019d)?\s+(?:say|think|guess|go\s+with|go\s+for))"
    r"\s+[\"'(\[*]*([A-J])[\"')\]*]*(?=\s*(?:[.,;:!?]|$))"
)
_LONE = re.compile(r"^[\s\"'(\[*]*([A-Ja-j])[\s\"')\]*.:!]*$")
_DENIED = re.compile(r"(?:\b(?:not|never|neither|nor)|n['\u2019]t)\b[^.,;:!?]{0,20}$", re.IGNORECASE)
"""What stands before a letter that is not chosen."""

_DENYING, _DENIED_FOR = frozenset({"not", "never", "neither", "nor"}), 3
"""Words before an option's text by which it is not chosen, and how far they reach."""

_CORRECTED = re.compile(r"\b(?:no|sorry|wait|rather|i mean|correction|actually)\b", re.IGNORECASE)


class Rule(StrEnum):
    """What decided."""

    SAID = "said"
    LONE_LETTER = "lone_letter"
    OPTION_TEXT = "option_text"


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice that was read from an answer.

    Attributes:
        letter: One of the options' letters, or None: it can't be told, and is not guessed.
        rule: What decided, or None.
        cause: Why there is no letter: "no_answer", "no_choice", "two_choices", "options_alike".
    """

    letter: str | None
    rule: Rule | None = None
    cause: str = ""


def chosen(answer: str, options: Mapping[str, str]) -> Choice:
    """Read a choice from what was answered.

    Args:
        answer: As heard or written.
        options: Texts by letter.
    """
    if not answer.strip():
        return Choice(None, cause="no_answer")
    texts = {letter: " ".join(tokens(text)) for letter, text in options.items()}
    if len(set(texts.values())) < len(texts):
        return Choice(None, cause="options_alike")
    said = _said(answer, options)
    if len(said) == 1:
        return Choice(said[0], Rule.SAID)
    if said:
        return Choice(None, cause="two_choices")
    lone = _LONE.match(answer)
    if lone and lone[1].upper() in options:
        return Choice(lone[1].upper(), Rule.LONE_LETTER)
    named = [letter for letter in _named(answer, texts) if _as_written(answer, options[letter])]
    if len(named) == 1:
        return Choice(named[0], Rule.OPTION_TEXT)
    return Choice(None, cause="two_choices" if named else "no_choice")


def _said(answer: str, options: Mapping[str, str]) -> list[str]:
    """Letters that are called the answer, each once; after a correction only what follows it."""
    lines = [line for line in answer.splitlines() if line.strip()]
    for part in (lines[-1], answer):
        corrections = [found.end() for found in _CORRECTED.finditer(part)]
        after = _letters(part[corrections[-1] :], options, corrected=True) if corrections else []
        found = after or _letters(part, options)
        if found:
            return found
    return []


def _letters(part: str, options: Mapping[str, str], *, corrected: bool = False) -> list[str]:
    said = (match for match in _SAID.finditer(part) if not _DENIED.search(part, 0, match.start()))
    found = [_letter(match[1], match.end() < len(part.rstrip(" .!\"')"))) for match in said]
    found += [match[1] for match in _LETTER_FIRST.finditer(part)]
    meant = {text.strip().upper() for text in options.values()}
    found += [match[1] for match in _PLAINLY.finditer(part) if match[1] not in meant]
    if corrected and not any(found):
        lone = _LONE.match(part.strip(" ,"))
        found = [lone[1].upper()] if lone else []
    return list(dict.fromkeys(letter for letter in found if letter in options))


def _letter(word: str, goes_on: bool) -> str:
    """The letter that a word behind a cue stands for, or ""."""
    if len(word) == 1:
        article = word == "a" and goes_on
        return "" if article else word.upper()
    return SPOKEN_LETTERS.get(word.lower(), "")


def _as_written(answer: str, text: str) -> bool:
    """Whether a text of one letter is in an answer in its own case ("K" for potassium); of others, True."""
    letter = text.strip()
    return len(letter) != 1 or re.search(rf"(?<!\w){re.escape(letter)}(?!\w)", answer) is not None


def _named(answer: str, texts: Mapping[str, str]) -> list[str]:
    """Options whose text is said and not denied, less those that are part of a longer one that is."""
    heard = f" {' '.join(tokens(answer))} "
    held = {letter: text for letter, text in texts.items() if text and f" {text} " in heard}
    for text in sorted(held.values(), key=len, reverse=True):
        rest = heard.replace(f" {text} ", " \n ")
        held = {
            letter: other
            for letter, other in held.items()
            if other == text or f" {other} " in rest or f" {other} " not in f" {text} "
        }
    return [letter for letter, text in held.items() if not _denied(heard, text)]


def _denied(heard: str, text: str) -> bool:
    """Whether an option's text is said in the negative alone: "not neon", but not "not sure, but neon"."""
    before = [part.split() for part in heard.split(f" {text} ")[:-1]]
    return all(_ends_denying(words) for words in before)


def _ends_denying(words: list[str]) -> bool:
    near = words[-_DENIED_FOR:]
    clause = near[len(near) - near[::-1].index("but") :] if "but" in near else near
    return not _DENYING.isdisjoint(clause)
