"""Does a reply react to how the user spoke? What rules can tell of it, and what they cannot. Pure.

The user's own side comes first: was the manner in its voice? Its turn is compared with other turns of the
same voice for which no style was asked. If the style asks for two or more changes and none of them is
there, nothing was to be noticed, and the reply is unscored (`user_manner_not_heard`); so it is if a whisper
is voiced. One change alone proves nothing: pace and melody differ from sentence to sentence. Without such
turns the manner is taken as it was meant.

Then the reply. It is

- *good*, if it says so: names the state ("you sound nervous") or answers it ("take a deep breath");
- *acceptable*, if it adapts in a way that can be measured: its voice against its own neutral one, its
  length for somebody in a hurry, its words for a child;
- *bad*, if it does the opposite of that: a long speech to the hurried, hard words to a child, a raised
  voice to a whisper;
- unscored (`reaction_not_found`) in all other cases. A reply may react in words that are listed nowhere,
  in what it leaves out, or in its mood: that needs a person, or a model that hears.

What is looked for stands in `reaction_words`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from statistics import median

from scenarios.facts.matching import find, tokens
from scoring.blueprint.record import Blueprint
from scoring.judge import manner_rules
from scoring.judge.dimensions import Rating, Reply, Task
from scoring.judge.manner_rules import CHANGES
from scoring.judge.reaction_words import EXPECTED, Expected
from scoring.judge.sound_rules import Finding, value_at

REACTION = "reaction to the user's manner"
USER = "manner of the user"

PLAINLY = 2.0
"""A voice adapts if it changes by so many times what can be heard: replies differ for no reason, too."""

SHORT, LONG = 30, 80
"""Words of a reply to somebody in a hurry: at most so many are short, more than so many are long."""

SIMPLE, HARD, LEAST = 2.0, 9.0, 8
"""Flesch-Kincaid grades of words for a child, and the words that a grade takes."""


def findings(task: Task, reply: Reply) -> list[Finding]:
    """What the user's side shows of the manner, and whether the reply reacts; [] without a manner."""
    if not task.perceive:
        return []
    user = _user(task)
    if user.rating is Rating.BAD:
        return [user, Finding(REACTION, None, None, "user_manner_not_heard", user.expected)]
    expected = EXPECTED.get(task.perceive.partition(";")[0].strip())
    if expected is None:
        return [user, Finding(REACTION, None, None, "manner_unknown", task.perceive)]
    return [user, _reaction(expected, reply)]


def _user(task: Task) -> Finding:
    if task.user.blueprint is None:
        return Finding(USER, None, None, "no_blueprint", task.perceive)
    changes = manner_rules.findings(task.user.blueprint, task.user_neutral, task.perceive)
    found = manner_rules.rated(changes)
    if found.rating is not Rating.BAD:
        return replace(found, measure=USER)
    clear = len(changes) > 1 or changes[0].measure == manner_rules.WHISPERED
    absent = found.value == 0 and clear
    return replace(found, measure=USER, rating=Rating.BAD if absent else Rating.ACCEPTABLE)


def _reaction(expected: Expected, reply: Reply) -> Finding:
    words = reply.spoken.words
    said = _said(expected, words)
    if said:
        return Finding(REACTION, 1.0, Rating.GOOD, expected=f"says {said!r}")
    shown = [*_in_form(expected.form, words), *_in_sound(expected.sounds, reply)]
    adapts = [text for rating, text in shown if rating is Rating.ACCEPTABLE]
    against = [text for rating, text in shown if rating is Rating.BAD]
    if bool(adapts) == bool(against):
        return Finding(REACTION, None, None, "reaction_not_found", "a reaction that rules can see")
    if adapts:
        return Finding(REACTION, 0.5, Rating.ACCEPTABLE, expected="; ".join(adapts))
    return Finding(REACTION, 0.0, Rating.BAD, expected="; ".join(against))


def _said(expected: Expected, words: str) -> str:
    """The words by which a reply names or answers the manner; "" if there are none."""
    heard = tokens(words)
    for phrase in filter(None, expected.phrases):
        match = find(phrase, heard)
        if match is not None and not match.negated:
            return words[match.start : match.end]
    named = _naming(expected.states).search(words)
    return named[0] if named else ""


@cache
def _naming(states: frozenset[str]) -> re.Pattern[str]:
    """The word "you" with a state up to five words later, and no negator between them."""
    between = r"(?:\s+(?!not\b|never\b|\w*n['\u2019]t\b)[\w'\u2019]+){0,5}?"
    state = "|".join(sorted(states))
    return re.compile(rf"\byou(?:r|['\u2019]re)?\b{between}\s+(?:{state})\b", re.IGNORECASE)


def _in_form(form: str, words: str) -> list[tuple[Rating, str]]:
    """Whether the length or the words of a reply fit."""
    count = len(re.findall(r"[^\W\d_]+", words))
    if form == "short" and (count <= SHORT or count > LONG):
        return [(Rating.ACCEPTABLE if count <= SHORT else Rating.BAD, f"{count} words")]
    if form == "simple" and count >= LEAST:
        from scoring.science.audience import flesch_kincaid

        grade = flesch_kincaid([words])
        if grade <= SIMPLE or grade >= HARD:
            return [(Rating.ACCEPTABLE if grade <= SIMPLE else Rating.BAD, f"grade {grade:.1f}")]
    return []


def _in_sound(sounds: Mapping[str, int], reply: Reply) -> list[tuple[Rating, str]]:
    """Changes of the voice from its neutral one that are too large for chance."""
    found = []
    for name, direction in sounds.items():
        change = _change(name, reply.spoken.blueprint, reply.neutral)
        if change is not None and abs(change) >= PLAINLY * CHANGES[name].heard_from:
            rating = Rating.ACCEPTABLE if change * direction > 0 else Rating.BAD
            found.append((rating, f"{name} by {change:+.2f}"))
    return found


def _change(name: str, blueprint: Blueprint | None, neutral: Sequence[Blueprint]) -> float | None:
    """How far a measure is from its neutral value; None if that is not known."""
    place = CHANGES[name].place
    value = None if blueprint is None else value_at(blueprint, place)[0]
    usual = [v for v, _ in (value_at(other, place) for other in neutral) if v is not None]
    return None if value is None or not usual else CHANGES[name].found(value, median(usual))
