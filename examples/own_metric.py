"""A metric of one's own: words per second of the endpoint's replies, from recorded episodes.

Run:  python examples/own_metric.py recordings/episodes/RUN
"""

from __future__ import annotations

import sys
from pathlib import Path

from scoring.metric import Aggregate, FunctionMetric, Measured, Measurement, Statistic, Unscored, aggregate
from scoring.score import score
from scoring.view import EpisodeView
from streams.clock import run


def words_per_second(view: EpisodeView) -> list[Measurement]:
    """One value for each reply; what can't be measured is unscored, with a cause."""
    found: list[Measurement] = []
    for exchange, texts in zip(view.timeline.exchanges, view.texts, strict=True):
        if not exchange.reply:
            found.append(Unscored(exchange.unanswered, exchange.index))
        elif not texts.heard:
            found.append(Unscored("nothing_understood", exchange.index))
        else:
            ticks = sum(s.end - s.start for stretch in exchange.reply for s in stretch.segments)
            seconds = ticks / view.timeline.rate
            found.append(Measured(len(texts.heard.split()) / seconds, exchange.index))
    return found


SPEECH_RATE = FunctionMetric(
    name="words_per_second",
    unit="1/s",
    statistic=Statistic.MEDIAN,
    description="How fast the endpoint talks, pauses left out.",
    measure=words_per_second,
)


def main(path: Path) -> Aggregate:
    """Measure every episode below a path."""
    scores = run(score([path]))
    measurements = [
        measurement
        for episode in scores.episodes
        if not episode.info.outcome.void
        for measurement in SPEECH_RATE.measure(episode.view)
    ]
    result = aggregate(SPEECH_RATE, measurements)
    print(f"{result.value} words per second, n = {result.n}, unscored {dict(result.unscored)}")
    return result


if __name__ == "__main__":
    main(Path(sys.argv[1]))
