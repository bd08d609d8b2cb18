"""Did a call come to what its scenario expects? A yes or no for each: what pass@k and gates count. Pure.

A call has passed if

1. it did not end by the endpoint's fault, nor at a limit of its scenario before the user was through;
2. no turn of the user stayed without a reply;
3. every fact that the user asked for stands stated when the call is over, none contradicted; the question
   whose reply the user itself cut short is left out;
4. every question of knowledge was answered rightly;
5. the tools were called as the scenario expects.

If all that is known is met, and something could not be judged, the call is unscored with that cause.
"""

from __future__ import annotations

from collections.abc import Iterator

from recordings.format import Outcome, Role, UtteranceStarted
from scoring.metric import FunctionMetric, Measured, Measurement, Statistic, Unscored
from scoring.science.answers import answers
from scoring.science.marks import Stage, stage_marks
from scoring.timeline import Exchange
from scoring.tools import shortfalls, without_tools
from scoring.view import EpisodeView

ACCURACY = f"{Stage.KNOWLEDGE}_accuracy"

_NOT_THROUGH = frozenset({Outcome.MAX_DURATION, Outcome.MAX_TURNS})
_NO_ANSWER = frozenset({"no_answer", "no_choice", "two_choices"})
_INSTEAD = frozenset({Role.BARGE_IN, Role.CORRECTION})


def passed(view: EpisodeView) -> list[Measurement]:
    """Share of calls that came to what their scenario expects: answers, facts, a proper end."""
    failed = [*_end(view), *_unanswered(view)]
    open_: list[str] = []
    for reason, cause in (*_facts(view), *_items(view), *_tools(view)):
        (failed if reason else open_).append(reason or cause)
    if failed:
        return [Measured(0.0, evidence={"failed": failed})]
    return [Unscored(open_[0])] if open_ else [Measured(1.0)]


def _end(view: EpisodeView) -> Iterator[str]:
    outcome = view.info.outcome
    if outcome.fault.value == "endpoint" or outcome in _NOT_THROUGH:
        yield outcome.value


def _unanswered(view: EpisodeView) -> Iterator[str]:
    for exchange in view.timeline.exchanges:
        if exchange.unanswered == "no_reply":
            yield f"turn {exchange.index + 1}: no reply"


def _facts(view: EpisodeView) -> Iterator[tuple[str, str]]:
    """For each fact that was asked for and does not stand: why the call failed, or why nobody knows."""
    labels: dict[str, list[str | None]] = {}
    for exchange, expected in _asked(view):
        judged = view.judged.get(exchange.index)
        for fact in expected:
            if judged is not None:
                labels.setdefault(fact, []).append(judged.labels.get(fact))
            else:
                # nobody judges what was never said; of what was said without a judge nothing is known
                labels.setdefault(fact, []).append("missing" if exchange.unanswered else "not_judged")
    for fact, given in labels.items():
        said = [label for label in given if label in ("stated", "contradicted")]
        standing = said[-1] if said else "missing"
        if standing == "stated":
            continue
        if not said and "not_judged" in given:
            yield "", "not_judged"
        elif not said and None in given:
            yield "", "judge_failed"
        else:
            yield f"fact {fact}: {standing}", ""


def _asked(view: EpisodeView) -> Iterator[tuple[Exchange, tuple[str, ...]]]:
    """The exchanges with the facts that their replies should state."""
    expected = {
        event.utterance: event.expected for event in view.events if isinstance(event, UtteranceStarted)
    }
    exchanges = view.timeline.exchanges
    for exchange, after in zip(exchanges, (*exchanges[1:], None), strict=False):
        instead = after is not None and after.user.utterances[0].role in _INSTEAD
        if not instead:
            last = exchange.user.utterances[-1]
            yield exchange, expected.get(last.id, ())


def _items(view: EpisodeView) -> Iterator[tuple[str, str]]:
    for _, one in answers(view):
        mark = stage_marks(one, Stage.KNOWLEDGE).get(ACCURACY)
        if one.item is None or mark is None:
            continue
        if mark.cause in _NO_ANSWER:
            yield f"question {one.id}: {mark.cause.replace('_', ' ')}", ""
        elif mark.cause:
            yield "", mark.cause
        elif mark.part < mark.whole:
            yield f"question {one.id}: wrong answer", ""


def _tools(view: EpisodeView) -> Iterator[tuple[str, str]]:
    for _, wrong in shortfalls(view):
        if without_tools(view):
            yield "", "protocol_has_no_tools"
        elif wrong:
            yield f"tool {wrong}", ""


PASSED = (FunctionMetric("passed", "ratio", Statistic.RATE, (passed.__doc__ or "").strip(), passed),)
"""The metric of `scores/passed.json`."""
