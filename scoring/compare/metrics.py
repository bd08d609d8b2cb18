"""What is compared: which way is better, and the smallest difference that matters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Better(StrEnum):
    """Which way a metric is better."""

    HIGHER = "higher"
    LOWER = "lower"


@dataclass(frozen=True, slots=True)
class Compared:
    """How a metric is compared.

    Attributes:
        minimum: The smallest difference that matters, in the metric's unit. Milliseconds as peers have them
            (callback-voice: 0.1 s), shares ten or five points, the rest about a tenth of its usual range.
    """

    metric: str
    better: Better
    minimum: float


def _all(better: Better, minimum: float, *metrics: str) -> Iterable[tuple[str, Compared]]:
    return ((metric, Compared(metric, better, minimum)) for metric in metrics)


COMPARED: Mapping[str, Compared] = MappingProxyType(
    dict(
        (
            *_all(Better.HIGHER, 0.1, "passed"),
            *_all(Better.LOWER, 100.0, "response_latency"),
            *_all(Better.LOWER, 0.05, "unanswered_turns", "endpoint_interruptions"),
            *_all(Better.LOWER, 1.0, "dead_air"),
            *_all(Better.LOWER, 0.05, "user_wer_heard", "endpoint_wer_heard"),
            *_all(Better.LOWER, 100.0, "time_to_yield"),
            *_all(Better.HIGHER, 0.1, "yield_rate", "interruptions_answered"),
            *_all(Better.HIGHER, 0.1, "backchannels_ignored", "tics_ignored", "asides_ignored"),
            *_all(Better.LOWER, 0.1, "pause_take_over", "cut_off", "old_reply_resumed"),
            *_all(Better.LOWER, 0.05, "talk_over"),
            *_all(Better.HIGHER, 0.05, "science_perception_strict", "science_knowledge_accuracy"),
            *_all(Better.LOWER, 0.05, "science_recognition_wer", "science_generation_wer"),
        )
    )
)
"""What is compared unless others are named. Each says something of its own: more tests need more calls."""

MORE: Mapping[str, Compared] = MappingProxyType(
    dict(
        (
            *_all(Better.LOWER, 100.0, "first_byte", "leading_silence", "endpoint_wait", "endpoint_think"),
            *_all(Better.LOWER, 0.1, "yield_latency", "answer_latency", "overlap", "dead_air_count"),
            *_all(Better.LOWER, 0.05, "user_wer_said", "endpoint_wer_said"),
            *_all(
                Better.LOWER, 0.1, "false_yields", "endpoint_cut_ins", "backchannel_take_over", "reprompts"
            ),
            *_all(
                Better.HIGHER, 0.1, "smooth_take_over", "interruption_take_over", "answer_rate", "on_time"
            ),
            *_all(Better.HIGHER, 0.1, "eva_turn_taking"),
            *_all(Better.HIGHER, 0.05, "science_perception_loose", "science_perception_beyond"),
            *_all(Better.HIGHER, 0.05, "science_knowledge_choice", "science_knowledge_open"),
            *_all(Better.LOWER, 0.05, "science_recognition_eer", "science_recognition_aer_strict"),
            *_all(Better.LOWER, 0.05, "science_recognition_aer_loose", "science_generation_eer"),
            *_all(Better.LOWER, 0.05, "science_generation_aer_strict", "science_generation_aer_loose"),
        )
    )
)
"""What can be named besides: parts of the above, or the same seen otherwise."""


class NotCompared(ValueError):
    """A metric that is none, or of which no way is better."""


def chosen(names: Iterable[str], minimums: Mapping[str, float]) -> list[Compared]:
    """The metrics to compare.

    Args:
        names: Of the metrics; none takes `COMPARED`.
        minimums: Smallest differences that matter, in place of ours.

    Raises:
        NotCompared: A name is that of no metric that can be compared.
    """
    known = {**COMPARED, **MORE}
    named = list(dict.fromkeys(names)) or list(COMPARED)
    for name in (*named, *minimums):
        if name not in known:
            raise NotCompared(f"{name!r} cannot be compared; known are {', '.join(sorted(known))}")
    return [Compared(name, known[name].better, minimums.get(name, known[name].minimum)) for name in named]
