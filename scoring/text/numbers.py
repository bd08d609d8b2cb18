"""Number words become digits, and numbers that stand side by side become one. Pure.

"Thirty six" is "36", "one hundred and five" is "105", "nineteen eighty four" and "19 84" are "1984",
"five five five oh one two three" and "555 0123" are "5550123", "three point one four" is "3.14", "two
million" and "2 million" are "2000000". Nobody hears where one number ends and the next begins, so their
digits are joined; no digit is lost, leading zeros stay. Ordinals are "first", "second", "third", "4th",
"21st"; parts are "2 over 3". English only: words of other languages pass unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_UP_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen"
)
_FROM_THIRD = (
    "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth"
)
_FROM_TWENTY = "twenty thirty forty fifty sixty seventy eighty ninety"

_SMALL = {word: n for n, word in enumerate(_UP_TO_NINETEEN.split())}
_TENS = {word: 10 * n for n, word in enumerate(_FROM_TWENTY.split(), 2)}
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_ORDINALS = {
    "first": 1,  # without "second", which is a unit of time: "a thirty second delay"
    **{word: n for n, word in enumerate(_FROM_THIRD.split(), 3)},
    **{word[:-1] + "ieth": n for word, n in _TENS.items()},
}
_DECADES = {word[:-1] + "ies": n for word, n in _TENS.items()}
_SHORT_ORDINALS = {1: "first", 2: "second", 3: "third"}
_PARTS = {"half": 2, "quarter": 4} | {word: n for word, n in _ORDINALS.items() if 3 <= n <= 10}
_PLURAL_PARTS = {"halves": 2} | {f"{word}s": n for word, n in _PARTS.items() if n > 2}

NUMBER_WORDS = frozenset({*_SMALL, *_TENS, *_SCALES, *_ORDINALS, *_DECADES})
"""Where neither these words nor digits occur there is nothing to do."""

_MATTER = NUMBER_WORDS | {"a", "oh", "point"}


@dataclass(frozen=True, slots=True)
class _Piece:
    """What some words become.

    Attributes:
        used: How many words.
        text: Digits, joined with digits right before.
        rest: Words that follow.
        ends: Nothing is joined after it.
        times: Power of ten by which the number right before is multiplied.
    """

    used: int
    text: str = ""
    rest: tuple[str, ...] = ()
    ends: bool = False
    times: int = 0


def digits_for_words(words: Sequence[str]) -> list[str]:
    """The same words with numbers in digits.

    Args:
        words: Normalised words; digits stand apart from letters ("10th" and "1990s" are one word).
    """
    out: list[str] = []
    open_number = ""
    at = 0
    while at < len(words):
        word = words[at]
        # digits sort before letters, and nothing else begins a word
        piece = _piece(words, at, open_number) if word < ":" or word in _MATTER else None
        if piece is None:
            out.append(word)
            open_number = ""
            at += 1
            continue
        number = _multiplied(open_number, piece.times) if piece.times else open_number + piece.text
        if open_number:
            out[-1] = number
        elif number:
            out.append(number)
        out += piece.rest
        open_number = "" if piece.ends else number
        at += piece.used
    return out


def _piece(words: Sequence[str], at: int, before: str) -> _Piece | None:
    """What begins at a word, where `before` is the number that it would continue; None: no number."""
    word, after = words[at], _word(words, at + 1)
    if word[0].isdecimal():
        return _written(words, at)
    if word == "oh" and before:
        return _Piece(1, "0")
    if word == "point" and before and after in ("oh", "o"):
        return _Piece(2, ".0")
    if word == "point" and _is_number(after) and (before or after != "one"):
        return _Piece(1, "." if before else "0.")
    if word in _SCALES and before:
        return _Piece(1, times=_SCALES[word])
    if "." in before and (word in _SMALL or word in _TENS):
        value, end = _below_hundred(words, at)
        return _Piece(end - at, str(value))
    if word == "a" and after in _SCALES:
        return _spoken(words, at + 1, at)
    if word in NUMBER_WORDS:
        return _spoken(words, at, at)
    return None


def _word(words: Sequence[str], at: int) -> str:
    return words[at] if at < len(words) else ""


def _is_number(word: str) -> bool:
    return word[:1].isdecimal() or word in _SMALL or word in _TENS or word in _SCALES


def _written(words: Sequence[str], at: int) -> _Piece:
    """Digits: "36", "3.5", "21st", "1990s"."""
    word = words[at]
    if word[-1].isdecimal():
        parts = _parts(int(word), _word(words, at + 1)) if len(word) < 3 and word.isdecimal() else ()
        return _Piece(2, word, parts, ends=True) if parts else _Piece(1, word)
    if word[-1] == "s":
        return _Piece(1, word, ends=True)
    return _Piece(1, *_ordinal(int(word[:-2])), ends=True)


def _spoken(words: Sequence[str], at: int, begin: int) -> _Piece:
    """A number as it is composed: "two thousand and five", "twenty first", "two thirds"."""
    value, at = _cardinal(words, at)
    word, counted = _word(words, at), at > begin
    parts = _parts(value, word) if counted else ()
    if parts:
        return _Piece(at + 1 - begin, str(value), parts, ends=True)
    last = _ORDINALS.get(word, 0)
    if last and (not counted or (value and value % (10 if last < 10 and value % 100 > 10 else 100) == 0)):
        return _Piece(at + 1 - begin, *_ordinal(value + last), ends=True)
    if not counted:
        return _Piece(1, f"{_DECADES[word]}s", ends=True)
    return _Piece(at - begin, str(value))


def _cardinal(words: Sequence[str], at: int) -> tuple[int, int]:
    """Value of the number words from here on, and where they end."""
    total, scale = 0, 100
    while True:
        group, at = _below_thousand(words, at)
        exponent = _SCALES.get(_word(words, at), 0)
        if not 2 < exponent < scale:
            return total + group, at
        total += (group or 1) * 10**exponent
        scale = exponent
        at += 1
        more = at + (_word(words, at) == "and")
        if _word(words, more) not in _SMALL and _word(words, more) not in _TENS:
            return total, at
        at = more


def _below_thousand(words: Sequence[str], at: int) -> tuple[int, int]:
    value, at = _below_hundred(words, at)
    if _word(words, at) != "hundred":
        return value, at
    at += 1
    more = at + (_word(words, at) == "and")
    rest, end = _below_hundred(words, more)
    hundreds = 100 * (value or 1)
    return (hundreds + rest, end) if end > more else (hundreds, at)


def _below_hundred(words: Sequence[str], at: int) -> tuple[int, int]:
    word = _word(words, at)
    if word in _SMALL:
        return _SMALL[word], at + 1
    if word not in _TENS:
        return 0, at
    unit = _SMALL.get(_word(words, at + 1), 0)
    return (_TENS[word] + unit, at + 2) if 0 < unit < 10 else (_TENS[word], at + 1)


def _parts(number: int, word: str) -> tuple[str, ...]:
    """After 1 "third" is the lower half of a fraction, after 2 "thirds"."""
    below = _PARTS.get(word) if number == 1 else _PLURAL_PARTS.get(word) if number > 1 else None
    return ("over", str(below)) if below else ()


def _ordinal(number: int) -> tuple[str, tuple[str, ...]]:
    """Digits, and words after them: "21st", but "20 second" and "first"."""
    if number in _SHORT_ORDINALS:
        return "", (_SHORT_ORDINALS[number],)
    if number % 10 == 2 and number % 100 != 12:
        return str(number - 2), ("second",)
    teen = 10 < number % 100 < 20
    return str(number) + ("th" if teen else {1: "st", 3: "rd"}.get(number % 10, "th")), ()


def _multiplied(number: str, exponent: int) -> str:
    """The number times a power of ten: 2.5 million is 2500000."""
    if number.count(".") > 1:
        return number + "0" * exponent
    whole, _, decimals = number.partition(".")
    decimals = decimals.ljust(exponent, "0")
    left = decimals[exponent:]
    return ((whole + decimals[:exponent]).lstrip("0") or "0") + (f".{left}" if left else "")
