"""What each question of knowledge adds to each measure, stage by stage (S3-Bench). Pure.

Recognition: the system's own transcript of the question, against what was asked. Perception: is the answer
to the subject at all (open questions only: options that are read out are hints). Knowledge: is it right.
Generation: the speech of the reply, against the system's own text of it.

What a reference does not hold, such as an abbreviation, adds nothing and is not missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from scenarios.schema import ItemKind
from scenarios.spoken.terms import Rarity, WordFrequencies
from scoring.science.answers import Answered, Condition
from scoring.science.choice import chosen
from scoring.science.open_answer import holds
from scoring.science.relevance import NO_CATEGORY, ONLY_OF_THE_QUESTION, relevance
from scoring.text.rates import TextPair, compare
from scoring.text.wer import fewest_errors


class Stage(StrEnum):
    """Where a spoken question can be lost."""

    RECOGNITION = "recognition"
    PERCEPTION = "perception"
    KNOWLEDGE = "knowledge"
    GENERATION = "generation"


@dataclass(frozen=True, slots=True)
class Measure:
    """A number of a stage.

    Attributes:
        higher: Higher is better.
    """

    name: str
    stage: Stage
    title: str
    description: str
    higher: bool = False


_ERRORS = (
    ("wer", "WER", "word errors over words"),
    ("eer", "EER", "terms that are lost over terms, aligned"),
    ("aer_strict", "AER strict", "abbreviations not as written over abbreviations"),
    ("aer_loose", "AER loose", "abbreviations lost in any case and spacing over abbreviations"),
)
_RIGHT = (
    (Stage.PERCEPTION, "loose", "RR loose", "answers that hold any keyword"),
    (Stage.PERCEPTION, "strict", "RR strict", "answers that hold a keyword of each of the three kinds"),
    (Stage.PERCEPTION, "beyond", "RR beyond question", "answers with a keyword the question lacks"),
    (Stage.KNOWLEDGE, "accuracy", "accuracy", "right answers, to all questions"),
    (Stage.KNOWLEDGE, "choice", "multiple choice", "right answers among options"),
    (Stage.KNOWLEDGE, "choice_rule", "multiple choice, rule alone", "right answers as a rule reads them"),
    (Stage.KNOWLEDGE, "open", "open", "right answers to open questions"),
    (Stage.KNOWLEDGE, "coverage", "read by rule", "answers from which a rule reads one option"),
)

MEASURES: Mapping[str, Measure] = {
    measure.name: measure
    for measure in (
        *(Measure(f"recognition_{n}", Stage.RECOGNITION, t, f"{d} of the question") for n, t, d in _ERRORS),
        *(Measure(f"{stage}_{name}", stage, t, d, higher=True) for stage, name, t, d in _RIGHT),
        *(Measure(f"generation_{n}", Stage.GENERATION, t, f"{d} of the reply") for n, t, d in _ERRORS),
    )
}
"""Every measure by name, in the order of the stages."""

MAIN: Mapping[Stage, str] = {
    Stage.RECOGNITION: "recognition_wer",
    Stage.PERCEPTION: "perception_loose",
    Stage.KNOWLEDGE: "knowledge_accuracy",
    Stage.GENERATION: "generation_wer",
}
"""The measure that stands for a stage where there is room for one."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What one question adds to a measure.

    Attributes:
        part: Errors, or 1 if right.
        whole: Words, or 1. With a cause, part and whole are what counting it as wrong adds; both 0 if
            that is unknown, or if the question itself is at fault.
        cause: Why it is unscored; "" if it is scored.
        chance: Of being right by a guess.
    """

    part: float
    whole: float
    cause: str = ""
    chance: float | None = None


def marks(one: Answered) -> dict[str, Mark]:
    """The marks of a question, by measure."""
    return {name: mark for stage in Stage for name, mark in stage_marks(one, stage).items()}


def stage_marks(one: Answered, stage: Stage) -> dict[str, Mark]:
    """The marks of a question for one stage."""
    match stage:
        case Stage.RECOGNITION:
            return _recognition(one)
        case Stage.PERCEPTION:
            return _perception(one)
        case Stage.KNOWLEDGE:
            return _knowledge(one)
        case Stage.GENERATION:
            return _generation(one)


def passes(one: Answered, found: Mapping[str, Mark]) -> dict[Stage, bool]:
    """Whether a question came through each stage; stages that are unscored are left out.

    Words come through if no term and no abbreviation is lost or, where there are none, no word.
    """
    passed: dict[Stage, bool] = {}
    for stage in (Stage.RECOGNITION, Stage.GENERATION):
        given = {name: mark for name, mark in found.items() if not mark.cause and mark.whole}
        special = [given[name] for name in (f"{stage}_eer", f"{stage}_aer_loose") if name in given]
        words = [given[name] for name in (f"{stage}_wer",) if name in given]
        if special or words:
            passed[stage] = not any(mark.part for mark in special or words)
    for stage in (Stage.PERCEPTION, Stage.KNOWLEDGE):
        mark = found.get(MAIN[stage])
        if mark is not None and not mark.cause:
            passed[stage] = bool(mark.part)
    return passed


def _recognition(one: Answered) -> dict[str, Mark]:
    if one.condition is Condition.TEXT or "recognised" in one.unasked:
        return {}
    cause = "" if one.recognised is not None else one.cause("recognised")
    terms = one.item.terms if one.item and one.item.terms else None
    found = _errors(Stage.RECOGNITION, one.asked, one.recognised or "", terms, cause)
    if one.aloud and f"{Stage.RECOGNITION}_wer" in found:
        # "BRCA1" and "bracka one" are the same words
        nearest = fewest_errors((one.asked, one.aloud), one.recognised or "")
        found[f"{Stage.RECOGNITION}_wer"] = Mark(nearest.errors, nearest.reference_words, cause)
    return found


def _generation(one: Answered) -> dict[str, Mark]:
    if one.condition is Condition.TEXT or {"written", "spoken"} & one.unasked:
        return {}
    if one.written is None:
        return {f"{Stage.GENERATION}_wer": Mark(0, 0, one.cause("written"))}
    cause = "" if one.spoken is not None else one.cause("spoken")
    return _errors(Stage.GENERATION, one.written, one.spoken or "", None, cause)


def _errors(
    stage: Stage, reference: str, hypothesis: str, terms: tuple[str, ...] | None, cause: str
) -> dict[str, Mark]:
    """The error rates of a pair of texts; what is unscored counts as if nothing had been heard."""
    pair = compare(TextPair("", reference, hypothesis, terms), rarity())
    found = {"wer": Mark(pair.words.errors, pair.words.reference_words, cause)}
    if "wer" in pair.unscored:
        found["wer"] = Mark(0, 0, pair.unscored["wer"])
    if pair.terms is not None and pair.terms.terms:
        found["eer"] = Mark(pair.terms.errors, pair.terms.terms, cause)
    elif pair.unscored.get("eer") not in (None, "no_terms"):
        found["eer"] = Mark(0, 0, pair.unscored["eer"])
    short = pair.abbreviations
    if short.abbreviations:
        found["aer_strict"] = Mark(short.strict, short.abbreviations, cause)
        found["aer_loose"] = Mark(short.loose, short.abbreviations, cause)
    return {f"{stage}_{name}": mark for name, mark in found.items()}


@cache
def rarity() -> Rarity | None:
    """Which words are terms: those that `wordfreq` calls rare; None if it is not installed."""
    from importlib.util import find_spec

    return WordFrequencies() if find_spec("wordfreq") else None


def _perception(one: Answered) -> dict[str, Mark]:
    if not one.keywords or (one.item is not None and one.item.kind is ItemKind.CHOICE):
        return {}
    held = relevance(one.keywords, one.answer or "", one.asked)
    cause = "" if one.answer is not None else one.cause("answer")
    return {
        f"{Stage.PERCEPTION}_{name}": Mark(0, 0, fault) if value is None else Mark(float(value), 1, cause)
        for name, value, fault in (
            ("loose", held.loose, ""),
            ("strict", held.strict, NO_CATEGORY),
            ("beyond", held.beyond_question, ONLY_OF_THE_QUESTION),
        )
    }


def _knowledge(one: Answered) -> dict[str, Mark]:
    if one.item is None:
        given = {} if one.right is None else {"accuracy": Mark(float(one.right), 1)}
    elif one.item.kind is ItemKind.CHOICE:
        given = _choice(one, one.item.options, one.item.answer)
    else:
        mark = _open(one, one.item.answer, one.item.accept)
        given = {"open": mark, "accuracy": mark}
    return {f"{Stage.KNOWLEDGE}_{name}": mark for name, mark in given.items()}


def _open(one: Answered, key: str, accept: tuple[str, ...]) -> Mark:
    """A judge's label where there is one, else the words."""
    if one.right is not None:
        return Mark(float(one.right), 1, chance=0.0)
    if one.answer is None:
        return Mark(0, 1, one.cause("answer"), chance=0.0)
    return Mark(float(holds(one.answer, key, accept)), 1, chance=0.0)


def _choice(one: Answered, options: Mapping[str, str], key: str) -> dict[str, Mark]:
    """By rule; a judge's label where no rule decides."""
    chance = 1 / len(options)
    judged = None if one.right is None else Mark(float(one.right), 1, chance=chance)
    if one.answer is None:
        read = Mark(0, 1, one.cause("answer"), chance)
        return {"choice": judged or read, "accuracy": judged or read, "choice_rule": read}
    choice = chosen(one.answer, options)
    if choice.cause == "options_alike":
        every = ("choice", "accuracy", "choice_rule", "coverage")
        return dict.fromkeys(every, Mark(0, 0, choice.cause))
    if choice.letter is None:
        read = Mark(0, 1, choice.cause, chance)
        mark = judged or read
    else:
        mark = read = Mark(float(choice.letter == key), 1, chance=chance)
    coverage = Mark(float(choice.letter is not None), 1)
    return {"choice": mark, "accuracy": mark, "choice_rule": read, "coverage": coverage}
