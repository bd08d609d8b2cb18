"""Metrics of words: what was intended, what was said, what was heard.

Of languages that are written without spaces, errors are counted in characters instead of words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from recordings.format import ResponseFinished
from scoring.metric import FunctionMetric, Measured, Measurement, Statistic, Unscored
from scoring.text import (
    NORMALISER,
    fewest_character_errors,
    fewest_errors,
    has_word_spaces,
)
from scoring.timeline import Exchange
from scoring.view import EpisodeView


@dataclass(frozen=True, slots=True)
class _Unit:
    """What errors are counted in.

    Attributes:
        fits: Whether it can be counted in a language.
        measured: The errors of a hypothesis against the nearest of some references, at an exchange.
        misfit: What is given for an exchange where it cannot; None gives nothing.
    """

    fits: Callable[[str], bool]
    measured: Callable[[Sequence[str], str, int], Measured]
    misfit: str | None


def _in_words(references: Sequence[str], hypothesis: str, where: int) -> Measured:
    errors = fewest_errors(references, hypothesis)
    evidence: dict[str, object] = {
        "substitutions": errors.substitutions,
        "deletions": errors.deletions,
        "insertions": errors.insertions,
        "hits": errors.hits,
        "normaliser": NORMALISER,
    }
    if errors.emptied:
        evidence["note"] = "empty_after_normalisation"
    return Measured(errors.rate, where, evidence, (errors.errors, errors.reference_words))


def _in_characters(references: Sequence[str], hypothesis: str, where: int) -> Measured:
    found = fewest_character_errors(references, hypothesis)
    return Measured(found.rate, where, {"normaliser": NORMALISER}, (found.errors, found.characters))


_WORDS = _Unit(has_word_spaces, _in_words, "language_without_word_spaces")
_CHARACTERS = _Unit(lambda language: not has_word_spaces(language), _in_characters, None)


def user_wer_said(view: EpisodeView) -> list[Measurement]:
    """Word errors of our recogniser on the user's clean voice: how well our voice can be understood."""
    return _user(view, "said", _WORDS)


def user_wer_heard(view: EpisodeView) -> list[Measurement]:
    """Word errors of the endpoint's own transcript of the user."""
    return _user(view, "endpoint_heard_user", _WORDS)


def endpoint_wer_said(view: EpisodeView) -> list[Measurement]:
    """Word errors between the endpoint's own text and its voice, as it arrived."""
    return _endpoint_said(view, _WORDS)


def endpoint_wer_heard(view: EpisodeView) -> list[Measurement]:
    """Word errors between the endpoint's own text and what the user heard of it."""
    return _endpoint(view, "heard", _interrupted, _WORDS)


def user_cer_said(view: EpisodeView) -> list[Measurement]:
    """The same as user_wer_said in characters, for languages written without spaces."""
    return _user(view, "said", _CHARACTERS)


def user_cer_heard(view: EpisodeView) -> list[Measurement]:
    """The same as user_wer_heard in characters, for languages written without spaces."""
    return _user(view, "endpoint_heard_user", _CHARACTERS)


def endpoint_cer_said(view: EpisodeView) -> list[Measurement]:
    """The same as endpoint_wer_said in characters, for languages written without spaces."""
    return _endpoint_said(view, _CHARACTERS)


def endpoint_cer_heard(view: EpisodeView) -> list[Measurement]:
    """The same as endpoint_wer_heard in characters, for languages written without spaces."""
    return _endpoint(view, "heard", _interrupted, _CHARACTERS)


def _endpoint_said(view: EpisodeView, unit: _Unit) -> list[Measurement]:
    given_up = {
        event.response
        for event in view.events
        if isinstance(event, ResponseFinished) and event.status != "completed"
    }

    def told(exchange: Exchange) -> str:
        deliveries = [stretch.delivery for stretch in exchange.reply]
        unfinished = any(d is not None and d.response in given_up for d in deliveries)
        return "reply_not_completed" if unfinished else ""

    return _endpoint(view, "endpoint_said", told, unit)


def _interrupted(exchange: Exchange) -> str:
    return "interrupted" if exchange.interrupted else ""


def _misfit(view: EpisodeView, unit: _Unit) -> list[Measurement]:
    exchanges = view.timeline.exchanges
    return [] if unit.misfit is None else [Unscored(unit.misfit, one.index) for one in exchanges]


def _user(view: EpisodeView, field: str, unit: _Unit) -> list[Measurement]:
    if not unit.fits(view.language):
        return _misfit(view, unit)
    measurements: list[Measurement] = []
    for exchange, texts in zip(view.timeline.exchanges, view.texts, strict=True):
        hypothesis = getattr(texts, field)
        if any(utterance.cut for utterance in exchange.user.utterances):
            measurements.append(Unscored("interrupted", exchange.index))
        elif not texts.intended:
            measurements.append(Unscored("no_text", exchange.index))
        elif hypothesis is None:
            measurements.append(Unscored(texts.unscored[field], exchange.index))
        else:
            references = texts.intended, texts.aloud
            measurements.append(unit.measured(references, hypothesis, exchange.index))
    return measurements


def _endpoint(
    view: EpisodeView, field: str, spoiled: Callable[[Exchange], str], unit: _Unit
) -> list[Measurement]:
    if not unit.fits(view.language):
        return _misfit(view, unit)
    measurements: list[Measurement] = []
    for exchange, texts in zip(view.timeline.exchanges, view.texts, strict=True):
        hypothesis = getattr(texts, field)
        if cause := spoiled(exchange):
            measurements.append(Unscored(cause, exchange.index))
        elif texts.endpoint_text is None:
            measurements.append(Unscored(texts.unscored["endpoint_text"], exchange.index))
        elif hypothesis is None:
            measurements.append(Unscored(texts.unscored[field], exchange.index))
        else:
            measurements.append(unit.measured((texts.endpoint_text,), hypothesis, exchange.index))
    return measurements


def _metric(measure: Callable[[EpisodeView], list[Measurement]], version: int) -> FunctionMetric:
    name, description = measure.__name__, (measure.__doc__ or "").strip()
    return FunctionMetric(name, "ratio", Statistic.RATIO, description, measure, version)


WORDS = (
    *(_metric(one, 2) for one in (user_wer_said, user_wer_heard, endpoint_wer_said, endpoint_wer_heard)),
    *(_metric(one, 1) for one in (user_cer_said, user_cer_heard, endpoint_cer_said, endpoint_cer_heard)),
)
"""The metrics of `scores/words.json`."""
