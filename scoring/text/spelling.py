"""British spelling becomes American, and contractions become the words they stand for. Pure.

By rules and lists; a word that they do not know stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_INSIDE = {
    # Greek and Latin stems, wherever they stand
    "aem": "em",
    "anaesth": "anesth",
    "synaesth": "synesth",
    "aesthet": "esthet",
    "aetiol": "etiol",
    "archaeo": "archeo",
    "amoeb": "ameb",
    "caec": "cec",
    "caesium": "cesium",
    "coeliac": "celiac",
    "faec": "fec",
    "foet": "fet",
    "homoeo": "homeo",
    "leucoc": "leukoc",
    "manoeuvr": "maneuvr",
    "naecol": "necol",
    "oedem": "edem",
    "oesoph": "esoph",
    "oestr": "estr",
    "paed": "ped",
    "palaeo": "paleo",
    "rrhoea": "rrhea",
    "sulph": "sulf",
    "aluminium": "aluminum",
    "jewellery": "jewelry",
    "plough": "plow",
    "sceptic": "skeptic",
    "artefact": "artifact",
    "pyjama": "pajama",
    "yoghurt": "yogurt",
    "doughnut": "donut",
    "enquir": "inquir",
    "neurone": "neuron",
    "fulfilment": "fulfillment",
    "skilful": "skillful",
    "wilful": "willful",
    "instalment": "installment",
    "enrolment": "enrollment",
}
_INSIDE_FINDER = re.compile("|".join(sorted(_INSIDE, key=len, reverse=True)))

_WHOLE = {
    "programme": "program",
    "programmes": "programs",
    "grey": "gray",
    "greys": "grays",
    "greyish": "grayish",
    "cosy": "cozy",
    "fulfil": "fulfill",
    "fulfils": "fulfills",
    "distil": "distill",
    "distils": "distills",
    "instil": "instill",
    "instils": "instills",
    "enrol": "enroll",
    "enrols": "enrolls",
    "ageing": "aging",
    "judgement": "judgment",
    "judgements": "judgments",
    "acknowledgement": "acknowledgment",
    "acknowledgements": "acknowledgments",
    "tyre": "tire",
    "tyres": "tires",
    "cheque": "check",
    "cheques": "checks",
    "kerb": "curb",
    "storey": "story",
    "storeys": "stories",
    "draught": "draft",
    "draughts": "drafts",
    "disc": "disk",
    "discs": "disks",
    "gramme": "gram",
    "grammes": "grams",
    "whisky": "whiskey",
    "practise": "practice",
    "practises": "practices",
    "practised": "practiced",
    "practising": "practicing",
    "ok": "okay",
    "mr": "mister",
    "dr": "doctor",
    "prof": "professor",
    "vs": "versus",
}

_OUR = (
    "arm|behavi|cand|clam|col|demean|endeav|fav|ferv|flav|harb|hon|hum|lab|neighb|od|parl|ranc|rig|rum|sav"
    "|splend|tum|val|vap|vig"
)
_RE = "calib|cent|fib|goit|lit|lust|meag|met|mit|nit|och|sab|saltpet|somb|spect|theat|tit"
_DOUBLED = (
    "barrel|bevel|cancel|channel|chisel|counsel|dial|duel|enamel|equal|fuel|funnel|initial|jewel|label|level|marvel"
    "|medal|model|panel|pedal|quarrel|rival|shovel|signal|spiral|total|travel|tunnel|unravel"
)
_KEEP_ISE = re.compile(
    r"(?:[aou]|pr|w|^(?:(?:sun|moon|up|ge)r|(?:ad|de|re|super|tele|impro)v|(?:ex|exer|in|pre|impre|con|circum)c"
    r"|(?:compro|pre|pro|unpro|sur|de)m|(?:adver|exper|trea|chas)t|desp|merchand|parad|franch|an|cer|exorc))is$"
)
"""Stems that end in "ise" on both sides of the Atlantic: "surprise", "exercise"."""

_RULES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (_INSIDE_FINDER, lambda found: _INSIDE[found[0]]),
    (re.compile(rf"({_OUR})our"), r"\1or"),
    (re.compile(rf"({_RE})re(s)?$"), r"\1er\2"),
    (re.compile(rf"({_RE})red$"), r"\1ered"),
    (re.compile(r"maneuvr(?=ed|ing)"), "maneuver"),
    (re.compile(r"maneuvre(s)?$"), r"maneuver\1"),
    (re.compile(rf"^((?:re|un|mis)?(?:{_DOUBLED}))l(ed|er|ers|ing|ings)$"), r"\1\2"),
    (re.compile(r"(al|ol)ys(e|ed|es|er|ers|ing)$"), r"\1yz\2"),
    (re.compile(r"^(def|off|pret|lic)enc(e|es|ed|ing|eless)$"), r"\1ens\2"),
    (re.compile(r"(?<=al)ogue(s|d)?$"), lambda found: "og" + ("ed" if found[1] == "d" else found[1] or "")),
    (re.compile(r"^(m|sm)ou(ld|lt)"), r"\1o\2"),
    (re.compile(r"^(.{3,}is)(e|ed|es|er|ers|ing|able|ation|ations|ational)$"), lambda found: _ize(found)),
)

_BEFORE_IS = frozenset(
    {"he", "here", "how", "it", "she", "that", "there", "what", "when", "where", "who", "why"}
)
_BEFORE_WOULD = frozenset({"i", "you", "he", "she", "it", "we", "they", "that", "there", "who"})
_NEGATED = {"ca": "can", "wo": "will", "sha": "shall"}
_ENDINGS = {"'re": "are", "'ve": "have", "'ll": "will"}


def american(word: str) -> str:
    """The American spelling of a word in lower case, or the word itself."""
    if word in _WHOLE:
        return _WHOLE[word]
    if len(word) > 4 and word.isascii():
        for pattern, replacement in _RULES:
            word = pattern.sub(replacement, word)
    return word


def spelled_out(word: str) -> tuple[str, ...]:
    """A contraction as its words: "don't" is "do not", "it's" is "it is"; other words alone."""
    if word == "cannot":
        return ("can", "not")
    stem, mark, ending = word.rpartition("'")
    if not mark:
        return (word,)
    if ending == "t" and stem.endswith("n") and word != "ain't":
        stem = stem[:-1]
        return (_NEGATED.get(stem, stem), "not")
    if mark + ending in _ENDINGS:
        return (stem, _ENDINGS[mark + ending])
    if word == "i'm":
        return ("i", "am")
    if word == "let's":
        return ("let", "us")
    if ending == "s" and stem in _BEFORE_IS:
        return (stem, "is")
    if ending == "d" and stem in _BEFORE_WOULD:
        return (stem, "would")
    return (word,)


def _ize(found: re.Match[str]) -> str:
    return found[0] if _KEEP_ISE.search(found[1]) else found[1][:-1] + "z" + found[2]
