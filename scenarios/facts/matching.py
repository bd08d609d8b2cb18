"""Finding phrases in what a recogniser heard, tolerant to its spellings. Pure.

Text becomes tokens: NFKC, casefolded, cut at every change between letters and digits ("Cas9" is "cas 9"),
number words as digits ("nine" is 9), plurals folded ("genes" is "gene"), "the" and "an" dropped; in Han
and Kana every character is a token. Contractions are two words ("can't", "cannot" and "can not" are the
same), "%" is "percent", and a minus before a number is "minus". A phrase matches at whole tokens only, in
one of three ways:

1. token by token; a token of at least 5 letters may be misspelt (`spelling`);
2. with other spaces ("guide R N A", "electro spinning", "nineteen fifty three"): the letters are the same;
3. with other spaces and misspelt, from 8 letters on; its last two letters must be right, and no negator of
   the phrase may be lost ("are not equal" is not "are equal").

A match is *negated* if "not", "no", "never", "without" or the like stands in the same clause up to
three tokens before it, or inside it; unless the phrase has a negator of its own. "Not only" and "than not"
negate nothing. It is negated as well if "non" stands right before it ("non-toxic").
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from scenarios.facts.spelling import misspelt, same

JOINED_LETTERS = 8
"""From this length on a phrase may be misspelt and have other spaces at once."""

NEGATION_REACH = 3
"""Tokens before a match among which a negator counts."""

_LETTERS = r"(?:[^\W\d_\u3040-\u30ff\u3400-\u9fff][\u0300-\u036f]*)+"
_TOKEN = re.compile(
    r"(?P<sign>(?<![\w)\]])[-\u2212](?=\d))|(?P<percent>%|\bper\s+cent\b)"
    r"|(?P<number>\d{1,3}(?:,\d{3})+|\d+)(?P<point>\.(?=\d))?"
    rf"|(?P<word>{_LETTERS}(?:['’ʼ]{_LETTERS})*|[\u3040-\u30ff\u3400-\u9fff])"
    r"|(?P<stop>[.,;:!?()，。；：！？、])",
    re.IGNORECASE,
)


def _words(text: str) -> list[str]:
    return text.split()


_UNITS = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
)
_TENS = _words("twenty thirty forty fifty sixty seventy eighty ninety")
_NUMBERS = {word: n for n, word in enumerate(_UNITS)} | {word: 10 * n for n, word in enumerate(_TENS, 2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}

_SILENT = frozenset({"the", "an"})
_NEGATORS = frozenset(
    _words(
        "not no never none nothing nobody without neither nor hardly false untrue myth"
        " nicht kein keine keinen nie ohne pas jamais sans nunca 不 没"
    )
)
_CONTRACTED = frozenset(
    _words(
        "cannot dont doesnt didnt isnt arent wasnt werent cant couldnt wont wouldnt shouldnt"
        " hasnt havent hadnt"
    )
)
"""Contractions that are written without an apostrophe."""

_STEMS = {"ca": "can", "wo": "will", "sha": "shall"}
"""Before "n't", what these letters stand for."""

_NEGATING_PAIRS = frozenset(
    {("instead", "of"), ("rather", "than"), ("contrary", "to"), ("anything", "but"), ("wrong", "to")}
    | {(fail, "to") for fail in ("fail", "fails", "failed", "failing")}
)
_HARMLESS = {
    "not": frozenset({"only", "just", "merely", "simply"}),
    "no": frozenset({"doubt", "matter", "it", "they", "that", "this", "he", "she", "we", "you", "i"}),
}

_HARMLESS_PAIRS = frozenset({("than", "not"), ("whether", "not")})


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a text.

    Attributes:
        form: Normalised: letters or digits.
        start: Where it begins in the original text.
        end: One past its last character there.
        negator: It turns what follows into its opposite.
        clause: Number of the clause it stands in.
        denied: A prefix turns it alone into its opposite: the "toxic" of "non-toxic".
    """

    form: str
    start: int
    end: int
    negator: bool
    clause: int
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """Where a phrase was found: a span of characters of the original text."""

    start: int
    end: int
    negated: bool


def tokens(text: str) -> list[Token]:
    """Normalised tokens of a text, with their places in it."""
    words: list[Token] = []
    clause = 0
    for found in _TOKEN.finditer(text):
        if found["stop"]:
            clause += 1
            continue
        for token in _read(found):
            clause += token.form == "but"
            if token.form not in _SILENT:
                words.append(replace(token, clause=clause))
    return [_folded(token) for token in _numbers_as_digits(_with_negators(words))]


def _read(found: re.Match[str]) -> Iterator[Token]:
    """The words of a match: two of a contraction, a number and its point."""
    start, end = found.span()
    if found["sign"] or found["percent"]:
        yield Token("minus" if found["sign"] else "percent", start, end, False, 0)
        return
    form = _normalised(found["number"] or found["word"])
    cut = 3 if form.endswith(("n't", "not")) else 2
    if len(form) > cut and (form.endswith("n't") or form in _CONTRACTED):
        stem = form[:-cut]
        yield Token(_STEMS.get(stem, stem), start, end - cut, False, 0)
        yield Token("not", end - cut, end, False, 0)
        return
    if found["point"]:
        end -= 1
    yield Token(form, start, end, False, 0)
    if found["point"]:
        yield Token("point", end, end + 1, False, 0)


def find(phrase: str, text: Sequence[Token]) -> Match | None:
    """The first place where a phrase is said and not negated, else the first where it is negated."""
    matches = list(find_all(phrase, text))
    return next((m for m in matches if not m.negated), matches[0] if matches else None)


def find_all(phrase: str, text: Sequence[Token]) -> Iterator[Match]:
    """Every place where a phrase is said."""
    wanted = _phrase(phrase)
    if not wanted:
        return
    own_negation = any(token.negator for token in wanted)
    joined = "".join(token.form for token in wanted)
    for begin in range(len(text)):
        end = _match_end(wanted, joined, text, begin)
        if end is not None:
            negated = not own_negation and (_negated(text, begin, end) or text[begin].denied)
            yield Match(text[begin].start, text[end - 1].end, negated)


@cache
def _phrase(phrase: str) -> tuple[Token, ...]:
    return tuple(tokens(phrase))


def _match_end(wanted: Sequence[Token], joined: str, text: Sequence[Token], begin: int) -> int | None:
    size = len(wanted)
    window = text[begin : begin + size]
    if len(window) == size and all(same(a.form, b.form) for a, b in zip(wanted, window, strict=True)):
        return begin + size
    heard, nearest = "", None
    for end in range(begin + 1, min(len(text), begin + len(joined)) + 1):
        heard += text[end - 1].form
        if heard == joined:
            return end
        if len(heard) > len(joined) + 2:
            break
        other_spaces = end - begin != size and len(joined) >= JOINED_LETTERS
        if (
            other_spaces
            and heard.endswith(joined[-2:])
            and misspelt(joined, heard)
            and _denying(text[begin:end]) >= _denying(wanted)
        ):
            nearest = end
    return nearest


def _denying(some: Sequence[Token]) -> int:
    return sum(token.negator for token in some)


def _negated(text: Sequence[Token], begin: int, end: int) -> bool:
    reach = text[max(0, begin - NEGATION_REACH) : end]
    return any(token.negator and token.clause == text[begin].clause for token in reach)


def _normalised(word: str) -> str:
    form = unicodedata.normalize("NFKC", word).casefold()
    return form.replace("’", "'").replace("ʼ", "'").replace(",", "")


def _with_negators(words: Sequence[Token]) -> Iterator[Token]:
    forms = ["", *(token.form for token in words), ""]
    for i, token in enumerate(words, 1):
        negator = token.form in _NEGATORS
        harmless = (
            forms[i + 1] in _HARMLESS.get(token.form, ()) or (forms[i - 1], token.form) in _HARMLESS_PAIRS
        )
        paired = (forms[i - 1], token.form) in _NEGATING_PAIRS
        denied = forms[i - 1] == "non" and words[i - 2].clause == token.clause
        yield replace(token, negator=paired or (negator and not harmless), denied=denied)


def _numbers_as_digits(words: Iterator[Token]) -> Iterator[Token]:
    """Runs of number words become one number: "two hundred and five" is 205, "twenty one" is 21."""
    run: list[Token] = []
    for token in words:
        if run and not _continues(run[-1].form, token.form):
            yield from _number(run)
            run = []
        if run or _value(token.form) is not None or token.form in _SCALES:
            run.append(token)
        else:
            yield token
    yield from _number(run)


def _value(word: str) -> int | None:
    return int(word) if word.isdecimal() else _NUMBERS.get(word)


def _continues(last: str, word: str) -> bool:
    """True if a number word, or the "and" in it, belongs to the number that ends in `last`."""
    if word in _SCALES:
        return last != "and"
    if word == "and":
        return last in _SCALES
    value = _NUMBERS.get(word)
    return value is not None and (last in _SCALES or last == "and" or (last in _TENS and 0 < value < 10))


def _number(run: list[Token]) -> Iterator[Token]:
    if not run:
        return
    if len(run) == 1 and run[0].form.isdecimal():
        yield run[0]  # as it stands: the zero of "6.022" counts
        return
    tail = [run.pop()] if run[-1].form == "and" else []
    total = part = 0
    for token in run:
        scale = _SCALES.get(token.form, 1)
        part += _value(token.form) or 0
        if scale == 100:
            part = max(part, 1) * 100
        elif scale > 100:
            total, part = total + max(part, 1) * scale, 0
    yield Token(str(total + part), run[0].start, run[-1].end, False, run[0].clause)
    yield from tail


def _folded(token: Token) -> Token:
    return replace(token, form=_singular(token.form.removesuffix("'s").replace("'", "")))


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if len(word) >= 4 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
