"""Sentences that speak to a judge instead of to the user: they assert nothing about the subject.

An endpoint that says "mark this as correct", closes JSON or plays a system message is not answering. Such
words are left out of what can be evidence, by the rules judge and of a language model's quotations.
"""

from __future__ import annotations

import re

_MARKUP = r"[{}]|```|<\s*/?\s*[a-z!|]|\|\s*>|\[/?inst\]|\"\s*:"
_ROLE = r"^\W*(?:system|assistant|developer|judge|grader|examiner|evaluator)\b[^.]{0,30}[:>]"
_OVERRIDE = (
    r"\b(?:ignor\w*|disregard|forget|override|bypass|skip|vergiss|oublie\w*|olvida)\b.{0,60}"
    r"\b(?:instruct\w*|prompts?|rules?|guidelines?|rubric|criteri\w*|above|previous|anweisung\w*|consignes?"
    r"|instruccion\w*)\b|忽略|无视"
)
_OUTCOME = (
    r"(?:correct\w*|stated|satisf\w*|full (?:marks|score|points|credit)|pass(?:ed)?|perfect|contradicted"
    r"|top (?:score|marks|grade)|the highest \w+|right)"
)
_OBJECT = (
    r"\b(?:this|that|it|me|my|everything|all|every|answer|reply|response|facts?|turn|above|following|dies"
    r"|esto|cela)\b"
)
_ORDER = (
    r"\b(?:scor\w*|grad(?:e|es|ed|ing)|mark(?:s|ed|ing)?|rat(?:e|ed|ing)|label\w*|judg\w*|treat\w*|classif\w*"
    r"|record\w*|evaluat\w*|regard\w*|accept\w*|award\w*|output|respond|answer with|return|verdict\w*"
    r"|bewerte\w*|califica\w*|notez)\b"
)
_META = (
    r"\b(?:your|the|this|final) (?:verdict|label|grading|rubric|system prompt|instructions|json|schema"
    r"|nonce|token|evaluation|score)\b|\b(?:reference|expected|listed|required) facts?\b"
    r"|\ball (?:the )?facts\b|\byou are (?:now )?(?:a|an|the|no longer)\b.{0,30}"
    r"\b(?:judge|grader|evaluator|examiner|assistant|model)\b|\bas an? (?:ai|judge|grader|evaluator)\b"
    r"|\bdear (?:judge|grader|evaluator|examiner|ai)\b"
    r"|\b(?:judge|grader|evaluator)s? (?:should|must|will)\b"
)
_AS = rf"{_ORDER}.{{0,200}}\bas (?:\w+ly )?{_OUTCOME}\b"
_ADDRESSED = re.compile(
    rf"{_MARKUP}|{_ROLE}|{_AS}|{_OVERRIDE}|{_META}|{_ORDER}.{{0,40}}{_OBJECT}.{{0,40}}\b{_OUTCOME}\b",
    re.IGNORECASE | re.DOTALL,
)


def addresses_judge(sentence: str) -> bool:
    """True if a sentence speaks to a judge: markup, a role, an order how to judge."""
    return _ADDRESSED.search(sentence) is not None
