"""What a reply may say or do in reaction to each manner of the user. English, and of our own making.

How often these lists are right was measured on replies that were written before them (docs/benchmarks.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

_COMFORT = (
    "sorry to hear, so sorry, sorry that, here for you, not alone, poor you, oh dear, oh no,"
    " must be hard, must have been hard, hard day, bad day, rough day, cheer up, chin up, better days,"
    " things will get better, it will get better, comfort you, hug"
)
_CALMING = (
    "don't worry, do not worry, no need to worry, take a deep breath, deep breath, breathe, stay calm,"
    " calm down, it is all right, it's all right, it is okay, it's okay, that is okay, you can do it,"
    " you will be fine, you'll be fine, you are safe, perfectly normal, not alone, here for you,"
    " i understand, one step at a time, small steps"
)
_APOLOGY = (
    "i apologise, i apologize, my apologies, so sorry, terribly sorry, sorry for, every right,"
    " on the house, must not happen, should not have happened, put it right, make it right,"
    " make up for it, straight away, at once, i understand your"
)
_JOY = (
    "congratulations, well done, bravo, how wonderful, how exciting, how lovely, happy for you,"
    " glad for you, fantastic, wow, hooray, great to hear, wonderful to hear, love your, share your,"
    " your enthusiasm, your good mood, your joy"
)
_PATIENCE = (
    "take your time, take all the time, no hurry, no rush, never too late, not too late, go ahead,"
    " no need to be, do not hesitate, don't hesitate, you can do it, encourage"
)
_SLOWLY = "take your time, slowly, say it again, repeat it, speak up, step by step, no hurry, no rush"
_HASTE = "quickly, in short, in brief, briefly, short answer, hurry, no time"
_REST = (
    "get some rest, have a rest, take a rest, get some sleep, sleep well, close your eyes, lie down,"
    " go to bed, good night, keep it short, make it short, go on tomorrow, go on later, continue tomorrow,"
    " take a break, long day"
)
_HUSH = (
    "shh, hush, whisper, whispering, very quiet, be quiet, quietly, softly, keep my voice down,"
    " lower my voice, wake the baby, good night, sleep well"
)
_CHILDLIKE = (
    "grown-up, grown up, your mum, your mom, your mummy, your dad, your daddy, your parents, your teacher,"
    " little one, sweetheart, dear child, once upon a time"
)


@dataclass(frozen=True, slots=True)
class Expected:
    """How a reply may react to a manner of the user.

    Attributes:
        states: What the user may be called.
        phrases: What answers it.
        sounds: Changes of the reply's own voice (`manner_rules.CHANGES`), 1 for more and -1 for less. Pace
            is not among them: from sentence to sentence it differs by up to a third.
        form: "short" or "simple", if the form of the reply adapts.
    """

    states: frozenset[str]
    phrases: tuple[str, ...]
    sounds: Mapping[str, int]
    form: str = ""


def _expected(states: str, phrases: str, form: str = "", **sounds: int) -> Expected:
    listed = tuple(phrase.strip() for phrase in phrases.split(","))
    return Expected(frozenset(states.split()), listed, MappingProxyType(sounds), form)


EXPECTED: Mapping[str, Expected] = MappingProxyType(
    {
        "angry": _expected("angry upset annoyed furious frustrated cross", _APOLOGY, louder=-1),
        "calm": _expected("calm relaxed", "", louder=-1),
        "cheerful": _expected("cheerful happy glad mood good-humoured", _JOY, higher=1),
        "child": _expected("child kid young", _CHILDLIKE, "simple", higher=1),
        "elderly": _expected("age elderly older", _SLOWLY),
        "excited": _expected("excited thrilled enthusiastic delighted", _JOY, higher=1),
        "hesitant": _expected("hesitant unsure uncertain doubt doubts shy", _PATIENCE),
        "hurried": _expected("hurry rush hurried pressed busy", _HASTE, "short"),
        "nervous": _expected("nervous anxious worried afraid scared frightened tense stressed", _CALMING),
        "sad": _expected("sad unhappy disappointed upset discouraged", _COMFORT, louder=-1),
        "tired": _expected("tired exhausted sleepy weary worn awake", _REST, louder=-1),
        "whispering": _expected("whispering whisper quiet", _HUSH, louder=-1),
    }
)
"""By style of the user."""
