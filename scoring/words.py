"""Metrics of words: what was intended, what was said, what was heard."""

from __future__ import annotations

from collections.abc import Callable

from recordings.format import ResponseFinished
from scoring.metric import FunctionMetric, Measured, Measurement, Statistic, Unscored
from scoring.text import NORMALISER, WordErrors, fewest_errors, has_word_spaces, word_errors
from scoring.timeline import Exchange
from scoring.view import EpisodeView


def user_wer_said(view: EpisodeView) -> list[Measurement]:
    """Word errors of our recogniser on the user's clean voice: how well our voice can be understood."""
    return _user(view, "said")


def user_wer_heard(view: EpisodeView) -> list[Measurement]:
    """Word errors of the endpoint's own transcript of the user."""
    return _user(view, "endpoint_heard_user")


def endpoint_wer_said(view: EpisodeView) -> list[Measurement]:
    """Word errors between the endpoint's own text and its voice, as it arrived."""
    given_up = {
        event.response
        for event in view.events
        if isinstance(event, ResponseFinished) and event.status != "completed"
    }

    def told(exchange: Exchange) -> str:
        deliveries = [stretch.delivery for stretch in exchange.reply]
        unfinished = any(d is not None and d.response in given_up for d in deliveries)
        return "reply_not_completed" if unfinished else ""

    return _endpoint(view, "endpoint_said", told)


def endpoint_wer_heard(view: EpisodeView) -> list[Measurement]:
    """Word errors between the endpoint's own text and what the user heard of it."""
    return _endpoint(view, "heard", lambda exchange: "interrupted" if exchange.interrupted else "")


def _user(view: EpisodeView, field: str) -> list[Measurement]:
    measurements: list[Measurement] = []
    for exchange, texts in zip(view.timeline.exchanges, view.texts, strict=True):
        hypothesis = getattr(texts, field)
        if not has_word_spaces(view.language):
            measurements.append(Unscored("language_without_word_spaces", exchange.index))
        elif any(utterance.cut for utterance in exchange.user.utterances):
            measurements.append(Unscored("interrupted", exchange.index))
        elif not texts.intended:
            measurements.append(Unscored("no_text", exchange.index))
        elif hypothesis is None:
            measurements.append(Unscored(texts.unscored[field], exchange.index))
        else:
            errors = fewest_errors((texts.intended, texts.aloud), hypothesis)
            measurements.append(_measured(errors, exchange.index))
    return measurements


def _endpoint(view: EpisodeView, field: str, spoiled: Callable[[Exchange], str]) -> list[Measurement]:
    measurements: list[Measurement] = []
    for exchange, texts in zip(view.timeline.exchanges, view.texts, strict=True):
        hypothesis = getattr(texts, field)
        if not has_word_spaces(view.language):
            measurements.append(Unscored("language_without_word_spaces", exchange.index))
        elif cause := spoiled(exchange):
            measurements.append(Unscored(cause, exchange.index))
        elif texts.endpoint_text is None:
            measurements.append(Unscored(texts.unscored["endpoint_text"], exchange.index))
        elif hypothesis is None:
            measurements.append(Unscored(texts.unscored[field], exchange.index))
        else:
            measurements.append(_measured(word_errors(texts.endpoint_text, hypothesis), exchange.index))
    return measurements


def _measured(errors: WordErrors, where: int) -> Measured:
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


WORDS = tuple(
    FunctionMetric(
        measure.__name__, "ratio", Statistic.RATIO, (measure.__doc__ or "").strip(), measure, version=2
    )
    for measure in (user_wer_said, user_wer_heard, endpoint_wer_said, endpoint_wer_heard)
)
"""The metrics of `scores/words.json`."""
